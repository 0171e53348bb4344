// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Entities and queues: what amdkfd has, as the scheduler knows it. Found by asking for
 * everything and comparing; what came and went in between was never here.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

#define RESYNC_NS (100 * NSEC_PER_MSEC)

struct gpk_entity *gpk_entity_of(struct gpk_node *n, u64 core)
{
	struct gpk_entity *e;

	hash_for_each_possible(n->by_core, e, by_core, core)
		if (e->core == core)
			return e;
	return NULL;
}

struct gpk_entity *gpk_member_next(struct gpk_node *n, u64 core, struct gpk_entity *e)
{
	if (!e)
		return gpk_entity_of(n, core);
	hlist_for_each_entry_continue(e, by_core)
		if (e->core == core)
			return e;
	return NULL;
}

struct gpk_entity *gpk_entity_by_pid(struct gpk_node *n, struct pid *pid)
{
	struct gpk_entity *e, *found = NULL;

	hash_for_each_possible(n->by_pid, e, by_pid, (unsigned long)pid) {
		if (e->pid != pid)
			continue;
		if (atomic_read(&e->mm->mm_users))
			return e;
		found = e;
	}
	return found;
}

struct gpk_queue *gpk_queue_by_id(struct gpk_entity *e, u32 queue_id)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (q->queue_id == queue_id)
			return q;
	return NULL;
}

struct gpk_queue *gpk_queue_of(struct gpk_node *n, u64 generation)
{
	struct gpk_queue *q;

	hash_for_each_possible(n->queues, q, by_generation, generation)
		if (q->generation == generation)
			return q;
	return NULL;
}

void gpk_resync_later(struct gpk_node *n)
{
	n->resync_ns = min(n->resync_ns, ktime_get_ns() + RESYNC_NS);
}

/* NULL also if there are too many: a process that is no entity runs as without us. */
static struct gpk_entity *entity_add(struct gpk_node *n, const struct kfd_gpreempt_queue *desc)
{
	struct gpk_entity *e;
	struct gpk_said said;

	if (n->nr_entities == GPK_ENTITIES_MAX)
		return NULL;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e) {
		gpk_resync_later(n);
		return NULL;
	}
	INIT_LIST_HEAD(&e->queues);
	INIT_LIST_HEAD(&e->apart);
	INIT_LIST_HEAD(&e->freeze);
	e->look_ns = U64_MAX;
	e->generation = desc->process;
	e->pid = get_pid(desc->pid);
	e->mm = desc->mm;
	mmgrab(e->mm);
	e->uid = gpk_group_uid(e->pid);
	/* It may have been here before, with other queues. */
	e->nr_manual = gpk_hold_count(n, e->generation, 0);
	e->version = gpk_attr_wish(e->pid, &said);
	e->group = said.group;
	e->detect = said.detect;
	gpk_cgroup_enter(e, gpk_cgroup_find(n, e->pid));
	gpk_cgroup_apply(e, &said.attr);
	e->has_deadline = said.attr.deadline_ns;
	if (xa_err(xa_store(&n->by_generation, e->generation, e, GFP_KERNEL))) {
		gpk_resync_later(n);
		goto err;
	}
	if (gpk_group_join(n, e, &said.attr)) {
		xa_erase(&n->by_generation, e->generation);
		goto err;
	}
	list_add_tail(&e->link, &n->entities);
	hash_add(n->by_pid, &e->by_pid, (unsigned long)e->pid);
	n->nr_entities++;
	gp_act_run(&n->act);
	gpk_cgroup_settle(n, e);
	return e;
err:
	gpk_cgroup_enter(e, NULL);
	put_pid(e->pid);
	mmdrop(e->mm);
	/* A callback may have found it. */
	kfree_rcu(e, rcu);
	return NULL;
}

static void queue_remove(struct gpk_node *n, struct gpk_entity *e, struct gpk_queue *q)
{
	gpk_event(n, e->pid, GPREEMPT_EVENT_QUEUE, 0, q->queue_id);
	gpk_set_busy(n, q, false);
	list_del(&q->link);
	hash_del(&q->by_generation);
	gpk_act(n, gp_sched_queue_remove(n->sched, q->core, ktime_get_ns(), &n->act.acts));
	kfree(q);
}

/*
 * A process without queues is not listed, but may get new ones. Whether these are to be off the
 * GPU is found out when they are seen.
 */
static void entity_let_go(struct gpk_node *n, const struct gpk_entity *e)
{
	struct kfd_gpreempt_ref ref = { .process = e->generation };

	if (e->sched_out || e->nr_manual)
		gpk_switch(n, &ref, 0, 1, 0);
}

static void entity_remove(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q, *next;

	entity_let_go(n, e);
	gpk_hold_forget_dead(n, e);
	list_for_each_entry_safe(q, next, &e->queues, link)
		queue_remove(n, e, q);
	gpk_group_leave(n, e);
	gpk_cgroup_enter(e, NULL);
	gpk_detect_forget(n, e);
	gpk_freeze_forget(e);
	list_del(&e->link);
	hash_del(&e->by_pid);
	n->nr_entities--;
	xa_erase(&n->by_generation, e->generation);
	put_pid(e->pid);
	gpk_touch_put(e->touch);
	mmdrop(e->mm);
	kfree_rcu(e, rcu);
}

