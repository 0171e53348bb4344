// SPDX-License-Identifier: MIT
#include "rules/elastic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct gp_elastic_gpu mi300x = { .nr_cus = 304, .nr_xcc = 8, .slack_ppm = 50000 };

static u32 shrink(enum gp_elastic mode, u32 need, u32 reserved, u32 issue_ppm, u32 memory_ppm)
{
	struct gp_elastic_attr attr = { .mode = mode };
	struct gp_elastic_gpu gpu = mi300x;

	gpu.issue_ppm = issue_ppm;
	gpu.memory_ppm = memory_ppm;
	return gp_elastic_shrink(&attr, &gpu, need, reserved);
}

static void it_has_what_the_others_do_not_need(void **state)
{
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 76, 0, 0, 0), 224);
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 80, 0, 0, 0), 224);
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 81, 0, 0, 0), 216);
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 304, 0, 0, 0), 0);
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 1000, 0, 0, 0), 0);
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 296, 0, 0, 0), 8);
	assert_int_equal(shrink(GP_ELASTIC_OFF, 8, 0, 0, 0), 0);
}

static void contention_is_weighed(void **state)
{
	/* 5 % of slack: at 10 % of loss beside a full GPU half of the GPU may be another's. */
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 0), 224);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 60000), 224);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 100000), 152);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 190000), 80);
	/* It would be 72: less than a quarter is not worth it. */
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 200000), 0);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 0, 10000000), 0);
	/* Crowded: 76 on 80 lose 0.7 of it, on 152 a quarter. */
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 50000, 0), 224);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 76, 0, 200000, 0), 152);
	/* It always shrinks, whatever that costs. */
	assert_int_equal(shrink(GP_ELASTIC_ALWAYS, 76, 0, 1000000, 1000000), 224);
}

static void reserved_cus_are_never_its_own(void **state)
{
	struct gp_elastic_attr attr = { .mode = GP_ELASTIC_AUTO };

	assert_int_equal(gp_elastic_most(&attr, &mi300x, 0), 304);
	assert_int_equal(gp_elastic_most(&attr, &mi300x, 40), 264);
	assert_int_equal(gp_elastic_most(&attr, &mi300x, 41), 256);
	assert_int_equal(gp_elastic_most(&attr, &mi300x, 304), 8);
	/* Within what is reserved nothing is weighed, whatever the contention. */
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 40, 40, 1000000, 1000000), 264);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 41, 40, 1000000, 1000000), 0);
	assert_int_equal(shrink(GP_ELASTIC_AUTO, 41, 40, 10000, 10000), 256);
}

static void floor_and_ceiling(void **state)
{
	struct gp_elastic_attr attr = { .mode = GP_ELASTIC_ALWAYS, .floor = 100, .ceiling = 150 };

	assert_int_equal(gp_elastic_most(&attr, &mi300x, 0), 144);
	assert_int_equal(gp_elastic_shrink(&attr, &mi300x, 8, 0), 144);
	assert_int_equal(gp_elastic_shrink(&attr, &mi300x, 200, 0), 104);
	assert_int_equal(gp_elastic_shrink(&attr, &mi300x, 201, 0), 0);
	attr.ceiling = 1;
	assert_int_equal(gp_elastic_most(&attr, &mi300x, 0), 8);
}

static void the_largest_kernel_counts(void **state)
{
	struct gp_elastic_fill fill = { 0 };
	u32 i;

	assert_int_equal(gp_elastic_need(&fill, &mi300x), 304);
	gp_elastic_learn(&fill, 20);
	assert_int_equal(gp_elastic_need(&fill, &mi300x), 20);
	gp_elastic_learn(&fill, 200);
	gp_elastic_learn(&fill, 10);
	assert_int_equal(gp_elastic_need(&fill, &mi300x), 200);
	for (i = 0; i < 710; i++)
		gp_elastic_learn(&fill, 10);
	assert_in_range(gp_elastic_need(&fill, &mi300x), 100, 110);
	for (i = 0; i < 100000; i++)
		gp_elastic_learn(&fill, 10);
	assert_in_range(gp_elastic_need(&fill, &mi300x), 10, 11);
	gp_elastic_learn(&fill, 70000);
	assert_int_equal(gp_elastic_need(&fill, &mi300x), 304);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_what_the_others_do_not_need),
		cmocka_unit_test(contention_is_weighed),
		cmocka_unit_test(reserved_cus_are_never_its_own),
		cmocka_unit_test(floor_and_ceiling),
		cmocka_unit_test(the_largest_kernel_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
