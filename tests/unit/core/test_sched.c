// SPDX-License-Identifier: MIT
#include "rig.h"

static void bad_attributes_and_nodes_are_refused(void **state)
{
	struct rig *r = *state;
	struct gp_attr attr;
	u32 e = rig_add(r, 5);
	u64 id;

	gp_attr_default(&attr);
	assert_int_equal(gp_sched_entity_add(r->s, 2, &attr, 0, 0, &r->out, &id), -EINVAL);
	attr.prio = GP_PRIO_MAX + 1;
	assert_int_equal(gp_sched_entity_add(r->s, 0, &attr, 0, 0, &r->out, &id), -EINVAL);
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[e], &attr, 0, &r->out), -EINVAL);
	gp_attr_default(&attr);
	attr.weight = 0;
	assert_int_equal(gp_sched_entity_add(r->s, 0, &attr, 0, 0, &r->out, &id), -EINVAL);
	attr.weight = GP_WEIGHT_MAX + 1;
	assert_int_equal(gp_sched_entity_add(r->s, 0, &attr, 0, 0, &r->out, &id), -EINVAL);
	assert_int_equal(gp_sched_timer(r->s, 2, 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_set_enabled(r->s, 2, true, 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_node_lost(r->s, 2, 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_node_back(r->s, 2, 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_set_policy(r->s, 2, "prio", 0, &r->out), -EINVAL);
	assert_int_equal(gp_sched_set_policy(r->s, 0, "nonsense", 0, &r->out), -ENOENT);
	assert_int_equal(r->out.nr, 0);
}

static void busy_and_idle_are_idempotent(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);

	rig_idle(r, e);
	assert_int_equal(r->out.nr, 0);
	rig_busy(r, e);
	assert_state(r, e, RUNNING);
	rig_busy(r, e);
	assert_int_equal(r->out.nr, 0);
	rig_idle(r, e);
	rig_idle(r, e);
	assert_int_equal(r->out.nr, 0);
	assert_state(r, e, IDLE);
}

static void clock_that_goes_back_stands_still(void **state)
{
	struct rig *r = *state;
	u32 e = rig_add(r, 5);
	struct gp_entity_info info;

	rig_busy(r, e);
	r->now_ns -= GP_MS;
	rig_idle(r, e);
	assert_int_equal(gp_sched_entity_info(r->s, r->id[e], &info), 0);
	assert_int_equal(info.run_ns, 0);
}

/* One that was part of another entity, which the scheduler had preempted. */
static u32 add_out(struct rig *r, u8 prio)
{
	struct gp_attr attr;
	u32 e = r->nr++;

	gp_attr_default(&attr);
	attr.prio = prio;
	assert_int_equal(
		gp_sched_entity_add_out(r->s, 0, &attr, e, r->now_ns, &r->out, &r->id[e]), 0);
	rig_take(r);
	assert_int_equal(
		gp_sched_queue_add(r->s, r->id[e], e, r->now_ns, &r->out, &r->queue[e]), 0);
	rig_take(r);
	return e;
}

static void entity_added_off_the_gpu_waits_for_a_switch(void **state)
{
	struct rig *r = *state;
	u32 high = rig_add(r, 9);
	u32 low;

	r->switch_ns = 20 * GP_US;
	rig_busy(r, high);
	low = add_out(r, 3);
	rig_busy(r, low);
	assert_state(r, low, PREEMPTED);
	assert_int_equal(rig_stats(r)->nr_out, 1);
	rig_run(r, 20 * GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_state(r, high, RUNNING);
	assert_int_equal(rig_stats(r)->nr_resumes, 0);
	rig_idle(r, high);
	rig_run(r, 20 * GP_MS);
	assert_state(r, low, RUNNING);
	assert_int_equal(rig_stats(r)->nr_resumes, 1);
	assert_int_equal(rig_stats(r)->nr_out, 0);
}

/* What has no work comes back with the next switch; here its work is told a moment later. */
static void entity_added_off_the_gpu_is_not_taken_for_idle(void **state)
{
	struct rig *r = *state;
	u32 other = rig_add(r, 5);
	u32 high = rig_add(r, 9);
	u32 low;

	r->switch_ns = 20 * GP_US;
	rig_busy(r, other);
	low = add_out(r, 3);
	assert_int_equal(r->nr_switches, 0);
	rig_busy(r, high);
	rig_run(r, 50 * GP_US);
	assert_state(r, other, PREEMPTED);
	assert_state(r, low, PREEMPTED);
	rig_busy(r, low);
	rig_run(r, 20 * GP_MS);
	assert_state(r, low, PREEMPTED);
	assert_int_equal(r->nr_switches, 1);
	rig_remove(r, low);
	assert_int_equal(rig_stats(r)->nr_out, 1);
}

/* It waits no longer than any other that the scheduler preempted. */
static void entity_added_off_the_gpu_does_not_starve(void **state)
{
	struct rig *r = *state;
	u32 high = rig_add(r, 9);
	u32 low;

	r->switch_ns = 20 * GP_US;
	rig_param(r, "max_wait_ns", 50 * GP_MS);
	rig_busy(r, high);
	low = add_out(r, 3);
	rig_busy(r, low);
	rig_run(r, 60 * GP_MS);
	assert_true(rig_reported(r, GP_REPORT_STARVATION));
	assert_true(rig_ran(r, low) > 0);
}

/* What it brings along is off the GPU, what comes later is not, though the timer is late. */
static void later_queue_of_one_added_off_the_gpu_is_stopped(void **state)
{
	struct rig *r = *state;
	u32 high = rig_add(r, 9);
	u32 low;
	u64 queue;

	rig_busy(r, high);
	low = add_out(r, 3);
	assert_false(r->in_flight);
	r->now_ns += 100 * GP_US;
	gp_sched_queue_add(r->s, r->id[low], low, r->now_ns, &r->out, &queue);
	rig_take(r);
	assert_true(r->in_flight && rig_preempts(r, low));
}

static void early_timer_is_set_again(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u64 at_ns;

	rig_busy(r, low);
	rig_busy(r, high);
	at_ns = r->timer_ns;
	r->now_ns = at_ns - 1;
	assert_int_equal(gp_sched_timer(r->s, 0, r->now_ns, &r->out), 0);
	/* The one-shot timer of the caller is spent, the deadline is not over. */
	assert_int_equal(r->out.nr, 1);
	assert_int_equal(r->out.a[0].kind, GP_ACTION_SET_TIMER);
	assert_int_equal(r->out.a[0].at_ns, at_ns);
	rig_take(r);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
}

static void timer_that_nobody_wants_is_not_set(void **state)
{
	struct rig *r = *state;

	rig_busy(r, rig_add(r, 3));
	assert_int_equal(gp_sched_timer(r->s, 0, r->now_ns, &r->out), 0);
	assert_int_equal(r->out.nr, 0);
}

static void any_event_after_the_deadline_opens_the_breaker(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	r->now_ns += 50 * GP_MS;
	/* Not even news: the queue is busy already. */
	rig_busy(r, high);
	assert_breaker(r, OPEN);
	assert_true(rig_reported(r, GP_REPORT_SWITCH_DEADLINE));
	assert_true(rig_resumes(r, low));
}

static void disabling_resumes_everything_and_preempts_nobody(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, false, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_true(rig_resumes(r, low));
	rig_done(r);
	assert_state(r, low, RUNNING);
	assert_state(r, high, RUNNING);
	rig_run(r, 10 * GP_SEC);
	assert_state(r, low, RUNNING);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, true, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_true(rig_preempts(r, low));
}

static void disabling_waits_for_the_switch_in_flight(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_forget(r);
	assert_int_equal(gp_sched_set_enabled(r->s, 0, false, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_int_equal(r->nr_switches, 0);
	rig_done(r);
	assert_state(r, low, RESUMING);
	rig_done(r);
	assert_state(r, low, RUNNING);
}

static void lost_node_loses_its_entities_and_comes_back_on_probation(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u8 ok = GP_RESULT_OK;
	u32 young, better;

	rig_busy(r, low);
	rig_busy(r, high);
	assert_int_equal(gp_sched_node_lost(r->s, 0, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_state(r, low, LOST);
	assert_state(r, high, LOST);
	assert_breaker(r, DEAD);
	assert_true(rig_reported(r, GP_REPORT_NODE_LOST));
	assert_int_equal(r->timer_ns, U64_MAX);
	assert_int_equal(gp_sched_switch_done(r->s, 0, r->sw.seq, &ok, 1, r->now_ns, &r->out),
			 -ESTALE);
	/* Their queues still answer, without any effect. */
	rig_idle(r, low);
	rig_busy(r, low);
	assert_int_equal(r->out.nr, 0);

	assert_int_equal(gp_sched_node_back(r->s, 0, r->now_ns, &r->out), 0);
	rig_take(r);
	assert_breaker(r, PROBATION);
	assert_true(rig_reported(r, GP_REPORT_NODE_BACK));
	assert_state(r, low, LOST);
	young = rig_add(r, 3);
	better = rig_add(r, 9);
	rig_busy(r, young);
	rig_busy(r, better);
	assert_true(rig_preempts(r, young));
	rig_remove(r, low);
}

static void nodes_do_not_disturb_each_other(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	struct gp_attr attr;
	u64 id, queue;

	gp_attr_default(&attr);
	attr.prio = 15;
	assert_int_equal(gp_sched_entity_add(r->s, 1, &attr, 0, r->now_ns, &r->out, &id), 0);
	assert_int_equal(gp_sched_queue_add(r->s, id, 0, r->now_ns, &r->out, &queue), 0);
	rig_busy(r, low);
	assert_int_equal(gp_sched_queue_busy(r->s, queue, r->now_ns, &r->out), 0);
	assert_int_equal(r->out.node, 1);
	assert_state(r, low, RUNNING);
	assert_int_equal(gp_sched_node_lost(r->s, 1, r->now_ns, &r->out), 0);
	assert_state(r, low, RUNNING);
	assert_breaker(r, CLOSED);
}

static u32 nr_traces[GP_TRACE_KIND_COUNT];

static void count_trace(void *data, const struct gp_trace *t)
{
	(void)data;
	assert_true(t->kind < GP_TRACE_KIND_COUNT);
	nr_traces[t->kind]++;
}

static void trace_hook_sees_events_transitions_and_actions(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	memset(nr_traces, 0, sizeof(nr_traces));
	r->s->config.trace = count_trace;
	low = rig_add(r, 3);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	assert_int_equal(nr_traces[GP_TRACE_EVENT_BUSY], 2);
	assert_int_equal(nr_traces[GP_TRACE_EVENT_SWITCH_DONE], 1);
	assert_int_equal(nr_traces[GP_TRACE_ACTION_SWITCH], 1);
	assert_int_equal(nr_traces[GP_TRACE_ACTION_ARM], 2);
	assert_int_equal(nr_traces[GP_TRACE_ACTION_DISARM], 2);
	/* low: waiting, running, preempting, preempted; high: waiting, running */
	assert_int_equal(nr_traces[GP_TRACE_STATE], 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(bad_attributes_and_nodes_are_refused),
		RIG_TEST(busy_and_idle_are_idempotent),
		RIG_TEST(clock_that_goes_back_stands_still),
		RIG_TEST(entity_added_off_the_gpu_waits_for_a_switch),
		RIG_TEST(entity_added_off_the_gpu_is_not_taken_for_idle),
		RIG_TEST(entity_added_off_the_gpu_does_not_starve),
		RIG_TEST(later_queue_of_one_added_off_the_gpu_is_stopped),
		RIG_TEST(early_timer_is_set_again),
		RIG_TEST(timer_that_nobody_wants_is_not_set),
		RIG_TEST(any_event_after_the_deadline_opens_the_breaker),
		RIG_TEST(disabling_resumes_everything_and_preempts_nobody),
		RIG_TEST(disabling_waits_for_the_switch_in_flight),
		RIG_TEST(lost_node_loses_its_entities_and_comes_back_on_probation),
		RIG_TEST(nodes_do_not_disturb_each_other),
		RIG_TEST(trace_hook_sees_events_transitions_and_actions),
	};

	return cmocka_run_group_tests_name("core/sched", tests, NULL, NULL);
}
