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

#define HOLD(h) container_of(h, struct gpk_hold, rule)

void gpk_hold_init(struct gpk_node *n)
{
	gp_holds_init(&n->holds, HOLDS_MAX);
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

static struct gpk_queue *queue_of(const struct gpk_entity *e, u64 queue)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (q->generation == queue)
			return q;
	return NULL;
}

u64 gpk_hold_of(const struct gpk_node *n, const void *owner, const struct pid *pid)
{
	const struct gp_hold *h = gp_holds_first_of(&n->holds, (uintptr_t)owner);

	for (; h; h = gp_holds_next_of(h))
		if (HOLD(h)->pid == pid && !generation_of(h))
			return h->target.process;
	return 0;
}

/* @by: 1 or -1 */
static void count_hold(struct gpk_entity *e, u64 queue, int by)
{
	if (!e || queue)
		return;
	e->nr_manual += by;
	e->restart |= !e->nr_manual;
	e->look_ns = 0;
}

static void hold_free(struct gpk_hold *h)
{
	put_pid(h->pid);
	mmdrop(h->mm);
	kfree(h);
}

static void hold_drop(struct gpk_node *n, struct gpk_hold *h)
{
	gp_holds_drop(&n->holds, &h->rule);
	count_hold(xa_load(&n->by_generation, h->rule.target.process), generation_of(&h->rule), -1);
	hold_free(h);
}

static void tell_ended(struct gpk_node *n, const struct gpk_hold *h)
{
	gpk_event(n, h->pid, GPREEMPT_EVENT_LEASE, !generation_of(&h->rule), h->queue_id);
}

/* As user space knows it. */
static u32 id_of(const struct gpk_entity *e, u64 queue)
{
	const struct gpk_queue *q = queue_of(e, queue);

	return q ? q->queue_id : GPREEMPT_ABI_QUEUE_ALL;
}

/* Whether something may go on that was held. */
static bool is_free(struct gpk_node *n, u64 process, u64 queue)
{
	struct gpk_entity *e = xa_load(&n->by_generation, process);

	return e && !gpk_hold_count(n, process, queue) && (queue || !e->sched_out);
}

/* NULL: no memory. */
static struct gpk_hold *hold_make(const struct gpk_by_hand *c, const struct kfd_gpreempt_ref *ref,
				  const struct gpk_entity *e)
{
	struct gpk_hold *h = kzalloc(sizeof(*h), GFP_KERNEL);

	if (!h)
		return NULL;
	h->rule.target = target_of(ref->process, ref->queue);
	h->rule.owner = (uintptr_t)c->owner;
	h->rule.user = __kuid_val(c->uid);
	h->rule.until_ns = c->until_ns;
	h->pid = get_pid(e->pid);
	h->mm = e->mm;
	mmgrab(h->mm);
	h->queue_id = id_of(e, ref->queue);
	return h;
}

/* 1: amdkfd has to be told; 0: it is held already; or -errno. */
static int hold_add(struct gpk_node *n, const struct gpk_by_hand *c,
		    const struct kfd_gpreempt_ref *ref)
{
	struct gpk_entity *e = xa_load(&n->by_generation, ref->process);
	struct gpk_hold *h = hold_find(n, c->owner, ref->process, ref->queue);
	int ret;

	if (!e)
		return -ESRCH;
	if (h) {
		gp_holds_renew(&n->holds, &h->rule, c->until_ns);
		return 0;
	}
	h = hold_make(c, ref, e);
	if (!h)
		return -ENOMEM;
	ret = gp_holds_add(&n->holds, &h->rule);
	if (ret) {
		hold_free(h);
		return ret;
	}
	count_hold(e, ref->queue, 1);
	return 1;
}

/* The same for the end of a hold. */
static int hold_remove(struct gpk_node *n, const void *owner, const struct kfd_gpreempt_ref *ref)
{
	struct gpk_hold *h = hold_find(n, owner, ref->process, ref->queue);

	if (!h)
		return 0;
	hold_drop(n, h);
	return is_free(n, ref->process, ref->queue);
}

/* Moves those that amdkfd has to be told of to the front of @refs. Return: how many. */
static u32 hold_plan(struct gpk_node *n, const struct gpk_by_hand *c, u32 from, u32 to,
		     struct kfd_gpreempt_ref *refs, u32 *member)
{
	u32 i, nr = 0;

	for (i = from; i < to; i++) {
		struct kfd_gpreempt_ref *ref = &c->refs[i];
		int ret;

		if (ref->result)
			continue;
		if (i < c->nr_out)
			ret = hold_add(n, c, ref);
		else
			ret = hold_remove(n, c->owner, ref);
		if (ret < 0)
			ref->result = ret;
		if (ret <= 0)
			continue;
		refs[nr] = *ref;
		member[nr++] = i;
	}
	return nr;
}

static void hold_undo(struct gpk_node *n, const void *owner, const struct kfd_gpreempt_ref *ref)
{
	struct gpk_hold *h = hold_find(n, owner, ref->process, ref->queue);

	if (h)
		hold_drop(n, h);
}

