/* SPDX-License-Identifier: MIT */
/*
 * What the fake tracers of a test were told, a line each.
 */
#ifndef TESTS_UNIT_LIB_FAKE_LOG_H
#define TESTS_UNIT_LIB_FAKE_LOG_H

/* From now on they write it down, in a file with this in its name. */
void fake_log_begin(const char *name);

/* Nothing so far; also at the end. */
void fake_log_clear(void);

/* Good until the next call. */
const char *fake_log_read(void);

#endif