static void queue_add(struct gpk_node *n, struct gpk_entity *e,
		      const struct kfd_gpreempt_queue *desc)
{
	struct gpk_queue *q = kzalloc(sizeof(*q), GFP_KERNEL);

	if (!q) {
		gpk_resync_later(n);
		return;
	}
	q->generation = desc->queue;
	q->queue_id = desc->queue_id;
	q->rptr = desc->rptr;
	q->wptr = desc->wptr;
	q->ring = desc->ring;
	q->ring_bytes = desc->ring_bytes;
	q->flags = desc->flags;
	q->pending = U64_MAX;
	gp_idle_init(&q->idle, false, ktime_get_ns());
	q->seen = true;
	if (gp_sched_queue_add(n->sched, e->core, q->generation, ktime_get_ns(), &n->act.acts,
			       &q->core)) {
		kfree(q);
		return;
	}
	list_add_tail(&q->link, &e->queues);
	hash_add(n->queues, &q->by_generation, q->generation);
	gpk_event(n, e->pid, GPREEMPT_EVENT_QUEUE, 1, q->queue_id);
	gpk_look_soon(n, e);
	gp_act_run(&n->act);
}

static void see(struct gpk_node *n, const struct kfd_gpreempt_queue *desc)
{
	struct gpk_entity *e = xa_load(&n->by_generation, desc->process);
	struct gpk_queue *q;

	if (!e)
		e = entity_add(n, desc);
	if (!e)
		return;
	e->seen = true;
	q = gpk_queue_of(n, desc->queue);
	if (!q) {
		queue_add(n, e, desc);
		return;
	}
	q->seen = true;
	if (gpk_is_blocked(q->flags) != gpk_is_blocked(desc->flags)) {
		gpk_look_soon(n, e);
		e->restart = true;
	}
	q->flags = desc->flags;
	q->ring = desc->ring;
	q->ring_bytes = desc->ring_bytes;
}

static void unsee(struct gpk_node *n)
{
	struct gpk_entity *e;
	struct gpk_queue *q;

	list_for_each_entry(e, &n->entities, link) {
		e->seen = false;
		list_for_each_entry(q, &e->queues, link)
			q->seen = false;
	}
}

static void remove_unseen(struct gpk_node *n)
{
	struct gpk_entity *e, *next_e;
	struct gpk_queue *q, *next_q;

	list_for_each_entry_safe(e, next_e, &n->entities, link) {
		if (!e->seen) {
			entity_remove(n, e);
			continue;
		}
		list_for_each_entry_safe(q, next_q, &e->queues, link)
			if (!q->seen)
				queue_remove(n, e, q);
	}
}

static void remove_lost(struct gpk_node *n)
{
	struct gpk_entity *e, *next;

	list_for_each_entry_safe(e, next, &n->entities, link)
		if (e->is_lost)
			entity_remove(n, e);
}

/*
 * Resume what is off the GPU without an order. There should be none; if there is, it would
 * never run again.
 */
static void let_strays_go(struct gpk_node *n)
{
	struct gpk_entity *e;
	struct gpk_queue *q;

	list_for_each_entry(e, &n->entities, link) {
		if (e->sched_out || e->nr_manual)
			continue;
		list_for_each_entry(q, &e->queues, link) {
			struct kfd_gpreempt_ref refs[] = {
				{ .process = e->generation },
				{ .process = e->generation, .queue = q->generation },
			};

			if (!(q->flags & KFD_GPREEMPT_PREEMPTED) ||
			    q->flags & KFD_GPREEMPT_DAMAGED ||
			    gpk_hold_count(n, e->generation, q->generation))
				continue;
			if (!gpk_switch(n, refs, 0, ARRAY_SIZE(refs), 0) && !refs[0].result &&
			    !refs[1].result)
				q->flags ^= KFD_GPREEMPT_PREEMPTED | KFD_GPREEMPT_ACTIVE;
		}
	}
}

static bool is_all_off(const struct gpk_entity *e)
{
	const struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (!(q->flags & KFD_GPREEMPT_PREEMPTED))
			return false;
	return true;
}

/*
 * Preempt what is to be off the GPU and is not. With the last queue of a process amdkfd forgets
 * that it is held: the next one runs. And a resume that failed is made up for, though a more
 * urgent process may have come since.
 */
static void hold_again(struct gpk_node *n)
{
	struct gpk_entity *e;
	struct gpk_queue *q;

	list_for_each_entry(e, &n->entities, link) {
		struct kfd_gpreempt_ref ref = { .process = e->generation };

		if ((!e->sched_out && !e->nr_manual) || is_all_off(e))
			continue;
		if (gpk_switch(n, &ref, 1, 0, KFD_GPREEMPT_GRACE_DEFAULT) || ref.result)
			continue;
		list_for_each_entry(q, &e->queues, link)
			q->flags |= KFD_GPREEMPT_PREEMPTED;
	}
}

void gpk_resync(struct gpk_node *n)
{
	u32 i, nr;
	int ret;

	n->resync_ns = U64_MAX;
	n->moved = false;
	ret = gpk_ask(n, 0, &nr);
	if (ret) {
		if (ret != -ENODEV)
			gpk_resync_later(n);
		return;
	}
	remove_lost(n);
	unsee(n);
	for (i = 0; i < nr; i++)
		see(n, &n->answer[i]);
	gpk_answer_put(n, nr);
	remove_unseen(n);
	let_strays_go(n);
	hold_again(n);
	if (gpk_cgroup_any())
		gpk_attr_look(n);
}

void gpk_catch_up(struct gpk_node *n)
{
	if (atomic_fetch_andnot(GPK_KICK_CHANGED, &n->kick) & GPK_KICK_CHANGED)
		gpk_resync(n);
}

void gpk_forget_all(struct gpk_node *n)
{
	unsee(n);
	remove_unseen(n);
}
