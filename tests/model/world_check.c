// SPDX-License-Identifier: MIT
/* The rules: what must hold after each event, and while time passes. */
#include "world_check.h"

#include <string.h>

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

static void take_switch(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];

	require(w, !n->in_flight, "second switch in flight");
	require(w, world_out.sw.seq > n->sw.seq, "sequence number used twice");
	world_check_switch(w, node, &world_out.sw);
	n->sw = world_out.sw;
	memcpy(n->id, n->sw.id, (n->sw.nr_preempt + n->sw.nr_resume) * sizeof(n->id[0]));
	n->in_flight = true;
	n->start_ns = w->now_ns;
}

static void take_lost(struct world *w, struct world_entity *e)
{
	require(w, e && e->lost && e->untold, "tells of one that is not lost, or twice");
	if (e)
		e->untold = false;
}

/* Preemption is tried again when the time is over and all that would come back are. */
static void take_probation(struct world *w, u32 node)
{
	struct world_node *n = &w->node[node];
	u32 i;

	n->nr_good = 0;
	if (n->dead)
		return;
	require(w, w->now_ns - n->opened_ns >= w->bounds.open_ns,
		"suspended for too short a time");
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		require(w, !e->live || e->lost || e->node != node || e->stubborn ||
				   e->where == WORLD_MAPPED,
			"preempts again before all are back");
	}
}

static void take_report(struct world *w, u32 node, const struct gp_action *a)
{
	w->node[node].reports |= 1U << a->report;
	if (a->report == GP_REPORT_SWITCH_DEADLINE && w->node[node].in_flight)
		give_up(w, node);
	if (a->report == GP_REPORT_STARVATION)
		w->node[node].cut_ns = w->now_ns - w->bounds.max_wait_ns / 2;
	if (a->report == GP_REPORT_ENTITY_LOST)
		take_lost(w, by_id(w, a->id));
	if (a->report == GP_REPORT_BREAKER_OPEN)
		w->node[node].opened_ns = w->now_ns;
	if (a->report == GP_REPORT_BREAKER_PROBATION || a->report == GP_REPORT_NODE_BACK)
		take_probation(w, node);
	if (a->report == GP_REPORT_BREAKER_CLOSED)
		require(w, w->node[node].nr_good >= w->bounds.probation_ok,
			"trusts too early again");
}

static void take_actions(struct world *w, u32 node)
{
	struct world_entity *e;
	u32 i;

	for (i = 0; i < world_out.nr; i++) {
		const struct gp_action *a = &world_out.a[i];

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
	if (e->where == WORLD_MAPPED || e->lost || !is_at_rest(w, e->node) ||
	    w->now_ns < e->thaw_ns)
		return;
	if (is_alone(w, e->node) || world_may_stay_off(w, e))
		return;
	require(w, w->now_ns - waits_since(w, e) < w->bounds.max_wait_ns, "starves");
}

/* At rest a queue that came while its entity was off is stopped too. */
static void check_covered(struct world *w, const struct world_entity *e)
{
	require(w, !e->uncovered || e->lost || e->where == WORLD_MAPPED || e->attr.no_preempt ||
			   !is_at_rest(w, e->node) || w->now_ns < e->thaw_ns,
		"leaves a new queue of one that is off");
}

/* At rest none without work takes the room of those that work. */
static void check_crowd(struct world *w, const struct world_entity *e)
{
	const struct world_node *n = &w->node[e->node];
	bool works = false;
	u32 i;

	if (!n->room || e->lost || has_work(e) || e->where != WORLD_MAPPED ||
	    !is_at_rest(w, e->node) || e->attr.no_preempt || w->now_ns < e->refused_ns ||
	    world_may_be_limited(w, e->node))
		return;
	for (i = 0; i < w->nr_entities; i++)
		works |= w->entity[i].live && !w->entity[i].lost && has_work(&w->entity[i]) &&
			 w->entity[i].node == e->node && w->entity[i].where == WORLD_MAPPED;
	require(w, !works || world_count_on(w, e->node, NULL) <= n->room,
		"leaves no room for work");
}

static bool may_be_preempted(const struct world *w, const struct world_entity *e)
{
	return w->now_ns >= e->thaw_ns && !e->attr.no_preempt &&
	       !world_may_be_limited(w, e->node) &&
	       w->now_ns >= w->node[e->node].spared_until_ns;
}

/* At rest none runs beside a better one, unless a guard keeps it there. */
static void check_order(struct world *w, const struct world_entity *e)
{
	u32 i;

	if (!w->strict || !is_at_rest(w, e->node) || !has_work(e) ||
	    e->where != WORLD_MAPPED || e->lost || !may_be_preempted(w, e))
		return;
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *x = &w->entity[i];

		require(w, !x->live || x->lost || x->node != e->node || !has_work(x) ||
				   x->where != WORLD_MAPPED || x->attr.prio <= e->attr.prio,
			"runs beside a better one");
	}
}

/* At rest none of the best level with work is kept off, unless a guard keeps it there. */
static void check_best(struct world *w, const struct world_entity *e)
{
	const struct world_node *n = &w->node[e->node];
	u32 i;

	if (!w->strict || e->lost || e->where == WORLD_MAPPED || !has_work(e) ||
	    !is_at_rest(w, e->node) || is_alone(w, e->node) || w->now_ns < e->thaw_ns ||
	    world_may_be_limited(w, e->node))
		return;
	if (w->bounds.learn_gaps ? w->now_ns < n->idle_until_ns :
				   w->now_ns < n->led_until_ns && e->attr.prio < n->led_prio)
		return;
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *x = &w->entity[i];

		if (x->live && !x->lost && x->node == e->node && has_work(x) &&
		    x->attr.prio > e->attr.prio)
			return;
	}
	require(w, false, "keeps one of the best off");
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

	if (!is_at_rest(w, node) || w->now_ns < n->idle_until_ns ||
	    (!world_takes_turns(w, node) && world_may_be_limited(w, node)))
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

	require(w, world_out.node == node, "actions name another node");
	for (i = 0; i < w->nr_entities; i++) {
		if (!w->entity[i].live)
			continue;
		check_entity(w, &w->entity[i]);
		if (w->entity[i].node != node)
			continue;
		check_starvation(w, &w->entity[i]);
		check_covered(w, &w->entity[i]);
		check_crowd(w, &w->entity[i]);
		check_order(w, &w->entity[i]);
		check_best(w, &w->entity[i]);
		require(w, !w->entity[i].untold || !is_at_rest(w, node),
			"does not tell of a loss");
	}
	check_node(w, node);
	check_conserves(w, node);
	if (!w->bad)
		w->bad = gp_sched_check(w->s);
}

/* New work is new until the next decision. */
static void note_decision(struct world *w, u32 node, bool decided)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		struct world_entity *e = &w->entity[i];

		if (!e->live || e->node != node)
			continue;
		e->fresh = e->fresh && !decided;
		e->ran = state_of(w, e) == GP_ENTITY_RUNNING;
	}
}

bool world_after(struct world *w, u32 node, int err)
{
	bool decided = !w->node[node].in_flight;

	require(w, !err, "event refused");
	w->node[node].reports = 0;
	world_note_spared(w, node);
	take_actions(w, node);
	check(w, node);
	note_decision(w, node, decided || has_report(w, node, GP_REPORT_SWITCH_DEADLINE));
	/* While preemption is suspended errors do not count. */
	if (is_open(w, node))
		w->node[node].nr_errors = 0;
	return true;
}

/* Time must not pass any entity by. */
void world_check_passing(struct world *w, u64 until_ns)
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
