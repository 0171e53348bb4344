// SPDX-License-Identifier: MIT
#include "world.h"

#include <string.h>

/* As in the scheduler: refusals that make one stubborn, doublings of the pause. */
#define REFUSALS_MAX 8U
#define RETRY_DOUBLINGS 6U

const struct gp_sched_config world_config = {
	.nr_nodes = WORLD_NODES,
	.max_entities = WORLD_ENTITIES,
	.max_queues = WORLD_ENTITIES * WORLD_QUEUES,
};

static struct gp_actions out;

static void require(struct world *w, bool holds, const char *text)
{
	if (!holds && !w->bad)
		w->bad = text;
}

static struct world_entity *by_id(struct world *w, u64 id)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].id == id)
			return &w->entity[i];
	return NULL;
}

static bool has_work(const struct world_entity *e)
{
	u32 q;

	for (q = 0; q < e->nr_queues; q++)
		if (e->busy[q])
			return true;
	return false;
}

bool world_may_stay_off(const struct world *w, const struct world_entity *e)
{
	return w->node[e->node].room && !has_work(e);
}

static enum gp_entity_state state_of(const struct world *w, const struct world_entity *e)
{
	struct gp_entity_info info;

	if (gp_sched_entity_info(w->s, e->id, &info))
		return GP_ENTITY_STATE_COUNT;
	return info.state;
}

static enum gp_breaker_state breaker_of(const struct world *w, u32 node)
{
	return gp_sched_node_stats(w->s, node)->breaker;
}

static bool is_open(const struct world *w, u32 node)
{
	enum gp_breaker_state b = breaker_of(w, node);

	return !w->node[node].enabled || b == GP_BREAKER_OPEN || b == GP_BREAKER_DEAD;
}

/* The scheduler is to be called this very moment: no time to complain. */
static bool is_due(const struct world *w, u32 node)
{
	return w->node[node].timer_ns <= w->now_ns;
}

static bool is_alone(const struct world *w, u32 node)
{
	return w->now_ns < w->node[node].alone_until_ns;
}

/* One of those whom the slice was for is out; with the last of them it ends. */
static void leave_slice(struct world *w, struct world_entity *e)
{
	u32 i;

	if (!e->starved)
		return;
	e->starved = false;
	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].starved && w->entity[i].node == e->node)
			return;
	w->node[e->node].alone_until_ns = min(w->node[e->node].alone_until_ns, w->now_ns);
}

static void join_slice(struct world *w, struct world_entity *e)
{
	struct world_node *n = &w->node[e->node];
	u32 i;

	/* Those of a slice that is over have no part in the next. */
	for (i = 0; !is_alone(w, e->node) && i < w->nr_entities; i++)
		if (w->entity[i].node == e->node)
			w->entity[i].starved = false;
	e->starved = true;
	e->thaw_ns = max(e->thaw_ns, w->now_ns + w->bounds.min_slice_ns);
	n->alone_until_ns = w->now_ns + w->bounds.min_slice_ns;
}

static u64 token_ns(const struct world *w)
{
	return GP_SEC / w->bounds.rate_per_s;
}

static bool is_limited(const struct world *w, u32 node)
{
	return gp_since(w->node[node].rate_ns, (w->bounds.rate_burst - 1) * token_ns(w)) >
	       w->now_ns;
}

static void count_token(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];

	n->rate_ns = min(max(n->rate_ns, w->now_ns) + token_ns(w),
			 w->now_ns + w->bounds.rate_burst * token_ns(w));
}

/* Fair shares: the limit is on each change of hands. Else it is on giving back. */
static bool takes_turns(const struct world *w, u32 node)
{
	const char *name = gp_sched_node_policy(w->s, node);

	return !strcmp(name, "fair") || !strcmp(name, "slice") || !strcmp(name, "mlfq");
}

/* At most what a switch costs, else it would not have been left to finish. */
static void note_spared(struct world *w, u32 node)
{
	const struct gp_node_stats *st = gp_sched_node_stats(w->s, node);
	struct world_node *n = &w->node[node];

	if (st->nr_left_to_finish == n->nr_spared)
		return;
	n->nr_spared = st->nr_left_to_finish;
	n->spared_until_ns = w->now_ns + st->cost_ns;
}

static bool has_report(const struct world *w, u32 node, enum gp_report report)
{
	return w->node[node].reports & 1U << report;
}

