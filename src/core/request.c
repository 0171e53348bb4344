// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/entity.h"
#include "core/policy.h"
#include "core/request.h"

/* A shorter request takes a part in 32 of the difference off what is expected. */
#define WORK_SHIFT 5

void gp_request_restart(struct gp_call *c, struct gp_entity *e)
{
	(void)c;
	e->mem.spent_ns = 0;
	e->mem.overdrawn = false;
}

/*
 * A long request counts at once, shorter ones by and by: to expect too little
 * makes a request late. What an overdrawn one has spent is not one request.
 */
void gp_request_end(struct gp_call *c, struct gp_entity *e)
{
	u64 spent_ns = e->mem.spent_ns;

	(void)c;
	e->mem.spent_ns = 0;
	if (!spent_ns || e->mem.overdrawn)
		return;
	if (spent_ns >= e->mem.work_ns)
		e->mem.work_ns = spent_ns;
	else
		e->mem.work_ns -= (e->mem.work_ns - spent_ns) >> WORK_SHIFT;
}

static u64 budget_ns(const struct gp_entity *e)
{
	u64 ns = e->tells ? e->attr.deadline_ns : e->attr.deadline_ns / 2;

	return max(ns, 1 * GP_US);
}

void gp_request_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns)
{
	e->mem.spent_ns = gp_later(e->mem.spent_ns, ran_ns);
	if (!e->attr.deadline_ns || e->mem.spent_ns < budget_ns(e))
		return;
	e->request_ns = c->now_ns;
	e->mem.spent_ns = 0;
	e->mem.overdrawn = true;
}

u64 gp_request_rank_ns(const struct gp_call *c, const struct gp_entity *e)
{
	u64 deadline_ns = gp_request_deadline_ns(e);

	return deadline_ns > c->now_ns ? deadline_ns : gp_later(deadline_ns, e->attr.deadline_ns);
}

u64 gp_request_clock_ns(const struct gp_call *c, const struct gp_entity *e)
{
	u64 late_ns = gp_request_deadline_ns(e);
	u64 spent_ns;

	if (!e->attr.deadline_ns || e->state != GP_ENTITY_RUNNING)
		return U64_MAX;
	spent_ns = gp_later(c->now_ns, max(gp_since(budget_ns(e), e->mem.spent_ns), (u64)1));
	return late_ns > c->now_ns ? min(late_ns, spent_ns) : spent_ns;
}

static u64 oldest_ns(const struct gp_sched *s, const struct gp_entity *e)
{
	u64 ns = U64_MAX;
	u32 slot;

	for (slot = e->queue; slot != GP_SLOT_NONE; slot = s->queue[slot].next)
		if (s->queue[slot].busy)
			ns = min(ns, s->queue[slot].since_ns);
	return ns;
}

/* A request that is late when its turn comes has no budget of its own. */
static void renew(struct gp_call *c, struct gp_entity *e, u64 arrival_ns)
{
	u64 spent_ns = e->mem.spent_ns;

	gp_request_end(c, e);
	e->request_ns = arrival_ns;
	e->mem.overdrawn = gp_request_deadline_ns(e) <= c->now_ns;
	if (e->mem.overdrawn)
		e->mem.spent_ns = spent_ns;
}

bool gp_request_look(struct gp_call *c, struct gp_entity *e)
{
	u64 arrival_ns = min(oldest_ns(c->s, e), c->now_ns);

	if (arrival_ns <= e->request_ns || e->state == GP_ENTITY_LOST)
		return false;
	if (!c->n->policy->by_request) {
		e->request_ns = arrival_ns;
		return false;
	}
	/* What has run so far is charged to the request before. */
	gp_entity_rekey(c, e);
	if (arrival_ns > e->request_ns)
		renew(c, e, arrival_ns);
	gp_entity_rekey(c, e);
	return true;
}
