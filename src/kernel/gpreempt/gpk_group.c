// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that are stopped and continued together: one entity of the core, made of
 * several of ours. Which processes these are is said in rules/group.h.
 */
#include <linux/cred.h>
#include <linux/sched/task.h>

#include "gpk.h"
#include "kfd_gpreempt.h"
#include "rules/group.h"

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

static struct gp_group_key key_of(const struct gpk_entity *e, const struct gp_attr *attr)
{
	return (struct gp_group_key){
		.user = uid_valid(e->uid) ? __kuid_val(e->uid) : GP_GROUP_NO_USER,
		.group = e->group,
		.attr = *attr,
	};
}

static struct gpk_entity *find(struct gpk_node *n, const struct gpk_entity *e,
			       const struct gp_attr *attr)
{
	struct gp_group_key other, key = key_of(e, attr);
	struct gp_entity_info info;
	struct gpk_entity *o;

	list_for_each_entry(o, &n->entities, link) {
		if (o == e || gp_sched_entity_info(n->sched, o->core, &info))
			continue;
		other = key_of(o, &info.attr);
		if (gp_group_is_one(&other, &key))
			return o;
	}
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
					   &n->act.acts, &e->core);
	n->act.acts.nr = 0;
	e->core = o->core;
	e->sched_out = o->sched_out;
	if (e->sched_out)
		gpk_switch(n, &ref, 1, 0, KFD_GPREEMPT_GRACE_DEFAULT);
	return 0;
}

void gpk_group_leave(struct gpk_node *n, struct gpk_entity *e)
{
	if (!gpk_group_is_shared(n, e))
		gpk_act(n, gp_sched_entity_remove(n->sched, e->core, ktime_get_ns(),
						  &n->act.acts));
}

/* Its queues go with it; whether they have work is found out anew. */
static void move_queues(struct gpk_node *n, struct gpk_entity *e, bool out)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link) {
		u64 now = ktime_get_ns();

		q->busy = false;
		if (out)
			gpk_act(n, gp_sched_queue_remove(n->sched, q->core, now, &n->act.acts));
		else
			gpk_act(n, gp_sched_queue_add(n->sched, e->core, q->generation, now,
						      &n->act.acts, &q->core));
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
	gp_act_run(&n->act);
	move_queues(n, e, false);
}