/* It is not known where the members of an unanswered switch are. */
static void give_up(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];
	u32 i;

	for (i = 0; i < n->sw.nr_preempt + n->sw.nr_resume; i++) {
		struct world_entity *e = by_id(w, n->id[i]);

		if (!e)
			continue;
		if (e->where == WORLD_MAPPED)
			e->off_ns = w->now_ns;
		e->where = WORLD_UNKNOWN;
		e->failed = true;
		e->hungry = false;
	}
	n->stale = n->sw.seq;
	n->in_flight = false;
}

/* Is there work for whose sake one that was resumed a moment ago may leave? */
static bool has_critical(const struct world *w, u32 node, const struct world_entity *e)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *x = &w->entity[i];

		if (x != e && x->live && !x->lost && x->node == node && has_work(x) &&
		    x->attr.latency_critical)
			return true;
	}
	return false;
}

static void check_preempt(struct world *w, u32 node, struct world_entity *e)
{
	u64 since_ns;

	require(w, !is_open(w, node), "preempts although preemption is suspended");
	require(w, e->node == node && !e->lost, "preempts one that is lost or elsewhere");
	if (e->where != WORLD_MAPPED)
		return;
	require(w, has_work(e) || w->node[node].room, "preempts one without work");
	require(w, !e->attr.no_preempt, "preempts one that must not be preempted");
	since_ns = e->resumed_ns == WORLD_NEVER ? U64_MAX : w->now_ns - e->resumed_ns;
	require(w, since_ns >= w->bounds.min_run_ns || !has_work(e) || has_critical(w, node, e),
		"preempts one that was resumed a moment ago");
	require(w, since_ns >= w->bounds.min_slice_ns || !e->starved || !is_alone(w, node),
		"takes the slice of a starved one away");
}

/* A better one ran until a moment ago: this one has to wait a little. */
static void check_hysteresis(struct world *w, u32 node, const struct world_entity *e)
{
	const struct world_node *n = &w->node[node];

	/* Starved ones come at any time; those that refused before do so without a word. */
	if (!w->strict || w->bounds.learn_gaps || !has_work(e) || is_open(w, node) || e->hungry ||
	    (e->nr_fail && w->now_ns - e->off_ns >= w->bounds.max_wait_ns / 2))
		return;
	require(w, e->attr.prio >= n->led_prio || w->now_ns >= n->led_until_ns,
		"resumes a lower one right after a better one");
}

/* Work ended that was running. A lesser one does not prolong what a better one began. */
static void note_leader(struct world *w, const struct world_entity *e)
{
	struct world_node *n = &w->node[e->node];

	n->idle_until_ns = w->now_ns + w->bounds.hysteresis_ns;
	if (w->now_ns < n->led_until_ns && e->attr.prio < n->led_prio)
		return;
	n->led_prio = e->attr.prio;
	n->led_until_ns = w->now_ns + w->bounds.hysteresis_ns;
}

/* Is it resumed for the starvation bound, and has it a part in the slice? */
static void note_hungry(struct world *w, struct world_entity *e)
{
	bool slice = has_report(w, e->node, GP_REPORT_STARVATION) || is_alone(w, e->node);

	e->hungry = slice && has_work(e) && !e->nr_fail && !is_open(w, e->node) &&
		    e->off_ns <= w->node[e->node].cut_ns;
}

/*
 * Those without work leave if others need the room, and not one more of them. An
 * entity that is off with work needs some, even if its turn has not come, and one that
 * leaves with work will.
 */
static void check_room(struct world *w, u32 node, const struct gp_switch *sw)
{
	u32 nr_idle = 0, nr_wanted = 0;
	u32 i;

	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		const struct world_entity *e = by_id(w, sw->id[i]);

		if (!e || has_work(e))
			continue;
		if (i >= sw->nr_preempt)
			nr_wanted++;
		else
			nr_idle += e->where == WORLD_MAPPED;
	}
	for (i = 0; i < w->nr_entities; i++)
		nr_wanted += w->entity[i].live && !w->entity[i].lost && w->entity[i].node == node &&
			     (w->entity[i].where == WORLD_MAPPED || has_work(&w->entity[i]));
	require(w, !nr_idle || nr_wanted - nr_idle >= w->node[node].room,
		"preempts one without work whose room is not needed");
}

