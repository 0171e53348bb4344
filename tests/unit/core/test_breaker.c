// SPDX-License-Identifier: MIT
#include "core/guard.h"
#include "rig.h"

#define DEADLINE_NS (50 * GP_MS)
#define OPEN_NS (100 * GP_MS)

static void start(struct rig *r, u32 *low, u32 *high)
{
	*low = rig_add(r, 3);
	*high = rig_add(r, 9);
	rig_busy(r, *low);
	rig_busy(r, *high);
}

static void missed_deadline_opens_and_resumes_everything(void **state)
{
	u8 ok = GP_RESULT_OK;
	struct rig *r = *state;
	u32 low, high;
	u64 late;

	start(r, &low, &high);
	late = r->sw.seq;
	rig_run(r, DEADLINE_NS - 1);
	assert_breaker(r, CLOSED);
	rig_run(r, 1);
	assert_breaker(r, OPEN);
	assert_true(rig_reported(r, GP_REPORT_SWITCH_DEADLINE));
	assert_true(rig_reported(r, GP_REPORT_BREAKER_OPEN));
	assert_int_equal(rig_stats(r)->breaker_reason, GP_REPORT_SWITCH_DEADLINE);
	assert_int_equal(rig_stats(r)->nr_deadline, 1);
	assert_true(rig_resumes(r, low));
	assert_state(r, high, RUNNING);
	assert_int_equal(gp_sched_switch_done(r->s, 0, late, &ok, 1, r->now_ns, &r->out), -ESTALE);
	rig_done(r);
	assert_state(r, low, RUNNING);
}

static void nobody_is_preempted_while_open(void **state)
{
	struct rig *r = *state;
	u32 low, high, other;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	rig_done(r);
	other = rig_add(r, 1);
	rig_busy(r, other);
	assert_state(r, other, RUNNING);
	rig_forget(r);
	rig_run(r, OPEN_NS - GP_MS);
	assert_int_equal(r->nr_switches, 0);
	assert_breaker(r, OPEN);
}

static void probation_closes_after_good_switches(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	rig_done(r);
	rig_run(r, OPEN_NS);
	assert_breaker(r, PROBATION);
	assert_true(rig_reported(r, GP_REPORT_BREAKER_PROBATION));
	/* Preemption is tried again at once. */
	assert_true(rig_preempts(r, low));
	for (i = 0; i < 2; i++) {
		rig_done(r);
		assert_breaker(r, PROBATION);
		if (i == 0)
			rig_idle(r, high);
		rig_run(r, 100 * GP_US);
	}
	rig_busy(r, high);
	rig_run(r, 200 * GP_US);
	assert_true(r->in_flight);
	rig_done(r);
	assert_breaker(r, CLOSED);
	assert_true(rig_reported(r, GP_REPORT_BREAKER_CLOSED));
}

static void failure_on_probation_opens_for_twice_as_long(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u64 opened_ns;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	rig_done(r);
	rig_run(r, OPEN_NS);
	assert_breaker(r, PROBATION);
	rig_done_with(r, GP_RESULT_ERROR);
	assert_breaker(r, OPEN);
	assert_int_equal(rig_stats(r)->breaker_reason, GP_REPORT_SWITCH_ERROR);
	assert_state(r, low, RUNNING);
	opened_ns = r->now_ns;
	rig_run(r, 2 * OPEN_NS - 1);
	assert_breaker(r, OPEN);
	rig_run(r, 1);
	assert_breaker(r, PROBATION);
	assert_int_equal(r->now_ns, opened_ns + 2 * OPEN_NS);
}

static void open_time_has_a_cap(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 waited_ms;
	u32 i;

	rig_param(r, "open_max_ns", 300 * GP_MS);
	start(r, &low, &high);
	for (i = 0; i < 30; i++) {
		rig_run(r, DEADLINE_NS);
		assert_breaker(r, OPEN);
		rig_done(r);
		for (waited_ms = 0; rig_breaker(r) == GP_BREAKER_OPEN; waited_ms++)
			rig_run(r, GP_MS);
		assert_in_range(waited_ms, 99, 300);
	}
	assert_int_equal(waited_ms, 300);
}

static void errors_in_a_row_open_but_scattered_ones_do_not(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	for (i = 0; i < 2; i++) {
		rig_done_with(r, GP_RESULT_ERROR);
		assert_breaker(r, CLOSED);
		rig_run(r, 10 * GP_MS);
	}
	rig_done(r);
	assert_int_equal(r->s->node[0].nr_errors, 0);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	for (i = 0; i < 3; i++) {
		assert_breaker(r, CLOSED);
		rig_done_with(r, GP_RESULT_ERROR);
		rig_run(r, 20 * GP_MS);
	}
	assert_int_equal(rig_stats(r)->breaker_reason, GP_REPORT_SWITCH_ERROR);
	assert_true(rig_reported(r, GP_REPORT_BREAKER_OPEN));
	/* The one off the GPU is still tried, and comes back. */
	assert_state(r, low, RESUMING);
	rig_done(r);
	assert_state(r, low, RUNNING);
}

/* Two leave in one switch, one of them fails. */
static void fail_one_of_two(struct rig *r, u32 failing)
{
	u8 results[2] = { GP_RESULT_OK, GP_RESULT_OK };
	u32 low[2] = { rig_add(r, 3), rig_add(r, 3) };
	u32 high = rig_add(r, 9);

	rig_param(r, "breaker_errors", 1);
	rig_busy(r, low[0]);
	rig_busy(r, low[1]);
	rig_busy(r, high);
	assert_int_equal(r->sw.nr_preempt, 2);
	results[failing] = GP_RESULT_ERROR;
	assert_int_equal(gp_sched_switch_done(r->s, 0, r->sw.seq, results, 2, r->now_ns, &r->out),
			 0);
	assert_int_equal(rig_stats(r)->breaker_reason, GP_REPORT_SWITCH_ERROR);
	assert_breaker(r, OPEN);
}

