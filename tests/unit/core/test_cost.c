// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/guard.h"

/* Teaches the node a switch cost of 30 us and @e a burst length. */
static void teach(struct rig *r, u32 e, u64 burst_ns)
{
	u32 high = rig_add(r, 15);
	u32 i;

	rig_busy(r, e);
	rig_busy(r, high);
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	rig_done(r);
	rig_idle(r, e);
	rig_remove(r, high);
	rig_run(r, GP_MS);
	for (i = 0; i < 100; i++) {
		rig_busy(r, e);
		rig_run(r, burst_ns);
		rig_idle(r, e);
		rig_run(r, GP_MS);
	}
	rig_forget(r);
}

static void cost_follows_completed_switches(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high = rig_add(r, 9);

	rig_busy(r, low);
	rig_busy(r, high);
	assert_int_equal(rig_stats(r)->cost_ns, 0);
	rig_done(r);
	assert_int_equal(rig_stats(r)->cost_ns, 30 * GP_US);
}

static void victim_about_to_finish_is_left_to_finish(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 190 * GP_US);
	rig_busy(r, high);
	assert_int_equal(r->nr_switches, 0);
	assert_int_equal(rig_stats(r)->nr_left_to_finish, 1);
	assert_state(r, high, RUNNING);
	rig_run(r, 10 * GP_US - 1);
	rig_idle(r, low);
	assert_int_equal(r->nr_switches, 0);
	/* Back while another has the GPU: no grace this time. */
	rig_busy(r, low);
	assert_true(rig_preempts(r, low));
}

static void spared_victim_that_goes_on_is_preempted_at_its_expected_end(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 190 * GP_US);
	rig_busy(r, high);
	rig_run(r, 10 * GP_US + 200);
	assert_int_equal(r->nr_switches, 1);
	assert_true(rig_preempts(r, low));
	assert_int_equal(rig_stats(r)->nr_left_to_finish, 1);
}

/* It was left to finish, did not, was preempted, and then refused to come back. */
static void refusal_of_one_that_was_spared_outlasts_its_work(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 190 * GP_US);
	rig_busy(r, high);
	rig_run(r, 10 * GP_US + 200);
	assert_true(rig_preempts(r, low));
	rig_done(r);
	rig_idle(r, high);
	rig_run(r, 100 * GP_US);
	assert_true(rig_resumes(r, low));
	rig_done_with(r, GP_RESULT_BUSY);
	rig_idle(r, low);
	assert_false(r->in_flight);
	rig_run(r, 1 * GP_MS);
	assert_true(r->in_flight);
	assert_true(rig_resumes(r, low));
}

static void victim_with_much_left_is_preempted(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 100 * GP_US);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
}

static void victim_that_has_outlived_its_average_is_preempted(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 300 * GP_US);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
}

static void sparing_can_be_switched_off(void **state)
{
	struct rig *r = *state;
	u32 low = rig_add(r, 3);
	u32 high;

	teach(r, low, 200 * GP_US);
	rig_param(r, "spare_victims", 0);
	high = rig_add(r, 9);
	rig_busy(r, low);
	rig_run(r, 190 * GP_US);
	rig_busy(r, high);
	assert_true(rig_preempts(r, low));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(cost_follows_completed_switches),
		RIG_TEST(victim_about_to_finish_is_left_to_finish),
		RIG_TEST(spared_victim_that_goes_on_is_preempted_at_its_expected_end),
		RIG_TEST(refusal_of_one_that_was_spared_outlasts_its_work),
		RIG_TEST(victim_with_much_left_is_preempted),
		RIG_TEST(victim_that_has_outlived_its_average_is_preempted),
		RIG_TEST(sparing_can_be_switched_off),
	};

	return cmocka_run_group_tests_name("core/cost", tests, NULL, NULL);
}