static void check_members(struct world *w, u32 node, const struct gp_switch *sw)
{
	u32 i, k;

	require(w, sw->nr_preempt + sw->nr_resume > 0, "empty switch");
	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		struct world_entity *e = by_id(w, sw->id[i]);

		require(w, e, "switches one that does not exist");
		for (k = 0; k < i; k++)
			require(w, sw->id[k] != sw->id[i], "entity both in and out");
		if (!e)
			continue;
		if (i < sw->nr_preempt) {
			check_preempt(w, node, e);
			leave_slice(w, e);
		} else {
			require(w, e->where != WORLD_MAPPED, "resumes one that is on the GPU");
			require(w, w->now_ns >= e->thaw_ns, "resumes one that has just refused");
			note_hungry(w, e);
			check_hysteresis(w, node, e);
		}
	}
}

/* May entities come back because one of them has waited too long? */
static bool may_be_starving(const struct world *w, u32 node)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (e->live && !e->lost && e->node == node && e->where != WORLD_MAPPED &&
		    w->now_ns - e->off_ns >= w->bounds.max_wait_ns / 2)
			return true;
	}
	return is_alone(w, node);
}

/* What a switch does, as far as the rate limit is concerned. */
struct moves {
	bool again;    /* one that is off is preempted once more */
	bool victims;  /* some with work leave */
	bool hungry;   /* some come back because they starved */
	bool back;     /* some with work come back */
	bool critical; /* one of these is latency-critical */
};

static struct moves moves_of(struct world *w, const struct gp_switch *sw)
{
	struct moves m = { 0 };
	u32 i;

	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		const struct world_entity *e = by_id(w, sw->id[i]);

		if (!e)
			continue;
		if (i < sw->nr_preempt) {
			m.again |= e->where != WORLD_MAPPED;
			m.victims |= e->where == WORLD_MAPPED && has_work(e);
			continue;
		}
		m.hungry |= e->hungry;
		m.back |= has_work(e);
		m.critical |= has_work(e) && e->attr.latency_critical;
	}
	return m;
}

/*
 * Only for starved entities and new queues of preempted ones is the limit exceeded, and for
 * those that are urgent. Here no more tokens are counted than the scheduler counts.
 */
static void check_rate(struct world *w, u32 node, const struct gp_switch *sw)
{
	struct moves m = moves_of(w, sw);
	bool gives_back = m.back && !m.victims && !may_be_starving(w, node);

	if (is_open(w, node))
		return;
	if (takes_turns(w, node)) {
		require(w, m.hungry || !m.victims || !is_limited(w, node),
			"preempts more often than allowed");
		if (m.victims || m.again)
			count_token(w, node);
		return;
	}
	require(w, !gives_back || m.critical || !is_limited(w, node),
		"gives back more often than allowed");
	if (gives_back)
		count_token(w, node);
}

static void take_switch(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];

	require(w, !n->in_flight, "second switch in flight");
	require(w, out.sw.seq && out.sw.seq != n->stale, "sequence number used twice");
	check_room(w, node, &out.sw);
	check_members(w, node, &out.sw);
	check_rate(w, node, &out.sw);
	n->sw = out.sw;
	memcpy(n->id, out.sw.id, (out.sw.nr_preempt + out.sw.nr_resume) * sizeof(n->id[0]));
	n->in_flight = true;
	n->start_ns = w->now_ns;
}

static void take_report(struct world *w, u32 node, const struct gp_action *a)
{
	w->node[node].reports |= 1U << a->report;
	if (a->report == GP_REPORT_SWITCH_DEADLINE && w->node[node].in_flight)
		give_up(w, node);
	if (a->report == GP_REPORT_STARVATION)
		w->node[node].cut_ns = w->now_ns - w->bounds.max_wait_ns / 2;
}

static void take_actions(struct world *w, u32 node)
{
	struct world_entity *e;
	u32 i;

	for (i = 0; i < out.nr; i++) {
		const struct gp_action *a = &out.a[i];

		switch (a->kind) {
		case GP_ACTION_SWITCH:
			take_switch(w, node);
			break;
		case GP_ACTION_SET_TIMER:
			require(w, a->at_ns >= w->now_ns, "timer in the past");
			require(w, a->at_ns != w->node[node].timer_ns, "timer set to what it was");
			w->node[node].timer_ns = a->at_ns;
			break;
		case GP_ACTION_ARM:
		case GP_ACTION_DISARM:
			e = by_id(w, a->id);
			require(w, e, "arms one that does not exist");
			if (e)
				e->armed = a->kind == GP_ACTION_ARM;
			break;
		case GP_ACTION_REPORT:
			take_report(w, node, a);
			break;
		}
	}
}

