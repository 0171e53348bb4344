/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The calls of /dev/gpreempt, one function each: 0 or -errno, as ioctl() has it.
 */
#ifndef GPK_IOC_H
#define GPK_IOC_H

#include <linux/types.h>

/* Copies a struct that begins with its size; what the caller's is longer by must be zero. */
int gpk_get_arg(void *to, size_t size, void __user *arg, u32 *user_size);
int gpk_put_arg(void __user *arg, const void *from, size_t size, u32 user_size);

/* ioc_look.c */
int gpk_ioc_caps(void __user *uarg);
int gpk_ioc_list(void __user *uarg);
int gpk_ioc_stats(void __user *uarg);
int gpk_ioc_hist(void __user *uarg);

/* ioc_rule.c */
int gpk_ioc_attr(void __user *uarg, bool set);
int gpk_ioc_policy(void __user *uarg, bool set);

/* ioc_switch.c; @owner: the file, for its leases */
int gpk_ioc_switch(const void *owner, void __user *uarg);
int gpk_ioc_trigger(void __user *uarg);

#endif
