// SPDX-License-Identifier: MIT
#include "rig.h"

/* low runs, high arrives: a switch that preempts low is in flight. */
static void start(struct rig *r, u32 *low, u32 *high)
{
	*low = rig_add(r, 3);
	*high = rig_add(r, 9);
	rig_busy(r, *low);
	rig_busy(r, *high);
}

static void gone_victim_is_lost_and_reported(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done_with(r, GP_RESULT_GONE);
	assert_state(r, low, LOST);
	assert_true(rig_has_action(r, GP_ACTION_REPORT, r->id[low]));
	assert_true(rig_reported(r, GP_REPORT_ENTITY_LOST));
	assert_state(r, high, RUNNING);
	assert_int_equal(rig_stats(r)->nr_failed, 1);
}

static void many_lost_at_once_are_all_reported(void **state)
{
	struct rig *r = *state;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < 100; i++)
		rig_busy(r, rig_add(r, 3));
	rig_busy(r, rig_add(r, 9));
	rig_done_with(r, GP_RESULT_GONE);
	for (i = 0; i < r->out.nr; i++)
		nr += r->out.a[i].kind == GP_ACTION_REPORT;
	/* The rest follows at once. */
	assert_in_range(nr, 1, 99);
	assert_int_equal(r->timer_ns, r->now_ns);
	rig_timer(r);
	for (i = 0; i < r->out.nr; i++)
		nr += r->out.a[i].kind == GP_ACTION_REPORT;
	assert_int_equal(nr, 100);
	assert_int_equal(r->timer_ns, U64_MAX);
}

static void lost_entity_that_is_removed_is_not_reported(void **state)
{
	struct rig *r = *state;
	u32 i;

	for (i = 0; i < 100; i++)
		rig_busy(r, rig_add(r, 3));
	rig_busy(r, rig_add(r, 9));
	rig_done_with(r, GP_RESULT_GONE);
	for (i = 0; i < 100; i++)
		rig_remove(r, i);
	rig_timer(r);
	assert_int_equal(r->out.nr, 0);
}

static void busy_victim_goes_on_and_is_tried_again_after_a_pause(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, RUNNING);
	assert_false(r->in_flight);
	rig_run(r, GP_MS - 1);
	assert_int_equal(r->nr_switches, 1);
	rig_run(r, 1);
	assert_int_equal(r->nr_switches, 2);
	assert_true(rig_preempts(r, low));
	/* Refused again: twice the pause. */
	rig_done_with(r, GP_RESULT_BUSY);
	rig_run(r, 2 * GP_MS - 1);
	assert_int_equal(r->nr_switches, 2);
	rig_run(r, 1);
	rig_done(r);
	assert_state(r, low, PREEMPTED);
	assert_breaker(r, CLOSED);
}

static void busy_newcomer_goes_back_to_waiting(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, high);
	rig_busy(r, low);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, WAITING);
}

static void refused_victim_whose_work_ended_is_idle(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_idle(r, low);
	assert_state(r, low, PREEMPTING);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, IDLE);
}

static void busy_resume_stays_preempted_and_is_tried_again(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	assert_state(r, low, RESUMING);
	rig_done_with(r, GP_RESULT_BUSY);
	assert_state(r, low, PREEMPTED);
	rig_run(r, GP_MS);
	assert_state(r, low, RESUMING);
	rig_done(r);
	assert_state(r, low, RUNNING);
}

static void gone_resume_is_lost(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_done_with(r, GP_RESULT_GONE);
	assert_state(r, low, LOST);
	assert_int_equal(r->timer_ns, U64_MAX);
}

static void entity_whose_work_ended_off_the_gpu_comes_back_idle(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_idle(r, low);
	rig_done(r);
	assert_state(r, low, IDLE);
}

static void removed_member_is_ignored(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_remove(r, low);
	rig_done_with(r, GP_RESULT_ERROR);
	assert_state(r, high, RUNNING);
	assert_int_equal(rig_stats(r)->nr_failed, 0);
}

static void wrong_answers_are_refused(void **state)
{
	u8 ok[2] = { GP_RESULT_OK, GP_RESULT_OK };
	struct rig *r = *state;
	u32 low, high;
	u64 seq;

	start(r, &low, &high);
	seq = r->sw.seq;
	assert_int_equal(gp_sched_switch_done(r->s, 2, seq, ok, 1, r->now_ns, &r->out), -EINVAL);
	assert_int_equal(gp_sched_switch_done(r->s, 0, seq, ok, 2, r->now_ns, &r->out), -EINVAL);
	assert_int_equal(gp_sched_switch_done(r->s, 0, seq + 1, ok, 1, r->now_ns, &r->out),
			 -ESTALE);
	assert_int_equal(gp_sched_switch_done(r->s, 0, 0, ok, 1, r->now_ns, &r->out), -ESTALE);
	assert_state(r, low, PREEMPTING);
	rig_done(r);
	assert_int_equal(gp_sched_switch_done(r->s, 0, seq, ok, 1, r->now_ns, &r->out), -ESTALE);
}

static void unknown_result_counts_as_an_error(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done_with(r, (enum gp_result)77);
	assert_state(r, low, RUNNING);
	assert_int_equal(r->s->node[0].nr_errors, 1);
}

static void statistics_count_switches_and_members(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_done(r);
	assert_int_equal(rig_stats(r)->nr_switches, 1);
	assert_int_equal(rig_stats(r)->nr_preemptions, 1);
	assert_int_equal(rig_stats(r)->switch_ns.nr, 1);
	assert_int_equal(rig_stats(r)->switch_ns.max, 30 * GP_US);
	assert_int_equal(rig_stats(r)->nr_entities, 2);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_done(r);
	assert_int_equal(rig_stats(r)->nr_resumes, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(gone_victim_is_lost_and_reported),
		RIG_TEST(many_lost_at_once_are_all_reported),
		RIG_TEST(lost_entity_that_is_removed_is_not_reported),
		RIG_TEST(busy_victim_goes_on_and_is_tried_again_after_a_pause),
		RIG_TEST(busy_newcomer_goes_back_to_waiting),
		RIG_TEST(refused_victim_whose_work_ended_is_idle),
		RIG_TEST(busy_resume_stays_preempted_and_is_tried_again),
		RIG_TEST(gone_resume_is_lost),
		RIG_TEST(entity_whose_work_ended_off_the_gpu_comes_back_idle),
		RIG_TEST(removed_member_is_ignored),
		RIG_TEST(wrong_answers_are_refused),
		RIG_TEST(unknown_result_counts_as_an_error),
		RIG_TEST(statistics_count_switches_and_members),
	};

	return cmocka_run_group_tests_name("core/switch", tests, NULL, NULL);
}
