// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/act.h"
#include "core/sched_gang.h"

void gp_act_init(struct gp_act *a, struct gp_sched *sched, u32 node, const struct gp_act_ops *ops)
{
	memset(a, 0, sizeof(*a));
	a->sched = sched;
	a->node = node;
	a->ops = ops;
	a->results = gp_sched_results(sched, node);
	a->timer_ns = U64_MAX;
}

static u32 nr_members(const struct gp_act *a)
{
	return a->sw.nr_preempt + a->sw.nr_resume;
}

/* Return: it is over already. */
static bool begin(struct gp_act *a)
{
	if (a->is_switching && a->ops->drop)
		a->ops->drop(a);
	a->sw = a->acts.sw;
	memset(a->results, GP_RESULT_OK, nr_members(a));
	a->is_switching = true;
	a->is_switching = !a->ops->begin(a);
	return !a->is_switching;
}

static void set_timer(struct gp_act *a, u64 at_ns)
{
	a->timer_ns = at_ns;
	if (a->ops->set_timer)
		a->ops->set_timer(a);
}

/* Return: a switch has begun and is over. */
static bool carry_out(struct gp_act *a)
{
	bool is_over = false;
	u32 i;

	for (i = 0; i < a->acts.nr; i++) {
		const struct gp_action *action = &a->acts.a[i];

		switch (action->kind) {
		case GP_ACTION_SWITCH:
			is_over = begin(a);
			break;
		case GP_ACTION_SET_TIMER:
			set_timer(a, action->at_ns);
			break;
		case GP_ACTION_ARM:
		case GP_ACTION_DISARM:
			if (a->ops->watch)
				a->ops->watch(a, action->id, action->kind == GP_ACTION_ARM);
			break;
		case GP_ACTION_REPORT:
			if (a->ops->report)
				a->ops->report(a, action->report, action->id);
			break;
		}
	}
	/* Nothing is carried out twice. */
	a->acts.nr = 0;
	return is_over;
}

/* Tells the core of the end of the switch. Return: there is something to carry out. */
static bool tell_done(struct gp_act *a)
{
	a->is_switching = false;
	return !gp_sched_switch_done(a->sched, a->node, a->sw.seq, a->results, nr_members(a),
				     a->ops->now_ns(a), &a->acts);
}

void gp_act_run(struct gp_act *a)
{
	while (carry_out(a))
		if (!tell_done(a))
			break;
	if (a->ops->gang && gp_sched_has_gang_news(a->sched, a->node))
		a->ops->gang(a);
}

void gp_act_done(struct gp_act *a)
{
	if (a->is_switching && tell_done(a))
		gp_act_run(a);
}

void gp_act_timer(struct gp_act *a)
{
	u64 now_ns = a->ops->now_ns(a);

	if (now_ns < a->timer_ns)
		return;
	a->timer_ns = U64_MAX;
	gp_sched_timer(a->sched, a->node, now_ns, &a->acts);
	gp_act_run(a);
}
