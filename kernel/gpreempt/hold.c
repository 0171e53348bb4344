// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who is off the GPU: by order of the scheduler, by hand, or both. A process that
 * either holds stays off; a single queue can only be held by hand.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "gpk.h"
#include "gpreempt_trace.h"
#include "kfd_gpreempt.h"

static enum gp_result result_of(int ret)
{
	switch (ret) {
	case 0:
		return GP_RESULT_OK;
	case -ESRCH:
		return GP_RESULT_GONE;
	case -EBUSY:
		return GP_RESULT_BUSY;
	default:
		return GP_RESULT_ERROR;
	}
}

/*
 * struct gpk_batch - references for amdkfd, and which member of the switch each is of
 */
struct gpk_batch {
	u32 nr;
	struct {
		struct gpk_entity *e;
		u32 member;
		bool was_out;
	} of[GPK_ENTITIES_MAX];
	struct kfd_gpreempt_ref ref[GPK_ENTITIES_MAX];
};

static void batch_put(struct gpk_batch *b, struct gpk_entity *e, u32 member, bool out)
{
	bool was_out = e->sched_out;

	e->sched_out = out;
	if ((!out && e->nr_manual) || b->nr == GPK_ENTITIES_MAX)
		return;
	b->ref[b->nr] = (struct kfd_gpreempt_ref){ .process = e->generation };
	b->of[b->nr].e = e;
	b->of[b->nr].was_out = was_out;
	b->of[b->nr++].member = member;
}

/* A process, or all of a group. */
static void batch_add(struct gpk_batch *b, struct gpk_node *n, u32 member, bool out)
{
	struct gpk_entity *e = gpk_entity_of(n, n->sw.id[member]);

	n->results[member] = e ? GP_RESULT_OK : GP_RESULT_GONE;
	if (e && !e->group)
		batch_put(b, e, member, out);
	if (!e || !e->group)
		return;
	list_for_each_entry(e, &n->entities, link)
		if (e->core == n->sw.id[member])
			batch_put(b, e, member, out);
}

/* The worst of a group counts; that one of it is gone says nothing of the others. */
static void batch_results(struct gpk_batch *b, struct gpk_node *n, int ret)
{
	u32 i;

	for (i = 0; i < b->nr; i++) {
		enum gp_result *of_member = &n->results[b->of[i].member];
		enum gp_result result;

		if (ret && ret != -EIO)
			b->ref[i].result = ret;
		result = result_of(b->ref[i].result);
		if (result == GP_RESULT_GONE && gpk_group_is_shared(n, b->of[i].e))
			continue;
		*of_member = max(*of_member, result);
	}
}

/*
 * To the core, who failed is where it was: if one of a group could not be preempted,
 * all of it runs.
 */
static void batch_undo(struct gpk_batch *b, struct gpk_node *n)
{
	u32 i;

	for (i = 0; i < b->nr; i++) {
		struct gpk_entity *e = b->of[i].e;
		bool out = b->of[i].member < n->sw.nr_preempt;

		if (n->results[b->of[i].member] == GP_RESULT_OK)
			continue;
		e->sched_out = b->of[i].was_out;
		if (out && !e->sched_out && !b->ref[i].result && !e->nr_manual)
			kfd_gpreempt_switch(n->gpu_id, &b->ref[i], 0, 1,
					    KFD_GPREEMPT_GRACE_DEFAULT);
	}
}

void gpk_switch_do(struct gpk_node *n)
{
	u32 i, nr_out, nr = n->sw.nr_preempt + n->sw.nr_resume;
	struct gpk_batch *b = n->batch;
	int ret;

	b->nr = 0;
	for (i = 0; i < n->sw.nr_preempt; i++)
		batch_add(b, n, i, true);
	nr_out = b->nr;
	for (; i < nr; i++)
		batch_add(b, n, i, false);
	trace_gpreempt_switch_begin(n->gpu_id, n->sw.seq, nr_out, b->nr - nr_out);
	ret = kfd_gpreempt_switch(n->gpu_id, b->ref, nr_out, b->nr - nr_out, 0);
	trace_gpreempt_switch_end(n->gpu_id, n->sw.seq, ret);
	batch_results(b, n, ret);
	batch_undo(b, n);
}

struct gpk_batch *gpk_batch_alloc(void)
{
	return kvzalloc(sizeof(struct gpk_batch), GFP_KERNEL);
}

static struct gpk_hold *hold_find(struct gpk_node *n, const void *owner, u64 process, u64 queue)
{
	struct gpk_hold *h;

	list_for_each_entry(h, &n->holds, link)
		if ((!owner || h->owner == owner) && h->process == process && h->queue == queue)
			return h;
	return NULL;
}

