// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that are stopped and continued together: one entity of the core, made of
 * several of ours. They belong to one user, name the same number and have the same
 * attributes: nobody becomes more urgent by joining.
 */
#include <linux/cred.h>
#include <linux/sched/task.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

kuid_t gpk_group_uid(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	kuid_t uid = INVALID_UID;

	if (task) {
		uid = task_uid(task);
		put_task_struct(task);
	}
	return uid;
}

static bool is_same(const struct gp_attr *a, const struct gp_attr *b)
{
	return a->prio == b->prio && a->weight == b->weight && a->slice_ns == b->slice_ns &&
	       a->deadline_ns == b->deadline_ns && a->no_preempt == b->no_preempt &&
	       a->latency_critical == b->latency_critical;
}

static struct gpk_entity *find(struct gpk_node *n, const struct gpk_entity *e,
			       const struct gp_attr *attr)
{
	struct gp_entity_info info;
	struct gpk_entity *o;

	list_for_each_entry(o, &n->entities, link)
		if (o != e && o->group == e->group && uid_valid(e->uid) &&
		    uid_eq(o->uid, e->uid) && !gp_sched_entity_info(n->sched, o->core, &info) &&
		    is_same(&info.attr, attr))
			return o;
	return NULL;
}

bool gpk_group_is_shared(struct gpk_node *n, const struct gpk_entity *e)
{
	const struct gpk_entity *o;

	if (!e->group)
		return false;
	list_for_each_entry(o, &n->entities, link)
		if (o != e && o->core == e->core)
			return true;
	return false;
}

int gpk_group_join(struct gpk_node *n, struct gpk_entity *e, const struct gp_attr *attr)
{
	struct gpk_entity *o = e->group ? find(n, e, attr) : NULL;
	struct kfd_gpreempt_ref ref = { .process = e->generation };

	if (!o)
		return gp_sched_entity_add(n->sched, 0, attr, e->generation, ktime_get_ns(),
					   &n->acts, &e->core);
	n->acts.nr = 0;
	e->core = o->core;
	e->sched_out = o->sched_out;
	if (e->sched_out)
		gpk_switch(n, &ref, 1, 0, KFD_GPREEMPT_GRACE_DEFAULT);
	return 0;
}

void gpk_group_leave(struct gpk_node *n, struct gpk_entity *e)
{
	if (gpk_group_is_shared(n, e))
		return;
	if (!gp_sched_entity_remove(n->sched, e->core, ktime_get_ns(), &n->acts))
		gpk_carry_out(n);
}

/* Its queues go with it; whether they have work is found out anew. */
static void move_queues(struct gpk_node *n, struct gpk_entity *e, bool out)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link) {
		int ret;

		if (out)
			ret = gp_sched_queue_remove(n->sched, q->core, ktime_get_ns(), &n->acts);
		else
			ret = gp_sched_queue_add(n->sched, e->core, q->generation, ktime_get_ns(),
						 &n->acts, &q->core);
		q->busy = false;
		if (!ret)
			gpk_carry_out(n);
	}
	e->look_ns = 0;
}

void gpk_group_change(struct gpk_node *n, struct gpk_entity *e, u64 group,
		      const struct gp_attr *attr)
{
	struct kfd_gpreempt_ref ref = { .process = e->generation };

	move_queues(n, e, true);
	gpk_group_leave(n, e);
	if (e->sched_out && !e->nr_manual)
		gpk_switch(n, &ref, 0, 1, KFD_GPREEMPT_GRACE_DEFAULT);
	e->sched_out = false;
	e->group = group;
	if (gpk_group_join(n, e, attr)) {
		/* There was room for it a moment ago. */
		e->core = GP_ID_NONE;
		return;
	}
	gpk_carry_out(n);
	move_queues(n, e, false);
}
