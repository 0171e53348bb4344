// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_gang.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_user.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void trace(void *data, const struct gp_trace *t)
{
	struct gpd *d = data;
	struct gpd_entity *e;
	u64 cookie;

	if ((t->kind == GP_TRACE_STATE || t->kind == GP_TRACE_WAITED) &&
	    !gp_sched_entity_cookie(d->sched, t->id, &cookie)) {
		e = (struct gpd_entity *)(uintptr_t)cookie;
		if (t->kind == GP_TRACE_STATE)
			e->since_ns = t->now_ns;
		else
			gpd_waits_note(e, t->arg[0]);
	}
	gpd_monitor_trace(data, t);
}

int gpd_engine_node(struct gpd_node *n)
{
	int err;

	n->ops = &gpd_client_node_ops;
	n->enabled = true;
	n->out_by = GP_GROUP_NO_USER;
	LIST_INIT(&n->entities);
	LIST_INIT(&n->class_waits);
	TAILQ_INIT(&n->taken);
	gp_groups_init(&n->groups);
	gpd_fanout_init(n);
	err = gpd_timer_add(n->d->event, &n->timer, gpd_silent_timer, n);
	if (!err)
		err = gpd_timer_add(n->d->event, &n->taken_timer, gpd_silent_taken, n);
	if (!err)
		err = sd_event_source_set_priority(n->taken_timer, GPD_PRIORITY_USER);
	return err;
}

int gpd_engine_init(struct gpd *d)
{
	struct gp_sched_config config = {
		.nr_nodes = d->max_nodes,
		.max_entities = GPD_ENTITIES_MAX,
		.max_queues = GPD_QUEUES_MAX,
		.has_gates = true,
		.max_shares = GPD_SHARES_MAX,
		.trace = trace,
		.trace_data = d,
	};
	size_t size = gp_sched_size(&config);
	uint32_t i;
	int err;

	d->ops = &gpd_client_ops;
	d->sched_mem = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!d->sched_mem)
		return -ENOMEM;
	err = gp_sched_init(d->sched_mem, size, &config, &d->sched);
	for (i = 0; !err && i < d->nr_nodes; i++)
		err = gpd_engine_node(&d->node[i]);
	if (!err)
		err = gpd_gang_init(d);
	return err ? err : gpd_lease_init(d);
}

void gpd_engine_fini(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++) {
		sd_event_source_unref(d->node[i].timer);
		sd_event_source_unref(d->node[i].taken_timer);
		gpd_waits_fini(&d->node[i]);
	}
	sd_event_source_unref(d->renew);
	gpd_gang_fini(d);
	free(d->sched_mem);
}

/*
 * A process that cannot be stopped would never give back what it is given. Others make room
 * for it only if a user with the right to do so wanted that.
 */
static bool gets_room(const struct gpd_client *c)
{
	return (!c->mute && !c->refused) || c->user->privileged || c->attrs.core.no_preempt ||
	       c->attrs.core.prio > GP_PRIO_DEFAULT;
}

static void set_shown(struct gpd_queue *q, bool busy)
{
	struct gpd_entity *e = q->member->entity;

	if (q->shown == busy)
		return;
	q->shown = busy;
	e->node->nr_busy -= e->nr_busy > 0;
	e->nr_busy += busy ? 1 : (uint32_t)-1;
	e->node->nr_busy += e->nr_busy > 0;
}

void gpd_engine_queue_level(struct gpd_queue *q)
{
	bool busy = q->busy && !q->manual && gets_room(q->client);
	struct gp_act *act;

	if (q->core_id == GP_ID_NONE || q->shown == busy)
		return;
	set_shown(q, busy);
	act = &q->member->node->act;
	if (busy)
		gp_sched_queue_busy(act->sched, q->core_id, gpd_now_ns(), &act->acts);
	else
		gp_sched_queue_idle(act->sched, q->core_id, gpd_now_ns(), &act->acts);
	gpd_fanout_settle(q->member->node);
}

