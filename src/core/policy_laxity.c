// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * laxity: strict priority, until a request can no longer wait. Its laxity is the
 * time to its deadline less a margin and the work that it and all other requests
 * with deadlines are expected to have left, half as much again for those that
 * come in the meantime. When that is used up the entity is critical, above every
 * priority, until the request is completed; and at its first one, of which nothing
 * is known. Critical entities run one at a time, by deadline, late ones after those
 * that can be in time (see request.h). Entities without a deadline are never critical.
 *
 * Where entities run one at a time (gp_sched_set_alone()), those of a level take turns of
 * turn_ns.
 *
 * Promise: requests with deadlines, of whatever priority, are in time wherever an
 * EDF would have them in time, but for half a percent of them up to a load of 0.85;
 * and an entity without a deadline waits for less urgent ones only as long as
 * their requests need. One that never runs out of work is critical for no more
 * than its budget (see request.h), and then not again before a whole deadline has
 * passed.
 */
#include "core/entity.h"
#include "core/policy.h"
#include "core/request.h"

/* Deadlines of critical entities in a key: any time, in steps of 256 ns. */
#define DEADLINE_SHIFT 8

static const struct gp_param_desc params[] = {
	GP_POLICY_PARAM(laxity, margin_ns, 0, 10 * GP_SEC, 500 * GP_US,
			"become critical this much earlier than needed"),
};

/* The work that is expected of an entity, counted in that of all. */
static void claim(struct gp_call *c, struct gp_entity *e, u64 ns)
{
	c->n->claims_ns -= e->mem.claim_ns;
	c->n->claims_ns += ns;
	e->mem.claim_ns = ns;
}

static void laxity_attach(struct gp_call *c)
{
	u32 slot;

	c->n->claims_ns = 0;
	for (slot = c->n->entities; slot != GP_SLOT_NONE; slot = c->s->entity[slot].next)
		c->s->entity[slot].mem.claim_ns = 0;
}

static bool is_critical(u64 key)
{
	return key >> GP_LEVEL_SHIFT == 0;
}

static u64 critical_ns(const struct gp_call *c, const struct gp_entity *e)
{
	u64 work_ns = c->n->claims_ns + c->n->claims_ns / 2;
	u64 need_ns = gp_later(work_ns, c->n->params.laxity.margin_ns);

	if (!e->attr.deadline_ns)
		return U64_MAX;
	/* Nothing is known of its requests: the first is better early than late. */
	if (!e->mem.work_ns && !e->mem.overdrawn)
		return c->now_ns;
	return gp_since(gp_request_deadline_ns(e), need_ns);
}

/* There is more work than before: the one that is critical first may be so earlier. */
static void look_again(struct gp_call *c)
{
	struct gp_entity *e = gp_entity_top(c, GP_HEAP_CLOCK);

	if (e && !is_critical(e->key) && critical_ns(c, e) < e->clock_ns)
		gp_entity_rekey(c, e);
}

static void laxity_busy(struct gp_call *c, struct gp_entity *e)
{
	gp_request_restart(c, e);
	if (!e->attr.deadline_ns)
		return;
	claim(c, e, gp_request_left_ns(e));
	look_again(c);
}

static void laxity_idle(struct gp_call *c, struct gp_entity *e)
{
	gp_request_end(c, e);
	claim(c, e, 0);
}

static void laxity_rekey(struct gp_call *c, struct gp_entity *e)
{
	u64 at_ns;

	claim(c, e, e->attr.deadline_ns ? gp_request_left_ns(e) : 0);
	at_ns = critical_ns(c, e);
	e->clock_ns = min(gp_request_clock_ns(c, e), gp_level_turn_ns(c, e));
	if (at_ns <= c->now_ns) {
		e->key = gp_level_key(0, gp_request_rank_ns(c, e) >> DEADLINE_SHIFT);
	} else {
		e->key = gp_level_key(1 + GP_PRIO_MAX - e->attr.prio, e->mem.order);
		e->clock_ns = min(e->clock_ns, at_ns);
	}
}

/* What comes back after a critical request is not critical: nothing to wait for. */
static u64 laxity_end_of_peers(u64 key)
{
	return is_critical(key) ? U64_MAX : key;
}

static u64 laxity_tie_bar(u64 key)
{
	return is_critical(key) ? key : gp_level_tie_bar(key);
}

const struct gp_policy_ops gp_policy_laxity = {
	.name = "laxity",
	.params = params,
	.nr_params = ARRAY_SIZE(params),
	.attach = laxity_attach,
	.busy = laxity_busy,
	.idle = laxity_idle,
	.charge = gp_request_charge,
	.rekey = laxity_rekey,
	.tie_bar = laxity_tie_bar,
	.by_request = true,
	.end_of_peers = laxity_end_of_peers,
};
