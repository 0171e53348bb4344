// SPDX-License-Identifier: MIT
/* The events of a world, and what they do to what it knows. */
#include "world_check.h"

#include <string.h>

/* As in the scheduler: refusals that make one stubborn, doublings of the pause. */
#define REFUSALS_MAX 8U
#define RETRY_DOUBLINGS 6U

const struct gp_sched_config world_config = {
	.nr_nodes = WORLD_NODES,
	.max_entities = WORLD_ENTITIES,
	.max_queues = WORLD_ENTITIES * WORLD_QUEUES,
};

struct gp_actions world_out;

bool world_may_stay_off(const struct world *w, const struct world_entity *e)
{
	return w->node[e->node].room && !has_work(e);
}

void world_init(struct world *w, void *mem, u32 nr_nodes, u32 nr_entities, u32 nr_queues)
{
	struct gp_sched_config config = world_config;
	u32 i;

	memset(w, 0, sizeof(*w));
	config.nr_nodes = nr_nodes;
	require(w, !gp_sched_init(mem, gp_sched_size(&world_config), &config, &w->s), "init");
	w->now_ns = 1000 * GP_SEC;
	w->nr_nodes = nr_nodes;
	w->nr_entities = nr_entities;
	w->nr_queues = nr_queues;
	w->strict = true;
	w->bounds = w->s->node[0].params;
	for (i = 0; i < nr_nodes; i++) {
		w->node[i].timer_ns = WORLD_NEVER;
		w->node[i].enabled = true;
	}
}

void world_param(struct world *w, u32 node, const char *name, u64 value)
{
	require(w, !gp_sched_param_set(w->s, node, name, value, NULL), name);
	w->bounds = w->s->node[node].params;
	world_cut_debt(w, node);
	w->node[node].unread = true;
}

bool world_queue_add(struct world *w, u32 i)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live || e->nr_queues == WORLD_QUEUES)
		return false;
	/* One that begins off the GPU brings its queues along. */
	if (!e->begins_out || w->now_ns >= e->thaw_ns)
		e->uncovered = e->where != WORLD_MAPPED ||
			       state_of(w, e) == GP_ENTITY_PREEMPTING;
	err = gp_sched_queue_add(w->s, e->id, i, w->now_ns, &world_out, &e->queue[e->nr_queues]);
	e->busy[e->nr_queues++] = false;
	return world_after(w, e->node, err);
}

bool world_queue_remove(struct world *w, u32 i)
{
	struct world_entity *e = &w->entity[i];
	bool was_busy = has_work(e);
	bool ran;
	int err;

	if (!e->live || !e->nr_queues)
		return false;
	ran = state_of(w, e) == GP_ENTITY_RUNNING;
	err = gp_sched_queue_remove(w->s, e->queue[--e->nr_queues], w->now_ns, &world_out);
	if (was_busy && !has_work(e))
		world_note_end(w, e, ran);
	return world_after(w, e->node, err);
}

static bool add(struct world *w, u32 i, u32 node, const struct gp_attr *attr, bool is_out)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (e->live || node >= w->nr_nodes)
		return false;
	memset(e, 0, sizeof(*e));
	e->attr = *attr;
	e->node = node;
	e->resumed_ns = WORLD_NEVER;
	if (is_out) {
		e->where = WORLD_OFF;
		e->begins_out = true;
		e->off_ns = w->now_ns;
		e->thaw_ns = w->now_ns + w->bounds.min_run_ns;
		err = gp_sched_entity_add_out(w->s, node, attr, i, w->now_ns, &world_out, &e->id);
	} else {
		err = gp_sched_entity_add(w->s, node, attr, i, w->now_ns, &world_out, &e->id);
	}
	e->live = !err;
	w->node[node].unread = false;
	world_after(w, node, err);
	while (e->nr_queues < w->nr_queues)
		world_queue_add(w, i);
	return true;
}

bool world_add(struct world *w, u32 i, u32 node, const struct gp_attr *attr)
{
	return add(w, i, node, attr, false);
}

bool world_add_out(struct world *w, u32 i, u32 node, const struct gp_attr *attr)
{
	return add(w, i, node, attr, true);
}

bool world_remove(struct world *w, u32 i)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live)
		return false;
	err = gp_sched_entity_remove(w->s, e->id, w->now_ns, &world_out);
	e->live = false;
	world_leave_slice(w, e);
	require(w, gp_sched_entity_remove(w->s, e->id, w->now_ns, &(struct gp_actions){ 0 }) ==
			   -ENOENT,
		"removed twice");
	return world_after(w, e->node, err);
}

bool world_attr(struct world *w, u32 i, const struct gp_attr *attr)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live)
		return false;
	e->attr = *attr;
	err = gp_sched_entity_set_attr(w->s, e->id, attr, w->now_ns, &world_out);
	w->node[e->node].unread = false;
	return world_after(w, e->node, err);
}