static void check_entity(struct world *w, const struct world_entity *e)
{
	enum gp_entity_state state = state_of(w, e);
	bool on = state == GP_ENTITY_IDLE || state == GP_ENTITY_WAITING ||
		  state == GP_ENTITY_RUNNING;

	require(w, e->lost == (state == GP_ENTITY_LOST), "lost or not lost");
	require(w, !on || e->where == WORLD_MAPPED, "counts as on the GPU but is off");
	require(w, state != GP_ENTITY_PREEMPTED || e->where != WORLD_MAPPED,
		"counts as off the GPU but is on");
	require(w, e->lost || e->armed == !has_work(e), "detection waits for the wrong edge");
}

/* Where room is short an entity without work may be left out: it waits with work alone. */
static u64 waits_since(const struct world *w, const struct world_entity *e)
{
	return w->node[e->node].room ? max(e->off_ns, e->work_ns) : e->off_ns;
}

/* No entity that could have been helped has waited longer than the bound. */
static void check_starvation(struct world *w, const struct world_entity *e)
{
	const struct world_node *n = &w->node[e->node];

	if (e->where != WORLD_OFF || e->lost || e->failed || n->in_flight || is_open(w, e->node))
		return;
	if (is_alone(w, e->node) || is_due(w, e->node) || world_may_stay_off(w, e))
		return;
	require(w, w->now_ns - waits_since(w, e) < w->bounds.max_wait_ns, "starves");
}

/* Which switches count beyond those of check_rate() only the scheduler knows. */
static bool may_be_limited(const struct world *w, u32 node)
{
	u64 tokens_ns = (w->bounds.rate_burst - 1) * token_ns(w);

	return gp_since(w->s->node[node].rate_ns, tokens_ns) > w->now_ns;
}

static bool may_be_preempted(const struct world *w, const struct world_entity *e)
{
	return w->now_ns >= e->thaw_ns && !e->attr.no_preempt && !may_be_limited(w, e->node) &&
	       w->now_ns >= w->node[e->node].spared_until_ns && !is_due(w, e->node);
}

/* At rest none runs beside a better one, unless a guard keeps it there. */
static void check_order(struct world *w, const struct world_entity *e)
{
	u32 i;

	if (!w->strict || w->node[e->node].in_flight || is_open(w, e->node) || !has_work(e) ||
	    e->where != WORLD_MAPPED || e->lost || !may_be_preempted(w, e))
		return;
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *x = &w->entity[i];

		require(w, !x->live || x->lost || x->node != e->node || !has_work(x) ||
				   x->where != WORLD_MAPPED || x->attr.prio <= e->attr.prio,
			"runs beside a better one");
	}
}

/*
 * Work conservation: at rest, no entity that could work is kept off a GPU on which
 * none works. Only hysteresis, the rate limit and the pause after a refusal explain that.
 */
static void check_conserves(struct world *w, u32 node)
{
	const struct world_node *n = &w->node[node];
	bool waits = false;
	u32 i;

	if (n->in_flight || is_open(w, node) || is_due(w, node) || w->now_ns < n->idle_until_ns ||
	    (!takes_turns(w, node) && may_be_limited(w, node)))
		return;
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (!e->live || e->lost || e->node != node || !has_work(e))
			continue;
		if (e->where == WORLD_MAPPED)
			return;
		waits = waits || w->now_ns >= e->thaw_ns;
	}
	require(w, !waits, "keeps work off an empty GPU");
}

/* The work of one has ended. */
static void note_end(struct world *w, struct world_entity *e, bool ran)
{
	if (ran)
		note_leader(w, e);
	leave_slice(w, e);
}

static void check_node(struct world *w, u32 node)
{
	const struct world_node *n = &w->node[node];
	u64 patience_ns = w->bounds.deadline_ns;

	if (breaker_of(w, node) == GP_BREAKER_OPEN)
		patience_ns = w->bounds.open_max_ns;
	require(w, !n->in_flight || n->timer_ns - n->start_ns <= patience_ns,
		"switch without a deadline");
	require(w, n->nr_errors < w->bounds.breaker_errors || is_open(w, node),
		"breaker stays closed although the mechanism fails");
}

