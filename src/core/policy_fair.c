// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fair: weighted virtual time. The entity that has run least for its weight
 * runs, until it is granularity_ns ahead of when it was last looked at.
 *
 * The node's virtual time is that of the entity furthest behind. One that slept
 * starts there less sleeper_ns: it is served soon, but cannot save up time by
 * sleeping. A newcomer starts a turn later than the one furthest behind: a process
 * that came again as another one after each turn would always be next else.
 *
 * Promise: over any second in which entities compete, each has the share of its
 * weight in what they have together, within 2 % of the second. An entity that
 * asks for less than its share gets all of it; what it did not ask for is lost.
 *
 * In a share the weight of an entity is its part of the share, times the part of the
 * share in the one above, and so on (gp_share_weight()): an entity that comes or goes
 * changes what run time costs the others, and no other key.
 *
 * Virtual time is run time divided by the weight, with the remainder kept. That of the
 * node never runs faster than real time, so that keys last for 146 years.
 */
#include "core/entity.h"
#include "core/policy.h"
#include "core/share.h"

_Static_assert(GP_WEIGHT_MAX <= 0xffff, "a remainder does not fit");

/* Keys have room for this; see gp_incumbent_key(). */
#define RANK_MAX (((u64)1 << 62) - 1)

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(fair, granularity_ns, 10 * GP_US, 10 * GP_SEC, 5 * GP_MS,
			"run time after which another entity may take over"),
	GP_POLICY_PARAM(fair, sleeper_ns, 0, 10 * GP_SEC, 5 * GP_MS,
			"most time an entity of weight 100 that slept is given back"),
	GP_POLICY_PARAM(fair, width, 1, GP_WIDTH_MAX, 1, "entities that run at a time"),
};

static u64 rank_of(u64 key)
{
	return key >> GP_INCUMBENT_BITS;
}

static void floor_of_heap(struct gp_call *c, enum gp_heap_kind kind, u64 *floor)
{
	const struct gp_heap_entry *top = gp_entity_first(c, kind);

	if (top)
		*floor = min(*floor, rank_of(top->key));
}

static void raise_floor(struct gp_call *c)
{
	u64 floor = U64_MAX;

	floor_of_heap(c, GP_HEAP_WAITING, &floor);
	floor_of_heap(c, GP_HEAP_RUNNING, &floor);
	floor_of_heap(c, GP_HEAP_OUT, &floor);
	if (floor != U64_MAX)
		c->n->fair_floor = max(c->n->fair_floor, floor);
}

static void fair_busy(struct gp_call *c, struct gp_entity *e)
{
	const struct gp_params *p = &c->n->params;
	u64 start;

	raise_floor(c);
	start = c->n->fair_floor;
	if (e->mem.vruntime)
		start = gp_since(start, p->fair.sleeper_ns / GP_WEIGHT_DEFAULT);
	else if (c->n->nr_live > 1)
		start = gp_later(start, p->fair.granularity_ns / GP_WEIGHT_DEFAULT);
	e->mem.vruntime = max(e->mem.vruntime, start);
}

static void fair_idle(struct gp_call *c, struct gp_entity *e)
{
	(void)e;
	raise_floor(c);
}

/* Run time for a weight with binary places: of more than a minute only a minute counts. */
#define RAN_MAX_NS (((u64)1 << (63 - GP_SHARE_BITS)) - 1)

static u64 in_share(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	u64 *rest = &c->s->place[gp_entity_slot(c->s, e)].rest;
	u64 weight = gp_share_weight(c, e);
	u64 ns = min(ran_ns, RAN_MAX_NS / 2) << GP_SHARE_BITS;

	ns += min(*rest, weight);
	*rest = ns % weight;
	return ns / weight;
}

static u64 in_none(struct gp_entity *e, u64 ran_ns)
{
	u64 ns = gp_later(ran_ns, e->mem.rest);

	e->mem.rest = (u16)(ns % e->attr.weight);
	return ns / e->attr.weight;
}

static void fair_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	u64 ns = e->in_share ? in_share(c, e, ran_ns) : in_none(e, ran_ns);

	/* When one comes, those that a switch moves may be in no heap. */
	raise_floor(c);
	e->mem.vruntime = min(gp_later(e->mem.vruntime, ns), RANK_MAX);
}

static void fair_rekey(struct gp_call *c, struct gp_entity *e)
{
	e->key = gp_incumbent_key(e, e->mem.vruntime);
	e->clock_ns = U64_MAX;
	if (e->state == GP_ENTITY_RUNNING)
		e->clock_ns = gp_later(c->now_ns, c->n->params.fair.granularity_ns);
}

const struct gp_policy_ops gp_policy_fair = {
	.name = "fair",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.busy = fair_busy,
	.back = fair_busy,
	.idle = fair_idle,
	.charge = fair_charge,
	.rekey = fair_rekey,
	.width = offsetof(struct gp_params, fair.width),
	.turns = true,
};
