// SPDX-License-Identifier: MIT
/* How long the GPU is not given back after the leader went idle, as past gaps suggest. */
#include "rig.h"

#define SWITCH_NS (50 * GP_US)
/* Shortest gap that pays: half as long again as two switches there and two back. */
#define PAYS_NS (3 * SWITCH_NS)

/* A leader that has learned what a switch costs, and one below it that always has work. */
static void start(struct rig *r, u32 *low, u32 *high)
{
	rig_param(r, "learn_gaps", 1);
	rig_param(r, "hysteresis_ns", GP_MS);
	r->switch_ns = SWITCH_NS;
	*low = rig_add(r, 3);
	*high = rig_add(r, 9);
	rig_busy(r, *low);
	rig_busy(r, *high);
	rig_run(r, GP_MS);
	assert_int_equal(rig_stats(r)->cost_ns, SWITCH_NS);
}

/* Requests of 60 us. Return: switches. */
static u32 requests(struct rig *r, u32 high, u32 nr, u64 gap_ns)
{
	u32 before = r->nr_switches;

	while (nr--) {
		rig_busy(r, high);
		rig_run(r, 60 * GP_US);
		rig_idle(r, high);
		rig_run(r, gap_ns);
	}
	return r->nr_switches - before;
}

static void gap_that_does_not_pay_costs_no_switch(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	requests(r, high, 2, PAYS_NS - GP_US);
	assert_int_equal(requests(r, high, 100, PAYS_NS - GP_US), 1);
	assert_state(r, low, PREEMPTED);
}

static void gap_that_pays_is_given_away_at_once(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	requests(r, high, 10, 2 * PAYS_NS);
	assert_int_equal(requests(r, high, 100, 2 * PAYS_NS), 200);
	rig_busy(r, high);
	rig_run(r, 60 * GP_US);
	rig_idle(r, high);
	assert_state(r, low, RESUMING);
}

static void long_gap_among_short_ones_is_found_by_waiting(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	for (i = 0; i < 10; i++) {
		/* One give-back and one preemption a burst, whatever the gaps within. */
		assert_in_range(requests(r, high, 31, 70 * GP_US), i ? 1 : 0, 1);
		assert_int_equal(requests(r, high, 1, 20 * GP_MS), 1);
	}
}

static void rare_short_gap_does_not_make_it_wait(void **state)
{
	struct rig *r = *state;
	u32 low, high;
	u32 i;

	start(r, &low, &high);
	requests(r, high, 10, 5 * GP_MS);
	for (i = 0; i < 10; i++) {
		requests(r, high, 1, 100 * GP_US);
		requests(r, high, 9, 5 * GP_MS);
	}
	rig_busy(r, high);
	rig_run(r, 60 * GP_US);
	rig_idle(r, high);
	assert_state(r, low, RESUMING);
}

static void another_of_the_same_level_ends_the_gap(void **state)
{
	struct rig *r = *state;
	u32 low, high, peer;
	u32 i;

	start(r, &low, &high);
	peer = rig_add(r, 9);
	rig_idle(r, high);
	rig_forget(r);
	/* Each has long gaps, both together have not. */
	for (i = 0; i < 50; i++) {
		requests(r, high, 1, 70 * GP_US);
		requests(r, peer, 1, 70 * GP_US);
	}
	assert_int_equal(r->nr_switches, 0);
}

static void lower_one_that_comes_does_not_end_it(void **state)
{
	struct rig *r = *state;
	u32 low, high, mid;
	u32 i;

	start(r, &low, &high);
	mid = rig_add(r, 5);
	for (i = 0; i < 20; i++) {
		requests(r, high, 1, 20 * GP_US);
		requests(r, mid, 1, 20 * GP_MS);
	}
	rig_busy(r, high);
	rig_run(r, 60 * GP_US);
	rig_idle(r, high);
	assert_state(r, low, RESUMING);
}

static void slow_mechanism_makes_it_wait_no_longer_than_allowed(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	rig_param(r, "hysteresis_ns", 300 * GP_US);
	rig_param(r, "deadline_ns", GP_SEC);
	r->switch_ns = 100 * GP_MS;
	requests(r, high, 10, 500 * GP_MS);
	assert_true(rig_stats(r)->cost_ns > 10 * GP_MS);
	requests(r, high, 50, 290 * GP_US);
	rig_run(r, GP_SEC);
	r->switch_ns = 0;
	if (r->in_flight)
		rig_done(r);
	rig_busy(r, high);
	if (r->in_flight)
		rig_done(r);
	rig_run(r, 60 * GP_US);
	rig_idle(r, high);
	rig_run(r, 300 * GP_US);
	assert_state(r, low, RESUMING);
}

static void without_learning_it_waits_as_long_as_told(void **state)
{
	struct rig *r = *state;
	u32 low, high;

	start(r, &low, &high);
	requests(r, high, 20, 10 * GP_MS);
	rig_param(r, "learn_gaps", 0);
	rig_param(r, "hysteresis_ns", 200 * GP_US);
	rig_busy(r, high);
	rig_run(r, 60 * GP_US);
	rig_idle(r, high);
	rig_run(r, 200 * GP_US - 1);
	assert_state(r, low, PREEMPTED);
	rig_run(r, 1);
	assert_state(r, low, RESUMING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(gap_that_does_not_pay_costs_no_switch),
		RIG_TEST(gap_that_pays_is_given_away_at_once),
		RIG_TEST(long_gap_among_short_ones_is_found_by_waiting),
		RIG_TEST(rare_short_gap_does_not_make_it_wait),
		RIG_TEST(another_of_the_same_level_ends_the_gap),
		RIG_TEST(lower_one_that_comes_does_not_end_it),
		RIG_TEST(slow_mechanism_makes_it_wait_no_longer_than_allowed),
		RIG_TEST(without_learning_it_waits_as_long_as_told),
	};

	return cmocka_run_group_tests_name("core/gap", tests, NULL, NULL);
}
