/* SPDX-License-Identifier: MIT */
/*
 * Cgroups of version 2 in the guest, and what part of the GPU's time work in them has.
 */
#ifndef GT_CGROUP_H
#define GT_CGROUP_H

#include "gt/gt_load.h"

/* Where the hierarchy is mounted, between these two. */
#define GT_CGROUPS "/tmp/v2"
void gt_cgroup_begin(void);
void gt_cgroup_end(void);

/* Its folder, made and removed; one whose last process has just ended may be waited for. */
void gt_cgroup_make(const char *path);
void gt_cgroup_remove(const char *path);

/* Moves a process to it, 0 = this one; "" is the root. */
void gt_cgroup_move(pid_t pid, const char *path);

/* Starts load_offline in it by the driver alone, as a unit: there from its first instruction. */
void gt_cgroup_load(struct gt_load *l, const char *path, const char *kernel_ms);

/* Looks for so long, and parts of the time may be off by that. */
#define GT_CGROUP_LOOK_US 1000000
#define GT_CGROUP_OFF 0.02

/* The part of the time with waves on GPU 0. */
double gt_cgroup_waves(void);
/* Ends the case if a part of the time is not what is wanted. */
void gt_cgroup_check(const char *what, double part, double want);

#endif
