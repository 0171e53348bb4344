// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/breaker.h"
#include "core/emit.h"
#include "core/entity.h"
#include "core/guard.h"
#include "core/policy.h"
#include "core/switch.h"

/*
 * The bar: entities up to (@key, @slot) may run. Without a leader there is no
 * entity to measure, so the bar is never below the leader.
 */
struct bar {
	u64 key;
	u32 slot;
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
	struct gp_heap_entry last;

	if (!(width == 1 ? find_leader(c, &last) : find_last(c, width, &last)))
		return everyone;
	if (policy->tie_bar)
		return (struct bar){ .key = policy->tie_bar(last.key), .slot = GP_SLOT_NONE };
	return (struct bar){ .key = last.key, .slot = last.item };
}

/* The least entitled above the bar that is not left to finish. */
static struct gp_entity *next_victim(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_SWITCH_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_HEAP_WORST);
		u64 until_ns;

		if (!e || may_run(c, bar, e))
			return NULL;
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

static void plan_resumes(struct gp_call *c, enum gp_heap_kind kind, const struct bar *bar,
			 u32 limit)
{
	struct gp_entity *e;

	while (gp_switch_room(c) && c->n->sw.nr_resume < limit) {
		e = gp_entity_top(c, kind);
		if (!e || !may_run(c, bar, e) || !gp_guard_may_resume(c, e->key))
			return;
		gp_switch_resume(c, e);
	}
}

/*
 * While the rate limit forbids to preempt, no entity is resumed either: it would
 * be a switch now and another one for the victims, which is what the limit is
 * there to avoid.
 *
 * An entity that refused its last resume has no say about the bar, so that no
 * other loses the GPU for one that then does not come. It is tried when it is
 * entitled, and is like all others again once it is back.
 */
static void plan_policy(struct gp_call *c, const struct bar *bar)
{
	if (next_victim(c, bar)) {
		if (!gp_guard_take_token(c))
			return;
		plan_resumes(c, GP_HEAP_OUT, bar, GP_SWITCH_MAX / 2);
		plan_victims(c, bar);
	}
	c->n->limited = false;
	plan_resumes(c, GP_HEAP_OUT, bar, GP_SWITCH_MAX);
	plan_resumes(c, GP_HEAP_RETRY, bar, GP_SWITCH_MAX);
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
		gp_switch_resume(c, e);
	}
	if (!hungry)
		return;
	report_starving(c, hungry);
	while (gp_switch_room(c) && (e = gp_entity_top(c, GP_HEAP_WORST)))
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

	while (gp_switch_room(c) && c->n->again != GP_SLOT_NONE) {
		struct gp_entity *e = &c->s->entity[c->n->again];

		if (!e->frozen && !e->attr.no_preempt) {
			gp_switch_preempt(c, e);
			continue;
		}
		gp_entity_again(c, e, false);
		e->redo = e->frozen;
	}
	if (!counted && c->n->sw.nr_preempt)
		gp_guard_force_token(c);
}

static void resume_all(struct gp_call *c, enum gp_heap_kind kind)
{
	struct gp_entity *e;

	while (gp_switch_room(c) && (e = gp_entity_top(c, kind)))
		gp_switch_resume(c, e);
}

static bool is_planned(const struct gp_call *c)
{
	return gp_switch_room(c) < GP_SWITCH_MAX;
}

/*
 * Entities off the GPU without work disturb no other when they come back, but a
 * switch disturbs all: they come with the next one, or when none has work.
 */
static void plan_idle(struct gp_call *c)
{
	const struct gp_heap *h = c->n->heap;

	if (is_planned(c) || (!h[GP_HEAP_WAITING].nr && !h[GP_HEAP_RUNNING].nr &&
			      gp_guard_may_resume(c, U64_MAX)))
		resume_all(c, GP_HEAP_OUT_IDLE);
}

static void plan_open(struct gp_call *c)
{
	resume_all(c, GP_HEAP_OUT);
	resume_all(c, GP_HEAP_RETRY);
	resume_all(c, GP_HEAP_OUT_IDLE);
}

static void plan_closed(struct gp_call *c, const struct bar *bar)
{
	if (gp_guard_is_starving(c))
		plan_starving(c);
	else
		plan_policy(c, bar);
	plan_again(c);
	plan_idle(c);
}

static void let_run(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_SWITCH_MAX; i++) {
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
	if (gp_breaker_is_open(c)) {
		plan_open(c);
	} else {
		gp_policy_expire(c);
		bar = find_bar(c);
		plan_closed(c, &bar);
	}
	if (settled || !c->n->sw.nr_preempt)
		let_run(c, &bar);
	if (is_planned(c))
		gp_switch_start(c);
}

void gp_decide(struct gp_call *c, bool settled)
{
	/* Whatever the event is: the caller's timer may be later than it. */
	gp_switch_expire(c);
	if (!c->n->sw.seq) {
		c->n->more = false;
		decide(c, settled);
	}
	gp_emit_timer(c, gp_guard_next_ns(c));
}
