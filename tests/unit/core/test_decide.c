// SPDX-License-Identifier: MIT
#include "rig.h"

static void higher_priority_arrival_preempts_running_entity(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	assert_int_equal(r->nr_switches, 0);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
	assert_int_equal(r->sw.nr_resume, 0);
	assert_state(r, high, WAITING);
	rig_done(r);
	assert_state(r, high, RUNNING);
}

static void lower_priority_arrival_is_preempted_at_once(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, high);
	assert_state(r, high, RUNNING);
	rig_busy(r, low);
	assert_true(rig_preempts(r, low));
	assert_state(r, high, RUNNING);
}

static void idle_entities_are_never_preempted(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, high);
	assert_state(r, low, IDLE);
	assert_int_equal(r->nr_switches, 0);
}

static void decisions_during_a_switch_are_folded_into_the_next(void **state)
{
	struct rig *r = *state;
	u32 e[4] = { rig_add(r, 1), rig_add(r, 2), rig_add(r, 3), rig_add(r, 9) };

	rig_busy(r, e[0]);
	rig_busy(r, e[3]);
	assert_int_equal(r->nr_switches, 1);
	rig_busy(r, e[1]);
	rig_busy(r, e[2]);
	assert_int_equal(r->nr_switches, 1);
	rig_done(r);
	assert_int_equal(r->nr_switches, 2);
	assert_true(rig_preempts(r, e[1]) && rig_preempts(r, e[2]));
	/* Those the first switch was for run, although the next has begun. */
	assert_state(r, e[3], RUNNING);
}

static void any_number_of_victims_leaves_in_one_switch(void **state)
{
	struct rig *r = *state;
	u32 high;
	u32 i;

	for (i = 0; i < 100; i++)
		rig_busy(r, rig_add(r, 3));
	high = rig_add(r, 9);
	rig_busy(r, high);
	assert_int_equal(r->sw.nr_preempt, 100);
	rig_done(r);
	assert_false(r->in_flight);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	assert_int_equal(r->sw.nr_resume, 100);
	rig_done(r);
	assert_int_equal(r->nr_switches, 2);
	for (i = 0; i < 100; i++)
		assert_state(r, i, RUNNING);
}

static void queue_added_to_a_preempted_entity_is_stopped_too(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u64 queue;

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	assert_int_equal(gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue), 0);
	rig_take(r);
	assert_true(rig_preempts(r, low));
	assert_state(r, low, PREEMPTING);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_int_equal(rig_stats(r)->off_ns.nr, 0);
}

static void queue_added_during_the_preemption_is_stopped_after_it(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u64 queue;

	rig_busy(r, low);
	rig_busy(r, high);
	assert_int_equal(gp_sched_queue_add(r->s, r->id[low], 0, r->now_ns, &r->out, &queue), 0);
	rig_take(r);
	rig_done(r);
	assert_int_equal(r->nr_switches, 2);
	assert_true(rig_preempts(r, low));
	/* Refused: it is off but for the new queue, and is tried again after a pause. */
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, PREEMPTED);
	assert_int_equal(r->nr_switches, 2);
	rig_run(r, GP_MS);
	assert_int_equal(r->nr_switches, 3);
	assert_true(rig_preempts(r, low));
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_false(r->in_flight);
}

static void preempted_entity_without_work_waits_for_a_switch_to_share(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 mid = rig_add(r, 5);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	rig_idle(r, low);
	rig_run(r, GP_MS);
	assert_state(r, low, PREEMPTED);
	rig_busy(r, mid);
	assert_true(rig_preempts(r, mid) && rig_resumes(r, low));
	rig_done(r);
	assert_state(r, low, IDLE);
}

static void preempted_entity_without_work_comes_back_to_an_empty_gpu(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	rig_idle(r, low);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	assert_true(rig_resumes(r, low));
	rig_done(r);
	assert_state(r, low, IDLE);
}

static void raised_priority_brings_an_entity_back(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	rig_done(r);
	rig_prio(r, low, 12);
	assert_true(rig_resumes(r, low) && rig_preempts(r, high));
	rig_done(r);
	assert_state(r, low, RUNNING);
	assert_state(r, high, PREEMPTED);
}

static void timer_is_set_only_when_its_time_changes(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);
	u32 other = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	assert_true(rig_has_action(r, GP_ACTION_SET_TIMER, GP_ID_NONE));
	rig_busy(r, other);
	assert_false(rig_has_action(r, GP_ACTION_SET_TIMER, GP_ID_NONE));
}

static void entity_that_must_not_be_preempted_runs_beside_a_better_one(void **state)
{
	struct gp_attr attr;
	struct rig *r = *state;
	u32 pinned, low, high;

	gp_attr_default(&attr);
	assert_false(attr.no_preempt);
	attr.prio = 3;
	attr.no_preempt = true;
	pinned = rig_add_attr(r, &attr);
	low = rig_add(r, 3);
	high = rig_add(r, 9);
	r->switch_ns = 20 * GP_US;
	rig_busy(r, pinned);
	rig_busy(r, low);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
	assert_false(rig_preempts(r, pinned));
	/* Not even for one that starves. */
	rig_run(r, 3 * GP_SEC);
	assert_int_equal(rig_entity(r, pinned)->nr_preempted, 0);
	assert_true(rig_entity(r, low)->nr_resumed > 0);
	/* It counts like any other: with the best gone it is the one that leads. */
	rig_idle(r, high);
	rig_run(r, GP_MS);
	assert_state(r, low, RUNNING);
	attr.no_preempt = false;
	assert_int_equal(gp_sched_entity_set_attr(r->s, r->id[pinned], &attr, r->now_ns, &r->out),
			 0);
	rig_take(r);
	rig_busy(r, high);
	assert_true(rig_preempts(r, pinned) && rig_preempts(r, low));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(higher_priority_arrival_preempts_running_entity),
		RIG_TEST(lower_priority_arrival_is_preempted_at_once),
		RIG_TEST(idle_entities_are_never_preempted),
		RIG_TEST(decisions_during_a_switch_are_folded_into_the_next),
		RIG_TEST(any_number_of_victims_leaves_in_one_switch),
		RIG_TEST(queue_added_to_a_preempted_entity_is_stopped_too),
		RIG_TEST(queue_added_during_the_preemption_is_stopped_after_it),
		RIG_TEST(preempted_entity_without_work_waits_for_a_switch_to_share),
		RIG_TEST(preempted_entity_without_work_comes_back_to_an_empty_gpu),
		RIG_TEST(raised_priority_brings_an_entity_back),
		RIG_TEST(entity_that_must_not_be_preempted_runs_beside_a_better_one),
		RIG_TEST(timer_is_set_only_when_its_time_changes),
	};

	return cmocka_run_group_tests_name("core/decide", tests, NULL, NULL);
}
