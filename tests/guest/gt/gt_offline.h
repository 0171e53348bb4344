/* SPDX-License-Identifier: MIT */
/*
 * For tests of gpreempt.ko: processes of low priority that keep the GPU full while a test
 * plays the urgent one.
 */
#ifndef GT_OFFLINE_H
#define GT_OFFLINE_H

#include "gt/gt_gpk.h"

#define GT_TINY "profile=tiny poll_us=100"
#define GT_XCC8 "profile=mi300x poll_us=100"

/* Fills a tiny GPU for far longer than a test takes. */
extern const struct gt_shape gt_endless;
/* Fills it for a third of a second. */
extern const struct gt_shape gt_third;
/* Needs all of it for a fifth of a millisecond. */
extern const struct gt_shape gt_brief;

/* How the model names a mapped queue that is not @other; ends the case if there is none. */
uint32_t gt_other_doorbell(uint32_t other);
/* Whether the queue with this doorbell is mapped. */
bool gt_has_slot(uint32_t doorbell);

/**
 * struct gt_offline - a process of low priority that keeps the GPU full
 * @pid: process
 * @shared: what it says, and is told
 */
struct gt_offline {
	pid_t pid;
	struct gt_offline_shared *shared;
};

/**
 * struct gt_offline_shared - between a test and its offline process
 * @runs: its first kernel is launched
 * @stop: told to end after the kernel that runs
 * @nr_kernels: kernels that ended with exactly the right results
 * @nr_wrong: those that did not
 */
struct gt_offline_shared {
	volatile uint32_t runs;
	volatile uint32_t stop;
	volatile uint32_t nr_kernels;
	volatile uint32_t nr_wrong;
};

/* Starts one that runs kernels of this shape, and waits for the waves of the first. */
void gt_offline_start(struct gt_offline *o, const struct gt_shape *shape);
/* Lets the kernel that runs end; ends the case if a result was wrong. Return: kernels. */
uint32_t gt_offline_finish(struct gt_offline *o, unsigned int ms);
void gt_offline_kill(struct gt_offline *o);

/* Launches a kernel and checks its result. Return: 0 or -ETIMEDOUT. */
int gt_online_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms);

#endif
