// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that are stopped and continued together: one entity of the core, made of
 * several of ours. Which processes these are is said in rules/group.h.
 *
 * The owner of a process may change its group, and only the core brings a process back to
 * the GPU. So one that is off it stays off when it leaves a group. It joins another when it is
 * back. Until then it is apart, an entity of its own.
 */
#include <linux/cred.h>
#include <linux/sched/task.h>

#include "gpk.h"
#include "kfd_gpreempt.h"
#include "rules/group.h"
#include "rules/right.h"

/* Each is compared with all processes. */
#define JOINS_A_ROUND 8

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

static u64 user_of(const struct gpk_entity *e)
{
	return uid_valid(e->uid) ? __kuid_val(e->uid) : GP_GROUP_NO_USER;
}

static u64 share_of(const struct gpk_entity *e)
{
	return (uintptr_t)e->share;
}

/* A user's own; see gp_group_number(). */
static u64 hash_of(const struct gpk_entity *e, u64 group)
{
	return hash_64(user_of(e), 64) ^ group;
}

/* It is found by others from now on. */
static void index_add(struct gpk_node *n, struct gpk_entity *e)
{
	hash_add(n->by_core, &e->by_core, e->core);
	if (e->group)
		hash_add(n->by_group, &e->by_group, hash_of(e, e->group));
}

static void index_remove(struct gpk_entity *e)
{
	hash_del(&e->by_core);
	hash_del(&e->by_group);
}

/* Whether a process with these attributes, in this group, is one with @o. */
static bool is_one(struct gpk_node *n, const struct gpk_entity *o, const struct gp_group_key *key)
{
	struct gp_entity_info info;
	struct gp_group_key other;

	if (o->group != key->group || !list_empty(&o->apart) ||
	    gp_sched_entity_info(n->sched, o->core, &info))
		return false;
	other = (struct gp_group_key){
		.user = user_of(o),
		.group = o->group,
		.share = share_of(o),
		.attr = info.attr,
	};
	return gp_group_is_one(&other, key);
}

static struct gpk_entity *find(struct gpk_node *n, const struct gpk_entity *e, u64 group,
			       const struct gp_attr *attr)
{
	const struct gp_group_key key = {
		.user = user_of(e),
		.group = group,
		.share = share_of(e),
		.attr = *attr,
	};
	struct gpk_entity *o;

	if (!group)
		return NULL;
	hash_for_each_possible(n->by_group, o, by_group, hash_of(e, group))
		if (o != e && is_one(n, o, &key))
			return o;
	return NULL;
}

bool gpk_group_is_shared(struct gpk_node *n, const struct gpk_entity *e)
{
	struct gpk_entity *o;

	gpk_for_each_member(o, n, e->core)
		if (o != e)
			return true;
	return false;
}

/* If the others are off the GPU, the core has them all preempted again for its first queue. */
int gpk_group_join(struct gpk_node *n, struct gpk_entity *e, const struct gp_attr *attr)
{
	struct gpk_entity *o = find(n, e, e->group, attr);
	u64 now = ktime_get_ns();
	int ret = 0;

	if (o && !e->sched_out) {
		n->act.acts.nr = 0;
		e->core = o->core;
	} else if (e->sched_out) {
		ret = gp_sched_entity_add_out(n->sched, 0, attr, e->generation, now, &n->act.acts,
					      &e->core);
	} else {
		ret = gp_sched_entity_add(n->sched, 0, attr, e->generation, now, &n->act.acts,
					  &e->core);
	}
	if (ret)
		return ret;
	if (o && e->sched_out)
		list_add_tail(&e->apart, &n->apart);
	index_add(n, e);
	return 0;
}

void gpk_group_leave(struct gpk_node *n, struct gpk_entity *e)
{
	list_del_init(&e->apart);
	if (!gpk_group_is_shared(n, e))
		gpk_act(n, gp_sched_entity_remove(n->sched, e->core, ktime_get_ns(),
						  &n->act.acts));
	index_remove(e);
	e->core = GP_ID_NONE;
}

static void drop_queues(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		gpk_act(n, gp_sched_queue_remove(n->sched, q->core, ktime_get_ns(),
						 &n->act.acts));
}

/* Those with work still have it: the core would bring back what has none. */
static void bring_queues(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link) {
		if (gpk_act(n, gp_sched_queue_add(n->sched, e->core, q->generation, ktime_get_ns(),
						  &n->act.acts, &q->core)))
			gpk_set_busy(n, q, false);
		if (q->busy)
			gpk_act(n, gp_sched_queue_busy(n->sched, q->core, ktime_get_ns(),
						       &n->act.acts));
	}
}

/* What the others decide meanwhile may bring them to the GPU or off it. */
static void move(struct gpk_node *n, struct gpk_entity *e, u64 group, const struct gp_attr *attr)
{
	drop_queues(n, e);
	gpk_group_leave(n, e);
	e->group = group;
	/* There was room for it a moment ago. */
	if (WARN_ON_ONCE(gpk_group_join(n, e, attr)))
		return;
	gp_act_run(&n->act);
	gpk_cgroup_settle(n, e);
	bring_queues(n, e);
}

static void set_attr(struct gpk_node *n, struct gpk_entity *e, const struct gp_attr *attr)
{
	struct gp_entity_info info;

	if (gp_sched_entity_info(n->sched, e->core, &info) || !gp_attr_differs(&info.attr, attr))
		return;
	gpk_act(n, gp_sched_entity_set_attr(n->sched, e->core, attr, ktime_get_ns(),
					    &n->act.acts));
}

void gpk_group_change(struct gpk_node *n, struct gpk_entity *e, u64 group,
		      const struct gp_attr *attr)
{
	struct gpk_entity *o = find(n, e, group, attr);

	/* It is one with these already. */
	if (o && o->core == e->core)
		return;
	if ((o && !e->sched_out) || gpk_group_is_shared(n, e)) {
		move(n, e, group, attr);
		return;
	}
	index_remove(e);
	e->group = group;
	index_add(n, e);
	list_del_init(&e->apart);
	if (o)
		list_add_tail(&e->apart, &n->apart);
	gpk_cgroup_settle(n, e);
	set_attr(n, e, attr);
}

/* One that is apart, and is back on the GPU. */
static struct gpk_entity *next_back(struct gpk_node *n)
{
	struct gpk_entity *e;

	list_for_each_entry(e, &n->apart, apart)
		if (!e->sched_out)
			return e;
	return NULL;
}

void gpk_group_run(struct gpk_node *n)
{
	struct gp_entity_info info;
	struct gpk_entity *e;
	u32 i;

	for (i = 0; i < JOINS_A_ROUND; i++) {
		e = next_back(n);
		if (!e)
			return;
		list_del_init(&e->apart);
		if (!gp_sched_entity_info(n->sched, e->core, &info))
			gpk_group_change(n, e, e->group, &info.attr);
	}
	gpk_kick(n, GPK_KICK_HINT);
}
