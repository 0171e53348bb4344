/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The calls of /dev/gpreempt, one function each: 0 or -errno, as ioctl() has it. The
 * argument is a copy; what it has to say is copied back. @owner: the file, for its leases.
 */
#ifndef GPK_IOC_H
#define GPK_IOC_H

#include "uapi/linux/gpreempt.h"

union gpk_arg {
	struct gpreempt_ioc_caps caps;
	struct gpreempt_ioc_list list;
	struct gpreempt_ioc_attr attr;
	struct gpreempt_ioc_policy policy;
	struct gpreempt_ioc_switch sw;
	struct gpreempt_ioc_trigger trigger;
	struct gpreempt_ioc_stats stats;
	struct gpreempt_ioc_hist hist;
	struct gpreempt_ioc_cgroup cgroup;
};

/* X(number, argument, function, whether the argument is copied back) */
#define GPK_CALLS(X)                                     \
	X(CAPS, caps, gpk_ioc_caps, true)                \
	X(LIST, list, gpk_ioc_list, true)                \
	X(GET_ATTR, attr, gpk_ioc_get_attr, true)        \
	X(SET_ATTR, attr, gpk_ioc_set_attr, false)       \
	X(GET_POLICY, policy, gpk_ioc_get_policy, true)  \
	X(SET_POLICY, policy, gpk_ioc_set_policy, false) \
	X(SWITCH, switch, gpk_ioc_switch, false)         \
	X(TRIGGER, trigger, gpk_ioc_trigger, false)      \
	X(STATS, stats, gpk_ioc_stats, true)             \
	X(HIST, hist, gpk_ioc_hist, true)                \
	X(SET_CGROUP, cgroup, gpk_ioc_set_cgroup, false) \
	X(GET_CGROUP, cgroup, gpk_ioc_get_cgroup, true)

#define X(nr, type, function, answers) int function(const void *owner, union gpk_arg *arg);
GPK_CALLS(X)
#undef X

#endif
