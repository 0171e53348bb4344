/* SPDX-License-Identifier: MIT */
/*
 * gpreempt.ko, for the tests of it: loading and its calls. A test that uses this says
 * "Variant: hooks" in its first comment.
 */
#ifndef GT_GPK_H
#define GT_GPK_H

#include "gt/gt.h"

#include "uapi/linux/gpreempt.h"

/* /dev/gpreempt of this process, while the module is loaded; else -1. */
extern int gt_gpk_dev;

/* Loads the module anew and opens its device; ends the case if that fails. */
void gt_gpk_load(const char *params);
/* Closes the device and unloads; all other files must be closed. */
void gt_gpk_unload(void);
/* Closes it, without unloading; or takes another one. */
void gt_gpk_close(void);
void gt_gpk_reopen(void);
/* Another one, that does not wait, whose events are kept from now on. */
int gt_gpk_events_open(void);
/* Takes up to GT_GPK_EVENTS of them. Return: how many. */
#define GT_GPK_EVENTS 7
size_t gt_gpk_events(int fd, struct gpreempt_abi_event *events);
/* gpu_id of the first node, without opening /dev/kfd. */
uint32_t gt_gpk_gpu_id(void);
/* A parameter of a module that is loaded: gpreempt, kfdsim. */
void gt_gpk_module_param(const char *module, const char *name, unsigned int value);

/* A parameter of every node's scheduler, the switch, the caller's attributes. */
void gt_gpk_set_param(const char *name, uint64_t value);
void gt_gpk_set_enabled(bool enabled);
/* @detect: GPREEMPT_DETECT_*, or -1 to leave it. */
void gt_gpk_set_attr(uint32_t prio, int detect);
struct gpreempt_ioc_stats gt_gpk_stats(uint32_t gpu_id);

/*
 * Preempts or resumes by hand; @queue_id may be GPREEMPT_ABI_QUEUE_ALL. Return: 0 or the
 * -errno of the call or of the reference.
 */
int gt_gpk_hold(uint32_t gpu_id, pid_t pid, uint32_t queue_id, uint32_t lease_ms);
int gt_gpk_release(uint32_t gpu_id, pid_t pid, uint32_t queue_id);
/* Preempts @nr_out processes and resumes the @nr_in after them, at once. */
int gt_gpk_switch(uint32_t gpu_id, const pid_t *pids, uint32_t nr_out, uint32_t nr_in,
		  uint32_t lease_ms, uint32_t grace);

/* A queue, and its GPREEMPT_QUEUE_F_*; both end the case if it is not listed. */
struct gpreempt_ioc_queue gt_gpk_queue(pid_t pid, uint32_t queue_id);
uint32_t gt_gpk_flags(pid_t pid, uint32_t queue_id);
/* How many queues are listed of a process; 0 = of all. */
unsigned int gt_gpk_count(pid_t pid);
/* Waits until as many queues of all are known to have work. */
void gt_gpk_wait_busy(unsigned int nr, unsigned int ms);

/* Waits until there are at least @nr waves on the GPU, or none at all. */
void gt_gpk_wait_waves(uint32_t nr, unsigned int ms);
void gt_gpk_wait_empty(unsigned int ms);

/* No process but this one is left on the GPU or with amdkfd. */
void gt_gpk_check_left(void);

#endif
