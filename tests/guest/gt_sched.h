/* SPDX-License-Identifier: MIT */
/*
 * For tests of gpreempt.ko: the module, its device file, and processes of low priority
 * that keep the GPU full while a test plays the urgent one.
 */
#ifndef GT_SCHED_H
#define GT_SCHED_H

#include "gt.h"

#include "uapi/linux/gpreempt.h"

#define GT_SCHED_TINY "profile=tiny poll_us=100"
#define GT_SCHED_XCC8 "profile=mi300x poll_us=100"

/* Fills a tiny GPU for far longer than a test takes. */
extern const struct gt_shape gt_endless;
/* Fills it for a third of a second. */
extern const struct gt_shape gt_third;
/* Needs all of it for a fifth of a millisecond. */
extern const struct gt_shape gt_brief;

/* Loads gpreempt.ko and opens its file; ends the case if that fails. Return: the file. */
int gt_sched_load(const char *params);
/* Closes the file and unloads; all other files must be closed. */
void gt_sched_unload(void);
/* The file of gt_sched_load(). */
int gt_sched_dev(void);
/* Closes it, without unloading; or takes another one. */
void gt_sched_close(void);
void gt_sched_reopen(void);

void gt_sched_param(const char *name, uint64_t value);
void gt_sched_enable(bool enabled);
/* Of the caller; @detect GPREEMPT_DETECT_* or -1 = as it is. */
void gt_sched_attr(uint32_t prio, int detect);
struct gpreempt_ioc_stats gt_sched_stats(uint32_t gpu_id);
/* Preempts @nr_out processes by hand and resumes @nr_in. Return: 0 or -errno of any. */
int gt_sched_switch(uint32_t gpu_id, const pid_t *pids, uint32_t nr_out, uint32_t nr_in,
		    uint32_t lease_ms, uint32_t grace);
/* One process, with the driver's grace. */
int gt_sched_by_hand(uint32_t gpu_id, pid_t pid, bool out, uint32_t lease_ms);

/* Waits until there are at least @nr waves on the GPU, or none at all. */
void gt_sched_wait_waves(uint32_t nr, unsigned int ms);
void gt_sched_wait_empty(unsigned int ms);
/* How the model names a mapped queue that is not @other; ends the case if there is none. */
uint32_t gt_sched_doorbell(uint32_t other);

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