bool gpk_hold_is_held(struct gpk_node *n, const struct gpk_entity *e, const struct gpk_queue *q)
{
	return hold_find(n, NULL, e->generation, q->generation);
}

static void hold_drop(struct gpk_node *n, struct gpk_hold *h)
{
	struct gpk_entity *e = xa_load(&n->by_generation, h->process);

	list_del(&h->link);
	if (e && !h->queue) {
		e->nr_manual--;
		e->look_ns = 0;
	}
	kfree(h);
}

/* Whether something may go on that was held. */
static bool is_free(struct gpk_node *n, u64 process, u64 queue)
{
	struct gpk_entity *e = xa_load(&n->by_generation, process);

	return e && !hold_find(n, NULL, process, queue) && (queue || !e->sched_out);
}

/* 1: amdkfd has to be told; 0: it is held already; or -errno. */
static int hold_add(struct gpk_node *n, const void *owner, const struct kfd_gpreempt_ref *ref,
		    u64 until_ns)
{
	struct gpk_entity *e = xa_load(&n->by_generation, ref->process);
	struct gpk_hold *h = hold_find(n, owner, ref->process, ref->queue);

	if (!e)
		return -ESRCH;
	if (h) {
		h->until_ns = until_ns;
		return 0;
	}
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	h->owner = owner;
	h->process = ref->process;
	h->queue = ref->queue;
	h->until_ns = until_ns;
	list_add_tail(&h->link, &n->holds);
	if (!ref->queue) {
		e->nr_manual++;
		e->look_ns = 0;
	}
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
			ret = hold_add(n, c->owner, ref, c->until_ns);
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
		ret = kfd_gpreempt_switch(n->gpu_id, refs, nr_out, nr_in, c->grace);
	for (i = 0; i < nr_out + nr_in; i++) {
		int result = refs[i].result ? refs[i].result : ret;

		c->refs[member[i]].result = result;
		if (result && i < nr_out)
			hold_undo(n, c->owner, &refs[i]);
	}
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

static bool is_ending(struct gpk_node *n, const struct gpk_hold *h, const struct ending *end)
{
	if (end->owner)
		return h->owner == end->owner;
	return h->until_ns <= end->until_ns || !xa_load(&n->by_generation, h->process);
}

/* Drops up to @room of those that end. Return: how many. */
static u32 drop_ending(struct gpk_node *n, const struct ending *end, struct kfd_gpreempt_ref *refs,
		       u32 room)
{
	struct gpk_hold *h, *next;
	u32 nr = 0;

	list_for_each_entry_safe(h, next, &n->holds, link) {
		struct gpk_entity *e = xa_load(&n->by_generation, h->process);

		if (nr == room)
			break;
		if (!is_ending(n, h, end))
			continue;
		if (!end->owner)
			gpk_event(n, e ? e->pid : NULL, GPREEMPT_EVENT_LEASE, !h->queue, 0);
		refs[nr++] = (struct kfd_gpreempt_ref){ .process = h->process, .queue = h->queue };
		hold_drop(n, h);
	}
	return nr;
}

static u32 count_ending(struct gpk_node *n, const struct ending *end)
{
	const struct gpk_hold *h;
	u32 nr = 0;

	list_for_each_entry(h, &n->holds, link)
		nr += is_ending(n, h, end);
	return nr;
}

/* What nobody else holds goes on, all of it in one cycle. */
static void hold_end(struct gpk_node *n, const struct ending *end)
{
	struct kfd_gpreempt_ref one, *many, *refs;
	u32 i, nr, nr_in, room = min_t(u32, count_ending(n, end), KFD_GPREEMPT_REFS_MAX);

	if (!room)
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
			kfd_gpreempt_switch(n->gpu_id, refs, 0, nr_in, KFD_GPREEMPT_GRACE_DEFAULT);
	} while (nr == room);
	kvfree(many);
}

void gpk_hold_drop_owner(struct gpk_node *n, const void *owner)
{
	hold_end(n, &(struct ending){ .owner = owner, .until_ns = U64_MAX });
}

void gpk_hold_forget(struct gpk_node *n)
{
	struct gpk_hold *h, *next;

	list_for_each_entry_safe(h, next, &n->holds, link) {
		struct gpk_entity *e = xa_load(&n->by_generation, h->process);

		gpk_event(n, e ? e->pid : NULL, GPREEMPT_EVENT_LEASE, !h->queue, 0);
		hold_drop(n, h);
	}
}

void gpk_hold_run(struct gpk_node *n)
{
	hold_end(n, &(struct ending){ .until_ns = ktime_get_ns() });
}

u64 gpk_hold_next(const struct gpk_node *n)
{
	const struct gpk_hold *h;
	u64 next = U64_MAX;

	list_for_each_entry(h, &n->holds, link)
		next = min(next, h->until_ns);
	return next;
}