void gpd_engine_queue_progress(struct gpd_queue *q, uint64_t since_ns)
{
	struct gp_act *act;

	if (q->core_id == GP_ID_NONE || !q->shown)
		return;
	act = &q->member->node->act;
	gp_sched_queue_progress(act->sched, q->core_id, since_ns, gpd_now_ns(), &act->acts);
	gpd_fanout_settle(q->member->node);
}

static int queue_join(struct gpd_queue *q)
{
	struct gp_act *act = &q->member->node->act;
	int err = gp_sched_queue_add(act->sched, q->member->entity->id, (u64)(uintptr_t)q,
				     gpd_now_ns(), &act->acts, &q->core_id);

	if (err) {
		q->core_id = GP_ID_NONE;
		return err;
	}
	q->member->node->nr_queues++;
	gpd_fanout_settle(q->member->node);
	gpd_engine_queue_level(q);
	return 0;
}

static void queue_leave(struct gpd_queue *q)
{
	struct gp_act *act = &q->member->node->act;

	set_shown(q, false);
	if (q->core_id == GP_ID_NONE)
		return;
	q->member->node->nr_queues--;
	if (!gp_sched_queue_remove(act->sched, q->core_id, gpd_now_ns(), &act->acts))
		gpd_fanout_settle(q->member->node);
	q->core_id = GP_ID_NONE;
}

static void leave_all(struct gpd_member *m)
{
	struct gpd_queue *q;

	LIST_FOREACH(q, &m->client->queues, link)
		if (q->member == m)
			queue_leave(q);
}

/* The entity of a member is where its cgroup is; all its members are in one cgroup. */
static void enter_share(struct gpd_member *m)
{
	struct gpd_entity *e = m->entity;
	struct gpd_node *n = m->node;
	u64 share = gpd_cgroup_share(m->client->cgroup, n);

	if (!e || e->share == share)
		return;
	if (!gp_sched_entity_join(n->d->sched, e->id, share, gpd_now_ns(), &n->act.acts)) {
		e->share = share;
		gpd_fanout_settle(n);
	}
}

int gpd_engine_queue_add(struct gpd_queue *q, struct gpd_node *n)
{
	struct gpd_member *m;
	int err;

	gpd_progress_join(n, q->client);
	m = gpd_member_get(q->client, n, &err);
	gpd_fanout_settle(n);
	if (!m)
		return err;
	enter_share(m);
	q->member = m;
	m->nr_queues++;
	err = queue_join(q);
	if (err)
		gpd_engine_queue_remove(q);
	return err;
}

void gpd_engine_queue_remove(struct gpd_queue *q)
{
	struct gpd_member *m = q->member;
	struct gpd_node *n;

	if (!m)
		return;
	n = m->node;
	queue_leave(q);
	q->member = NULL;
	if (--m->nr_queues)
		return;
	gpd_fanout_answered(m, GP_RESULT_GONE);
	gpd_late_forget(m);
	gpd_member_put(m);
	gpd_fanout_settle(n);
}

/*
 * A member goes to the entity of its group, with the order that it has: one that is held becomes
 * an entity of its own, which the core brings back when it is time. One that runs may be held at
 * once by the entity that it joins.
 */
static void move_member(struct gpd_member *m)
{
	struct gpd_client *c = m->client;
	struct gpd_queue *q;
	int err;

	gpd_late_take(m);
	leave_all(m);
	gpd_member_leave(m);
	gpd_fanout_settle(m->node);
	err = gpd_member_join(m);
	gpd_fanout_settle(m->node);
	if (!err)
		enter_share(m);
	LIST_FOREACH(q, &c->queues, link)
		if (!err && q->member == m)
			err = queue_join(q);
	if (err)
		gpd_client_drop(c, err, "no room for its queues");
}

