// SPDX-License-Identifier: MIT
/* The rules of a switch: which may leave, which may come, and how often. */
#include "world_check.h"

/* Which part of a switch an entity is in. */
enum part {
	PART_NONE,
	PART_PREEMPT,
	PART_RESUME,
};

static enum part part_of(const struct gp_switch *sw, const struct world_entity *e)
{
	u32 i;

	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++)
		if (sw->id[i] == e->id)
			return i < sw->nr_preempt ? PART_PREEMPT : PART_RESUME;
	return PART_NONE;
}

/* Will it have the GPU with work, as far as is known? One that refused may do so again. */
static bool will_work(const struct world_entity *e, const struct gp_switch *sw)
{
	enum part part = part_of(sw, e);

	if (!e->live || e->lost || !has_work(e))
		return false;
	return e->where == WORLD_MAPPED ? part != PART_PREEMPT : part == PART_RESUME && !e->nr_fail;
}

/* Is there work for whose sake one may leave, of a latency-critical one if @critical? */
static bool has_heir(const struct world *w, const struct gp_switch *sw,
		     const struct world_entity *e, bool critical)
{
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *x = &w->entity[i];

		if (x->node != e->node || !will_work(x, sw) ||
		    (critical && !x->attr.latency_critical))
			continue;
		if (!w->strict || x->hungry || x->attr.prio > e->attr.prio)
			return true;
	}
	return false;
}

static void check_victim(struct world *w, const struct gp_switch *sw, const struct world_entity *e)
{
	u64 since_ns = e->resumed_ns == WORLD_NEVER ? U64_MAX : w->now_ns - e->resumed_ns;

	require(w, !e->attr.no_preempt, "preempts one that must not be preempted");
	if (!has_work(e)) {
		require(w, w->node[e->node].room, "preempts one without work");
		return;
	}
	require(w, has_heir(w, sw, e, false), "preempts one for the sake of none");
	require(w, since_ns >= w->bounds.min_run_ns || has_heir(w, sw, e, true),
		"preempts one that was resumed a moment ago");
	require(w, since_ns >= w->bounds.min_slice_ns || !e->starved || !is_alone(w, e->node),
		"takes the slice of a starved one away");
}

static void check_preempt(struct world *w, u32 node, const struct gp_switch *sw,
			  struct world_entity *e)
{
	require(w, !is_open(w, node), "preempts although preemption is suspended");
	require(w, e->node == node && !e->lost, "preempts one that is lost or elsewhere");
	if (e->where == WORLD_MAPPED)
		check_victim(w, sw, e);
	else
		require(w, e->uncovered, "preempts once more without a new queue");
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

u32 world_count_on(const struct world *w, u32 node, const struct gp_switch *sw)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];
		enum part part = sw ? part_of(sw, e) : PART_NONE;

		if (e->live && !e->lost && e->node == node)
			nr += e->where == WORLD_MAPPED ? part != PART_PREEMPT : part == PART_RESUME;
	}
	return nr;
}

/*
 * Those without work leave if others need the room, and not one more of them; or in
 * exchange for others without work that have waited long.
 */
static void check_room(struct world *w, u32 node, const struct gp_switch *sw)
{
	u32 nr_leave = 0, nr_come = 0;
	u32 i;

	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		const struct world_entity *e = by_id(w, sw->id[i]);

		if (!e || has_work(e))
			continue;
		if (i < sw->nr_preempt)
			nr_leave += e->where == WORLD_MAPPED;
		else
			nr_come += w->now_ns - e->off_ns >= w->bounds.max_wait_ns / 2;
	}
	require(w, nr_leave <= nr_come || world_count_on(w, node, sw) >= w->node[node].room,
		"preempts one without work whose room is not needed");
}

static void check_resume(struct world *w, u32 node, struct world_entity *e)
{
	const struct world_node *n = &w->node[node];

	require(w, e->node == node && !e->lost, "resumes one that is lost or elsewhere");
	require(w, e->where != WORLD_MAPPED, "resumes one that is on the GPU");
	require(w, w->now_ns >= e->thaw_ns, "resumes one that has just refused");
	require(w, !is_alone(w, node) || is_open(w, node) || !has_work(e) || e->off_ns <= n->cut_ns,
		"resumes one into the slice of others");
	check_hysteresis(w, node, e);
}

