/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who may do what to whom.
 */
#ifndef GPK_ACCESS_H
#define GPK_ACCESS_H

#include <linux/pid.h>
#include "uapi/linux/gpreempt.h"

/* The process of a pidfd, -1 = the caller, with a reference; or ERR_PTR(-EBADF, -ESRCH). */
struct pid *gpk_pidfd_get(int pidfd);
/* May the caller stop and continue this process? 0, -EPERM, -ESRCH. */
int gpk_may_control(struct pid *pid);
/* May he set these attributes? Raising needs more. 0 or -EPERM. */
int gpk_may_set(const struct gpreempt_ioc_attr *arg);
/* May he change what concerns everybody? 0 or -EPERM. */
int gpk_may_govern(void);

#endif
