/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Rights of a caller over a process.
 */
#ifndef GPK_ACCESS_H
#define GPK_ACCESS_H

#include <linux/pid.h>
#include "uapi/linux/gpreempt.h"

/* The process of a pidfd, -1 = the caller, with a reference; or ERR_PTR(-EBADF, -ESRCH). */
struct pid *gpk_pidfd_get(int pidfd);
/* May the caller stop and continue this process? 0, -EPERM, -ESRCH. */
int gpk_may_control(struct pid *pid);
/* The same for what is to be seen of it. */
bool gpk_may_see(struct pid *pid);
/* May the caller change policies and raise processes? 0 or -EPERM. */
int gpk_may_govern(void);
/* The same without a record in the audit log: for callers that can do without. */
bool gpk_is_governor(void);

#endif