/* What is said of one reference is true of those that name the same. */
static void tell_result(const struct gpk_by_hand *c, u32 member, int result)
{
	const struct kfd_gpreempt_ref *ref = &c->refs[member];
	u32 i, end = member < c->nr_out ? c->nr_out : c->nr_out + c->nr_in;

	c->refs[member].result = result;
	for (i = member + 1; result && i < end; i++)
		if (!c->refs[i].result && c->refs[i].process == ref->process &&
		    c->refs[i].queue == ref->queue)
			c->refs[i].result = result;
}

/*
 * repeat_failed() - see to it that a resume that failed is tried again
 *
 * No hold is left that would remind of it: let_strays_go() finds the queue.
 */
static void repeat_failed(struct gpk_node *n, const struct kfd_gpreempt_ref *refs, u32 nr, int ret)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (ret || refs[i].result == -EIO)
			gpk_resync_later(n);
}

int gpk_hold_switch(struct gpk_node *n, const struct gpk_by_hand *c)
{
	u32 i, nr_out, nr_in, nr = c->nr_out + c->nr_in;
	struct kfd_gpreempt_ref *refs = kvcalloc(nr, sizeof(*refs), GFP_KERNEL);
	u32 *member = kvcalloc(nr, sizeof(*member), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!refs || !member)
		goto out;
	nr_out = hold_plan(n, c, 0, c->nr_out, refs, member);
	nr_in = hold_plan(n, c, c->nr_out, nr, refs + nr_out, member + nr_out);
	ret = 0;
	if (nr_out + nr_in)
		ret = gpk_switch(n, refs, nr_out, nr_in, c->grace);
	for (i = 0; i < nr_out + nr_in; i++) {
		int result = refs[i].result ? refs[i].result : ret;

		tell_result(c, member[i], result);
		if (result && i < nr_out)
			hold_undo(n, c->owner, &refs[i]);
	}
	repeat_failed(n, refs + nr_out, nr_in, ret);
	ret = 0;
out:
	kvfree(member);
	kvfree(refs);
	return ret;
}

/**
 * struct ending - which holds end
 * @owner: those of this file, or NULL
 * @until_ns: those whose lease ended by then
 */
struct ending {
	const void *owner;
	u64 until_ns;
};

/* The next one, or NULL. */
static struct gpk_hold *next_ending(const struct gpk_node *n, const struct ending *end)
{
	struct gp_hold *h = end->owner ? gp_holds_first_of(&n->holds, (uintptr_t)end->owner) :
					 gp_holds_expired(&n->holds, end->until_ns);

	return h ? HOLD(h) : NULL;
}

/* Drops up to @room of those that end. Return: how many. */
static u32 drop_ending(struct gpk_node *n, const struct ending *end, struct kfd_gpreempt_ref *refs,
		       u32 room)
{
	struct gpk_hold *h;
	u32 nr;

	for (nr = 0; nr < room && (h = next_ending(n, end)); nr++) {
		if (!end->owner)
			tell_ended(n, h);
		refs[nr] = (struct kfd_gpreempt_ref){ .process = h->rule.target.process,
						      .queue = generation_of(&h->rule) };
		hold_drop(n, h);
	}
	return nr;
}

/* What is not held otherwise goes on, all of it in one cycle. */
static void hold_end(struct gpk_node *n, const struct ending *end)
{
	struct kfd_gpreempt_ref one, *many, *refs;
	u32 i, nr, nr_in, room = min_t(u32, gp_holds_nr(&n->holds), KFD_GPREEMPT_REFS_MAX);

	if (!next_ending(n, end))
		return;
	many = kvcalloc(room, sizeof(*many), GFP_KERNEL);
	refs = many ? many : &one;
	room = many ? room : 1;
	do {
		nr = drop_ending(n, end, refs, room);
		for (i = 0, nr_in = 0; i < nr; i++)
			if (is_free(n, refs[i].process, refs[i].queue))
				refs[nr_in++] = refs[i];
		if (nr_in)
			repeat_failed(n, refs, nr_in, gpk_switch(n, refs, 0, nr_in, 0));
	} while (nr == room);
	kvfree(many);
}

void gpk_hold_drop_owner(struct gpk_node *n, const void *owner)
{
	hold_end(n, &(struct ending){ .owner = owner, .until_ns = GP_HOLD_FOREVER - 1 });
}

void gpk_hold_forget(struct gpk_node *n)
{
	struct gp_hold *h;

	while ((h = gp_holds_first(&n->holds))) {
		tell_ended(n, HOLD(h));
		hold_drop(n, HOLD(h));
	}
}

void gpk_hold_forget_dead(struct gpk_node *n)
{
	struct gp_hold *h, *next;

	for (h = gp_holds_first(&n->holds); h; h = next) {
		next = gp_holds_next(h);
		/* A process without queues may get new ones, one without memory does not. */
		if (atomic_read(&HOLD(h)->mm->mm_users))
			continue;
		tell_ended(n, HOLD(h));
		hold_drop(n, HOLD(h));
	}
}

void gpk_hold_run(struct gpk_node *n)
{
	hold_end(n, &(struct ending){ .until_ns = ktime_get_ns() });
}

u64 gpk_hold_next(const struct gpk_node *n)
{
	return gp_holds_next_ns(&n->holds);
}
