// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * prio: strict priority. All entities of the highest level that has work run
 * together, the others wait.
 *
 * Promise: no entity that can be preempted runs beside one of a higher level, but
 * for the time that the guards give it.
 *
 * Where entities run one at a time (gp_sched_set_alone()), those of a level take turns of
 * turn_ns.
 *
 * With age_ns, an entity that waits gains a level per age_ns. It keeps what it
 * gained for one minimum slice of running, then falls back.
 */
#include "core/policy.h"

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(prio, age_ns, 0, 3600 * GP_SEC, 0,
			"wait time that raises an entity by one level, 0 = never"),
};

static void rekey_running(struct gp_call *c, struct gp_entity *e)
{
	u64 end_ns = gp_later(e->there_ns, c->n->params.min_slice_ns);

	e->clock_ns = U64_MAX;
	if (!e->mem.boost)
		return;
	if (end_ns > c->now_ns)
		e->clock_ns = end_ns;
	else
		e->mem.boost = 0;
}

static void rekey_waiting(struct gp_call *c, struct gp_entity *e)
{
	u64 age_ns = c->n->params.prio.age_ns;
	u64 most = GP_PRIO_MAX - e->attr.prio;
	u64 boost;

	e->clock_ns = U64_MAX;
	e->mem.boost = 0;
	if (!age_ns)
		return;
	boost = min(gp_since(c->now_ns, e->wait_ns) / age_ns, most);
	e->mem.boost = (u8)boost;
	if (boost < most)
		e->clock_ns = gp_later(e->wait_ns, (boost + 1) * age_ns);
}

static void prio_rekey(struct gp_call *c, struct gp_entity *e)
{
	u64 level;

	if (e->state == GP_ENTITY_RUNNING)
		rekey_running(c, e);
	else
		rekey_waiting(c, e);
	e->clock_ns = min(e->clock_ns, gp_level_turn_ns(c, e));
	level = min((u64)e->attr.prio + e->mem.boost, (u64)GP_PRIO_MAX);
	e->key = gp_level_key(GP_PRIO_MAX - level, e->mem.order);
}

const struct gp_policy_ops gp_policy_prio = {
	.name = "prio",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.rekey = prio_rekey,
	.tie_bar = gp_level_tie_bar,
};
