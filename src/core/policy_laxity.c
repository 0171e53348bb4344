// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * laxity: strict priority, until an entity can no longer wait. Its laxity is
 * the time to its deadline less the work it is expected to have left and a
 * margin; when that is used up it is critical, above every priority, until it
 * has no work left. Those without a deadline are never critical.
 */
#include "core/policy.h"

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(laxity, margin_ns, 0, 10 * GP_SEC, 500 * GP_US,
			"become critical this much earlier than needed"),
};

static u64 critical_ns(const struct gp_call *c, const struct gp_entity *e)
{
	u64 work_ns = gp_since(e->burst_avg_ns, e->burst_ns);
	u64 end_ns;

	if (!e->attr.deadline_ns)
		return U64_MAX;
	end_ns = gp_later(e->busy_ns, e->attr.deadline_ns);
	return gp_since(end_ns, gp_later(work_ns, c->n->params.laxity.margin_ns));
}

static void laxity_rekey(struct gp_call *c, struct gp_entity *e)
{
	u64 at_ns = critical_ns(c, e);
	u64 rank = 1 + GP_PRIO_MAX - e->attr.prio;

	/* Running uses work up as fast as time: who is critical stays so. */
	e->clock_ns = at_ns;
	if (at_ns <= c->now_ns) {
		rank = 0;
		e->clock_ns = U64_MAX;
	}
	e->key = gp_level_key(rank, e->mem.order);
}

const struct gp_policy_ops gp_policy_laxity = {
	.name = "laxity",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.rekey = laxity_rekey,
	.tie_bar = gp_level_tie_bar,
};
