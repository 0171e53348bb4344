/* SPDX-License-Identifier: MIT */
/*
 * A process of low priority with a kernel on the GPU, for the tests of gpreempt.ko. It
 * knows what its kernel must leave in memory from an undisturbed run, and does to its own
 * queue what it is told.
 */
#ifndef GT_JOB_H
#define GT_JOB_H

#include "gt/gt_gpk.h"

/* What a job can be told; each gives 0 or -errno. */
enum gt_job_order {
	GT_JOB_WAIT,		/* for the end; -EBADMSG if a result is not exact */
	GT_JOB_LAUNCH,		/* once more */
	GT_JOB_ADD,		/* another queue, with the same kernel in it */
	GT_JOB_DESTROY,		/* its queue */
	GT_JOB_CU_MASK,		/* all on one CU */
	GT_JOB_UPDATE,		/* percentage 0, then 100 */
	GT_JOB_REFUSE,		/* make the hardware refuse to preempt its queue */
	GT_JOB_SUSPEND,		/* by a debugger: for jobs that have one */
	GT_JOB_RESUME,
	GT_JOB_DETACH,		/* the debugger goes */
	GT_JOB_EXIT,		/* no answer */
};

/**
 * struct gt_job - the process
 * @pid: process
 * @queue_id: its queue
 * @orders: write end
 * @answers: read end
 */
struct gt_job {
	pid_t pid;
	uint32_t queue_id;
	int orders;
	int answers;
};

/* Forks one whose kernel was launched when this returns. */
void gt_job_begin(struct gt_job *j, const struct gt_shape *shape);
/* The same, and waits for its waves. */
void gt_job_start(struct gt_job *j, const struct gt_shape *shape);
/* The same, of one that debugs itself. */
void gt_job_start_debugged(struct gt_job *j, const struct gt_shape *shape);
/* The same, of one that calls @become first. */
void gt_job_start_as(struct gt_job *j, const struct gt_shape *shape, void (*become)(void));
/* Return: its answer, or -ETIMEDOUT, -EPIPE. */
int gt_job_tell(struct gt_job *j, enum gt_job_order order, unsigned int ms);
/* Waits for the right result and for the end of the process. */
void gt_job_finish(struct gt_job *j, unsigned int ms);
void gt_job_kill(struct gt_job *j);

#endif
