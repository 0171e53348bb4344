// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/hold.h"

#define HOLD(node, member) container_of(node, struct gp_hold, member)

static int cmp_target(const struct gp_hold_target *a, const struct gp_hold_target *b)
{
	if (a->process != b->process)
		return gp_tree_order(a->process, b->process);
	if (a->node != b->node)
		return gp_tree_order(a->node, b->node);
	return gp_tree_order(a->queue, b->queue);
}

/* What tells two holds apart. */
static int cmp_owner(const struct gp_hold *a, const struct gp_hold *b)
{
	int ret = gp_tree_order(a->owner, b->owner);

	return ret ? ret : cmp_target(&a->target, &b->target);
}

static int by_target(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gp_hold *x = HOLD(a, by_target), *y = HOLD(b, by_target);
	int ret = cmp_target(&x->target, &y->target);

	return ret ? ret : gp_tree_order(x->owner, y->owner);
}

static int by_owner(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	return cmp_owner(HOLD(a, by_owner), HOLD(b, by_owner));
}

static int by_user(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gp_hold *x = HOLD(a, by_user), *y = HOLD(b, by_user);
	int ret = gp_tree_order(x->user, y->user);

	return ret ? ret : cmp_owner(x, y);
}

static int by_end(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gp_hold *x = HOLD(a, by_end), *y = HOLD(b, by_end);
	int ret = gp_tree_order(x->until_ns, y->until_ns);

	return ret ? ret : cmp_owner(x, y);
}

static struct gp_hold *from_target(struct gp_tree_node *n)
{
	return n ? HOLD(n, by_target) : NULL;
}

static struct gp_hold *from_owner(struct gp_tree_node *n)
{
	return n ? HOLD(n, by_owner) : NULL;
}

void gp_holds_init(struct gp_holds *set, u32 max_user)
{
	*set = (struct gp_holds){
		.by_target.cmp = by_target,
		.by_owner.cmp = by_owner,
		.by_user.cmp = by_user,
		.by_end.cmp = by_end,
		.max_user = max_user,
	};
}

int gp_holds_add(struct gp_holds *set, struct gp_hold *h)
{
	if (gp_holds_find(set, h->owner, &h->target))
		return -EEXIST;
	if (gp_holds_nr_of_user(set, h->user) >= set->max_user)
		return -ENOSPC;
	gp_tree_insert(&set->by_target, &h->by_target);
	gp_tree_insert(&set->by_owner, &h->by_owner);
	gp_tree_insert(&set->by_user, &h->by_user);
	gp_tree_insert(&set->by_end, &h->by_end);
	return 0;
}

void gp_holds_renew(struct gp_holds *set, struct gp_hold *h, u64 until_ns)
{
	gp_tree_remove(&set->by_end, &h->by_end);
	h->until_ns = until_ns;
	gp_tree_insert(&set->by_end, &h->by_end);
}

void gp_holds_drop(struct gp_holds *set, struct gp_hold *h)
{
	gp_tree_remove(&set->by_target, &h->by_target);
	gp_tree_remove(&set->by_owner, &h->by_owner);
	gp_tree_remove(&set->by_user, &h->by_user);
	gp_tree_remove(&set->by_end, &h->by_end);
}

struct gp_hold *gp_holds_find(const struct gp_holds *set, u64 owner,
			      const struct gp_hold_target *target)
{
	const struct gp_hold key = { .owner = owner, .target = *target };

	return from_target(gp_tree_find(&set->by_target, &key.by_target));
}

static bool is_named(const struct gp_holds *set, const struct gp_hold_target *target)
{
	const struct gp_hold key = { .target = *target };
	const struct gp_hold *h = from_target(gp_tree_at_least(&set->by_target, &key.by_target));

	return h && !cmp_target(&h->target, target);
}

bool gp_holds_covers(const struct gp_holds *set, const struct gp_hold_target *target)
{
	struct gp_hold_target all = *target;

	all.queue = GP_HOLD_ALL;
	return is_named(set, target) || is_named(set, &all);
}

u32 gp_holds_nr_on(const struct gp_holds *set, const struct gp_hold_target *target)
{
	const struct gp_hold first = { .target = *target };
	const struct gp_hold last = { .target = *target, .owner = U64_MAX };

	/* The last owner there can be is not before itself. */
	return gp_tree_rank(&set->by_target, &last.by_target) -
	       gp_tree_rank(&set->by_target, &first.by_target) +
	       !!gp_tree_find(&set->by_target, &last.by_target);
}

/* Holds of users before this one. */
static u32 rank_user(const struct gp_holds *set, u64 user)
{
	const struct gp_hold key = { .user = user };

	return gp_tree_rank(&set->by_user, &key.by_user);
}

u32 gp_holds_nr_of_user(const struct gp_holds *set, u64 user)
{
	u32 end = user == U64_MAX ? gp_holds_nr(set) : rank_user(set, user + 1);

	return end - rank_user(set, user);
}

u64 gp_holds_next_ns(const struct gp_holds *set)
{
	const struct gp_tree_node *n = gp_tree_first(&set->by_end);

	return n ? HOLD(n, by_end)->until_ns : U64_MAX;
}

struct gp_hold *gp_holds_expired(const struct gp_holds *set, u64 now_ns)
{
	struct gp_tree_node *n = gp_tree_first(&set->by_end);
	struct gp_hold *h = n ? HOLD(n, by_end) : NULL;

	return h && h->until_ns != GP_HOLD_FOREVER && h->until_ns <= now_ns ? h : NULL;
}

struct gp_hold *gp_holds_first_of(const struct gp_holds *set, u64 owner)
{
	const struct gp_hold key = { .owner = owner };
	struct gp_hold *h = from_owner(gp_tree_at_least(&set->by_owner, &key.by_owner));

	return h && h->owner == owner ? h : NULL;
}

struct gp_hold *gp_holds_next_of(const struct gp_hold *h)
{
	struct gp_hold *next = from_owner(gp_tree_next(&h->by_owner));

	return next && next->owner == h->owner ? next : NULL;
}

struct gp_hold *gp_holds_first_on(const struct gp_holds *set, u64 process, u64 node)
{
	const struct gp_hold key = { .target = { .process = process, .node = node } };
	struct gp_hold *h = from_target(gp_tree_at_least(&set->by_target, &key.by_target));

	return h && h->target.process == process && h->target.node == node ? h : NULL;
}

struct gp_hold *gp_holds_next_on(const struct gp_hold *h)
{
	struct gp_hold *next = gp_holds_next(h);

	return next && next->target.process == h->target.process &&
	       next->target.node == h->target.node ? next : NULL;
}

struct gp_hold *gp_holds_first(const struct gp_holds *set)
{
	return from_target(gp_tree_first(&set->by_target));
}

struct gp_hold *gp_holds_next(const struct gp_hold *h)
{
	return from_target(gp_tree_next(&h->by_target));
}