void gpd_engine_attrs(struct gpd_client *c)
{
	struct gpd_member *m;
	struct gpd_member *next;
	struct gpd_queue *q;

	for (m = LIST_FIRST(&c->members); m; m = next) {
		next = LIST_NEXT(m, of_client);
		if (!gpd_member_change(m))
			move_member(m);
		else if (m->node->act.acts.nr)
			gpd_fanout_settle(m->node);
		enter_share(m);
	}
	/* Whether others make room for it may have changed. */
	LIST_FOREACH(q, &c->queues, link)
	gpd_engine_queue_level(q);
}

void gpd_engine_again(struct gpd_member *m)
{
	if (!m->held)
		return;
	gpd_member_let_go(m);
	move_member(m);
}

void gpd_engine_rejoin(struct gpd_member *m)
{
	if (m->entity && m->entity->is_apart && !gpd_member_change(m))
		move_member(m);
}

void gpd_engine_nudge(struct gpd_member *m)
{
	if (!m->held && !m->wait_epoch && !gpd_member_order(m, false))
		gpd_member_order(m, true);
}

int gpd_engine_set_enabled(struct gpd_node *n, bool enabled)
{
	int err = n->ops->set_enabled(n, enabled);

	if (err)
		return err;
	n->enabled = enabled;
	n->out_by = GP_GROUP_NO_USER;
	if (enabled) {
		n->out_reason[0] = '\0';
		n->nr_no_progress = 0;
	}
	return 0;
}

void gpd_engine_set_ops(struct gpd_node *n, const struct gpd_node_ops *ops)
{
	n->ops = ops;
	gpd_client_node_ops.set_enabled(n, n->enabled && ops->is_core);
}

void gpd_engine_put_out(struct gpd_node *n, const char *reason)
{
	gpd_log(LOG_ERR, "node %" PRIu32 ": out of scheduling: %s", n->gpu_id, reason);
	gpd_engine_set_enabled(n, false);
	snprintf(n->out_reason, sizeof(n->out_reason), "%s", reason);
	gpd_monitor_event(n->d, "report", 0, n->gpu_id, WIRE_QUEUE_ALL,
			  "out of scheduling: %s", reason);
}

/* The core can do nothing more with what is lost; the driver does nothing with its queues. */
static void lose_member(struct gpd_member *m)
{
	gpd_member_let_go(m);
	gpd_late_forget(m);
	leave_all(m);
	gpd_client_note(m->client, "its queues on node %" PRIu32 " are lost: the GPU was reset",
			m->node->gpu_id);
}

void gpd_engine_lost(struct gpd_node *n)
{
	struct gpd *d = n->d;
	struct gpd_client *c;
	struct gpd_member *m;

	gpd_fanout_forget(n);
	if (!gp_sched_node_lost(d->sched, n->index, gpd_now_ns(), &n->act.acts))
		gpd_fanout_settle(n);
	LIST_FOREACH(c, &d->clients, link) {
		m = gpd_member_find(c, n);
		if (m)
			lose_member(m);
	}
}

void gpd_engine_back(struct gpd_node *n)
{
	struct gpd *d = n->d;
	struct gpd_client *c;
	struct gpd_member *m;

	if (!gp_sched_node_back(d->sched, n->index, gpd_now_ns(), &n->act.acts))
		gpd_fanout_settle(n);
	/* Its queues stay out, those too that came meanwhile: only the entity is made anew. */
	LIST_FOREACH(c, &d->clients, link) {
		m = gpd_member_find(c, n);
		if (!m)
			continue;
		leave_all(m);
		gpd_member_leave(m);
		gpd_fanout_settle(n);
		if (gpd_member_join(m))
			gpd_client_drop(c, -ENOMEM, "no room after a reset");
		gpd_fanout_settle(n);
		enter_share(m);
	}
}

void gpd_engine_release_all(struct gpd *d)
{
	struct gpd_client *c;
	struct gpd_member *m;

	LIST_FOREACH(c, &d->clients, link)
		LIST_FOREACH(m, &c->members, of_client)
			gpd_member_let_go(m);
}
