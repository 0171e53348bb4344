/* SPDX-License-Identifier: MIT */
/* What every test of the daemon includes first. */
#ifndef GP_TESTS_DAEMON_UNIT_H
#define GP_TESTS_DAEMON_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
