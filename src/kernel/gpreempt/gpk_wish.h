/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Wishes: what was said of processes, whether they have queues or not. A process of which
 * something was said owns a wish, its descendants share it until something is said of
 * them. A wish stays as long as any of these processes lives.
 */
#ifndef GPK_WISH_H
#define GPK_WISH_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "core/sched.h"

/**
 * struct gpk_said - what can be more or less
 * @attr: attributes
 * @detect: GPREEMPT_DETECT_*
 */
struct gpk_said {
	struct gp_attr attr;
	u8 detect;
};

/**
 * struct gpk_wish - what was said of a process
 * @link: among all wishes
 * @nr_heirs: processes that have it, its owner included
 * @owner: process of which it was said
 * @uid: user of that process then
 * @now: what the processes have
 * @most: how far a caller without CAP_SYS_NICE can raise them
 * @group: number, 0 = none
 */
struct gpk_wish {
	struct list_head link;
	u32 nr_heirs;
	struct pid *owner;
	kuid_t uid;
	struct gpk_said now;
	struct gpk_said most;
	u64 group;
};

/* Protects all wishes. Forks take it. */
extern spinlock_t gpk_wishes_lock;

/* The wish that a process has, or NULL; the lock is held. */
struct gpk_wish *gpk_wish_of(struct pid *pid);
/* A new one without an owner, or NULL; for gpk_wish_give() or kfree(). May sleep. */
struct gpk_wish *gpk_wish_alloc(void);
/*
 * A process gets a wish of its own; the lock is held. 0, -ENOMEM, -ESRCH it has ended,
 * -ENOSPC its user has too many of them and @is_limited: then @w is still the caller's.
 */
int gpk_wish_give(struct gpk_wish *w, struct pid *pid, kuid_t uid, bool is_limited);
/* So do its descendants, but for those that own one; without the lock. */
void gpk_wish_inherit(struct pid *pid);

/* From the first wish on, children are noticed when they are made. Never fails. */
void gpk_wish_watch(void);
void gpk_wish_fini(void);

#endif
