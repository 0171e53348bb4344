// SPDX-License-Identifier: MIT
#include "rig.h"

#define DONE_AFTER_NS (30 * GP_US)

int rig_setup(void **state)
{
	struct gp_sched_config config = {
		.nr_nodes = 2,
		.max_entities = RIG_ENTITIES,
		.max_queues = 2 * RIG_ENTITIES,
		.max_shares = RIG_SHARES,
	};
	size_t size = gp_sched_size(&config);
	struct rig *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	r->mem = aligned_alloc(64, size);
	if (!r->mem || gp_sched_init(r->mem, size, &config, &r->s)) {
		free(r->mem);
		free(r);
		return -1;
	}
	r->now_ns = GP_SEC;
	r->timer_ns = U64_MAX;
	/* What is learned has tests of its own. */
	rig_param(r, "hysteresis_ns", 100 * GP_US);
	rig_param(r, "learn_gaps", 0);
	*state = r;
	return 0;
}

int rig_teardown(void **state)
{
	struct rig *r = *state;

	free(r->mem);
	free(r);
	return 0;
}

void rig_take(struct rig *r)
{
	const char *bad = gp_sched_check(r->s);
	u32 i;

	if (bad)
		fail_msg("%s", bad);
	for (i = 0; i < r->out.nr; i++) {
		const struct gp_action *a = &r->out.a[i];

		if (a->kind == GP_ACTION_SET_TIMER) {
			r->timer_ns = a->at_ns;
		} else if (a->kind == GP_ACTION_REPORT) {
			r->reports |= 1U << a->report;
		} else if (a->kind == GP_ACTION_SWITCH) {
			r->sw = r->out.sw;
			r->sw_start_ns = r->now_ns;
			r->in_flight = true;
			r->nr_switches++;
		}
	}
}

void rig_param(struct rig *r, const char *name, u64 value)
{
	assert_int_equal(gp_sched_param_set(r->s, 0, name, value, NULL), 0);
}

void rig_policy(struct rig *r, const char *name)
{
	assert_int_equal(gp_sched_set_policy(r->s, 0, name, r->now_ns, &r->out), 0);
	rig_take(r);
}

u32 rig_add_attr(struct rig *r, const struct gp_attr *attr)
{
	u32 e = r->nr++;

	assert_int_equal(gp_sched_entity_add(r->s, 0, attr, e, r->now_ns, &r->out, &r->id[e]), 0);
	rig_take(r);
	assert_int_equal(
		gp_sched_queue_add(r->s, r->id[e], e, r->now_ns, &r->out, &r->queue[e]), 0);
	rig_take(r);
	return e;
}

u32 rig_add(struct rig *r, u8 prio)
{
	struct gp_attr attr;

	gp_attr_default(&attr);
	attr.prio = prio;
	return rig_add_attr(r, &attr);
}

void rig_busy(struct rig *r, u32 e)
{
	assert_int_equal(gp_sched_queue_busy(r->s, r->queue[e], r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_idle(struct rig *r, u32 e)
{
	assert_int_equal(gp_sched_queue_idle(r->s, r->queue[e], r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_progress(struct rig *r, u32 e, u64 since_ns)
{
	assert_int_equal(
		gp_sched_queue_progress(r->s, r->queue[e], since_ns, r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_remove(struct rig *r, u32 e)
{
	assert_int_equal(gp_sched_entity_remove(r->s, r->id[e], r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_prio(struct rig *r, u32 e, u8 prio)
{
	struct gp_attr attr = rig_entity(r, e)->attr;

	attr.prio = prio;
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[e], &attr, r->now_ns, &r->out), 0);
	rig_take(r);
}

static void answer(struct rig *r, enum gp_result result)
{
	u8 results[RIG_ENTITIES];
	u32 nr = r->sw.nr_preempt + r->sw.nr_resume;
	u32 i;

	for (i = 0; i < nr; i++)
		results[i] = (u8)result;
	r->in_flight = false;
	assert_int_equal(
		gp_sched_switch_done(r->s, 0, r->sw.seq, results, nr, r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_done_with(struct rig *r, enum gp_result result)
{
	assert_true(r->in_flight);
	r->now_ns = max(r->now_ns, r->sw_start_ns + DONE_AFTER_NS);
	answer(r, result);
}

void rig_done(struct rig *r)
{
	rig_done_with(r, GP_RESULT_OK);
}

void rig_timer(struct rig *r)
{
	if (r->now_ns >= r->timer_ns)
		r->timer_ns = U64_MAX;
	assert_int_equal(gp_sched_timer(r->s, 0, r->now_ns, &r->out), 0);
	rig_take(r);
}

void rig_run(struct rig *r, u64 ns)
{
	u64 end_ns = r->now_ns + ns;

	for (;;) {
		u64 done_ns = r->in_flight && r->switch_ns ? r->sw_start_ns + r->switch_ns :
							     U64_MAX;

		if (min(done_ns, r->timer_ns) > end_ns)
			break;
		r->now_ns = max(r->now_ns, min(done_ns, r->timer_ns));
		if (done_ns <= r->timer_ns)
			answer(r, GP_RESULT_OK);
		else
			rig_timer(r);
	}
	r->now_ns = end_ns;
}

enum gp_entity_state rig_state(struct rig *r, u32 e)
{
	struct gp_entity_info info;

	assert_int_equal(gp_sched_entity_info(r->s, r->id[e], &info), 0);
	return info.state;
}

struct gp_entity *rig_entity(struct rig *r, u32 e)
{
	return &r->s->entity[(u32)r->id[e]];
}

u64 rig_ran(struct rig *r, u32 e)
{
	struct gp_entity_info info;

	/* Run times are known up to the last event. */
	rig_timer(r);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[e], &info), 0);
	return info.run_ns;
}

enum gp_breaker_state rig_breaker(struct rig *r)
{
	return rig_stats(r)->breaker;
}

const struct gp_node_stats *rig_stats(struct rig *r)
{
	return gp_sched_node_stats(r->s, 0);
}

bool rig_reported(struct rig *r, enum gp_report report)
{
	return r->reports & 1U << report;
}

bool rig_has_action(struct rig *r, enum gp_action_kind kind, u64 id)
{
	u32 i;

	for (i = 0; i < r->out.nr; i++)
		if (r->out.a[i].kind == kind && r->out.a[i].id == id)
			return true;
	return false;
}

void rig_forget(struct rig *r)
{
	r->reports = 0;
	r->nr_switches = 0;
}

bool rig_preempts(struct rig *r, u32 e)
{
	u32 i;

	for (i = 0; i < r->sw.nr_preempt; i++)
		if (r->sw.id[i] == r->id[e])
			return true;
	return false;
}

bool rig_resumes(struct rig *r, u32 e)
{
	u32 i;

	for (i = 0; i < r->sw.nr_resume; i++)
		if (r->sw.id[r->sw.nr_preempt + i] == r->id[e])
			return true;
	return false;
}
