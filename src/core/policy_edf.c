// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * edf: earliest deadline first. The deadline of an entity is the time it got
 * work plus its deadline_ns; those without a deadline come last, in the order
 * of their arrival.
 */
#include "core/policy.h"

#define NO_DEADLINE ((u64)1 << 61)

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(edf, width, 1, GP_WIDTH_MAX, 1, "entities that run at a time"),
};

static void edf_rekey(struct gp_call *c, struct gp_entity *e)
{
	u64 rank = NO_DEADLINE + (e->mem.order & (NO_DEADLINE - 1));

	(void)c;
	if (e->attr.deadline_ns)
		rank = min(gp_later(e->busy_ns, e->attr.deadline_ns), NO_DEADLINE - 1);
	e->key = gp_incumbent_key(e, rank);
	e->clock_ns = U64_MAX;
}

static u64 edf_width(const struct gp_params *p)
{
	return p->edf.width;
}

const struct gp_policy_ops gp_policy_edf = {
	.name = "edf",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.rekey = edf_rekey,
	.width = edf_width,
};
