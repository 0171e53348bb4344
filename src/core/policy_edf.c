// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * edf: earliest deadline first. The deadline of an entity is the arrival of its
 * oldest request plus its deadline_ns, twice that if the request is late (see
 * request.h); entities without a deadline come last, in the order of their arrival.
 *
 * Promise: as long as the requests fit, switches counted, they are in time
 * wherever any order of them would be; up to a load of 0.85 no more than half a
 * percent of them are late that an EDF with free switches completes in time. An
 * entity that never runs out of work neither outranks others for ever nor
 * starves: see request.h.
 */
#include "core/policy.h"
#include "core/request.h"

#define NO_DEADLINE ((u64)1 << 61)

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(edf, width, 1, GP_WIDTH_MAX, 1, "entities that run at a time"),
};

static void edf_rekey(struct gp_call *c, struct gp_entity *e)
{
	u64 rank = NO_DEADLINE + (e->mem.order & (NO_DEADLINE - 1));

	if (e->attr.deadline_ns)
		rank = min(gp_request_rank_ns(c, e), NO_DEADLINE - 1);
	e->key = gp_incumbent_key(e, rank);
	e->clock_ns = gp_request_clock_ns(c, e);
}

/* Waiting for an entity that may come back only makes others with deadlines late. */
static u64 edf_end_of_peers(u64 key)
{
	return max(key, NO_DEADLINE << GP_INCUMBENT_BITS);
}

const struct gp_policy_ops gp_policy_edf = {
	.name = "edf",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.busy = gp_request_restart,
	.idle = gp_request_end,
	.charge = gp_request_charge,
	.rekey = edf_rekey,
	.width = offsetof(struct gp_params, edf.width),
	.by_request = true,
	.end_of_peers = edf_end_of_peers,
};
