// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/breaker.h"
#include "core/emit.h"
#include "core/entity.h"
#include "core/guard.h"
#include "core/policy.h"
#include "core/share.h"
#include "core/switch.h"

/*
 * The bar: entities up to (@key, @slot) may run. Without a leader there is no
 * entity to measure, so the bar is never below the leader.
 */
struct bar {
	u64 key;
	u32 slot;
	bool waits;    /* the last of those is not running yet, and not for having waited long */
	bool critical; /* it or one of those that has just got work is latency-critical */
	bool urgent;   /* among those is a latency-critical one, off the GPU, with new work */
	bool opening;  /* the last of those has a gate that was just opened */
};

static const struct bar everyone = { .key = U64_MAX, .slot = GP_SLOT_NONE };

static const enum gp_heap_kind best_heaps[] = { GP_HEAP_WAITING, GP_HEAP_RUNNING, GP_HEAP_OUT };

static bool may_run(const struct gp_call *c, const struct bar *bar, const struct gp_entity *e)
{
	if (e->key != bar->key)
		return e->key < bar->key;
	return gp_entity_slot(c->s, e) <= bar->slot;
}

/* An entity that may not come back yet keeps no other from running. */
/*
 * Was the gate of the best of those off the GPU, or of the one at the bar, just opened? Then
 * other nodes have taken it back, or do so now.
 */
static bool is_opening(const struct gp_call *c, const struct bar *bar)
{
	const struct gp_entity *e = gp_entity_top(c, GP_HEAP_OUT);

	return bar->opening || (e && e->opening && may_run(c, bar, e));
}

static u32 candidates(const struct gp_call *c, enum gp_heap_kind kind, u32 nr,
		      struct gp_heap_entry *out)
{
	const struct gp_heap_pool *pool = &c->s->pool[GP_POOL_BEST];
	const struct gp_heap *h = &c->n->heap[kind];

	nr = gp_heap_first(pool, h, nr, out);
	while (kind == GP_HEAP_OUT && nr && !gp_guard_may_resume(c, out[nr - 1].key))
		nr--;
	return nr;
}

/* The @width-th entry of three sorted lists, or the last if there are fewer. */
static bool find_last(const struct gp_call *c, u32 width, struct gp_heap_entry *last)
{
	struct gp_heap_entry first[ARRAY_SIZE(best_heaps)][GP_WIDTH_MAX];
	u32 nr[ARRAY_SIZE(best_heaps)];
	u32 at[ARRAY_SIZE(best_heaps)] = { 0 };
	u32 taken;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(best_heaps); i++)
		nr[i] = candidates(c, best_heaps[i], width, first[i]);
	for (taken = 0; taken < width; taken++) {
		u32 best = GP_SLOT_NONE;

		for (i = 0; i < ARRAY_SIZE(best_heaps); i++)
			if (at[i] < nr[i] &&
			    (best == GP_SLOT_NONE ||
			     gp_heap_is_before(&first[i][at[i]], &first[best][at[best]])))
				best = i;
		if (best == GP_SLOT_NONE)
			break;
		*last = first[best][at[best]++];
	}
	return taken > 0;
}

/* find_last() for a width of 1: the best of three tops. */
static bool find_leader(const struct gp_call *c, struct gp_heap_entry *leader)
{
	const struct gp_heap_entry *best = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(best_heaps); i++) {
		const struct gp_heap_entry *top = gp_entity_first(c, best_heaps[i]);

		if (!top || (best && !gp_heap_is_before(top, best)))
			continue;
		if (best_heaps[i] != GP_HEAP_OUT || gp_guard_may_resume(c, top->key))
			best = top;
	}
	if (best)
		*leader = *best;
	return best;
}

static struct bar find_bar(const struct gp_call *c)
{
	const struct gp_policy_ops *policy = c->n->policy;
	u32 width = policy->tie_bar ? 1 : (u32)*gp_params_at(&c->n->params, policy->width);
	bool ties = policy->tie_bar && !c->n->one;
	const struct gp_entity *e;
	struct gp_heap_entry last;
	struct bar bar;

	if (!(width == 1 ? find_leader(c, &last) : find_last(c, width, &last)))
		return everyone;
	e = &c->s->entity[last.item];
	bar = (struct bar){
		.key = last.key,
		.slot = last.item,
		.critical = e->attr.latency_critical,
		.waits = e->state != GP_ENTITY_RUNNING && !e->mem.boost,
		.opening = e->opening,
	};
	if (ties) {
		bar.key = policy->tie_bar(last.key);
		bar.slot = GP_SLOT_NONE;
	}
	return bar;
}

