/* SPDX-License-Identifier: MIT */
/*
 * What kind of machine this is: the facts a doctor asks for.
 */
#ifndef GP_MECHANISM_SYSTEM_H
#define GP_MECHANISM_SYSTEM_H

#include "gpreempt/gpreempt.h"

/* Values of the parameter sched_policy. */
enum drv_sched_policy {
	DRV_SCHED_POLICY_HWS = 0,
	DRV_SCHED_POLICY_HWS_NO_OVERSUBSCRIPTION = 1,
	DRV_SCHED_POLICY_NO_HWS = 2,
};

/* The machine. */
struct drv_system {
	char kernel[64]; /* release, "" if it cannot be read */
	char module[GPREEMPT_NAME_LEN]; /* with amdkfd in it: "amdgpu"; "" = not loaded */
	char module_version[GPREEMPT_NAME_LEN]; /* by its own words; "" for the kernel's */
	int kfd; /* 0 this process may open /dev/kfd; -ENOENT, -EACCES, … */
	int debugfs; /* 0 this process may read kfd/mqds; -ENOENT, -EACCES, … */
	struct gpreempt_value kfd_mode; /* permission bits of /dev/kfd */
	struct gpreempt_value kfd_gid; /* its group */
	struct gpreempt_value kfd_major; /* version of the ioctls, if it may be opened */
	struct gpreempt_value kfd_minor; /* same */
	struct gpreempt_value sched_policy; /* enum drv_sched_policy */
	struct gpreempt_value cwsr_enable; /* 1 = waves can be saved */
	struct gpreempt_value max_processes; /* on a GPU at a time; unknown = not limited */
	struct gpreempt_value preemption_timeout_ms; /* queue_preemption_timeout_ms */
	struct gpreempt_value ptrace_scope; /* of Yama; unknown = there is no Yama */
};

/**
 * drv_system_read() - look around
 * @root: prefix for paths, NULL = the machine; with one, /dev/kfd is not opened
 * @out: filled
 */
void drv_system_read(const char *root, struct drv_system *out);

#endif
