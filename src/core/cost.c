// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/guard.h"

/* A new sample counts one eighth: about 20 samples to follow a change. */
#define EWMA_SHIFT 3

static u64 ewma(u64 average, u64 sample)
{
	if (!average)
		return max(sample, (u64)1);
	if (sample >= average)
		return average + ((sample - average) >> EWMA_SHIFT);
	return max(average - ((average - sample) >> EWMA_SHIFT), (u64)1);
}

void gp_cost_learn_switch(struct gp_call *c, u64 took_ns)
{
	c->stats->cost_ns = ewma(c->stats->cost_ns, took_ns);
}

/*
 * Costs of a gap are in parts of the shortest one that pays for giving the GPU back,
 * averaged with some bits more.
 */
#define PARTS 256U
#define PARTS_SHIFT 4
/* To give the GPU back when it is wanted again too soon costs so many times as much. */
#define TOO_SOON 4U
/* As long as nothing is known of what a switch costs or of gaps. */
#define UNKNOWN_NS (100 * GP_US)

static const u32 ways[GP_WAYS] = { 0, PARTS / 4, PARTS };

_Static_assert((PARTS + TOO_SOON * PARTS) << PARTS_SHIFT <= 0xffff, "a cost does not fit");

/*
 * Half as long again as the round trip. A mechanism need not wait for what is restored,
 * so the cost of a switch is half of that.
 */
u64 gp_cost_pays_ns(const struct gp_call *c)
{
	u64 cost_ns = min(c->stats->cost_ns, GP_SEC);

	return min(3 * cost_ns, c->n->params.hysteresis_ns);
}

/* The gap itself if it is over before; else what was waited, and to give back. */
static u32 cost_of(u32 wait, u32 gap)
{
	if (gap < wait)
		return gap;
	return wait + (gap - wait < PARTS ? TOO_SOON * PARTS : PARTS);
}

void gp_cost_learn_gap(struct gp_call *c, u32 level)
{
	struct gp_gap *gap = &c->n->gap[level];
	u64 gap_ns = c->now_ns - gap->since_ns;
	u64 pays_ns = gp_cost_pays_ns(c);
	u32 part = 2 * PARTS;
	u32 i;

	if (!pays_ns)
		return;
	if (gap_ns < 2 * pays_ns)
		part = (u32)(gap_ns * PARTS / pays_ns);
	for (i = 0; i < GP_WAYS; i++) {
		u32 sample = cost_of(ways[i], part) << PARTS_SHIFT;
		u32 cost = gap->cost[i];

		gap->cost[i] = (u16)(cost + (sample >> EWMA_SHIFT) - (cost >> EWMA_SHIFT));
	}
}

u64 gp_cost_wait_ns(const struct gp_call *c, u32 level)
{
	const struct gp_gap *gap = &c->n->gap[level];
	const struct gp_params *p = &c->n->params;
	u32 best = GP_WAYS - 1;
	u32 i;

	if (!p->learn_gaps)
		return p->hysteresis_ns;
	if (!c->stats->cost_ns || !gap->cost[0])
		return min(UNKNOWN_NS, p->hysteresis_ns);
	for (i = GP_WAYS - 1; i-- > 0;)
		if (gap->cost[i] < gap->cost[best])
			best = i;
	return gp_cost_pays_ns(c) * ways[best] / PARTS;
}

void gp_cost_learn_burst(struct gp_entity *e)
{
	if (e->burst_ns)
		e->burst_avg_ns = ewma(e->burst_avg_ns, e->burst_ns);
	e->burst_ns = 0;
}

u64 gp_cost_spare_until(const struct gp_call *c, const struct gp_entity *e)
{
	u64 elapsed_ns = e->burst_ns + gp_since(c->now_ns, e->since_ns);

	if (!c->n->params.spare_victims || e->spared || e->state != GP_ENTITY_RUNNING)
		return 0;
	/* Longer than ever before: nothing is known about its end. */
	if (elapsed_ns >= e->burst_avg_ns)
		return 0;
	if (e->burst_avg_ns - elapsed_ns >= c->stats->cost_ns)
		return 0;
	return gp_later(c->now_ns, e->burst_avg_ns - elapsed_ns);
}
