// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mlfq: a multi-level feedback queue. Run time counts against an entity: with a
 * slice of it used up it goes down from level 0 to level 1, with three to level 2,
 * with seven to level 3, so that slices double from level to level. Within a
 * level, first come, first served.
 *
 * Sleep is forgiven: a quarter of the time an entity has no work is taken off
 * what counts against it. An entity that has waited promote_ns with work goes up
 * a level.
 *
 * Against a newcomer counts what counted against those that left, less a quarter of
 * the time since: a process that came again as another one would always be at level 0
 * else. If none left, it begins at level 0.
 *
 * Promise: an entity that asks for no more than a tenth of the time, in pieces of
 * no more than a slice, stays at level 0 and waits for no other but those like it;
 * no entity waits for ever.
 */
#include "core/policy.h"

#define LEVEL_LAST 3U

/*
 * A quarter of sleep: a load of a fifth is forgiven as fast as it is used. That
 * is twice what is promised, so that chance gatherings of requests do no harm.
 */
#define FORGIVE_SHIFT 2

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
	return max(slice_ns, gp_policy_least_ns(c));
}

/* What counts against an entity that has just come to a level from above. */
static u64 level_begin_ns(const struct gp_call *c, const struct gp_entity *e, u32 level)
{
	return ((1ULL << level) - 1) * slice_of(c, e);
}

static u32 level_of(const struct gp_call *c, const struct gp_entity *e)
{
	u32 level = LEVEL_LAST;

	while (level && e->mem.used_ns < level_begin_ns(c, e, level))
		level--;
	return level;
}

static void to_tail(struct gp_call *c, struct gp_entity *e)
{
	e->mem.order = c->n->order++;
}

static void mlfq_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	u32 level = level_of(c, e);

	e->mem.used_ns = gp_later(e->mem.used_ns, ran_ns);
	if (e->mem.used_ns < level_begin_ns(c, e, level + 1))
		return;
	/* The last level has turns of its own. */
	if (level == LEVEL_LAST)
		e->mem.used_ns = level_begin_ns(c, e, LEVEL_LAST);
	to_tail(c, e);
}

static void mlfq_idle(struct gp_call *c, struct gp_entity *e)
{
	e->mem.mark_ns = c->now_ns;
}

static u64 forgive(const struct gp_call *c, u64 used_ns, u64 since_ns)
{
	return gp_since(used_ns, gp_since(c->now_ns, since_ns) >> FORGIVE_SHIFT);
}

static void mlfq_busy(struct gp_call *c, struct gp_entity *e)
{
	u64 used_ns = forgive(c, e->mem.used_ns, e->mem.mark_ns);

	if (!e->mem.mark_ns)
		used_ns = min(forgive(c, c->n->mlfq_left_ns, c->n->mlfq_mark_ns),
			      level_begin_ns(c, e, LEVEL_LAST));
	e->mem.used_ns = used_ns;
	e->mem.mark_ns = c->now_ns;
}

/* The most that counted against any; more entities that leave do not make it more. */
static void mlfq_gone(struct gp_call *c, struct gp_entity *e)
{
	u64 left_ns = forgive(c, c->n->mlfq_left_ns, c->n->mlfq_mark_ns);

	c->n->mlfq_left_ns = max(left_ns, min(e->mem.used_ns, level_begin_ns(c, e, LEVEL_LAST)));
	c->n->mlfq_mark_ns = c->now_ns;
}

static void promote(struct gp_call *c, struct gp_entity *e)
{
	u32 level = level_of(c, e);
	u64 from_ns = max(e->wait_ns, e->mem.mark_ns);

	if (!level || gp_since(c->now_ns, from_ns) < c->n->params.mlfq.promote_ns)
		return;
	e->mem.used_ns = level_begin_ns(c, e, level - 1);
	e->mem.mark_ns = c->now_ns;
	to_tail(c, e);
}

static void mlfq_rekey(struct gp_call *c, struct gp_entity *e)
{
	u32 level;

	e->clock_ns = U64_MAX;
	if (e->state != GP_ENTITY_RUNNING)
		promote(c, e);
	level = level_of(c, e);
	if (e->state == GP_ENTITY_RUNNING) {
		/* An own slice can have been made shorter than what is used. */
		u64 left_ns = gp_since(level_begin_ns(c, e, level + 1), e->mem.used_ns);

		e->clock_ns = gp_later(c->now_ns, max(left_ns, 1 * GP_US));
	} else if (level) {
		e->clock_ns = gp_later(max(e->wait_ns, e->mem.mark_ns),
				       c->n->params.mlfq.promote_ns);
	}
	e->key = gp_incumbent_key(e, (u64)level << RANK_SHIFT |
					     (e->mem.order & ((1ULL << RANK_SHIFT) - 1)));
}

const struct gp_policy_ops gp_policy_mlfq = {
	.name = "mlfq",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.busy = mlfq_busy,
	.idle = mlfq_idle,
	.gone = mlfq_gone,
	.charge = mlfq_charge,
	.rekey = mlfq_rekey,
	.width = offsetof(struct gp_params, mlfq.width),
	.turns = true,
};
