// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/hist.h"

static struct gp_hist h;

static int setup(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	return 0;
}

static void empty_histogram_answers_zero(void **state)
{
	(void)state;
	assert_int_equal(gp_hist_percentile(&h, 500000), 0);
}

static void small_values_are_exact(void **state)
{
	u64 v;

	(void)state;
	for (v = 0; v < 128; v++) {
		setup(NULL);
		gp_hist_add(&h, v);
		gp_hist_add(&h, 1000000);
		assert_int_equal(gp_hist_percentile(&h, 500000), v);
	}
}

static void percentile_is_at_most_one_64th_above_and_never_below(void **state)
{
	u64 v = 1;
	u32 i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		u64 got;

		setup(NULL);
		gp_hist_add(&h, v);
		gp_hist_add(&h, U64_MAX);
		got = gp_hist_percentile(&h, 500000);
		assert_true(got >= v);
		assert_true(got - v <= v / 64);
		v = v + v / 70 + 1;
		if (v > U64_MAX / 2)
			break;
	}
}

static void percentiles_of_a_ramp(void **state)
{
	u64 v;

	(void)state;
	for (v = 1; v <= 10000; v++)
		gp_hist_add(&h, v);
	assert_in_range(gp_hist_percentile(&h, 500000), 5000, 5000 + 5000 / 64);
	assert_in_range(gp_hist_percentile(&h, 990000), 9900, 9900 + 9900 / 64);
	assert_int_equal(gp_hist_percentile(&h, 1000000), 10000);
	assert_int_equal(gp_hist_percentile(&h, 2000000), 10000);
	assert_int_equal(gp_hist_percentile(&h, 0), 1);
	assert_int_equal(h.sum, 10000 / 2 * 10001);
	assert_int_equal(h.min, 1);
	assert_int_equal(h.max, 10000);
}

static void extremes_do_not_overflow(void **state)
{
	(void)state;
	gp_hist_add(&h, U64_MAX);
	gp_hist_add(&h, U64_MAX);
	gp_hist_add(&h, 0);
	assert_int_equal(h.sum, U64_MAX);
	assert_int_equal(gp_hist_percentile(&h, 1000000), U64_MAX);
	assert_int_equal(gp_hist_percentile(&h, 1), 0);
}

static void small_one_is_at_most_an_eighth_above_and_never_below(void **state)
{
	struct gp_small_hist small, again;
	u64 v, got;

	(void)state;
	for (v = 1000; v < 60 * 1000000000ULL; v += v / 90) {
		memset(&small, 0, sizeof(small));
		gp_small_hist_add(&small, v);
		gp_small_hist_add(&small, U64_MAX);
		gp_small_hist_widen(&small, &h);
		got = gp_hist_percentile(&h, 500000);
		assert_true(got >= v);
		assert_true(got - v <= max(v / 8, (u64)24));
		gp_small_hist_narrow(&h, &again);
		assert_memory_equal(&again, &small, sizeof(small));
	}
}

static void small_histograms_add_up(void **state)
{
	struct gp_small_hist sum = { 0 }, one = { 0 };

	(void)state;
	gp_small_hist_add(&one, 5000);
	gp_small_hist_merge(&sum, &one);
	gp_small_hist_add(&one, 70000);
	gp_small_hist_merge(&sum, &one);
	gp_small_hist_widen(&sum, &h);
	assert_int_equal(h.nr, 3);
	assert_int_equal(h.sum, 80000);
	assert_int_equal(gp_hist_percentile(&h, 1000000), 70000);
	gp_small_hist_add(&sum, 0);
	gp_small_hist_widen(&sum, &h);
	assert_int_equal(h.nr, 4);
	assert_int_equal(gp_hist_percentile(&h, 250000), 0);
	gp_small_hist_narrow(&h, &one);
	assert_memory_equal(&one, &sum, sizeof(sum));
	assert_in_range(gp_hist_percentile(&h, 500000), 5000, 5000 * 9 / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(empty_histogram_answers_zero, setup),
		cmocka_unit_test_setup(small_values_are_exact, setup),
		cmocka_unit_test_setup(percentile_is_at_most_one_64th_above_and_never_below, setup),
		cmocka_unit_test_setup(percentiles_of_a_ramp, setup),
		cmocka_unit_test_setup(extremes_do_not_overflow, setup),
		cmocka_unit_test_setup(small_one_is_at_most_an_eighth_above_and_never_below, setup),
		cmocka_unit_test_setup(small_histograms_add_up, setup),
	};

	return cmocka_run_group_tests_name("core/hist", tests, NULL, NULL);
}