static void error_of_the_first_member_counts(void **state)
{
	fail_one_of_two(*state, 0);
}

static void error_of_the_last_member_counts(void **state)
{
	fail_one_of_two(*state, 1);
}

static void missed_recovery_is_sent_again_with_more_patience(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	for (i = 0; i < 4; i++) {
		u64 seq = r->sw.seq;

		assert_true(rig_resumes(r, low));
		rig_run(r, (DEADLINE_NS << i) - 1);
		assert_int_equal(r->sw.seq, seq);
		rig_forget(r);
		rig_run(r, 1);
		assert_int_not_equal(r->sw.seq, seq);
		assert_true(rig_reported(r, GP_REPORT_SWITCH_DEADLINE));
		assert_breaker(r, OPEN);
	}
	rig_done(r);
	assert_state(r, low, RUNNING);
	assert_breaker(r, OPEN);
}

static void answer_after_the_deadline_counts_but_is_not_trusted(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	/* The caller's timer is late too. */
	r->now_ns += 2 * DEADLINE_NS;
	rig_done(r);
	assert_breaker(r, OPEN);
	assert_int_equal(rig_stats(r)->nr_deadline, 1);
	assert_true(rig_resumes(r, low));
}

static void probation_waits_until_everybody_is_back(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	for (i = 1; i < GP_REFUSALS_MAX; i++) {
		rig_done_with(r, GP_RESULT_BUSY);
		assert_breaker(r, OPEN);
		/* The pause, which doubles. */
		rig_run(r, GP_MS << (i - 1));
	}
	assert_breaker(r, OPEN);
	rig_done(r);
	assert_breaker(r, PROBATION);
	assert_state(r, low, RUNNING);
}

/* Answers all that is in flight: resumes of @stubborn with @refusal, the rest with ok. */
static void run_with_stubborn(struct rig *r, u64 ns, u32 stubborn, enum gp_result refusal)
{
	u64 end_ns = r->now_ns + ns;

	while (r->now_ns < end_ns) {
		if (r->in_flight)
			rig_done_with(r, rig_resumes(r, stubborn) ? refusal : GP_RESULT_OK);
		else
			rig_run(r, 100 * GP_US);
	}
}

static void check_stubborn(struct rig *r, enum gp_result refusal)
{
	u32 low, high, other;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	run_with_stubborn(r, 2 * GP_SEC, low, refusal);
	assert_int_not_equal(rig_breaker(r), GP_BREAKER_OPEN);
	rig_forget(r);
	/* All others are scheduled as ever, although it is still tried. */
	other = rig_add(r, 1);
	rig_busy(r, other);
	run_with_stubborn(r, 500 * GP_MS, low, refusal);
	assert_state(r, other, PREEMPTED);
	assert_false(rig_reported(r, GP_REPORT_BREAKER_OPEN));
	rig_idle(r, high);
	r->switch_ns = 20 * GP_US;
	rig_run(r, 100 * GP_MS);
	assert_state(r, low, RUNNING);
	assert_int_equal(r->s->node[0].nr_stubborn, 0);
}

static void entity_that_is_always_busy_does_not_keep_it_open(void **state)
{
	check_stubborn(*state, GP_RESULT_BUSY);
}

static void entity_that_always_fails_does_not_keep_it_open(void **state)
{
	check_stubborn(*state, GP_RESULT_ERROR);
}

static void stubborn_entity_can_be_removed(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_run(r, DEADLINE_NS);
	run_with_stubborn(r, GP_SEC, low, GP_RESULT_BUSY);
	assert_int_equal(r->s->node[0].nr_stubborn, 1);
	rig_remove(r, low);
	assert_int_equal(r->s->node[0].nr_stubborn, 0);
}

static void resumes_refused_again_and_again_open(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	for (i = 0; i < 4; i++) {
		assert_breaker(r, CLOSED);
		assert_true(rig_resumes(r, low));
		rig_done_with(r, GP_RESULT_BUSY);
		rig_run(r, 8 * GP_MS);
	}
	assert_true(rig_reported(r, GP_REPORT_BREAKER_OPEN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(missed_deadline_opens_and_resumes_everything),
		RIG_TEST(nobody_is_preempted_while_open),
		RIG_TEST(probation_closes_after_good_switches),
		RIG_TEST(failure_on_probation_opens_for_twice_as_long),
		RIG_TEST(open_time_has_a_cap),
		RIG_TEST(errors_in_a_row_open_but_scattered_ones_do_not),
		RIG_TEST(error_of_the_first_member_counts),
		RIG_TEST(error_of_the_last_member_counts),
		RIG_TEST(missed_recovery_is_sent_again_with_more_patience),
		RIG_TEST(answer_after_the_deadline_counts_but_is_not_trusted),
		RIG_TEST(probation_waits_until_everybody_is_back),
		RIG_TEST(entity_that_is_always_busy_does_not_keep_it_open),
		RIG_TEST(entity_that_always_fails_does_not_keep_it_open),
		RIG_TEST(stubborn_entity_can_be_removed),
		RIG_TEST(resumes_refused_again_and_again_open),
	};

	return cmocka_run_group_tests_name("core/breaker", tests, NULL, NULL);
}
