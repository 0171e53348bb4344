// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/entity.h"
#include "core/policy.h"

static const struct gp_policy_ops *const policies[] = {
	&gp_policy_prio, &gp_policy_fair,   &gp_policy_slice,
	&gp_policy_edf,	 &gp_policy_laxity, &gp_policy_mlfq,
};

const struct gp_policy_ops *gp_policy_at(u32 index)
{
	return index < ARRAY_SIZE(policies) ? policies[index] : NULL;
}

const char *gp_policy_name_at(u32 index)
{
	const struct gp_policy_ops *policy = gp_policy_at(index);

	return policy ? policy->name : NULL;
}

/* Rekeys all with work, telling the policy first that they have some if @busy. */
static void rekey_all(struct gp_call *c, void (*busy)(struct gp_call *c, struct gp_entity *e))
{
	u32 slot;

	for (slot = c->n->entities; slot != GP_SLOT_NONE; slot = c->s->entity[slot].next) {
		struct gp_entity *e = &c->s->entity[slot];

		if (!gp_has_work(e))
			continue;
		if (busy)
			busy(c, e);
		gp_entity_rekey(c, e);
	}
}

/*
 * Three passes: the time up to now belongs to the old policy; then every key is
 * replaced, from what the new policy remembers; only then are there keys that
 * busy() can compare with.
 */
void gp_policy_attach(struct gp_call *c, const struct gp_policy_ops *policy)
{
	rekey_all(c, NULL);
	c->n->policy = policy;
	c->n->config_seq++;
	c->n->local_news = true;
	c->n->resume_ns = 0;
	c->n->gaps = 0;
	if (policy->attach)
		policy->attach(c);
	rekey_all(c, NULL);
	rekey_all(c, policy->busy);
}

u64 gp_level_turn_ns(struct gp_call *c, struct gp_entity *e)
{
	u64 turn_ns = c->n->params.turn_ns;
	u64 end_ns = gp_later(e->there_ns, turn_ns);

	if (!c->n->one || e->state != GP_ENTITY_RUNNING)
		return U64_MAX;
	if (end_ns > c->now_ns)
		return end_ns;
	e->mem.order = c->n->order++;
	return gp_later(c->now_ns, turn_ns);
}

void gp_policy_expire(struct gp_call *c)
{
	u32 i;

	for (i = 0; i < GP_STEP_MAX; i++) {
		struct gp_entity *e = gp_entity_top(c, GP_HEAP_CLOCK);

		if (!e || e->clock_ns > c->now_ns)
			return;
		gp_entity_rekey(c, e);
		/* A policy that wants to be asked at once would be asked for ever. */
		if (GP_WARN_ON(e->clock_ns <= c->now_ns)) {
			e->clock_ns = U64_MAX;
			gp_entity_place(c, e);
		}
	}
	c->n->more = true;
}