bool world_busy(struct world *w, u32 i, u32 queue)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live || queue >= e->nr_queues || e->busy[queue])
		return false;
	/* The bound is on time off the GPU with work. */
	if (!has_work(e) && e->where != WORLD_MAPPED && state_of(w, e) != GP_ENTITY_RESUMING)
		e->off_ns = w->now_ns;
	if (!has_work(e)) {
		e->work_ns = w->now_ns;
		e->fresh = true;
	}
	e->busy[queue] = true;
	err = gp_sched_queue_busy(w->s, e->queue[queue], w->now_ns, &world_out);
	return world_after(w, e->node, err);
}

bool world_idle(struct world *w, u32 i, u32 queue)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live || queue >= e->nr_queues || !e->busy[queue])
		return false;
	e->busy[queue] = false;
	if (!has_work(e))
		world_note_end(w, e, state_of(w, e) == GP_ENTITY_RUNNING);
	err = gp_sched_queue_idle(w->s, e->queue[queue], w->now_ns, &world_out);
	return world_after(w, e->node, err);
}

bool world_progress(struct world *w, u32 i, u32 queue, u64 ago_ns)
{
	struct world_entity *e = &w->entity[i];
	u64 since_ns = w->now_ns - ago_ns;
	int err;

	if (!e->live || queue >= e->nr_queues || !e->busy[queue])
		return false;
	err = gp_sched_queue_progress(w->s, e->queue[queue], since_ns, w->now_ns, &world_out);
	return world_after(w, e->node, err);
}

static enum gp_result result_of(enum world_outcome outcome, u32 i, u32 nr)
{
	switch (outcome) {
	case WORLD_FIRST_BUSY:
		return i == 0 ? GP_RESULT_BUSY : GP_RESULT_OK;
	case WORLD_FIRST_ERROR:
		return i == 0 ? GP_RESULT_ERROR : GP_RESULT_OK;
	case WORLD_FIRST_GONE:
		return i == 0 ? GP_RESULT_GONE : GP_RESULT_OK;
	case WORLD_LAST_BUSY:
		return i == nr - 1 ? GP_RESULT_BUSY : GP_RESULT_OK;
	case WORLD_ALL_ERROR:
		return GP_RESULT_ERROR;
	default:
		return GP_RESULT_OK;
	}
}

static void refuse(struct world *w, struct world_entity *e)
{
	u64 pause_ns = w->bounds.retry_ns << min(e->nr_fail, RETRY_DOUBLINGS);

	e->failed = true;
	e->begins_out = false;
	e->refused_ns = w->now_ns + pause_ns;
	e->thaw_ns = max(e->thaw_ns, e->refused_ns);
	e->nr_fail = min(e->nr_fail + 1, REFUSALS_MAX);
	if (e->where != WORLD_MAPPED && e->nr_fail == REFUSALS_MAX)
		e->stubborn = true;
}

static void bring_back(struct world *w, struct world_entity *e)
{
	e->where = WORLD_MAPPED;
	e->begins_out = false;
	e->uncovered = false;
	e->failed = false;
	e->stubborn = false;
	e->nr_fail = 0;
	e->resumed_ns = w->now_ns;
	e->thaw_ns = w->now_ns + w->bounds.min_run_ns;
	if (e->hungry && has_work(e))
		world_join_slice(w, e);
}

/* What a result means for where the member is. */
static void apply(struct world *w, struct world_entity *e, bool preempt, enum gp_result result)
{
	if (result == GP_RESULT_GONE) {
		e->lost = true;
		e->untold = true;
	} else if (result != GP_RESULT_OK) {
		refuse(w, e);
		if (preempt)
			e->uncovered = e->where != WORLD_MAPPED;
	} else if (!preempt) {
		bring_back(w, e);
	} else if (e->where == WORLD_MAPPED) {
		e->off_ns = w->now_ns;
		e->thaw_ns = w->now_ns;
		e->failed = false;
		e->nr_fail = 0;
		e->where = WORLD_OFF;
	}
	e->hungry = false;
}

/* To refuse to come back for the second time is an error too, until it is given up. */
static bool is_error(const struct world_entity *e, bool preempt, enum gp_result result)
{
	bool refused_again = result == GP_RESULT_BUSY && !preempt && e->nr_fail;

	return !e->stubborn && (result == GP_RESULT_ERROR || refused_again);
}

/* Applies the results; returns the number of errors. What worked ends the row before. */
static u32 take_results(struct world *w, u32 node, const u8 *results)
{
	struct world_node *n = &w->node[node];
	u32 nr_errors = 0;
	u32 i;

	for (i = 0; i < n->sw.nr_preempt + n->sw.nr_resume; i++) {
		struct world_entity *e = by_id(w, n->id[i]);

		if (!e)
			continue;
		if (results[i] == GP_RESULT_OK)
			n->nr_errors = 0;
		nr_errors += is_error(e, i < n->sw.nr_preempt, results[i]);
		apply(w, e, i < n->sw.nr_preempt, results[i]);
	}
	n->nr_errors = is_open(w, node) ? 0 : n->nr_errors + nr_errors;
	n->nr_good += !nr_errors;
	return nr_errors;
}

