// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/group.h"
#include "rules/right.h"

static struct gp_groups set;
static struct gp_group groups[8];

static int setup(void **state)
{
	memset(groups, 0, sizeof(groups));
	gp_groups_init(&set);
	return 0;
}

static struct gp_group_key key(u64 user, const char *name)
{
	struct gp_group_key k = { .user = user, .group = gp_group_number(name) };

	gp_attr_default(&k.attr);
	return k;
}

static void processes_of_a_group_are_one(void **state)
{
	struct gp_group_key a = key(1000, "train"), b = a;

	assert_true(gp_group_is_one(&a, &b));
	assert_null(gp_groups_find(&set, &a));
	groups[0].key = a;
	assert_int_equal(gp_groups_add(&set, &groups[0]), 0);
	assert_ptr_equal(gp_groups_find(&set, &b), &groups[0]);
	groups[1].key = b;
	assert_int_equal(gp_groups_add(&set, &groups[1]), -EEXIST);
	gp_groups_remove(&set, &groups[0]);
	assert_null(gp_groups_find(&set, &b));
}

/* The second process names the group of one that was raised. */
static void joining_makes_nothing_more_urgent(void **state)
{
	struct gp_group_key plain = key(1000, "g");
	struct gp_attr def = plain.attr;
	u32 i;

	for (i = 0; i < GP_ATTR_COUNT; i++) {
		struct gp_group_key raised = plain;
		const struct gp_attr other = {
			.prio = 12, .weight = 200, .slice_ns = 1, .deadline_ns = 1,
			.latency_critical = true, .no_preempt = true,
		};

		gp_attr_copy(&raised.attr, &other, 1U << i);
		assert_int_equal(gp_attr_differs(&raised.attr, &def), 1U << i);
		assert_false(gp_group_is_one(&plain, &raised));
		groups[i].key = raised;
		assert_int_equal(gp_groups_add(&set, &groups[i]), 0);
		assert_null(gp_groups_find(&set, &plain));
		assert_ptr_equal(gp_groups_find(&set, &raised), &groups[i]);
	}
}

static void group_belongs_to_its_user(void **state)
{
	struct gp_group_key a = key(1000, "g"), b = key(1001, "g"), c = key(1000, "h");

	assert_false(gp_group_is_one(&a, &b));
	assert_false(gp_group_is_one(&a, &c));
	groups[0].key = a;
	gp_groups_add(&set, &groups[0]);
	assert_null(gp_groups_find(&set, &b));
	assert_null(gp_groups_find(&set, &c));
}

static void some_are_entities_of_their_own(void **state)
{
	struct gp_group_key own[] = { key(1000, ""), key(GP_GROUP_NO_USER, "g"), key(1000, "g") };
	u32 i;

	own[2].is_alone = true;
	for (i = 0; i < 3; i++) {
		assert_false(gp_group_is_one(&own[i], &own[i]));
		groups[i].key = own[i];
		/* Two of a kind do not meet. */
		groups[3 + i].key = own[i];
		assert_int_equal(gp_groups_add(&set, &groups[i]), 0);
		assert_int_equal(gp_groups_add(&set, &groups[3 + i]), 0);
		assert_null(gp_groups_find(&set, &own[i]));
	}
	for (i = 0; i < 6; i++)
		gp_groups_remove(&set, &groups[i]);
	own[2].is_alone = false;
	assert_null(gp_groups_find(&set, &own[2]));
}

static void groups_are_in_the_order_of_their_users(void **state)
{
	struct gp_group_key of[] = { key(1000, "a"), key(1000, "a"), key(1000, "b"),
				     key(1002, "a") };
	struct gp_group *g;
	u32 i, nr = 0;

	of[1].attr.weight = 50;
	for (i = 0; i < 4; i++) {
		groups[i].key = of[i];
		assert_int_equal(gp_groups_add(&set, &groups[i]), 0);
	}
	for (g = gp_groups_from(&set, 0, 0); g; g = gp_groups_next(g))
		nr++;
	assert_int_equal(nr, 4);
	/* With the smaller weight; then the other one, of the same group. */
	g = gp_groups_from(&set, 1000, gp_group_number("a"));
	assert_ptr_equal(g, &groups[1]);
	assert_ptr_equal(gp_groups_next(g), &groups[0]);
	assert_ptr_equal(gp_groups_from(&set, 1001, 0), &groups[3]);
	assert_null(gp_groups_from(&set, 1003, 0));
	assert_null(gp_groups_next(&groups[3]));
}

static void names_have_numbers(void **state)
{
	assert_int_equal(gp_group_number(""), GP_GROUP_NONE);
	assert_int_not_equal(gp_group_number("a"), gp_group_number("b"));
	/* Known values of FNV-1a: the number is an ABI between daemon and module. */
	assert_int_equal(gp_group_number("a"), 0xaf63dc4c8601ec8cull);
	assert_int_equal(gp_group_number("foobar"), 0x85944171f73967e8ull);
	assert_int_not_equal(gp_group_number("\xc3\xa4"), gp_group_number("\xc3\xb6"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(processes_of_a_group_are_one, setup),
		cmocka_unit_test_setup(joining_makes_nothing_more_urgent, setup),
		cmocka_unit_test_setup(group_belongs_to_its_user, setup),
		cmocka_unit_test_setup(some_are_entities_of_their_own, setup),
		cmocka_unit_test_setup(groups_are_in_the_order_of_their_users, setup),
		cmocka_unit_test_setup(names_have_numbers, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
