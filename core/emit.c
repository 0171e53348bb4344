// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "emit.h"

void gp_trace_emit(const struct gp_call *c, enum gp_trace_kind kind, u64 id, u64 arg0, u64 arg1)
{
	const struct gp_sched_config *config = &c->s->config;
	struct gp_trace t;

	if (!config->trace)
		return;
	t = (struct gp_trace){
		.now_ns = c->now_ns,
		.id = id,
		.arg = { arg0, arg1 },
		.node = c->n->index,
		.kind = kind,
	};
	config->trace(config->trace_data, &t);
}

/* The bound holds by construction; see GP_ACTIONS_MAX. */
static struct gp_action *next_action(struct gp_call *c, enum gp_action_kind kind, u64 id)
{
	struct gp_action *a;

	if (GP_WARN_ON(c->out->nr >= GP_ACTIONS_MAX))
		return NULL;
	a = &c->out->a[c->out->nr++];
	*a = (struct gp_action){ .kind = kind, .id = id };
	return a;
}

void gp_emit_arm(struct gp_call *c, u64 id, bool arm)
{
	next_action(c, arm ? GP_ACTION_ARM : GP_ACTION_DISARM, id);
	gp_trace_emit(c, arm ? GP_TRACE_ACTION_ARM : GP_TRACE_ACTION_DISARM, id, 0, 0);
}

void gp_emit_report(struct gp_call *c, enum gp_report report, u64 id)
{
	struct gp_action *a = next_action(c, GP_ACTION_REPORT, id);

	if (a)
		a->report = report;
	gp_trace_emit(c, GP_TRACE_ACTION_REPORT, id, report, 0);
}

void gp_emit_switch(struct gp_call *c)
{
	const struct gp_switch *sw = &c->n->sw;
	u32 nr = sw->nr_preempt + sw->nr_resume;

	if (!next_action(c, GP_ACTION_SWITCH, GP_ID_NONE))
		return;
	c->out->sw.seq = sw->seq;
	c->out->sw.nr_preempt = sw->nr_preempt;
	c->out->sw.nr_resume = sw->nr_resume;
	memcpy(c->out->sw.id, sw->id, nr * sizeof(sw->id[0]));
	gp_trace_emit(c, GP_TRACE_ACTION_SWITCH, GP_ID_NONE, sw->seq,
		      (u64)sw->nr_preempt << 32 | sw->nr_resume);
}

void gp_emit_timer(struct gp_call *c, u64 at_ns)
{
	struct gp_action *a;

	if (c->n->timer_ns == at_ns)
		return;
	a = next_action(c, GP_ACTION_SET_TIMER, GP_ID_NONE);
	if (a)
		a->at_ns = at_ns;
	c->n->timer_ns = at_ns;
	gp_trace_emit(c, GP_TRACE_ACTION_TIMER, GP_ID_NONE, at_ns, 0);
}
