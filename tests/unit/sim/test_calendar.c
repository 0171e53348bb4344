// SPDX-License-Identifier: MIT
#include "sim/sim_calendar.h"
#include "sim/sim_mem.h"
#include "sim/sim_rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void events_come_out_in_time_order(void **state)
{
	struct sim_calendar c = { 0 };
	struct sim_rng rng;
	u64 last = 0;

	sim_rng_seed(&rng, 7);
	for (u32 i = 0; i < 10000; i++) {
		u64 at = sim_rng_below(&rng, 5000);

		assert_int_equal(sim_calendar_add(&c, at, SIM_EV_PUMP, i, 0), 0);
	}
	for (u32 i = 0; i < 10000; i++) {
		struct sim_event e = sim_calendar_pop(&c);

		assert_true(e.at_ns >= last);
		last = e.at_ns;
	}
	assert_true(sim_calendar_next(&c) == U64_MAX);
	sim_calendar_fini(&c);
}

static void equal_times_come_out_in_the_order_they_went_in(void **state)
{
	struct sim_calendar c = { 0 };

	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(sim_calendar_add(&c, i % 3, SIM_EV_PUMP, i, 0), 0);
	for (u64 t = 0; t < 3; t++)
		for (u32 i = (u32)t; i < 1000; i += 3) {
			struct sim_event e = sim_calendar_pop(&c);

			assert_int_equal(e.at_ns, t);
			assert_int_equal(e.index, i);
		}
	sim_calendar_fini(&c);
}

static void memory_outside_a_space_is_refused(void **state)
{
	struct sim_space a, b;
	u64 va;

	assert_int_equal(sim_space_init(&a, 1, 1 << 20), 0);
	assert_int_equal(sim_space_init(&b, 2, 1 << 20), 0);
	va = sim_space_alloc(&a, 100, 64);
	assert_non_null(sim_space_ptr(&a, va, 100));
	assert_null(sim_space_ptr(&a, va, 101));
	assert_null(sim_space_ptr(&a, va - 1, 1));
	assert_null(sim_space_ptr(&a, U64_MAX, 1));
	assert_null(sim_space_ptr(&b, va, 1));
	assert_int_equal(sim_space_alloc(&a, 1 << 20, 64), 0);
	sim_space_fini(&a);
	sim_space_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_out_in_time_order),
		cmocka_unit_test(equal_times_come_out_in_the_order_they_went_in),
		cmocka_unit_test(memory_outside_a_space_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
