// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is held by hand. A process that either a hand or the scheduler holds stays off the
 * GPU; a single queue can only be held by hand. A process without queues is no entity, but
 * its holds last: it may get new ones.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

/* Of a user: as many as a node can have queues. */
#define HOLDS_MAX GPK_QUEUES_MAX
/* No uid: what the root of a container holds takes nothing from administrators. */
#define ADMINISTRATORS U64_MAX

/* Something preempted by hand. */
struct gpk_hold {
	struct gp_hold rule;	  /* what, by which file and until when; see target_of() */
	struct gp_tree_node by_pid; /* in its node, of a hold of all queues */
	struct pid *pid;	    /* its process */
	u32 queue_id;		  /* as user space knows it, or GPREEMPT_ABI_QUEUE_ALL */
};

#define HOLD(h) container_of(h, struct gpk_hold, rule)

static const struct gpk_hold *of_pid(const struct gp_tree_node *node)
{
	return container_of(node, struct gpk_hold, by_pid);
}

/* A process that has become another program has two names. */
static int cmp_pid(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpk_hold *x = of_pid(a), *y = of_pid(b);
	int order = gp_tree_order(x->rule.owner, y->rule.owner);

	if (!order)
		order = gp_tree_order((uintptr_t)x->pid, (uintptr_t)y->pid);
	return order ? order : gp_tree_order(x->rule.target.process, y->rule.target.process);
}

void gpk_hold_init(struct gpk_node *n)
{
	gp_holds_init(&n->holds, HOLDS_MAX);
	n->held.cmp = cmp_pid;
}

struct gpk_hold *gpk_hold_alloc(const void *owner, struct pid *pid, u32 queue_id, u64 until_ns)
{
	struct gpk_hold *h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);

	if (!h)
		return NULL;
	h->rule.owner = (uintptr_t)owner;
	h->rule.user = gpk_is_governor() ? ADMINISTRATORS : __kuid_val(current_uid());
	h->rule.until_ns = until_ns;
	h->pid = get_pid(pid);
	h->queue_id = queue_id;
	return h;
}

void gpk_hold_free(struct gpk_hold *h)
{
	if (!h)
		return;
	put_pid(h->pid);
	kfree(h);
}

/* Generations of amdkfd; the set is of one node. */
static struct gp_hold_target target_of(u64 process, u64 queue)
{
	return (struct gp_hold_target){ .process = process, .queue = queue ? queue : GP_HOLD_ALL };
}

static u64 generation_of(const struct gp_hold *h)
{
	return h->target.queue == GP_HOLD_ALL ? 0 : h->target.queue;
}

static struct gpk_hold *hold_find(struct gpk_node *n, const void *owner, u64 process, u64 queue)
{
	struct gp_hold_target target = target_of(process, queue);
	struct gp_hold *h = gp_holds_find(&n->holds, (uintptr_t)owner, &target);

	return h ? HOLD(h) : NULL;
}

u32 gpk_hold_count(const struct gpk_node *n, u64 process, u64 queue)
{
	struct gp_hold_target target = target_of(process, queue);

	return gp_holds_nr_on(&n->holds, &target);
}

u64 gpk_hold_of(const struct gpk_node *n, const void *owner, struct pid *pid)
{
	const struct gpk_hold key = { .rule.owner = (uintptr_t)owner, .pid = pid }, *h;
	const struct gp_tree_node *node = gp_tree_at_least(&n->held, &key.by_pid);

	if (!node)
		return 0;
	h = of_pid(node);
	return h->pid == pid && h->rule.owner == key.rule.owner ? h->rule.target.process : 0;
}

/* @by: 1 or -1 */
static void count_hold(struct gpk_node *n, struct gpk_entity *e, u64 queue, int by)
{
	if (!e || queue)
		return;
	e->nr_manual += by;
	e->restart |= !e->nr_manual;
	gpk_look_soon(n, e);
}

/* @tell: listeners do not know that it ends. */
static void hold_drop(struct gpk_node *n, struct gpk_hold *h, bool tell)
{
	if (tell)
		gpk_event(n, h->pid, GPREEMPT_EVENT_LEASE, !generation_of(&h->rule), h->queue_id);
	gp_holds_drop(&n->holds, &h->rule);
	gp_tree_remove(&n->held, &h->by_pid);
	count_hold(n, xa_load(&n->by_generation, h->rule.target.process), generation_of(&h->rule),
		   -1);
	gpk_hold_free(h);
}

/* Whether something may go on that was held. */
static bool is_free(struct gpk_node *n, u64 process, u64 queue)
{
	struct gpk_entity *e = xa_load(&n->by_generation, process);

	return e && !gpk_hold_count(n, process, queue) && (queue || !e->sched_out);
}