static void note_urgent(struct gp_call *c, struct bar *bar)
{
	u32 slot = c->n->urgent;
	const struct gp_entity *e = &c->s->entity[slot == GP_SLOT_NONE ? 0 : slot];

	c->n->urgent = GP_SLOT_NONE;
	/* The slot may have changed hands. */
	if (slot == GP_SLOT_NONE || !e->live || !gp_has_work(e) || e->node != c->n->index ||
	    !e->attr.latency_critical || !may_run(c, bar, e))
		return;
	bar->urgent = e->state == GP_ENTITY_PREEMPTED && !e->frozen &&
		      gp_guard_may_resume(c, e->key);
	/* For one that cannot come, or refused its last resume, none leaves sooner. */
	bar->critical |= gp_is_on(e) || (bar->urgent && !e->nr_fail);
}

/* The least entitled above the bar that is not left to finish. */
static struct gp_entity *next_victim(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_HEAP_WORST);
		u64 until_ns;

		if (!e || (!e->capped && may_run(c, bar, e)))
			return NULL;
		/* Where one runs at a time, none comes beside one that stays for a while. */
		if (c->n->one)
			return e;
		if (gp_guard_keeps(c, e, bar->critical))
			continue;
		until_ns = gp_cost_spare_until(c, e);
		if (!until_ns)
			return e;
		c->stats->nr_left_to_finish++;
		gp_entity_freeze(c, e, until_ns);
		e->spared = true;
		e->finishing = true;
	}
	c->n->more = true;
	return NULL;
}

static void plan_victims(struct gp_call *c, const struct bar *bar)
{
	struct gp_entity *e;

	while (gp_switch_room(c) && (e = next_victim(c, bar)))
		gp_switch_preempt(c, e);
}

static struct gp_entity *next_resume(const struct gp_call *c, enum gp_heap_kind kind,
				     const struct bar *bar)
{
	struct gp_entity *e = gp_entity_top(c, kind);

	return e && may_run(c, bar, e) && gp_guard_may_resume(c, e->key) ? e : NULL;
}

/* Until there is room for @left more in the switch. */
static void plan_resumes(struct gp_call *c, enum gp_heap_kind kind, const struct bar *bar, u32 left)
{
	struct gp_entity *e;

	while (gp_switch_room(c) > left && (e = next_resume(c, kind, bar))) {
		e->paid = !c->n->policy->turns;
		gp_switch_resume(c, e);
	}
}

/*
 * May victims leave, as far as the rate goes? One whose return was counted may, and
 * any if a more urgent entity waits. What arrives below one that runs has to wait.
 */
static bool pay_for_victims(struct gp_call *c, const struct bar *bar,
			    const struct gp_entity *victim, bool *counted)
{
	*counted = true;
	if (is_opening(c, bar)) {
		gp_guard_force_token(c);
		return true;
	}
	if (c->n->policy->turns || !(victim->paid || bar->waits))
		return gp_guard_take_token(c);
	*counted = !victim->paid;
	if (*counted)
		gp_guard_force_token(c);
	return true;
}

/* May entities come back? For work of a latency-critical one there is no limit. */
static bool pay_for_resumes(struct gp_call *c, const struct bar *bar, bool has_victims,
			    bool counted)
{
	if (counted || c->n->policy->turns ||
	    !(next_resume(c, GP_HEAP_OUT, bar) || next_resume(c, GP_HEAP_RETRY, bar)))
		return true;
	if (!has_victims && !bar->urgent && !is_opening(c, bar))
		return gp_guard_take_token(c);
	gp_guard_force_token(c);
	return true;
}

/*
 * The rate limit never delays the urgent side: it is on giving the GPU back, not on
 * taking it away from what was given back. Between peers that take turns it is on
 * each change; then no entity is resumed either while it forbids to preempt, as that
 * would be a switch now and another one for the victims.
 *
 * An entity that refused its last resume has no say about the bar, so that no
 * other loses the GPU for one that then does not come. It is tried when it is
 * entitled, and is like all others again once it is back.
 */