bool world_done(struct world *w, u32 node, enum world_outcome outcome, u64 took_ns)
{
	struct world_node *n = &w->node[node];
	bool on_probation = breaker_of(w, node) == GP_BREAKER_PROBATION;
	u8 results[WORLD_ENTITIES];
	u32 nr = n->sw.nr_preempt + n->sw.nr_resume;
	u32 nr_errors;
	int err;
	u32 i;

	if (!n->in_flight)
		return false;
	world_wait(w, took_ns);
	for (i = 0; i < nr; i++)
		results[i] = (u8)result_of(outcome, i, nr);
	nr_errors = take_results(w, node, results);
	n->in_flight = false;
	err = gp_sched_switch_done(w->s, node, n->sw.seq, results, nr, w->now_ns, &world_out);
	n->unread = false;
	n->stale = n->sw.seq;
	world_after(w, node, err);
	require(w, !on_probation || !nr_errors || is_open(w, node),
		"stays on probation although the mechanism fails");
	return true;
}

bool world_stale_done(struct world *w, u32 node)
{
	u8 results[WORLD_ENTITIES] = { 0 };
	u64 seq = w->node[node].stale;
	int err;

	if (!seq)
		return false;
	err = gp_sched_switch_done(w->s, node, seq, results, 1, w->now_ns, &world_out);
	require(w, err == -ESTALE, "late answer was not refused");
	require(w, !world_out.nr, "late answer has consequences");
	return true;
}

bool world_timer(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];
	bool late;
	int err;

	if (n->timer_ns == WORLD_NEVER)
		return false;
	world_check_passing(w, max(w->now_ns, n->timer_ns));
	w->now_ns = max(w->now_ns, n->timer_ns);
	n->timer_ns = WORLD_NEVER;
	late = n->in_flight;
	err = gp_sched_timer(w->s, node, w->now_ns, &world_out);
	n->unread = false;
	world_after(w, node, err);
	/* An event that is no news decides nothing; a timer does. */
	require(w, !is_at_rest(w, node) || !w->s->node[node].limited || world_owes_little(w, node),
		"owes more than a token");
	require(w, !late || (has_report(w, node, GP_REPORT_SWITCH_DEADLINE) && is_open(w, node)),
		"breaker stays closed although a switch missed its deadline");
	return true;
}

bool world_early_timer(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];

	if (n->timer_ns == WORLD_NEVER || is_due(w, node))
		return false;
	n->timer_ns = WORLD_NEVER;
	return world_after(w, node, gp_sched_timer(w->s, node, w->now_ns, &world_out));
}

bool world_policy(struct world *w, u32 node, const char *name)
{
	w->strict = false;
	return world_after(w, node, gp_sched_set_policy(w->s, node, name, w->now_ns, &world_out));
}

bool world_room(struct world *w, u32 node, u32 entities)
{
	int err;
	u32 i;

	/* Those that were left out were not kept waiting. */
	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].node == node && !has_work(&w->entity[i]) &&
		    w->entity[i].where != WORLD_MAPPED)
			w->entity[i].off_ns = w->now_ns;
	w->node[node].room = entities;
	err = gp_sched_set_room(w->s, node, entities, 0, w->now_ns, &world_out);
	return world_after(w, node, err);
}

bool world_enable(struct world *w, u32 node, bool enabled)
{
	int err;

	w->node[node].enabled = enabled;
	err = gp_sched_set_enabled(w->s, node, enabled, w->now_ns, &world_out);
	return world_after(w, node, err);
}

bool world_lose(struct world *w, u32 node)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].node == node) {
			w->entity[i].lost = true;
			w->entity[i].starved = false;
		}
	w->node[node].alone_until_ns = 0;
	w->node[node].stale = w->node[node].sw.seq;
	w->node[node].in_flight = false;
	w->node[node].nr_errors = 0;
	w->node[node].dead = true;
	return world_after(w, node, gp_sched_node_lost(w->s, node, w->now_ns, &world_out));
}

bool world_back(struct world *w, u32 node)
{
	world_after(w, node, gp_sched_node_back(w->s, node, w->now_ns, &world_out));
	w->node[node].dead = false;
	return true;
}

bool world_wait(struct world *w, u64 ns)
{
	u64 until_ns = w->now_ns + ns;
	u32 i;

	for (i = 0; i < w->nr_nodes; i++)
		until_ns = min(until_ns, max(w->node[i].timer_ns, w->now_ns));
	w->now_ns = until_ns;
	return true;
}