static void check_members(struct world *w, u32 node, const struct gp_switch *sw)
{
	u32 nr = sw->nr_preempt + sw->nr_resume;
	u32 i, k;

	require(w, nr > 0, "empty switch");
	for (i = 0; i < nr; i++) {
		struct world_entity *e = by_id(w, sw->id[i]);

		require(w, e, "switches one that does not exist");
		for (k = 0; k < i; k++)
			require(w, sw->id[k] != sw->id[i], "entity both in and out");
		if (e && i >= sw->nr_preempt)
			world_note_hungry(w, e);
	}
	for (i = 0; i < nr && !w->bad; i++) {
		if (i < sw->nr_preempt)
			check_preempt(w, node, sw, by_id(w, sw->id[i]));
		else
			check_resume(w, node, by_id(w, sw->id[i]));
	}
}

/* What members are from now on. */
static void note_members(struct world *w, u32 node, const struct gp_switch *sw)
{
	bool turns = world_takes_turns(w, node);
	u32 i;

	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		struct world_entity *e = by_id(w, sw->id[i]);

		if (!e)
			continue;
		if (i < sw->nr_preempt) {
			world_leave_slice(w, e);
			e->uncovered = false;
			e->paid = false;
		} else if (has_work(e) && !is_open(w, node) && !world_is_starved(w, e)) {
			e->paid = !turns;
		}
	}
}

/* What a switch does, as far as the rate limit is concerned. */
struct moves {
	bool again;   /* one that is off is preempted once more, and that was planned first */
	bool victims; /* some with work leave */
	bool paid;    /* the first of these was counted when it came */
	bool hungry;  /* some come back because they starved */
	bool back;    /* some with work come back, for no such reason */
	bool urgent;  /* one of these is latency-critical and has just got work */
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
			m.again |= !i && e->where != WORLD_MAPPED;
			if (e->where != WORLD_MAPPED || !has_work(e))
				continue;
			m.paid |= e->paid && !m.victims;
			m.victims = true;
			continue;
		}
		m.hungry |= e->hungry;
		m.back |= has_work(e) && !world_is_starved(w, e);
		m.urgent |= has_work(e) && e->attr.latency_critical && e->fresh;
	}
	return m;
}

/* Does a victim leave for one that runs already? Told where the order is known. */
static bool is_for_running(const struct world *w, u32 node, const struct gp_switch *sw)
{
	u8 best = 0;
	u32 i;

	if (!w->strict)
		return false;
	for (i = 0; i < w->nr_entities; i++)
		if (w->entity[i].node == node && will_work(&w->entity[i], sw))
			best = max(best, w->entity[i].attr.prio);
	for (i = 0; i < w->nr_entities; i++) {
		const struct world_entity *e = &w->entity[i];

		if (e->node == node && will_work(e, sw) && e->attr.prio == best && !e->ran)
			return false;
	}
	return true;
}

/*
 * Only for starved entities and new queues of preempted ones is the limit exceeded, and for
 * those that are urgent. Here no more tokens are counted than the scheduler counts.
 */
static void check_rate(struct world *w, u32 node, const struct gp_switch *sw)
{
	struct moves m = moves_of(w, sw);
	bool limited = world_is_limited(w, node);
	bool turns = world_takes_turns(w, node);

	if (is_open(w, node))
		return;
	if (!m.hungry && m.victims && turns)
		require(w, !limited, "preempts more often than allowed");
	if (!m.hungry && m.victims && !turns && !m.paid && is_for_running(w, node, sw))
		require(w, !limited, "clears the GPU more often than allowed");
	if (!m.hungry && !m.victims && m.back && !turns)
		require(w, !limited || m.urgent, "gives back more often than allowed");
	if (m.again || (m.victims && (turns || m.hungry || !m.paid || m.back)) ||
	    (m.back && !turns))
		world_count_token(w, node);
}

void world_check_switch(struct world *w, u32 node, const struct gp_switch *sw)
{
	check_room(w, node, sw);
	check_members(w, node, sw);
	check_rate(w, node, sw);
	note_members(w, node, sw);
}
