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

#include "gpk.h"

struct gpk_user;

/* What was said of a process. */
struct gpk_wish {
	struct hlist_head heirs;    /* processes that have it, its owner included */
	u32 nr_heirs;		    /* how many */
	struct pid *owner;	    /* process of which it was said */
	struct gpk_user *user;	    /* user of that process then */
	u64 version;		    /* another number for every change; never 0 */
	struct gpk_said now;	    /* what the processes have */
	/* how far a caller without CAP_SYS_NICE can raise them; without group */
	struct gpk_said most;
};

/* Protects all wishes. Forks take it. */
extern spinlock_t gpk_wishes_lock;

/* The wish that a process has, or NULL; the lock is held. */
struct gpk_wish *gpk_wish_of(struct pid *pid);
/*
 * A process gets a wish of its own; the lock is held. 0, -ENOMEM, -ESRCH it has ended,
 * -ENOSPC its user has too many of them and @is_limited: then @w is still the caller's.
 */
int gpk_wish_give(struct gpk_wish *w, struct pid *pid, kuid_t uid, bool is_limited);

/*
 * The processes that have the wish that @pid owns, with references: at most @room of them are
 * put in @heirs. Return: how many there are. Takes the lock.
 */
u32 gpk_wish_heirs(struct pid *pid, struct pid **heirs, u32 room);

/* Changes the wish of a process whose ancestor got a limit; the lock is held. */
typedef void (*gpk_limit_fn)(struct gpk_wish *w, const struct gpreempt_ioc_attr *arg);

/**
 * gpk_wish_hand_down() - the descendants of a process get its wish
 * @pid: process that owns one
 * @limit: called for the wish of each that owns one; NULL = these keep theirs
 * @arg: for @limit
 *
 * Context: may sleep; without the lock, and one at a time. One pass over all processes, if it has
 * children.
 */
void gpk_wish_hand_down(struct pid *pid, gpk_limit_fn limit, const struct gpreempt_ioc_attr *arg);

/* From now on children are noticed when they are made. 0, or -ENOENT without trace points. */
int gpk_wish_init(void);
void gpk_wish_fini(void);

#endif
