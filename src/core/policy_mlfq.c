// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mlfq: a multi-level feedback queue. Entities begin at level 0. One that has
 * used up the slice of its level goes down a level; slices double from level to
 * level. One that has waited promote_ns goes up a level. Within a level, first
 * come, first served. A slice is used up over several bursts, so that short
 * pauses do not buy a high level.
 */
#include "core/policy.h"

#define LEVEL_LAST 3U

/* Two bits of level and the bits of gp_incumbent_key() fill a key. */
#define RANK_SHIFT 60

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(mlfq, slice_ns, 10 * GP_US, 10 * GP_SEC, 10 * GP_MS,
			"slice of level 0; levels 1 to 3 have twice, 4 and 8 times as much"),
	GP_POLICY_PARAM(mlfq, promote_ns, 10 * GP_US, 100 * GP_SEC, 100 * GP_MS,
			"wait time that raises an entity by one level"),
	GP_POLICY_PARAM(mlfq, width, 1, GP_WIDTH_MAX, 1, "entities that run at a time"),
};

static u64 slice_of(const struct gp_call *c, const struct gp_entity *e)
{
	u64 slice_ns = c->n->params.mlfq.slice_ns;

	if (e->attr.slice_ns)
		slice_ns = min((u64)e->attr.slice_ns, 100 * GP_SEC);
	return max(slice_ns, gp_policy_least_ns(c)) << e->mem.level;
}

static void to_tail(struct gp_call *c, struct gp_entity *e, u32 level)
{
	e->mem.level = (u8)level;
	e->mem.used_ns = 0;
	e->mem.order = c->n->order++;
}

static void mlfq_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	e->mem.used_ns = gp_later(e->mem.used_ns, ran_ns);
	if (e->mem.used_ns >= slice_of(c, e))
		to_tail(c, e, e->mem.level < LEVEL_LAST ? e->mem.level + 1U : LEVEL_LAST);
}

static void promote(struct gp_call *c, struct gp_entity *e)
{
	u64 from_ns = max(e->wait_ns, e->mem.promoted_ns);

	if (!e->mem.level || gp_since(c->now_ns, from_ns) < c->n->params.mlfq.promote_ns)
		return;
	to_tail(c, e, e->mem.level - 1U);
	e->mem.promoted_ns = c->now_ns;
}

static void mlfq_rekey(struct gp_call *c, struct gp_entity *e)
{
	e->clock_ns = U64_MAX;
	if (e->state == GP_ENTITY_RUNNING) {
		/* An own slice can have been made shorter than what is used. */
		u64 left_ns = gp_since(slice_of(c, e), e->mem.used_ns);

		e->clock_ns = gp_later(c->now_ns, max(left_ns, 1 * GP_US));
	} else {
		promote(c, e);
		if (e->mem.level)
			e->clock_ns = gp_later(max(e->wait_ns, e->mem.promoted_ns),
					       c->n->params.mlfq.promote_ns);
	}
	e->key = gp_incumbent_key(e, (u64)e->mem.level << RANK_SHIFT |
					     (e->mem.order & ((1ULL << RANK_SHIFT) - 1)));
}

static u64 mlfq_width(const struct gp_params *p)
{
	return p->mlfq.width;
}

const struct gp_policy_ops gp_policy_mlfq = {
	.name = "mlfq",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.charge = mlfq_charge,
	.rekey = mlfq_rekey,
	.width = mlfq_width,
};
