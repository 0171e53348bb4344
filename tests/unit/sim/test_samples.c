// SPDX-License-Identifier: MIT
#include "test_support.h"

#include "sim/sim_run.h"

#include <string.h>

static void no_samples_give_zeros(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_int_equal(sum.nr, 0);
	assert_int_equal(sum.max, 0);
}

static void one_sample_is_every_percentile(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	assert_int_equal(sim_samples_add(&s, 7), 0);
	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_int_equal(sum.nr, 1);
	assert_int_equal(sum.mean, 7);
	assert_int_equal(sum.p50, 7);
	assert_int_equal(sum.p99, 7);
	assert_int_equal(sum.max, 7);
	sim_samples_fini(&s);
}

static void percentiles_are_nearest_ranks(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	/* 1..100 in an order that is not sorted */
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(sim_samples_add(&s, i * 37 % 100 + 1), 0);
	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_int_equal(sum.nr, 100);
	assert_int_equal(sum.mean, 50);
	assert_int_equal(sum.p50, 50);
	assert_int_equal(sum.p90, 90);
	assert_int_equal(sum.p99, 99);
	assert_int_equal(sum.p999, 100);
	assert_int_equal(sum.max, 100);
	sim_samples_fini(&s);
}

static void the_last_of_a_thousand_is_beyond_the_tail(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(sim_samples_add(&s, i * 7 % 1000 + 1), 0);
	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_int_equal(sum.p99, 990);
	assert_int_equal(sum.p999, 999);
	assert_int_equal(sum.max, 1000);
	sim_samples_fini(&s);
}

static void samples_keep_their_order(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(sim_samples_add(&s, 1000 - i), 0);
	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_int_equal(s.ns[0], 1000);
	assert_int_equal(s.ns[999], 1);
	sim_samples_fini(&s);
	assert_null(s.ns);
	assert_int_equal(s.nr, 0);
}

static void the_mean_of_huge_values_does_not_overflow(void **state)
{
	struct sim_samples s = { 0 };
	struct sim_summary sum;

	for (int i = 0; i < 3; i++)
		assert_int_equal(sim_samples_add(&s, U64_MAX), 0);
	assert_int_equal(sim_samples_summary(&s, NULL, &sum), 0);
	assert_true(sum.mean == U64_MAX);
	sim_samples_fini(&s);
}

static struct sim_samples make(const u64 *ns, u64 nr)
{
	struct sim_samples s = { 0 };

	for (u64 i = 0; i < nr; i++)
		assert_int_equal(sim_samples_add(&s, ns[i]), 0);
	return s;
}

static struct sim_summary summary_of(const u64 *ended, u64 nr, const u64 *waiting, u64 nr_waiting)
{
	struct sim_samples e = make(ended, nr), w = make(waiting, nr_waiting);
	struct sim_summary sum;

	assert_int_equal(sim_samples_summary(&e, &w, &sum), 0);
	sim_samples_fini(&e);
	sim_samples_fini(&w);
	return sum;
}

/* Two of the first requests ended, all others wait for longer than those took. */
static void two_survivors_are_no_median(void **state)
{
	u64 ended[] = { 70, 140 }, waiting[] = { 150, 160, 170, 180 };
	struct sim_summary sum = summary_of(ended, 2, waiting, 4);

	assert_int_equal(sum.nr, 2);
	assert_true(sum.p50 == SIM_NEVER);
	assert_true(sum.p99 == SIM_NEVER);
	assert_true(sum.max == SIM_NEVER);
	assert_true(sum.mean == SIM_NEVER);
}

/* The control: the same two, and no other. */
static void two_of_two_are(void **state)
{
	u64 ended[] = { 140, 70 };
	struct sim_summary sum = summary_of(ended, 2, NULL, 0);

	assert_int_equal(sum.p50, 70);
	assert_int_equal(sum.p99, 140);
	assert_int_equal(sum.mean, 105);
}

/* A closed loop always has a request on the way when the run ends. */
static void who_has_just_come_says_nothing(void **state)
{
	u64 ended[] = { 40, 40, 40, 40, 40, 40 }, waiting[] = { 3, 39 };
	struct sim_summary sum = summary_of(ended, 6, waiting, 2);

	assert_int_equal(sum.p50, 40);
	assert_int_equal(sum.p99, 40);
	assert_int_equal(sum.max, 40);
	assert_int_equal(sum.mean, 40);
}

/* What is longer than 10, 20 and 30 is 3/4, 3/8 and nothing: of two that got beyond 15, one did. */
static void who_waits_counts_for_as_long_as_he_did(void **state)
{
	u64 ended[] = { 10, 20, 30 }, waiting[] = { 15 };
	struct sim_summary sum = summary_of(ended, 3, waiting, 1);

	assert_int_equal(sum.p50, 20);
	assert_int_equal(sum.p90, 30);
	assert_int_equal(sum.max, 30);
}

static void nobody_ended(void **state)
{
	u64 waiting[] = { 5 };
	struct sim_summary sum = summary_of(NULL, 0, waiting, 1);

	assert_int_equal(sum.nr, 0);
	assert_true(sum.p50 == SIM_NEVER);
	assert_true(sum.max == SIM_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_samples_give_zeros),
		cmocka_unit_test(one_sample_is_every_percentile),
		cmocka_unit_test(percentiles_are_nearest_ranks),
		cmocka_unit_test(the_last_of_a_thousand_is_beyond_the_tail),
		cmocka_unit_test(samples_keep_their_order),
		cmocka_unit_test(two_survivors_are_no_median),
		cmocka_unit_test(two_of_two_are),
		cmocka_unit_test(who_has_just_come_says_nothing),
		cmocka_unit_test(who_waits_counts_for_as_long_as_he_did),
		cmocka_unit_test(nobody_ended),
		cmocka_unit_test(the_mean_of_huge_values_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