static void plan_policy(struct gp_call *c, const struct bar *bar)
{
	struct gp_entity *victim;
	bool counted = false;

	if (bar->critical && c->n->heap[GP_HEAP_FROZEN].nr)
		gp_guard_unsettle(c);
	victim = next_victim(c, bar);
	if (victim && !pay_for_victims(c, bar, victim, &counted))
		return;
	if (!pay_for_resumes(c, bar, victim, counted))
		return;
	c->n->limited = false;
	if (victim) {
		plan_resumes(c, GP_HEAP_OUT, bar, gp_switch_room(c) / 2);
		plan_victims(c, bar);
	}
	plan_resumes(c, GP_HEAP_OUT, bar, 0);
	plan_resumes(c, GP_HEAP_RETRY, bar, 0);
}

static bool has_work_on(const struct gp_node *n)
{
	return n->heap[GP_HEAP_WAITING].nr || n->heap[GP_HEAP_RUNNING].nr;
}

/* Room for one more without work, when all with work are back. */
static bool has_room(const struct gp_node *n, const struct gp_entity *e)
{
	u32 nr_wanted = n->nr_on + n->heap[GP_HEAP_OUT].nr + n->heap[GP_HEAP_RETRY].nr;

	if (n->room && nr_wanted >= n->room)
		return false;
	return !n->room_queues || n->nr_on_queues + e->nr_queues <= n->room_queues;
}

/* The firmware would take turns among all that is mapped. */
static bool is_crowded(const struct gp_node *n)
{
	return (n->room && n->nr_on > n->room) ||
	       (n->room_queues && n->nr_on_queues > n->room_queues);
}

/* The entity that has been without work longest, but for those that refused to leave. */
static struct gp_entity *next_idle(struct gp_call *c)
{
	struct gp_entity *e;
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		e = gp_entity_listed(c, GP_LIST_IDLE);
		if (!e || !e->frozen)
			return e;
		gp_entity_enlist(c, e, GP_LIST_NONE);
		gp_entity_enlist(c, e, GP_LIST_IDLE);
	}
	return NULL;
}

/*
 * One without work comes back though there is no room, in place of another without. Work
 * may have been judged wrongly, so that none is kept off for ever for it.
 */
static bool plan_exchange(struct gp_call *c, struct gp_entity *e)
{
	struct gp_entity *other = next_idle(c);

	if (!other || gp_switch_room(c) < 2)
		return false;
	gp_switch_preempt(c, other);
	gp_switch_resume(c, e);
	return true;
}

static void report_starving(struct gp_call *c, const struct gp_entity *e)
{
	/* More of the same, which did not fit into the switch before, are no news. */
	if (c->now_ns < c->n->alone_ns)
		return;
	c->stats->nr_starvation++;
	gp_emit_report(c, GP_REPORT_STARVATION, gp_entity_id(c->s, e));
}

/*
 * Starved entities come first, and those with work have the GPU alone for a
 * while: all others that can be preempted leave in the same switch. Those that
 * do not fit stay, a second switch for them would cost more than it gives. For
 * an entity that refused its last resume none leaves; it may do so again.
 */
static void plan_starving(struct gp_call *c)
{
	struct gp_entity *hungry = NULL;
	struct gp_entity *e;

	gp_guard_cut(c);
	while (gp_switch_room(c) && (e = gp_entity_top(c, GP_HEAP_STARVE)) &&
	       e->there_ns <= c->n->alone_cut_ns) {
		e->starved = e->nr_busy && !e->nr_fail;
		if (e->starved && !hungry)
			hungry = e;
		if (e->nr_busy || has_room(c->n, e))
			gp_switch_resume(c, e);
		else if (!plan_exchange(c, e))
			gp_entity_wait_again(c, e);
	}
	if (!hungry)
		return;
	report_starving(c, hungry);
	while (gp_switch_room(c) && (e = gp_entity_top(c, GP_HEAP_WORST)))
		if (c->n->one || !gp_guard_keeps(c, e, false))
			gp_switch_preempt(c, e);
	if (c->n->sw.nr_preempt)
		gp_guard_force_token(c);
}

/*
 * Those that have a queue which the last preemption did not know. It runs where
 * it must not, so the rate limit has to wait, but it counts the switch.
 */
