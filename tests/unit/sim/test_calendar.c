// SPDX-License-Identifier: MIT
#include "sim/sim_calendar.h"
#include "sim/sim_mem.h"
#include "sim/sim_rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void events_come_out_in_time_order(void **state)
{
	struct gp_calendar c = { 0 };
	struct gp_rng rng;
	u64 last = 0;

	gp_rng_seed(&rng, 7);
	for (u32 i = 0; i < 10000; i++) {
		u64 at = gp_rng_below(&rng, 5000);

		assert_int_equal(gp_calendar_add(&c, at, GP_EV_PUMP, i, 0), 0);
	}
	for (u32 i = 0; i < 10000; i++) {
		struct gp_sim_event e = gp_calendar_pop(&c);

		assert_true(e.at_ns >= last);
		last = e.at_ns;
	}
	assert_true(gp_calendar_next(&c) == U64_MAX);
	gp_calendar_fini(&c);
}

static void equal_times_come_out_in_the_order_they_went_in(void **state)
{
	struct gp_calendar c = { 0 };

	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(gp_calendar_add(&c, i % 3, GP_EV_PUMP, i, 0), 0);
	for (u64 t = 0; t < 3; t++)
		for (u32 i = (u32)t; i < 1000; i += 3) {
			struct gp_sim_event e = gp_calendar_pop(&c);

			assert_int_equal(e.at_ns, t);
			assert_int_equal(e.who, i);
		}
	gp_calendar_fini(&c);
}

static void memory_outside_a_space_is_refused(void **state)
{
	struct gp_space a, b;
	u64 va;

	assert_int_equal(gp_space_init(&a, 1, 1 << 20), 0);
	assert_int_equal(gp_space_init(&b, 2, 1 << 20), 0);
	va = gp_space_alloc(&a, 100, 64);
	assert_non_null(gp_space_ptr(&a, va, 100));
	assert_null(gp_space_ptr(&a, va, 101));
	assert_null(gp_space_ptr(&a, va - 1, 1));
	assert_null(gp_space_ptr(&a, U64_MAX, 1));
	assert_null(gp_space_ptr(&b, va, 1));
	assert_int_equal(gp_space_alloc(&a, 1 << 20, 64), 0);
	gp_space_fini(&a);
	gp_space_fini(&b);
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
