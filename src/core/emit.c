// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/emit.h"
#include "core/entity.h"

/* In the first argument, between the attributes of a byte and the weight. */
#define OUT_SHIFT 31

static struct gp_trace record(const struct gp_call *c, enum gp_trace_kind kind, u64 id)
{
	return (struct gp_trace){
		.now_ns = c->now_ns,
		.id = id,
		.node = c->n->index,
		.kind = kind,
	};
}

static void give(const struct gp_call *c, const struct gp_trace *t)
{
	c->s->config.trace(c->s->config.trace_data, t);
}

void gp_trace_record(const struct gp_call *c, enum gp_trace_kind kind, u64 id, u64 arg0, u64 arg1)
{
	struct gp_trace t = record(c, kind, id);

	t.arg[0] = arg0;
	t.arg[1] = arg1;
	give(c, &t);
}

void gp_trace_emit_attr(const struct gp_call *c, enum gp_trace_kind kind, u64 id,
			const struct gp_attr *attr, u64 cookie, bool is_out)
{
	struct gp_trace t;

	if (!c->s->config.trace)
		return;
	t = record(c, kind, id);
	t.arg[0] = attr->prio | (u64)attr->latency_critical << 8 | (u64)attr->no_preempt << 9 |
		   (u64)is_out << OUT_SHIFT | (u64)attr->weight << 32;
	t.arg[1] = attr->slice_ns;
	t.arg[2] = attr->deadline_ns;
	t.arg[3] = cookie;
	give(c, &t);
}

void gp_trace_attr(const struct gp_trace *t, struct gp_attr *attr)
{
	*attr = (struct gp_attr){
		.prio = (u8)t->arg[0],
		.latency_critical = t->arg[0] >> 8 & 1,
		.no_preempt = t->arg[0] >> 9 & 1,
		.weight = (u32)(t->arg[0] >> 32),
		.slice_ns = t->arg[1],
		.deadline_ns = t->arg[2],
	};
}

bool gp_trace_is_out(const struct gp_trace *t)
{
	return t->arg[0] >> OUT_SHIFT & 1;
}

void gp_trace_emit_share(const struct gp_call *c, enum gp_trace_kind kind, u64 id,
			 const struct gp_share_attr *attr, u64 parent)
{
	struct gp_trace t;

	if (!c->s->config.trace)
		return;
	t = record(c, kind, id);
	t.arg[0] = attr->weight;
	t.arg[1] = attr->quota_ns;
	t.arg[2] = attr->period_ns;
	t.arg[3] = parent;
	give(c, &t);
}

void gp_trace_share(const struct gp_trace *t, struct gp_share_attr *attr)
{
	*attr = (struct gp_share_attr){
		.weight = (u32)t->arg[0],
		.quota_ns = t->arg[1],
		.period_ns = t->arg[2],
	};
}

void gp_trace_emit_done(const struct gp_call *c, const u8 *results)
{
	const struct gp_switch *sw = &c->n->sw;
	u32 nr = sw->nr_preempt + sw->nr_resume;
	u32 i;

	if (!c->s->config.trace)
		return;
	for (i = 0; i < nr; i++)
		if (results[i] != GP_RESULT_OK)
			gp_trace_record(c, GP_TRACE_EVENT_RESULT, sw->id[i], i,
					gp_result_checked(results[i]));
	gp_trace_record(c, GP_TRACE_EVENT_SWITCH_DONE, GP_ID_NONE, sw->seq, nr);
}

/* Whatever can be many is told in parts; see gp_emit_lost(). */
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

/* Beside these an event causes fewer than so many actions. */
#define ACTIONS_KEPT 8

void gp_emit_lost(struct gp_call *c)
{
	struct gp_entity *e;

	while ((e = gp_entity_listed(c, GP_LIST_UNTOLD))) {
		if (c->out->nr + ACTIONS_KEPT >= GP_ACTIONS_MAX) {
			c->n->more = true;
			return;
		}
		gp_entity_enlist(c, e, GP_LIST_NONE);
		gp_emit_report(c, GP_REPORT_ENTITY_LOST, gp_entity_id(c->s, e));
	}
}

void gp_emit_switch(struct gp_call *c)
{
	const struct gp_switch *sw = &c->n->sw;

	if (!next_action(c, GP_ACTION_SWITCH, GP_ID_NONE))
		return;
	c->out->sw = *sw;
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