static void plan_again(struct gp_call *c)
{
	bool counted = c->n->sw.nr_preempt;
	struct gp_entity *e;

	while (gp_switch_room(c) && (e = gp_entity_listed(c, GP_LIST_AGAIN))) {
		if (!e->frozen && !e->attr.no_preempt) {
			gp_switch_preempt(c, e);
			continue;
		}
		gp_entity_enlist(c, e, GP_LIST_NONE);
		e->redo = true;
	}
	if (!counted && c->n->sw.nr_preempt)
		gp_guard_force_token(c);
}

/*
 * Those whose gang is not to run leave at once: other nodes have taken it off, or do so now.
 * What that costs in switches was decided with the gang.
 */
static void plan_shut(struct gp_call *c)
{
	struct gp_entity *e;

	while (gp_switch_room(c) && (e = gp_entity_listed(c, GP_LIST_SHUT)))
		gp_switch_preempt(c, e);
	if (c->n->sw.nr_preempt)
		gp_guard_force_token(c);
}

static void resume_all(struct gp_call *c, enum gp_heap_kind kind)
{
	struct gp_entity *e;

	while (gp_switch_room(c) && (e = gp_entity_top(c, kind)))
		gp_switch_resume(c, e);
}

/*
 * Entities off the GPU without work disturb no other when they come back, but a
 * switch disturbs all: they come with the next one, or when none has work.
 */
static void plan_idle(struct gp_call *c)
{
	struct gp_entity *e;

	if (!gp_switch_is_planned(c) &&
	    (has_work_on(c->n) || !gp_guard_may_resume(c, U64_MAX)))
		return;
	while (gp_switch_room(c) && (e = gp_entity_top(c, GP_HEAP_OUT_IDLE)) && has_room(c->n, e))
		gp_switch_resume(c, e);
	while (gp_switch_is_planned(c) && (e = gp_entity_top(c, GP_HEAP_OUT_IDLE)) &&
	       c->now_ns - e->there_ns >= c->n->params.max_wait_ns / 2)
		if (!plan_exchange(c, e))
			return;
}

/*
 * Entities without work give up their room where it is wanted. That is part of a
 * switch that comes anyway, or a switch of its own where turns would disturb any.
 */
static void plan_room(struct gp_call *c)
{
	struct gp_entity *e;

	if (!is_crowded(c->n) || !next_idle(c))
		return;
	if (!gp_switch_is_planned(c) && (!has_work_on(c->n) || !gp_guard_take_token(c)))
		return;
	while (gp_switch_room(c) && is_crowded(c->n) && (e = next_idle(c)))
		gp_switch_preempt(c, e);
}

static void plan_open(struct gp_call *c)
{
	resume_all(c, GP_HEAP_OUT);
	resume_all(c, GP_HEAP_RETRY);
	resume_all(c, GP_HEAP_OUT_IDLE);
	resume_all(c, GP_HEAP_SHUT);
}

static void plan_closed(struct gp_call *c, const struct bar *bar)
{
	u32 room = gp_switch_room(c);

	if (gp_guard_is_starving(c))
		plan_starving(c);
	/* Those that wait without work may find no room: then there is nothing to plan for them. */
	if (gp_switch_room(c) == room)
		plan_policy(c, bar);
	plan_again(c);
	plan_idle(c);
	plan_room(c);
}

static void let_run(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_HEAP_WAITING);

		if (!e || !may_run(c, bar, e))
			return;
		gp_entity_set_state(c, e, GP_ENTITY_RUNNING);
	}
	c->n->more = true;
}

static void decide(struct gp_call *c, bool settled)
{
	struct bar bar = everyone;

	gp_switch_plan(c);
	gp_guard_expire(c);
	gp_breaker_tick(c);
	gp_share_expire(c);
	if (gp_breaker_is_open(c)) {
		plan_open(c);
	} else {
		gp_policy_expire(c);
		plan_shut(c);
		bar = find_bar(c);
		note_urgent(c, &bar);
		plan_closed(c, &bar);
	}
	if (settled || !c->n->sw.nr_preempt)
		let_run(c, &bar);
	if (gp_switch_is_planned(c))
		gp_switch_start(c);
}

void gp_decide(struct gp_call *c, bool settled)
{
	/* Whatever the event is: the caller's timer may be later than it. */
	gp_switch_expire(c);
	if (!c->n->sw.seq) {
		c->n->more = false;
		decide(c, settled);
		gp_emit_lost(c);
	}
	gp_emit_timer(c, gp_guard_next_ns(c));
}
