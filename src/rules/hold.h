/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Holds
 *
 * A hold keeps a target off the GPU: one queue, or all queues of a process on a node.
 * It belongs to an owner (a connection, an open file, a kind of order) and ends when the
 * owner drops it, when the owner is gone, or with its lease.
 *
 * Two owners of the same target are two holds: the target goes on when the last of them
 * has ended. An owner has at most one hold of a target; holding again changes the end
 * of the hold there is. Each hold counts for a user, and a user has a budget, so that
 * no user takes room from another.
 *
 * The caller embeds struct gp_hold in what it wants to remember of a hold, and owns the
 * memory. Every call takes O(log n) of all holds. The caller serialises; calls that take
 * a const set only read.
 *
 * An owner that holds again finds its hold with gp_holds_find() and renews it; else it fills in
 * target, owner, user and until_ns and calls gp_holds_add(). After gp_holds_drop(),
 * gp_holds_covers() says whether the target may go on. The end of an owner, of leases or of a
 * process is a loop over gp_holds_first_of(), gp_holds_expired() or gp_holds_first_on() with a
 * gp_holds_drop() in it.
 */
#ifndef GP_RULES_HOLD_H
#define GP_RULES_HOLD_H

#include "rules/tree.h"

/* gp_hold_target.queue: all queues of the process on the node, also those it makes later. */
#define GP_HOLD_ALL U64_MAX
/* gp_hold.until_ns: no lease. */
#define GP_HOLD_FOREVER U64_MAX

/* What is held. */
struct gp_hold_target {
	u64 process; /* the caller's number of the process; 0 where there is only one */
	u64 node;    /* gpu_id, or 0 where there is only one */
	u64 queue;   /* the caller's number of the queue, or GP_HOLD_ALL */
};

/* One hold. */
struct gp_hold {
	struct gp_hold_target target;  /* what is held; fixed while in a set */
	u64 owner;		       /* the caller's number or address of it; the same rule */
	u64 user;		       /* whose budget it takes from; the same rule */
	u64 until_ns;		       /* end of the lease, or GP_HOLD_FOREVER */
	struct gp_tree_node by_target; /* private */
	struct gp_tree_node by_owner;  /* private */
	struct gp_tree_node by_user;   /* private */
	struct gp_tree_node by_end;    /* private */
};

/* A set of holds. */
struct gp_holds {
	struct gp_tree by_target; /* order (target, owner) */
	struct gp_tree by_owner;  /* order (owner, target) */
	struct gp_tree by_user;	  /* order (user, owner, target) */
	struct gp_tree by_end;	  /* order (end, owner, target) */
	u32 max_user;		  /* budget of each user */
};

/**
 * gp_hold_is_used() - is this hold in a set?
 * @h: hold; all zero is one that is in none, for callers that have an array of them
 *
 * Return: true from gp_holds_add() to gp_holds_drop().
 */
static inline bool gp_hold_is_used(const struct gp_hold *h)
{
	return h->by_target.height;
}

/**
 * gp_holds_init() - make an empty set
 * @set: set
 * @max_user: most holds that one user may have
 */
void gp_holds_init(struct gp_holds *set, u32 max_user);

/**
 * gp_holds_add() - hold
 * @set: set
 * @h: hold with target, owner, user and until_ns; stays in the set until dropped
 *
 * Return: 0, -EEXIST the owner has a hold of this target (see gp_holds_find()),
 * -ENOSPC the budget of the user is used up. Nothing has changed then.
 */
int gp_holds_add(struct gp_holds *set, struct gp_hold *h);

/**
 * gp_holds_renew() - give a hold another end
 * @set: set
 * @h: hold of the set
 * @until_ns: new end, earlier or later
 */
void gp_holds_renew(struct gp_holds *set, struct gp_hold *h, u64 until_ns);

/**
 * gp_holds_drop() - end a hold
 * @set: set
 * @h: hold of the set; the caller may free it afterwards
 */
void gp_holds_drop(struct gp_holds *set, struct gp_hold *h);

/**
 * gp_holds_find() - the hold of an owner on exactly this target
 * @set: set
 * @owner: owner
 * @target: target
 *
 * Return: the hold, NULL if there is none.
 */
struct gp_hold *gp_holds_find(const struct gp_holds *set, u64 owner,
			      const struct gp_hold_target *target);

/**
 * gp_holds_covers() - is this target held, alone or with its process?
 * @set: set
 * @target: a queue, or all queues: then true only if the process is held as a whole
 *
 * Return: true if so, of any owner.
 */
bool gp_holds_covers(const struct gp_holds *set, const struct gp_hold_target *target);

/* How many holds: on exactly this target, each of another owner; of a user's budget; all. */
u32 gp_holds_nr_on(const struct gp_holds *set, const struct gp_hold_target *target);
u32 gp_holds_nr_of_user(const struct gp_holds *set, u64 user);
static inline u32 gp_holds_nr(const struct gp_holds *set)
{
	return gp_tree_nr(&set->by_target);
}

/**
 * gp_holds_next_ns() - when the next lease ends
 * @set: set
 *
 * Return: time, U64_MAX = none ends by itself.
 */
u64 gp_holds_next_ns(const struct gp_holds *set);

/**
 * gp_holds_expired() - a hold whose lease is over
 * @set: set
 * @now_ns: time
 *
 * Return: the hold whose lease ended first if it did by @now_ns, else NULL.
 */
struct gp_hold *gp_holds_expired(const struct gp_holds *set, u64 now_ns);

/*
 * Walks; NULL after the last, or if there is none. The holds of an owner; those of a process on
 * a node, of whatever queue and owner, with those of GP_HOLD_ALL last; all, in the order of
 * targets.
 */
struct gp_hold *gp_holds_first_of(const struct gp_holds *set, u64 owner);
struct gp_hold *gp_holds_next_of(const struct gp_hold *h);
struct gp_hold *gp_holds_first_on(const struct gp_holds *set, u64 process, u64 node);
struct gp_hold *gp_holds_next_on(const struct gp_hold *h);
struct gp_hold *gp_holds_first(const struct gp_holds *set);
struct gp_hold *gp_holds_next(const struct gp_hold *h);

#endif
