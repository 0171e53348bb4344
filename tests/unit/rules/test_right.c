// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uapi/linux/gpreempt.h"
#include "rules/right.h"

#define MS 1000000ull

static struct gp_attr attr(void)
{
	struct gp_attr a;

	gp_attr_default(&a);
	return a;
}

#define assert_excess(wish, most, mask) assert_int_equal(gp_right_excess(&(wish), &(most)), mask)

static void default_is_within_the_default(void **state)
{
	struct gp_attr a = attr(), def = a;

	assert_excess(a, a, 0);
	a.prio = 0;
	a.weight = 1;
	assert_excess(a, def, 0);
}

static void more_of_an_attribute_needs_the_right(void **state)
{
	struct gp_attr most = attr(), wish = most;

	wish.prio++;
	assert_excess(wish, most, GP_ATTR_PRIO);
	wish.weight++;
	assert_excess(wish, most, GP_ATTR_PRIO | GP_ATTR_WEIGHT);
	wish = most;
	wish.latency_critical = true;
	assert_excess(wish, most, GP_ATTR_LATENCY_CRITICAL);
	assert_excess(wish, wish, 0);
	assert_excess(most, wish, 0);
	wish = most;
	wish.no_preempt = true;
	assert_excess(wish, most, GP_ATTR_NO_PREEMPT);
	assert_excess(most, wish, 0);
}

static void deadline_is_urgency(void **state)
{
	struct gp_attr most = attr(), wish = most;

	wish.deadline_ns = 1;
	assert_excess(wish, most, GP_ATTR_DEADLINE);
	wish.deadline_ns = U64_MAX;
	assert_excess(wish, most, GP_ATTR_DEADLINE);
	most.deadline_ns = 20 * MS;
	wish.deadline_ns = 20 * MS;
	assert_excess(wish, most, 0);
	wish.deadline_ns = 20 * MS - 1;
	assert_excess(wish, most, GP_ATTR_DEADLINE);
	wish.deadline_ns = 21 * MS;
	assert_excess(wish, most, 0);
	wish.deadline_ns = 0;
	assert_excess(wish, most, 0);
}

static void slice_is_urgency(void **state)
{
	struct gp_attr most = attr(), wish = most;

	/* A default is not known here: nothing but itself is within it. */
	wish.slice_ns = 100000 * MS;
	assert_excess(wish, most, GP_ATTR_SLICE);
	wish.slice_ns = 1;
	assert_excess(wish, most, GP_ATTR_SLICE);
	most.slice_ns = 10 * MS;
	assert_excess(wish, most, 0);
	wish.slice_ns = 10 * MS;
	assert_excess(wish, most, 0);
	wish.slice_ns = 10 * MS + 1;
	assert_excess(wish, most, GP_ATTR_SLICE);
	wish.slice_ns = 0;
	assert_excess(wish, most, GP_ATTR_SLICE);
}

static void what_exceeds_every_limit_is_too_much(void **state)
{
	struct gp_attr def = attr(), class = def, old = def, wish = def;

	class.prio = 9;
	old.weight = 500;
	wish.prio = 9;
	wish.weight = 400;
	wish.deadline_ns = MS;
	assert_int_equal(gp_right_excess(&wish, &def) & gp_right_excess(&wish, &class) &
			 gp_right_excess(&wish, &old), GP_ATTR_DEADLINE);
	gp_attr_copy(&wish, &old, GP_ATTR_DEADLINE);
	assert_int_equal(wish.deadline_ns, 0);
	assert_int_equal(wish.prio, 9);
	assert_int_equal(wish.weight, 400);
}

/* Each bit stands for one attribute in every function. */
static void copy_takes_what_differs(void **state)
{
	const struct gp_attr from = {
		.prio = 3, .weight = 5, .slice_ns = 7, .deadline_ns = 11,
		.latency_critical = true, .no_preempt = true,
	};
	u32 mask;

	for (mask = 0; mask <= GP_ATTR_ALL; mask++) {
		struct gp_attr to = attr();

		gp_attr_copy(&to, &from, mask);
		assert_int_equal(gp_attr_differs(&to, &from), GP_ATTR_ALL & ~mask);
	}
}

static void bits_are_those_of_the_module(void **state)
{
	assert_int_equal(GP_ATTR_PRIO, GPREEMPT_ATTR_F_PRIO);
	assert_int_equal(GP_ATTR_WEIGHT, GPREEMPT_ATTR_F_WEIGHT);
	assert_int_equal(GP_ATTR_SLICE, GPREEMPT_ATTR_F_SLICE);
	assert_int_equal(GP_ATTR_DEADLINE, GPREEMPT_ATTR_F_DEADLINE);
	assert_int_equal(GP_ATTR_LATENCY_CRITICAL, GPREEMPT_ATTR_F_LATENCY_CRITICAL);
	assert_int_equal(GP_ATTR_NO_PREEMPT, GPREEMPT_ATTR_F_NO_PREEMPT);
}

static void names_say_what_is_too_much(void **state)
{
	assert_string_equal(gp_attr_name(GP_ATTR_DEADLINE | GP_ATTR_NO_PREEMPT), "deadline_ns");
	assert_string_equal(gp_attr_name(GP_ATTR_PRIO), "priority");
	assert_string_equal(gp_attr_name(0), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_is_within_the_default),
		cmocka_unit_test(more_of_an_attribute_needs_the_right),
		cmocka_unit_test(deadline_is_urgency),
		cmocka_unit_test(slice_is_urgency),
		cmocka_unit_test(what_exceeds_every_limit_is_too_much),
		cmocka_unit_test(copy_takes_what_differs),
		cmocka_unit_test(bits_are_those_of_the_module),
		cmocka_unit_test(names_say_what_is_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
