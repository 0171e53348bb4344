// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/breaker.h"
#include "core/emit.h"
#include "core/entity.h"
#include "core/guard.h"
#include "core/switch.h"

void gp_switch_plan(struct gp_call *c)
{
	c->n->sw.nr_preempt = 0;
	c->n->sw.nr_resume = 0;
}

void gp_switch_preempt(struct gp_call *c, struct gp_entity *e)
{
	struct gp_switch *sw = &c->n->sw;

	if (gp_entity_set_state(c, e, GP_ENTITY_PREEMPTING))
		c->n->member[sw->nr_preempt++] = gp_entity_id(c->s, e);
}

/* From the other end, as it is not known yet how many will be preempted. */
void gp_switch_resume(struct gp_call *c, struct gp_entity *e)
{
	struct gp_switch *sw = &c->n->sw;

	if (gp_entity_set_state(c, e, GP_ENTITY_RESUMING))
		c->n->member[gp_switch_max(&c->s->config) - ++sw->nr_resume] =
			gp_entity_id(c->s, e);
}

/* Those to be resumed follow those to be preempted, in the order they were chosen. */
static void close_gap(struct gp_call *c)
{
	struct gp_switch *sw = &c->n->sw;
	u64 *first = c->n->member + sw->nr_preempt;
	u64 *from = c->n->member + gp_switch_max(&c->s->config) - sw->nr_resume;
	u32 i;

	memmove(first, from, sw->nr_resume * sizeof(*first));
	for (i = 0; i < sw->nr_resume / 2; i++) {
		u64 id = first[i];

		first[i] = first[sw->nr_resume - 1 - i];
		first[sw->nr_resume - 1 - i] = id;
	}
	sw->id = c->n->member;
}

void gp_switch_start(struct gp_call *c)
{
	struct gp_node *n = c->n;

	close_gap(c);
	n->sw.seq = ++c->s->seq;
	c->stats->switching = true;
	n->sw_start_ns = c->now_ns;
	n->sw_deadline_ns = gp_later(c->now_ns, gp_breaker_deadline_ns(c));
	c->stats->nr_switches++;
	gp_emit_switch(c);
}

void gp_switch_forget(struct gp_call *c)
{
	c->n->sw.seq = 0;
	c->stats->switching = false;
}

static void member_lost(struct gp_call *c, struct gp_entity *e)
{
	gp_entity_lose(c, e);
	gp_entity_enlist(c, e, GP_LIST_UNTOLD);
}

/*
 * A refused entity is where it was. One that was to be preempted once more was
 * off already, but for its new queue.
 */
static void preempt_refused(struct gp_call *c, struct gp_entity *e)
{
	if (e->was == GP_ENTITY_PREEMPTED) {
		e->redo = true;
		gp_entity_set_state(c, e, GP_ENTITY_PREEMPTED);
	} else if (!e->nr_busy) {
		gp_entity_set_state(c, e, GP_ENTITY_IDLE);
	} else {
		gp_entity_set_state(c, e, e->was == GP_ENTITY_IDLE ? GP_ENTITY_WAITING : e->was);
	}
	gp_guard_refused(c, e);
}

static void preempt_result(struct gp_call *c, struct gp_entity *e, enum gp_result result)
{
	switch (result) {
	case GP_RESULT_OK:
		/* One that was off already or had no work has lost nothing. */
		if (e->was != GP_ENTITY_PREEMPTED)
			e->nr_fail = 0;
		if (e->was != GP_ENTITY_PREEMPTED && e->was != GP_ENTITY_IDLE) {
			e->nr_preempted++;
			c->stats->nr_preemptions++;
		}
		gp_entity_set_state(c, e, GP_ENTITY_PREEMPTED);
		break;
	case GP_RESULT_GONE:
		member_lost(c, e);
		break;
	default:
		preempt_refused(c, e);
		break;
	}
}

static void resume_result(struct gp_call *c, struct gp_entity *e, enum gp_result result)
{
	switch (result) {
	case GP_RESULT_OK:
		e->nr_resumed++;
		c->stats->nr_resumes++;
		gp_entity_set_state(c, e, e->nr_busy ? GP_ENTITY_RUNNING : GP_ENTITY_IDLE);
		gp_guard_resumed(c, e);
		break;
	case GP_RESULT_GONE:
		member_lost(c, e);
		break;
	default:
		gp_entity_set_state(c, e, GP_ENTITY_PREEMPTED);
		gp_guard_refused(c, e);
		break;
	}
}

static u32 apply_results(struct gp_call *c, const u8 *results, u32 *nr_ok)
{
	const struct gp_switch *sw = &c->n->sw;
	u32 nr_errors = 0;
	u32 i;

	*nr_ok = 0;
	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		struct gp_entity *e = gp_entity_find(c->s, sw->id[i]);
		enum gp_result result = gp_result_checked(results[i]);

		/* Removed in the meantime: the result concerns no entity. */
		if (!e)
			continue;
		nr_errors += gp_breaker_is_error(e, result);
		*nr_ok += result == GP_RESULT_OK;
		c->stats->nr_failed += result != GP_RESULT_OK;
		if (i < sw->nr_preempt)
			preempt_result(c, e, result);
		else
			resume_result(c, e, result);
	}
	return nr_errors;
}

void gp_switch_end(struct gp_call *c, const u8 *results)
{
	struct gp_node *n = c->n;
	u64 took_ns = c->now_ns - n->sw_start_ns;
	u32 nr_ok;
	u32 nr_errors = apply_results(c, results, &nr_ok);

	gp_switch_forget(c);
	gp_hist_add(&c->stats->switch_ns, took_ns);
	if (n->sw.nr_preempt && !nr_errors)
		gp_cost_learn_switch(c, took_ns);
	if (c->now_ns <= n->sw_deadline_ns) {
		gp_breaker_switch(c, nr_ok, nr_errors);
		return;
	}
	/* An answer that the timer did not see missing: known, but too slow to trust. */
	c->stats->nr_deadline++;
	gp_breaker_fail(c, GP_REPORT_SWITCH_DEADLINE);
}

void gp_switch_expire(struct gp_call *c)
{
	struct gp_node *n = c->n;
	u32 i;

	if (!gp_switch_is_late(c))
		return;
	for (i = 0; i < n->sw.nr_preempt + n->sw.nr_resume; i++) {
		struct gp_entity *e = gp_entity_find(c->s, n->sw.id[i]);

		if (!e)
			continue;
		e->starved = false;
		gp_entity_set_state(c, e, GP_ENTITY_PREEMPTED);
	}
	gp_switch_forget(c);
	c->stats->nr_deadline++;
	gp_breaker_fail(c, GP_REPORT_SWITCH_DEADLINE);
}