static void check(struct world *w, u32 node)
{
	u32 i;

	require(w, out.node == node, "actions name another node");
	for (i = 0; i < w->nr_entities; i++) {
		if (!w->entity[i].live)
			continue;
		check_entity(w, &w->entity[i]);
		if (w->entity[i].node != node)
			continue;
		check_starvation(w, &w->entity[i]);
		check_order(w, &w->entity[i]);
	}
	check_node(w, node);
	check_conserves(w, node);
	if (!w->bad)
		w->bad = gp_sched_check(w->s);
}

static bool after(struct world *w, u32 node, int err)
{
	require(w, !err, "event refused");
	w->node[node].reports = 0;
	note_spared(w, node);
	take_actions(w, node);
	check(w, node);
	/* While preemption is suspended errors do not count. */
	if (is_open(w, node))
		w->node[node].nr_errors = 0;
	return true;
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
	/* The debt of another limit is cut at the next token; not all are known here. */
	w->node[node].rate_ns = min(w->node[node].rate_ns,
				    w->now_ns + w->bounds.rate_burst * token_ns(w));
}

bool world_queue_add(struct world *w, u32 i)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live || e->nr_queues == WORLD_QUEUES)
		return false;
	err = gp_sched_queue_add(w->s, e->id, i, w->now_ns, &out, &e->queue[e->nr_queues]);
	e->busy[e->nr_queues++] = false;
	return after(w, e->node, err);
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
	err = gp_sched_queue_remove(w->s, e->queue[--e->nr_queues], w->now_ns, &out);
	if (was_busy && !has_work(e))
		note_end(w, e, ran);
	return after(w, e->node, err);
}

bool world_add(struct world *w, u32 i, u32 node, const struct gp_attr *attr)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (e->live || node >= w->nr_nodes)
		return false;
	memset(e, 0, sizeof(*e));
	e->attr = *attr;
	e->node = node;
	e->resumed_ns = WORLD_NEVER;
	err = gp_sched_entity_add(w->s, node, attr, i, w->now_ns, &out, &e->id);
	e->live = !err;
	after(w, node, err);
	while (e->nr_queues < w->nr_queues)
		world_queue_add(w, i);
	return true;
}

bool world_remove(struct world *w, u32 i)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live)
		return false;
	err = gp_sched_entity_remove(w->s, e->id, w->now_ns, &out);
	e->live = false;
	leave_slice(w, e);
	require(w, gp_sched_entity_remove(w->s, e->id, w->now_ns, &(struct gp_actions){ 0 }) ==
			   -ENOENT,
		"removed twice");
	return after(w, e->node, err);
}

bool world_attr(struct world *w, u32 i, const struct gp_attr *attr)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live)
		return false;
	e->attr = *attr;
	err = gp_sched_entity_set_attr(w->s, e->id, attr, w->now_ns, &out);
	return after(w, e->node, err);
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
	if (!has_work(e))
		e->work_ns = w->now_ns;
	e->busy[queue] = true;
	err = gp_sched_queue_busy(w->s, e->queue[queue], w->now_ns, &out);
	return after(w, e->node, err);
}

bool world_idle(struct world *w, u32 i, u32 queue)
{
	struct world_entity *e = &w->entity[i];
	int err;

	if (!e->live || queue >= e->nr_queues || !e->busy[queue])
		return false;
	e->busy[queue] = false;
	if (!has_work(e))
		note_end(w, e, state_of(w, e) == GP_ENTITY_RUNNING);
	err = gp_sched_queue_idle(w->s, e->queue[queue], w->now_ns, &out);
	return after(w, e->node, err);
}

bool world_progress(struct world *w, u32 i, u32 queue, u64 ago_ns)
{
	struct world_entity *e = &w->entity[i];
	u64 since_ns = w->now_ns - ago_ns;
	int err;

	if (!e->live || queue >= e->nr_queues || !e->busy[queue])
		return false;
	err = gp_sched_queue_progress(w->s, e->queue[queue], since_ns, w->now_ns, &out);
	return after(w, e->node, err);
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
	e->thaw_ns = max(e->thaw_ns, w->now_ns + pause_ns);
	e->nr_fail = min(e->nr_fail + 1, REFUSALS_MAX);
	if (e->where != WORLD_MAPPED && e->nr_fail == REFUSALS_MAX)
		e->stubborn = true;
}

static void bring_back(struct world *w, struct world_entity *e)
{
	e->where = WORLD_MAPPED;
	e->failed = false;
	e->stubborn = false;
	e->nr_fail = 0;
	e->resumed_ns = w->now_ns;
	e->thaw_ns = w->now_ns + w->bounds.min_run_ns;
	if (e->hungry && has_work(e))
		join_slice(w, e);
}

