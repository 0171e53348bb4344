// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "breaker.h"
#include "cost.h"
#include "decide.h"
#include "emit.h"
#include "entity.h"
#include "guard.h"
#include "policy.h"
#include "switch.h"

/*
 * The bar: entities up to (@key, @slot) may run. A bar that nobody reaches is
 * not needed: without a leader there is nobody to measure.
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

static u32 room(const struct gp_plan *p)
{
	return GP_SWITCH_MAX - p->nr_preempt - p->nr_resume;
}

/* One that may not come back yet keeps nobody else from running. */
static u32 candidates(const struct gp_call *c, enum gp_heap_kind kind, u32 nr,
		      struct gp_heap_entry *out)
{
	const struct gp_heap_pool *pool = &c->s->pool[GP_POOL_BEST];
	const struct gp_heap *h = &c->n->heap[kind];

	if (nr == 1 && h->nr)
		out[0] = *gp_heap_at(pool, h, 0);
	nr = nr == 1 ? min(h->nr, nr) : gp_heap_first(pool, h, nr, out);
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

static struct bar find_bar(const struct gp_call *c)
{
	const struct gp_policy_ops *policy = c->n->policy;
	u32 width = policy->tie_bar ? 1 : (u32)policy->width(&c->n->params);
	struct gp_heap_entry last;

	if (!find_last(c, width, &last))
		return everyone;
	if (policy->tie_bar)
		return (struct bar){ .key = policy->tie_bar(last.key), .slot = GP_SLOT_NONE };
	return (struct bar){ .key = last.key, .slot = last.item };
}

static void take_victim(struct gp_call *c, struct gp_plan *p, struct gp_entity *e)
{
	if (gp_entity_set_state(c, e, GP_ENTITY_PREEMPTING))
		p->preempt[p->nr_preempt++] = gp_entity_slot(c->s, e);
}

static void take_resume(struct gp_call *c, struct gp_plan *p, struct gp_entity *e)
{
	if (gp_entity_set_state(c, e, GP_ENTITY_RESUMING))
		p->resume[p->nr_resume++] = gp_entity_slot(c->s, e);
}

/* The least entitled above the bar that is not left to finish. */
static struct gp_entity *next_victim(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_SWITCH_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_POOL_MOVE, GP_HEAP_WORST);
		u64 until_ns;

		if (!e || may_run(c, bar, e))
			return NULL;
		until_ns = gp_cost_spare_until(c, e);
		if (!until_ns)
			return e;
		e->spared = true;
		c->stats->nr_left_to_finish++;
		gp_entity_hold(c, e, until_ns);
	}
	c->n->more = true;
	return NULL;
}

static void plan_victims(struct gp_call *c, struct gp_plan *p, const struct bar *bar)
{
	struct gp_entity *e;

	while (room(p) && (e = next_victim(c, bar)))
		take_victim(c, p, e);
}

static void plan_resumes(struct gp_call *c, struct gp_plan *p, const struct bar *bar, u32 limit)
{
	struct gp_entity *e;

	while (room(p) && p->nr_resume < limit) {
		e = gp_entity_top(c, GP_POOL_BEST, GP_HEAP_OUT);
		if (!e || !may_run(c, bar, e) || !gp_guard_may_resume(c, e->key))
			return;
		take_resume(c, p, e);
	}
}

/*
 * If nobody can be preempted for the rate limit, nobody is resumed either: it
 * would be a switch now and another one for the victims, which is what the
 * limit is there to avoid.
 */
static void plan_policy(struct gp_call *c, struct gp_plan *p, const struct bar *bar)
{
	if (next_victim(c, bar) && !gp_guard_take_token(c))
		return;
	c->n->limited = false;
	plan_resumes(c, p, bar, GP_SWITCH_MAX / 2);
	plan_victims(c, p, bar);
	plan_resumes(c, p, bar, GP_SWITCH_MAX);
}

