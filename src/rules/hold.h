/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Holds
 *
 * A hold keeps a target off the GPU: one queue, or all queues of a process on a node.
 * It belongs to an owner (a connection, an open file, a kind of order) and ends when the
 * owner drops it, when the owner is gone, or with its lease.
 *
 * Two owners of the same target are two holds: the target goes on when the last of them
 * has ended. An owner has at most one hold of a target; who holds again changes the end
 * of the hold there is. Each hold counts for a user, and a user has a budget, so that
 * no user takes room from another.
 *
 * The caller embeds struct gp_hold in what it wants to remember of a hold, and owns the
 * memory. Every call takes O(log n) of all holds. The caller serialises; calls that take
 * a const set only read.
 *
 * A hold is made with
 *
 *	h = gp_holds_find(set, owner, &target);
 *	if (h)
 *		gp_holds_renew(set, h, until_ns);
 *	else
 *		... allocate, fill in target, owner, user and until_ns,
 *		ret = gp_holds_add(set, h);
 *
 * and ended with gp_holds_drop(), after which gp_holds_covers() says whether the target
 * may go on. The end of an owner is a loop over gp_holds_first_of(), the end of leases a
 * loop over gp_holds_expired(), the end of a process a loop over gp_holds_first_on(),
 * each with a gp_holds_drop() in it.
 */
#ifndef GP_RULES_HOLD_H
#define GP_RULES_HOLD_H

#include "rules/tree.h"

/* gp_hold_target.queue: all queues of the process on the node, also those it makes later. */
#define GP_HOLD_ALL U64_MAX
/* gp_hold.until_ns: no lease. */
#define GP_HOLD_FOREVER U64_MAX

/**
 * struct gp_hold_target - what is held
 * @process: the caller's number of the process; 0 where there is only one
 * @node: gpu_id, or 0 where there is only one
 * @queue: the caller's number of the queue, or GP_HOLD_ALL
 */
struct gp_hold_target {
	u64 process;
	u64 node;
	u64 queue;
};

/**
 * struct gp_hold - one hold
 * @target: what is held; not to be changed while the hold is in a set
 * @owner: the caller's number or address of the owner; the same rule
 * @user: whose budget it takes from; the same rule
 * @until_ns: end of the lease or GP_HOLD_FOREVER; changed by gp_holds_renew() only
 * @by_target: private
 * @by_owner: private
 * @by_user: private
 * @by_end: private
 */
struct gp_hold {
	struct gp_hold_target target;
	u64 owner;
	u64 user;
	u64 until_ns;
	struct gp_tree_node by_target;
	struct gp_tree_node by_owner;
	struct gp_tree_node by_user;
	struct gp_tree_node by_end;
};

/**
 * struct gp_holds - a set of holds
 * @by_target: order (target, owner)
 * @by_owner: order (owner, target)
 * @by_user: order (user, owner, target)
 * @by_end: order (end, owner, target)
 * @max_user: budget of each user
 */
struct gp_holds {
	struct gp_tree by_target;
	struct gp_tree by_owner;
	struct gp_tree by_user;
	struct gp_tree by_end;
	u32 max_user;
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
 * Return: true if so, whoever the owner is.
 */
bool gp_holds_covers(const struct gp_holds *set, const struct gp_hold_target *target);

/**
 * gp_holds_nr_on() - how many holds name exactly this target
 * @set: set
 * @target: target
 *
 * Return: the number; each is of another owner.
 */
u32 gp_holds_nr_on(const struct gp_holds *set, const struct gp_hold_target *target);

/**
 * gp_holds_nr_of_user() - how much of its budget a user has used
 * @set: set
 * @user: user
 *
 * Return: the number of holds.
 */
u32 gp_holds_nr_of_user(const struct gp_holds *set, u64 user);

/**
 * gp_holds_nr() - how many holds there are
 * @set: set
 *
 * Return: the number.
 */
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

/**
 * gp_holds_first_of() - the first hold of an owner
 * @set: set
 * @owner: owner
 *
 * Return: the hold, NULL if the owner has none.
 */
struct gp_hold *gp_holds_first_of(const struct gp_holds *set, u64 owner);

/**
 * gp_holds_next_of() - the next hold of the same owner
 * @h: hold in a set
 *
 * Return: the hold, NULL after the last.
 */
struct gp_hold *gp_holds_next_of(const struct gp_hold *h);

/**
 * gp_holds_first_on() - the first hold of a process on a node, of whatever queue and owner
 * @set: set
 * @process: process
 * @node: node
 *
 * Return: the hold, NULL if nothing of it is held.
 */
struct gp_hold *gp_holds_first_on(const struct gp_holds *set, u64 process, u64 node);

/**
 * gp_holds_next_on() - the next hold of the same process on the same node
 * @h: hold in a set
 *
 * Holds of GP_HOLD_ALL come last.
 *
 * Return: the hold, NULL after the last.
 */
struct gp_hold *gp_holds_next_on(const struct gp_hold *h);

/**
 * gp_holds_first() - the first hold of all, in the order of targets
 * @set: set
 *
 * Return: the hold, NULL if there is none.
 */
struct gp_hold *gp_holds_first(const struct gp_holds *set);

/**
 * gp_holds_next() - the next hold of all
 * @h: hold in a set
 *
 * Return: the hold, NULL after the last.
 */
struct gp_hold *gp_holds_next(const struct gp_hold *h);

#endif
