// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * slice: a partition of time. In a round of period_ns each entity with work has
 * a turn of period_ns * weight / (weights of all with work), or of its own
 * slice_ns; turns follow each other in the order of arrival. So that switches do
 * not eat up short turns, no turn is shorter than 20 times the learned cost of
 * leaving and coming back, up to a period; rounds of many entities are longer for
 * it.
 *
 * An entity that runs out of work hands over early. If it comes back before
 * another ran, its turn goes on; else the rest is banked and added to its next
 * turn. What is banked beyond one turn shrinks by a tenth each time, and never
 * exceeds bank_max turns.
 *
 * Promise: an entity waits no longer than one turn of each of the others, with
 * what they have banked, and the switches between them.
 */
#include "core/policy.h"
#include "core/share.h"

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(slice, period_ns, 100 * GP_US, 100 * GP_SEC, 20 * GP_MS,
			"length of a round"),
	GP_POLICY_PARAM(slice, bank_max, 0, 16, 2, "most turns of unused time an entity can bank"),
	GP_POLICY_PARAM(slice, width, 1, GP_WIDTH_MAX, 1, "entities that run at a time"),
};

/*
 * What a turn is worth at least: so many times the cost to come and to go. The
 * learned cost is what a mechanism needs to save; it need not wait for what is
 * restored, which takes about as long.
 */
#define COSTS_PER_TURN (2 * 20U)

/* Binary places of weights: 100 s times GP_WEIGHT_MAX and these are less than 2^64. */
#define WEIGHT_BITS 12U

static u64 shortest_ns(const struct gp_call *c)
{
	u64 worth_ns = COSTS_PER_TURN * c->stats->cost_ns;

	return max(min(worth_ns, c->n->params.slice.period_ns), gp_policy_least_ns(c));
}

static u64 budget_ns(const struct gp_call *c, const struct gp_entity *e)
{
	u64 weight = gp_share_weight(c, e) >> (GP_SHARE_BITS - WEIGHT_BITS);
	u64 weights = max(c->n->weights << WEIGHT_BITS, weight + !weight);
	u64 ns = c->n->params.slice.period_ns * weight / weights;

	if (e->attr.slice_ns)
		ns = min((u64)e->attr.slice_ns, 100 * GP_SEC);
	return max(ns, shortest_ns(c));
}

static void bank(struct gp_call *c, struct gp_entity *e)
{
	u64 one_ns = budget_ns(c, e);
	u64 ns = e->mem.bank_ns + e->mem.left_ns;

	if (ns > one_ns)
		ns = one_ns + (ns - one_ns) / 10 * 9;
	e->mem.bank_ns = min(ns, one_ns * c->n->params.slice.bank_max);
	e->mem.left_ns = 0;
}

static void new_turn(struct gp_call *c, struct gp_entity *e)
{
	e->mem.turn = c->n->order++;
	e->mem.fresh = true;
}

static void slice_attach(struct gp_call *c)
{
	c->n->slice_owner = GP_SLOT_NONE;
}

static bool is_owner(const struct gp_call *c, const struct gp_entity *e)
{
	return c->n->slice_owner == (u32)(e - c->s->entity);
}

static void slice_busy(struct gp_call *c, struct gp_entity *e)
{
	if (is_owner(c, e) && e->mem.left_ns)
		return;
	bank(c, e);
	new_turn(c, e);
}

static void slice_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	e->mem.left_ns = gp_since(e->mem.left_ns, ran_ns);
	if (!e->mem.left_ns)
		new_turn(c, e);
}

static void slice_rekey(struct gp_call *c, struct gp_entity *e)
{
	e->clock_ns = U64_MAX;
	if (e->state == GP_ENTITY_RUNNING) {
		c->n->slice_owner = (u32)(e - c->s->entity);
		if (e->mem.fresh) {
			e->mem.left_ns = budget_ns(c, e) + e->mem.bank_ns;
			e->mem.bank_ns = 0;
			e->mem.fresh = false;
		}
		e->clock_ns = gp_later(c->now_ns, e->mem.left_ns);
	}
	e->key = gp_incumbent_key(e, e->mem.turn);
}

const struct gp_policy_ops gp_policy_slice = {
	.name = "slice",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.attach = slice_attach,
	.busy = slice_busy,
	.charge = slice_charge,
	.rekey = slice_rekey,
	.width = offsetof(struct gp_params, slice.width),
	.turns = true,
};
