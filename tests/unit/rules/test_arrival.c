// SPDX-License-Identifier: MIT
/*
 * Requests: which is the oldest that is not completed, and when the scheduler is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/arrival.h"

#define MS ((u64)1000000)

static struct gp_arrivals r;
static u64 since;

static bool look(u64 rptr, u64 wptr, u64 ms)
{
	return gp_arrivals_look(&r, rptr, wptr, ms * MS, &since);
}

static int begin(void **state)
{
	memset(&r, 0, sizeof(r));
	gp_arrivals_begin(&r, 100 * MS);
	return 0;
}

static void first_request_came_with_the_edge(void **state)
{
	assert_false(look(0, 1, 105));
	assert_false(look(0, 3, 110));
	assert_true(look(1, 3, 120));
	assert_int_equal(since, 110 * MS);
	/* Once. */
	assert_false(look(2, 3, 130));
	assert_false(look(3, 3, 140));
	/* The queue did not become idle in between. */
	assert_true(look(3, 4, 150));
	assert_int_equal(since, 150 * MS);
}

static void too_many_count_as_the_newest(void **state)
{
	u64 i;

	for (i = 1; i <= 20; i++)
		assert_false(look(0, i, 100 + i));
	assert_true(look(5, 20, 200));
	assert_int_equal(since, 106 * MS);
	assert_true(look(7, 20, 210));
	assert_int_equal(since, 108 * MS);
	assert_false(look(19, 20, 220));
	assert_false(look(20, 20, 230));
}

static void own_packet_is_no_request(void **state)
{
	assert_false(look(0, 1, 105));
	gp_arrivals_own(&r, 2);
	assert_false(look(1, 2, 110));
	assert_false(look(2, 2, 120));
	gp_arrivals_own(&r, 3);
	assert_false(look(2, 3, 130));
}

static void nothing_is_told_too_often(void **state)
{
	assert_false(look(0, 1, 101));
	assert_false(look(0, 2, 102));
	assert_false(look(0, 3, 103));
	assert_true(look(1, 3, 104));
	assert_false(gp_arrivals_look(&r, 2, 3, 104 * MS + 1, &since));
	assert_true(look(2, 3, 105));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(first_request_came_with_the_edge, begin),
		cmocka_unit_test_setup(too_many_count_as_the_newest, begin),
		cmocka_unit_test_setup(own_packet_is_no_request, begin),
		cmocka_unit_test_setup(nothing_is_told_too_often, begin),
	};

	return cmocka_run_group_tests_name("rules/arrival", tests, NULL, NULL);
}
