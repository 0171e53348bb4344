// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/entity.h"
#include "core/gate.h"
#include "core/policy.h"

/* gp_sched.news holds of each entity on the list those after and before it. */
static void add_news(struct gp_call *c, struct gp_entity *e)
{
	struct gp_list *list = &c->n->news;
	u32 slot = gp_entity_slot(c->s, e);

	if (e->has_news)
		return;
	e->has_news = true;
	c->s->news[slot] = (struct gp_list){ .first = GP_SLOT_NONE, .last = list->last };
	if (list->last == GP_SLOT_NONE)
		list->first = slot;
	else
		c->s->news[list->last].first = slot;
	list->last = slot;
}

static void drop_news(struct gp_sched *s, struct gp_node *n, struct gp_entity *e)
{
	const struct gp_list *at;

	if (!e->has_news)
		return;
	e->has_news = false;
	at = &s->news[gp_entity_slot(s, e)];
	if (at->last == GP_SLOT_NONE)
		n->news.first = at->first;
	else
		s->news[at->last].first = at->first;
	if (at->first == GP_SLOT_NONE)
		n->news.last = at->last;
	else
		s->news[at->first].last = at->last;
}

void gp_gate_note(struct gp_call *c, struct gp_entity *e)
{
	u32 weight = e->gate || !gp_has_work(e) ? 0 : e->attr.weight;

	if (weight != e->local) {
		c->n->local_weight += weight;
		c->n->local_weight -= e->local;
		e->local = (u16)weight;
		c->n->local_news = true;
	}
	if (e->gate)
		add_news(c, e);
}

void gp_gate_forget(struct gp_call *c, struct gp_entity *e)
{
	drop_news(c->s, c->n, e);
}

void gp_gate_set(struct gp_call *c, struct gp_entity *e, enum gp_gate gate)
{
	e->gate = gate & 3;
	e->opening = gate == GP_GATE_OPEN && e->state == GP_ENTITY_PREEMPTED;
	if (gate == GP_GATE_NONE)
		drop_news(c->s, c->n, e);
	/* That it came back a moment ago or is about to end counts for its own node only. */
	if (e->frozen && (e->finishing || e->settling))
		gp_entity_thaw(c, e);
	/* The bound on the time off the GPU is that of the gang while the gate is shut. */
	if (e->opening)
		e->there_ns = c->now_ns;
	/* What waits for one that went idle waits no longer. */
	c->n->resume_ns = 0;
	gp_entity_rekey(c, e);
}

bool gp_sched_has_gang_news(const struct gp_sched *s, u32 node)
{
	return s->node[node].local_news || s->node[node].news.first != GP_SLOT_NONE;
}

/* Off the GPU or on the way there. */
static bool is_out(const struct gp_entity *e)
{
	return e->state == GP_ENTITY_PREEMPTED || e->state == GP_ENTITY_PREEMPTING;
}

/* One that refused, cannot be preempted or is lost is where it is. */
static bool is_settled(const struct gp_sched *s, const struct gp_entity *e)
{
	const struct gp_node *n = &s->node[e->node];
	enum gp_breaker_state breaker = s->stats[e->node].breaker;

	if (gp_entity_is_in_flight(e))
		return false;
	if (e->state == GP_ENTITY_LOST || (e->frozen && e->nr_fail) || !n->enabled ||
	    breaker == GP_BREAKER_OPEN || breaker == GP_BREAKER_DEAD)
		return true;
	if (gp_is_shut(e))
		return e->state == GP_ENTITY_PREEMPTED || e->attr.no_preempt;
	return e->state != GP_ENTITY_PREEMPTED || !e->nr_busy;
}

bool gp_sched_gang_news(struct gp_sched *s, u32 node, struct gp_gang_news *news)
{
	struct gp_node *n = &s->node[node];
	struct gp_entity *e;

	if (n->news.first == GP_SLOT_NONE)
		return false;
	e = &s->entity[n->news.first];
	drop_news(s, n, e);
	*news = (struct gp_gang_news){
		.id = gp_entity_id(s, e),
		.has_work = gp_has_work(e),
		.is_out = is_out(e),
		.is_settled = is_settled(s, e),
	};
	return true;
}

u64 gp_sched_local_weight(struct gp_sched *s, u32 node)
{
	s->node[node].local_news = false;
	return s->node[node].local_weight;
}

bool gp_sched_node_takes_turns(const struct gp_sched *s, u32 node)
{
	return s->node[node].policy->turns;
}
