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