/*
 * Starved entities come first, and those with work have the GPU alone for a
 * while: everybody else who can be preempted leaves in the same switch. Those
 * who do not fit stay, a second switch for them would cost more than it gives.
 */
static void plan_starving(struct gp_call *c, struct gp_plan *p)
{
	struct gp_entity *e;
	u64 hungry = GP_ID_NONE;

	while (room(p) && (e = gp_entity_top(c, GP_POOL_STARVE, GP_HEAP_STARVE)) &&
	       e->out_ns <= c->n->alone_cut_ns) {
		if (e->nr_busy && hungry == GP_ID_NONE)
			hungry = gp_entity_id(c->s, e);
		e->starved = true;
		take_resume(c, p, e);
	}
	if (hungry == GP_ID_NONE)
		return;
	/* More of the same, who did not fit into the switch before, are no news. */
	if (c->now_ns >= c->n->alone_ns) {
		c->stats->nr_starvation++;
		gp_emit_report(c, GP_REPORT_STARVATION, hungry);
	}
	while (room(p) && (e = gp_entity_top(c, GP_POOL_MOVE, GP_HEAP_WORST)))
		take_victim(c, p, e);
	if (p->nr_preempt)
		gp_guard_force_token(c);
}

/* Those that have a queue which the last preemption did not know. */
static void plan_again(struct gp_call *c, struct gp_plan *p)
{
	while (room(p) && c->n->again != GP_SLOT_NONE) {
		struct gp_entity *e = &c->s->entity[c->n->again];

		if (!e->held) {
			take_victim(c, p, e);
			continue;
		}
		gp_entity_again(c, e, false);
		e->redo = true;
	}
}

/*
 * Those off the GPU without work hurt nobody when they come back, but a switch
 * hurts everybody: they come with the next one, or when nobody is there to be hurt.
 */
static void plan_idle(struct gp_call *c, struct gp_plan *p)
{
	const struct gp_heap *h = c->n->heap;
	struct gp_entity *e;

	if (!p->nr_preempt && !p->nr_resume &&
	    (h[GP_HEAP_WAITING].nr || h[GP_HEAP_RUNNING].nr || !gp_guard_may_resume(c, U64_MAX)))
		return;
	while (room(p) && (e = gp_entity_top(c, GP_POOL_BEST, GP_HEAP_OUT_IDLE)))
		take_resume(c, p, e);
}

static void plan_open(struct gp_call *c, struct gp_plan *p)
{
	struct gp_entity *e;

	while (room(p) && (e = gp_entity_top(c, GP_POOL_BEST, GP_HEAP_OUT)))
		take_resume(c, p, e);
	while (room(p) && (e = gp_entity_top(c, GP_POOL_BEST, GP_HEAP_OUT_IDLE)))
		take_resume(c, p, e);
}

static void plan_closed(struct gp_call *c, struct gp_plan *p, const struct bar *bar)
{
	if (gp_guard_is_starving(c))
		plan_starving(c, p);
	else
		plan_policy(c, p, bar);
	plan_again(c, p);
	plan_idle(c, p);
}

static void let_run(struct gp_call *c, const struct bar *bar)
{
	u32 i;

	for (i = 0; i < GP_SWITCH_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_POOL_BEST, GP_HEAP_WAITING);

		if (!e || !may_run(c, bar, e))
			return;
		gp_entity_set_state(c, e, GP_ENTITY_RUNNING);
	}
	c->n->more = true;
}

static void decide(struct gp_call *c, bool settled)
{
	struct bar bar = everyone;
	struct gp_plan p;

	p.nr_preempt = 0;
	p.nr_resume = 0;
	gp_guard_expire(c);
	gp_breaker_tick(c);
	if (gp_breaker_is_open(c)) {
		plan_open(c, &p);
	} else {
		gp_policy_expire(c);
		bar = find_bar(c);
		plan_closed(c, &p, &bar);
	}
	if (settled || !p.nr_preempt)
		let_run(c, &bar);
	if (p.nr_preempt || p.nr_resume)
		gp_switch_start(c, &p);
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
