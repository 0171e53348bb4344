// SPDX-License-Identifier: MIT
#include "test_support.h"

#include "run.h"

#include <string.h>

static void no_samples_give_zeros(void **state)
{
	struct gp_samples s = { 0 };
	struct gp_summary sum;

	assert_int_equal(gp_samples_summary(&s, &sum), 0);
	assert_int_equal(sum.nr, 0);
	assert_int_equal(sum.max, 0);
}

static void one_sample_is_every_percentile(void **state)
{
	struct gp_samples s = { 0 };
	struct gp_summary sum;

	assert_int_equal(gp_samples_add(&s, 7), 0);
	assert_int_equal(gp_samples_summary(&s, &sum), 0);
	assert_int_equal(sum.nr, 1);
	assert_int_equal(sum.mean, 7);
	assert_int_equal(sum.p50, 7);
	assert_int_equal(sum.p99, 7);
	assert_int_equal(sum.max, 7);
	gp_samples_fini(&s);
}

static void percentiles_are_nearest_ranks(void **state)
{
	struct gp_samples s = { 0 };
	struct gp_summary sum;

	/* 1..100 in an order that is not sorted */
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(gp_samples_add(&s, i * 37 % 100 + 1), 0);
	assert_int_equal(gp_samples_summary(&s, &sum), 0);
	assert_int_equal(sum.nr, 100);
	assert_int_equal(sum.mean, 50);
	assert_int_equal(sum.p50, 50);
	assert_int_equal(sum.p90, 90);
	assert_int_equal(sum.p99, 99);
	assert_int_equal(sum.max, 100);
	gp_samples_fini(&s);
}

static void samples_keep_their_order(void **state)
{
	struct gp_samples s = { 0 };
	struct gp_summary sum;

	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(gp_samples_add(&s, 1000 - i), 0);
	assert_int_equal(gp_samples_summary(&s, &sum), 0);
	assert_int_equal(s.ns[0], 1000);
	assert_int_equal(s.ns[999], 1);
	gp_samples_fini(&s);
	assert_null(s.ns);
	assert_int_equal(s.nr, 0);
}

static void the_mean_of_huge_values_does_not_overflow(void **state)
{
	struct gp_samples s = { 0 };
	struct gp_summary sum;

	for (int i = 0; i < 3; i++)
		assert_int_equal(gp_samples_add(&s, U64_MAX), 0);
	assert_int_equal(gp_samples_summary(&s, &sum), 0);
	assert_true(sum.mean == U64_MAX);
	gp_samples_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_samples_give_zeros),
		cmocka_unit_test(one_sample_is_every_percentile),
		cmocka_unit_test(percentiles_are_nearest_ranks),
		cmocka_unit_test(samples_keep_their_order),
		cmocka_unit_test(the_mean_of_huge_values_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