/* What a result means for where the member is. */
static void apply(struct world *w, struct world_entity *e, bool preempt, enum gp_result result)
{
	if (result == GP_RESULT_GONE) {
		e->lost = true;
	} else if (result != GP_RESULT_OK) {
		refuse(w, e);
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
static void count_errors(struct world_node *n, const struct world_entity *e, bool preempt,
			 enum gp_result result)
{
	bool refused_again = result == GP_RESULT_BUSY && !preempt && e->nr_fail;

	if (result == GP_RESULT_OK)
		n->nr_errors = 0;
	else if (!e->stubborn && (result == GP_RESULT_ERROR || refused_again))
		n->nr_errors++;
}

bool world_done(struct world *w, u32 node, enum world_outcome outcome, u64 took_ns)
{
	struct world_node *n = &w->node[node];
	u8 results[WORLD_ENTITIES];
	u32 nr = n->sw.nr_preempt + n->sw.nr_resume;
	int err;
	u32 i;

	if (!n->in_flight)
		return false;
	world_wait(w, took_ns);
	for (i = 0; i < nr; i++) {
		struct world_entity *e = by_id(w, n->id[i]);

		results[i] = (u8)result_of(outcome, i, nr);
		if (!e)
			continue;
		count_errors(n, e, i < n->sw.nr_preempt, results[i]);
		apply(w, e, i < n->sw.nr_preempt, results[i]);
	}
	if (is_open(w, node))
		n->nr_errors = 0;
	n->in_flight = false;
	err = gp_sched_switch_done(w->s, node, n->sw.seq, results, nr, w->now_ns, &out);
	n->stale = n->sw.seq;
	return after(w, node, err);
}

bool world_stale_done(struct world *w, u32 node)
{
	u8 results[WORLD_ENTITIES] = { 0 };
	u64 seq = w->node[node].stale;

	if (!seq)
		return false;
	require(w, gp_sched_switch_done(w->s, node, seq, results, 1, w->now_ns, &out) == -ESTALE,
		"late answer was not refused");
	require(w, !out.nr, "late answer has consequences");
	return true;
}

/* Time must not pass any entity by. */
static void check_passing(struct world *w, u64 until_ns)
{
	u64 bound_ns = w->bounds.max_wait_ns + w->bounds.min_slice_ns + 2 * w->bounds.deadline_ns;
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (e->live && !e->lost && !e->failed && e->where == WORLD_OFF &&
		    !is_open(w, e->node) && !world_may_stay_off(w, e))
			require(w, until_ns - waits_since(w, e) <= bound_ns, "starves");
	}
}

bool world_timer(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];
	bool late;
	int err;

	if (n->timer_ns == WORLD_NEVER)
		return false;
	check_passing(w, max(w->now_ns, n->timer_ns));
	w->now_ns = max(w->now_ns, n->timer_ns);
	n->timer_ns = WORLD_NEVER;
	late = n->in_flight;
	err = gp_sched_timer(w->s, node, w->now_ns, &out);
	after(w, node, err);
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
	return after(w, node, gp_sched_timer(w->s, node, w->now_ns, &out));
}

bool world_policy(struct world *w, u32 node, const char *name)
{
	w->strict = false;
	return after(w, node, gp_sched_set_policy(w->s, node, name, w->now_ns, &out));
}

bool world_room(struct world *w, u32 node, u32 entities)
{
	int err;
	u32 i;

	/* Those that were left out were not kept waiting. */
	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].live && w->entity[i].node == node && !has_work(&w->entity[i]) &&
		    state_of(w, &w->entity[i]) == GP_ENTITY_PREEMPTED)
			w->entity[i].off_ns = w->now_ns;
	w->node[node].room = entities;
	err = gp_sched_set_room(w->s, node, entities, 0, w->now_ns, &out);
	return after(w, node, err);
}

bool world_enable(struct world *w, u32 node, bool enabled)
{
	w->node[node].enabled = enabled;
	return after(w, node, gp_sched_set_enabled(w->s, node, enabled, w->now_ns, &out));
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
	return after(w, node, gp_sched_node_lost(w->s, node, w->now_ns, &out));
}

bool world_back(struct world *w, u32 node)
{
	return after(w, node, gp_sched_node_back(w->s, node, w->now_ns, &out));
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
