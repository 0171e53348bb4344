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
};

int gpk_ioc_caps(const void *owner, union gpk_arg *arg);
int gpk_ioc_list(const void *owner, union gpk_arg *arg);
int gpk_ioc_stats(const void *owner, union gpk_arg *arg);
int gpk_ioc_hist(const void *owner, union gpk_arg *arg);
int gpk_ioc_get_attr(const void *owner, union gpk_arg *arg);
int gpk_ioc_set_attr(const void *owner, union gpk_arg *arg);
int gpk_ioc_get_policy(const void *owner, union gpk_arg *arg);
int gpk_ioc_set_policy(const void *owner, union gpk_arg *arg);
int gpk_ioc_switch(const void *owner, union gpk_arg *arg);
int gpk_ioc_trigger(const void *owner, union gpk_arg *arg);

#endif
