// SPDX-License-Identifier: MIT
#include "test_support.h"

#include "sim/sim_arrival.h"

#define MS 1000000ull

static void uniform_keeps_its_period_and_phase(void **state)
{
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_UNIFORM, .period_ns = 10 * MS };
	struct sim_arrival_state a;

	sim_arrival_init(&a, &spec, 5 * MS, 3 * MS, 1);
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(sim_arrival_next(&a), (8 + 10 * i) * MS);
}

static void bursts_come_in_groups(void **state)
{
	struct sim_arrival spec = {
		.kind = SIM_ARRIVAL_BURST, .period_ns = 200 * MS, .burst = 4,
		.burst_gap_ns = 5 * MS,
	};
	struct sim_arrival_state a;

	sim_arrival_init(&a, &spec, 0, 0, 1);
	for (u64 b = 0; b < 10; b++) {
		for (u64 i = 0; i < 4; i++)
			assert_int_equal(sim_arrival_next(&a), (200 * b + 5 * i) * MS);
	}
}

static void poisson_has_its_mean_and_spread(void **state)
{
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_POISSON, .period_ns = 10 * MS };
	struct sim_arrival_state a;
	u64 last = 7 * MS, nr = 100000, longer = 0;
	double sum = 0;

	sim_arrival_init(&a, &spec, last, 0, 42);
	for (u64 i = 0; i < nr; i++) {
		u64 t = sim_arrival_next(&a);

		assert_true(t >= last);
		sum += (double)(t - last);
		longer += t - last > 10 * MS;
		last = t;
	}
	/* Mean 10 ms; the share of gaps longer than the mean is 1/e. */
	assert_in_range((u64)(sum / (double)nr), 99 * MS / 10, 101 * MS / 10);
	assert_in_range(longer * 1000 / nr, 362, 374);
}

static void seeds_differ_and_repeat(void **state)
{
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_POISSON, .period_ns = MS };
	struct sim_arrival_state a, b, c;
	bool differs = false;

	sim_arrival_init(&a, &spec, 0, 0, 1);
	sim_arrival_init(&b, &spec, 0, 0, 1);
	sim_arrival_init(&c, &spec, 0, 0, 2);
	for (int i = 0; i < 1000; i++) {
		u64 t = sim_arrival_next(&a);

		assert_int_equal(t, sim_arrival_next(&b));
		differs |= t != sim_arrival_next(&c);
	}
	assert_true(differs);
}

static void a_trace_repeats_one_mean_gap_after_its_end(void **state)
{
	u64 times[] = { 1 * MS, 2 * MS, 6 * MS, 7 * MS };
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_TRACE, .nr_trace = 4, .trace_ns = times };
	struct sim_arrival_state a;

	sim_arrival_init(&a, &spec, 100 * MS, 50 * MS, 1);
	for (u64 round = 0; round < 3; round++) {
		for (u32 i = 0; i < 4; i++)
			assert_int_equal(sim_arrival_next(&a),
					 100 * MS + round * 8 * MS + times[i]);
	}
}

static void a_trace_of_one_goes_on(void **state)
{
	u64 times[] = { 5 };
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_TRACE, .nr_trace = 1, .trace_ns = times };
	struct sim_arrival_state a;
	u64 last = 0;

	sim_arrival_init(&a, &spec, 0, 0, 1);
	for (int i = 0; i < 100; i++) {
		u64 t = sim_arrival_next(&a);

		assert_true(t > last);
		last = t;
	}
}

static void phases_stretch_and_press_the_time(void **state)
{
	/* 10 ms at 100 %, 10 ms without any, 10 ms at 400 % */
	struct sim_arrival spec = {
		.kind = SIM_ARRIVAL_UNIFORM,
		.period_ns = 5 * MS,
		.nr_phases = 3,
		.phases = { { 10 * MS, 1000000 }, { 10 * MS, 0 }, { 10 * MS, 4000000 } },
	};
	static const u64 us[] = {
		0,
		5000,
		20000,
		21250,
		22500,
		23750,
		25000,
		26250,
		27500,
		28750,
		30000,
		35000,
		50000,
	};
	struct sim_arrival_state a;

	sim_arrival_init(&a, &spec, 7 * MS, 0, 1);
	for (u32 i = 0; i < ARRAY_SIZE(us); i++)
		assert_int_equal(sim_arrival_next(&a), 7 * MS + us[i] * 1000);
}

static void a_rate_of_nothing_never_comes(void **state)
{
	struct sim_arrival spec = { .nr_phases = 1, .phases = { { MS, 0 } } };

	assert_true(sim_arrival_warp(&spec, 5) == U64_MAX);
	/* 1 ns of an even rate in a millisecond: beyond all times, and no sooner. */
	spec.phases[0].rate_ppm = 1;
	assert_int_equal(sim_arrival_warp(&spec, 5), 5 * MS);
	assert_true(sim_arrival_warp(&spec, U64_MAX - 1) == U64_MAX);
	spec.nr_phases = 0;
	assert_int_equal(sim_arrival_warp(&spec, 5), 5);
}

static void time_ends_without_wrapping(void **state)
{
	struct sim_arrival spec = { .kind = SIM_ARRIVAL_UNIFORM, .period_ns = U64_MAX / 2 };
	struct sim_arrival_state a;
	u64 last = 0;

	sim_arrival_init(&a, &spec, 10, 0, 1);
	for (int i = 0; i < 5; i++) {
		u64 t = sim_arrival_next(&a);

		assert_true(t >= last);
		last = t;
	}
	assert_true(last == U64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uniform_keeps_its_period_and_phase),
		cmocka_unit_test(bursts_come_in_groups),
		cmocka_unit_test(poisson_has_its_mean_and_spread),
		cmocka_unit_test(seeds_differ_and_repeat),
		cmocka_unit_test(a_trace_repeats_one_mean_gap_after_its_end),
		cmocka_unit_test(a_trace_of_one_goes_on),
		cmocka_unit_test(phases_stretch_and_press_the_time),
		cmocka_unit_test(a_rate_of_nothing_never_comes),
		cmocka_unit_test(time_ends_without_wrapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
