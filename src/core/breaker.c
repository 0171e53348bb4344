// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/breaker.h"
#include "core/emit.h"

/* Enough to reach any cap; keeps the shifts below defined. */
#define DOUBLINGS_MAX 20U

static u64 doubled(u64 ns, u32 times, u64 cap_ns)
{
	u64 longer = ns << min(times, DOUBLINGS_MAX);

	return max(ns, min(longer, cap_ns));
}

static void set_breaker(struct gp_call *c, enum gp_breaker_state state, enum gp_report report)
{
	c->stats->breaker = state;
	c->n->nr_good = 0;
	c->n->nr_errors = 0;
	c->n->nr_missed = 0;
	gp_emit_report(c, report, GP_ID_NONE);
}

static void stay_open(struct gp_call *c)
{
	const struct gp_params *p = &c->n->params;
	u64 open_ns = doubled(p->open_ns, c->n->nr_openings, p->open_max_ns);

	c->n->open_until_ns = gp_later(c->now_ns, open_ns);
}

void gp_breaker_fail(struct gp_call *c, enum gp_report reason)
{
	struct gp_node *n = c->n;

	gp_emit_report(c, reason, GP_ID_NONE);
	stay_open(c);
	if (c->stats->breaker == GP_BREAKER_OPEN) {
		if (reason == GP_REPORT_SWITCH_DEADLINE && n->nr_missed < DOUBLINGS_MAX)
			n->nr_missed++;
		return;
	}
	c->stats->breaker_reason = reason;
	if (n->nr_openings < DOUBLINGS_MAX)
		n->nr_openings++;
	set_breaker(c, GP_BREAKER_OPEN, GP_REPORT_BREAKER_OPEN);
}

bool gp_breaker_is_error(const struct gp_entity *e, enum gp_result result)
{
	bool refused_again = e->state == GP_ENTITY_RESUMING && e->nr_fail &&
			     result == GP_RESULT_BUSY;

	return !e->stubborn && (result == GP_RESULT_ERROR || refused_again);
}

void gp_breaker_switch(struct gp_call *c, u32 nr_ok, u32 nr_errors)
{
	struct gp_node *n = c->n;
	bool on_probation = c->stats->breaker == GP_BREAKER_PROBATION;

	n->nr_missed = 0;
	/* What worked ends the row before this switch, in whatever order the members stand. */
	n->nr_errors = (nr_ok ? 0 : n->nr_errors) + nr_errors;
	if (c->stats->breaker == GP_BREAKER_OPEN) {
		/* Retries of single members go on; there is nothing left to open. */
		n->nr_errors = 0;
		return;
	}
	if (n->nr_errors >= n->params.breaker_errors || (on_probation && nr_errors)) {
		gp_breaker_fail(c, GP_REPORT_SWITCH_ERROR);
		return;
	}
	if (!on_probation || ++n->nr_good < n->params.probation_ok)
		return;
	n->nr_openings = 0;
	set_breaker(c, GP_BREAKER_CLOSED, GP_REPORT_BREAKER_CLOSED);
}

void gp_breaker_tick(struct gp_call *c)
{
	if (c->stats->breaker != GP_BREAKER_OPEN || c->now_ns < c->n->open_until_ns)
		return;
	if (c->n->sw.seq || c->stats->nr_out > c->n->nr_stubborn)
		return;
	set_breaker(c, GP_BREAKER_PROBATION, GP_REPORT_BREAKER_PROBATION);
}

void gp_breaker_lost(struct gp_call *c)
{
	if (c->stats->breaker == GP_BREAKER_DEAD)
		return;
	c->stats->breaker_reason = GP_REPORT_NODE_LOST;
	set_breaker(c, GP_BREAKER_DEAD, GP_REPORT_NODE_LOST);
}

void gp_breaker_back(struct gp_call *c)
{
	if (c->stats->breaker != GP_BREAKER_DEAD)
		return;
	gp_emit_report(c, GP_REPORT_NODE_BACK, GP_ID_NONE);
	set_breaker(c, GP_BREAKER_PROBATION, GP_REPORT_BREAKER_PROBATION);
}

u64 gp_breaker_deadline_ns(const struct gp_call *c)
{
	const struct gp_params *p = &c->n->params;

	return doubled(p->deadline_ns, c->n->nr_missed, p->open_max_ns);
}
