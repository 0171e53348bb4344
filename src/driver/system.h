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

/**
 * struct drv_system - the machine
 * @kernel: release, "" if it cannot be read
 * @module: the module with amdkfd in it, "amdgpu"; "" = not loaded
 * @module_version: what it calls its version; "" for the kernel's own
 * @kfd: 0 this process may open /dev/kfd; -ENOENT, -EACCES, …
 * @debugfs: 0 this process may read kfd/mqds; -ENOENT, -EACCES, …
 * @kfd_mode: permission bits of /dev/kfd
 * @kfd_gid: its group
 * @kfd_major: version of the ioctls; unknown if it may not be opened
 * @kfd_minor: same
 * @sched_policy: enum drv_sched_policy
 * @cwsr_enable: 1 = waves can be saved
 * @max_processes: hws_max_conc_proc: processes on a GPU at a time; unknown = not limited
 * @preemption_timeout_ms: queue_preemption_timeout_ms
 * @ptrace_scope: of Yama; unknown = there is no Yama
 */
struct drv_system {
	char kernel[64];
	char module[GPREEMPT_NAME_LEN];
	char module_version[GPREEMPT_NAME_LEN];
	int kfd;
	int debugfs;
	struct gpreempt_value kfd_mode;
	struct gpreempt_value kfd_gid;
	struct gpreempt_value kfd_major;
	struct gpreempt_value kfd_minor;
	struct gpreempt_value sched_policy;
	struct gpreempt_value cwsr_enable;
	struct gpreempt_value max_processes;
	struct gpreempt_value preemption_timeout_ms;
	struct gpreempt_value ptrace_scope;
};

/**
 * drv_system_read() - look around
 * @root: prefix for paths, NULL = the machine; with one, /dev/kfd is not opened
 * @out: filled
 */
void drv_system_read(const char *root, struct drv_system *out);

#endif
