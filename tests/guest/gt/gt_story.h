/* SPDX-License-Identifier: MIT */
/*
 * Inference beside training on one GPU, and what came of it. The line that gt_story_note()
 * prints is read by tools/measured.
 */
#ifndef GT_STORY_H
#define GT_STORY_H

#include "gt/gt_load.h"

#define GT_STORY_WITHOUT "25"	/* requests; each waits for a kernel of 200 ms */
#define GT_STORY_WITH "250"

/**
 * struct gt_story - what came of it
 * @p50_us: online
 * @p90_us: online
 * @p99_us: online
 * @max_us: online
 * @permille: of the time that offline kernels computed
 * @nr_preempted: how often offline was stopped
 */
struct gt_story {
	uint64_t p50_us;
	uint64_t p90_us;
	uint64_t p99_us;
	uint64_t max_us;
	uint64_t permille;
	uint64_t nr_preempted;
};

/* Runs so many requests beside endless work; if @how is not GT_PLAIN the daemon runs. */
void gt_story_run(enum gt_how how, uid_t uid, const char *requests, struct gt_story *s);
void gt_story_note(const char *name, const struct gt_story *s);
/* The p99 of a request with nothing beside it: what is left is the machine. */
uint64_t gt_story_alone_us(void);
/* Keeps what is to be compared with, for the cases that come later. */
void gt_story_keep_without(const struct gt_story *s);
/* What was kept; skips the case if nothing was. */
void gt_story_without(struct gt_story *s);

#endif
