/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace buffer: what gpreempt.ko, amdkfd's hooks and the simulated GPU say
 * while a test runs, as lines in the order of time. Takes a processor away for a moment.
 */
#ifndef GT_FTRACE_H
#define GT_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct gt_ftrace_line - an event
 * @ns: when, as gt_now_ns() counts, to a microsecond
 * @pid: of the task it happened in
 * @text: "EVENT: arguments"
 */
struct gt_ftrace_line {
	uint64_t ns;
	int pid;
	char text[200];
};

struct gt_ftrace {
	struct gt_ftrace_line *line;
	size_t nr;
};

/* Begins with an empty buffer. gpreempt.ko is loaded and stays until the end, or is not there. */
void gt_ftrace_start(void);
/* The same, with what the kernel writes to its log: lines "console: TEXT". */
void gt_ftrace_start_with_log(void);
/* Ends, and gives what there was; for gt_ftrace_free(). */
void gt_ftrace_stop(struct gt_ftrace *t);
void gt_ftrace_free(struct gt_ftrace *t);

/* Whether a line has all these texts; NULL ends them. */
bool gt_ftrace_has(const struct gt_ftrace_line *l, const char *const *texts);
/* The first line at or after @from that has both texts; @nr if there is none. */
size_t gt_ftrace_find(const struct gt_ftrace *t, size_t from, const char *a, const char *b);

#endif
