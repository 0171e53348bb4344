// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who is off the GPU: by order of the scheduler, by hand, or both. A process that
 * either holds stays off; a single queue can only be held by hand.
 */
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

/**
 * struct batch - references for amdkfd, and which member of the switch each is of
 */
struct batch {
	struct kfd_gpreempt_ref ref[GP_SWITCH_MAX];
	u32 member[GP_SWITCH_MAX];
	u32 nr;
};

static void batch_add(struct batch *b, struct gpk_node *n, u32 member, bool out)
{
	struct gpk_entity *e = gpk_entity_of(n, n->sw.id[member]);

	n->results[member] = e ? GP_RESULT_OK : GP_RESULT_GONE;
	if (!e)
		return;
	e->sched_out = out;
	if (!out && e->nr_manual)
		return;
	b->ref[b->nr] = (struct kfd_gpreempt_ref){ .process = e->generation };
	b->member[b->nr++] = member;
}

void gpk_switch_do(struct gpk_node *n)
{
	u32 i, nr_out, nr = n->sw.nr_preempt + n->sw.nr_resume;
	struct batch *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int ret;

	for (i = 0; i < nr; i++)
		n->results[i] = GP_RESULT_ERROR;
	if (!b)
		return;
	for (i = 0; i < n->sw.nr_preempt; i++)
		batch_add(b, n, i, true);
	nr_out = b->nr;
	for (; i < nr; i++)
		batch_add(b, n, i, false);
	trace_gpreempt_switch_begin(n->gpu_id, n->sw.seq, nr_out, b->nr - nr_out);
	ret = kfd_gpreempt_switch(n->gpu_id, b->ref, nr_out, b->nr - nr_out, 0);
	trace_gpreempt_switch_end(n->gpu_id, n->sw.seq, ret);
	for (i = 0; i < b->nr; i++) {
		if (ret && ret != -EIO)
			b->ref[i].result = ret;
		n->results[b->member[i]] = result_of(b->ref[i].result);
	}
	kfree(b);
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

int gpk_hold_add(struct gpk_node *n, const void *owner, struct gpk_entity *e, u64 queue,
		 u64 until_ns)
{
	struct kfd_gpreempt_ref ref = { .process = e->generation, .queue = queue };
	struct gpk_hold *h = hold_find(n, owner, e->generation, queue);
	int ret;

	if (h) {
		h->until_ns = until_ns;
		return 0;
	}
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	ret = kfd_gpreempt_switch(n->gpu_id, &ref, 1, 0, 0);
	if (ret || ref.result) {
		kfree(h);
		return ref.result ? ref.result : ret;
	}
	*h = (struct gpk_hold){ .owner = owner, .process = e->generation, .queue = queue,
				.until_ns = until_ns };
	list_add_tail(&h->link, &n->holds);
	if (!queue) {
		e->nr_manual++;
		e->look_ns = 0;
	}
	return 0;
}

/* Ends a hold; what nobody else holds goes on. */
static int hold_end(struct gpk_node *n, struct gpk_hold *h)
{
	struct kfd_gpreempt_ref ref = { .process = h->process, .queue = h->queue };
	struct gpk_entity *e = xa_load(&n->by_generation, h->process);
	int ret = 0;

	list_del(&h->link);
	if (e && !h->queue) {
		e->nr_manual--;
		e->look_ns = 0;
	}
	if (e && !hold_find(n, NULL, h->process, h->queue) && (h->queue || !e->sched_out)) {
		ret = kfd_gpreempt_switch(n->gpu_id, &ref, 0, 1, 0);
		if (!ret)
			ret = ref.result;
	}
	kfree(h);
	return ret;
}

int gpk_hold_remove(struct gpk_node *n, const void *owner, struct gpk_entity *e, u64 queue)
{
	struct gpk_hold *h = hold_find(n, owner, e->generation, queue);

	return h ? hold_end(n, h) : 0;
}

void gpk_hold_drop_owner(struct gpk_node *n, const void *owner)
{
	struct gpk_hold *h, *next;

	list_for_each_entry_safe(h, next, &n->holds, link)
		if (!owner || h->owner == owner)
			hold_end(n, h);
}

void gpk_hold_run(struct gpk_node *n)
{
	u64 now = ktime_get_ns();
	struct gpk_hold *h, *next;

	list_for_each_entry_safe(h, next, &n->holds, link) {
		struct gpk_entity *e = xa_load(&n->by_generation, h->process);

		if (e && h->until_ns > now)
			continue;
		gpk_event(n, e ? e->pid : NULL, GPREEMPT_EVENT_LEASE, !h->queue, 0);
		hold_end(n, h);
	}
}

u64 gpk_hold_next(const struct gpk_node *n)
{
	const struct gpk_hold *h;
	u64 next = U64_MAX;

	list_for_each_entry(h, &n->holds, link)
		next = min(next, h->until_ns);
	return next;
}