/* 1: amdkfd has to be told; 0: it is held already; or -errno. */
static int hold_add(struct gpk_node *n, const void *owner, struct gpk_named *what)
{
	struct gpk_entity *e = xa_load(&n->by_generation, what->process);
	struct gpk_hold *h = hold_find(n, owner, what->process, what->queue);
	int ret;

	if (!e)
		return -ESRCH;
	if (h) {
		gp_holds_renew(&n->holds, &h->rule, what->hold->rule.until_ns);
		return 0;
	}
	h = what->hold;
	h->rule.target = target_of(what->process, what->queue);
	ret = gp_holds_add(&n->holds, &h->rule);
	if (ret)
		return ret;
	what->hold = NULL;
	if (!what->queue)
		gp_tree_insert(&n->held, &h->by_pid);
	count_hold(n, e, what->queue, 1);
	return 1;
}

static bool hold_remove(struct gpk_node *n, const void *owner, const struct gpk_named *what)
{
	struct gpk_hold *h = hold_find(n, owner, what->process, what->queue);

	if (h)
		hold_drop(n, h, false);
	return h;
}

/* Puts those that amdkfd has to be told of in @refs. Return: how many. */
static u32 hold_plan(struct gpk_node *n, const struct gpk_by_hand *c, u32 from, u32 to,
		     struct kfd_gpreempt_ref *refs)
{
	u32 i, nr = 0;

	for (i = from; i < to; i++) {
		struct gpk_named *what = &c->named[i];
		int ret;

		if (what->result)
			continue;
		if (i < c->nr_out)
			ret = hold_add(n, c->owner, what);
		else
			ret = hold_remove(n, c->owner, what) &&
			      is_free(n, what->process, what->queue);
		what->is_told = ret > 0;
		if (ret < 0)
			what->result = ret;
		if (ret > 0)
			refs[nr++] = (struct kfd_gpreempt_ref){ .process = what->process,
								.queue = what->queue };
	}
	return nr;
}

void gpk_hold_switch(struct gpk_node *n, const struct gpk_by_hand *c)
{
	u32 nr_out = hold_plan(n, c, 0, c->nr_out, c->refs);
	u32 nr_in = hold_plan(n, c, c->nr_out, c->nr, c->refs + nr_out);
	const struct kfd_gpreempt_ref *ref = c->refs;
	int ret = 0;
	u32 i;

	if (nr_out + nr_in)
		ret = gpk_switch(n, c->refs, nr_out, nr_in, c->grace);
	for (i = 0; i < c->nr; i++) {
		if (!c->named[i].is_told)
			continue;
		c->named[i].result = ref->result ? ref->result : ret;
		ref++;
		if (c->named[i].result && i < c->nr_out)
			hold_remove(n, c->owner, &c->named[i]);
	}
}

/*
 * Drops up to KFD_GPREEMPT_REFS_MAX holds of a file, or, if it is NULL, of those whose lease
 * ended by @until_ns. Return: how many.
 */
static u32 drop_ending(struct gpk_node *n, const void *owner, u64 until_ns,
		       struct kfd_gpreempt_ref *refs)
{
	struct gp_hold *h;
	u32 nr;

	for (nr = 0; nr < KFD_GPREEMPT_REFS_MAX; nr++) {
		if (owner)
			h = gp_holds_first_of(&n->holds, (uintptr_t)owner);
		else
			h = gp_holds_expired(&n->holds, until_ns);
		if (!h)
			break;
		refs[nr] = (struct kfd_gpreempt_ref){ .process = h->target.process,
						      .queue = generation_of(h) };
		hold_drop(n, HOLD(h), !owner);
	}
	return nr;
}

/* What is not held otherwise goes on, all of it in one cycle. */
static void hold_end(struct gpk_node *n, const void *owner, u64 until_ns)
{
	struct kfd_gpreempt_ref *refs = gpk_batch_refs(n);
	u32 i, nr, nr_in;

	do {
		nr = drop_ending(n, owner, until_ns, refs);
		for (i = 0, nr_in = 0; i < nr; i++)
			if (is_free(n, refs[i].process, refs[i].queue))
				refs[nr_in++] = refs[i];
		if (nr_in)
			gpk_switch(n, refs, 0, nr_in, 0);
	} while (nr == KFD_GPREEMPT_REFS_MAX);
}

void gpk_hold_drop_owner(struct gpk_node *n, const void *owner)
{
	hold_end(n, owner, GP_HOLD_FOREVER - 1);
}

void gpk_hold_forget(struct gpk_node *n)
{
	struct gp_hold *h;

	while ((h = gp_holds_first(&n->holds)))
		hold_drop(n, HOLD(h), true);
}

void gpk_hold_forget_dead(struct gpk_node *n, const struct gpk_entity *e)
{
	struct gp_hold *h;

	/* A process without queues may get new ones, one without memory does not. */
	if (atomic_read(&e->mm->mm_users))
		return;
	while ((h = gp_holds_first_on(&n->holds, e->generation, 0)))
		hold_drop(n, HOLD(h), true);
}

void gpk_hold_run(struct gpk_node *n)
{
	hold_end(n, NULL, ktime_get_ns());
}
