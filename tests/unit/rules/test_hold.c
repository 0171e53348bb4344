// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/hold.h"

#define BUDGET 4U
#define HOLDS 32U

static struct gp_holds set;
static struct gp_hold holds[HOLDS];
static u32 nr_holds;

static int setup(void **state)
{
	memset(holds, 0, sizeof(holds));
	nr_holds = 0;
	gp_holds_init(&set, BUDGET);
	return 0;
}

static struct gp_hold_target queue(u64 process, u64 id)
{
	return (struct gp_hold_target){ .process = process, .node = 1, .queue = id };
}

static struct gp_hold_target whole(u64 process)
{
	return queue(process, GP_HOLD_ALL);
}

static struct gp_hold *fill(struct gp_hold_target target, u64 owner, u64 user, u64 until_ns)
{
	struct gp_hold *h = &holds[nr_holds++];

	*h = (struct gp_hold){
		.target = target, .owner = owner, .user = user, .until_ns = until_ns,
	};
	return h;
}

static struct gp_hold *add(struct gp_hold_target target, u64 owner, u64 user, u64 until_ns)
{
	struct gp_hold *h = fill(target, owner, user, until_ns);

	assert_int_equal(gp_holds_add(&set, h), 0);
	return h;
}

static bool covers(struct gp_hold_target target)
{
	return gp_holds_covers(&set, &target);
}

static void second_holder_does_not_end_the_hold_of_the_first(void **state)
{
	struct gp_hold *a = add(whole(7), 1, 100, GP_HOLD_FOREVER);
	struct gp_hold *b = add(whole(7), 2, 200, 1000);

	assert_int_equal(gp_holds_nr_on(&set, &a->target), 2);
	gp_holds_drop(&set, b);
	assert_true(covers(whole(7)));
	assert_ptr_equal(gp_holds_find(&set, 1, &a->target), a);
	assert_int_equal(a->until_ns, GP_HOLD_FOREVER);
	gp_holds_drop(&set, a);
	assert_false(covers(whole(7)));
	assert_int_equal(gp_holds_nr(&set), 0);
}

static void owner_that_holds_again_has_one_hold(void **state)
{
	struct gp_hold *a = add(queue(7, 3), 1, 100, 1000);
	struct gp_hold *again = fill(queue(7, 3), 1, 100, 2000);

	assert_int_equal(gp_holds_add(&set, again), -EEXIST);
	gp_holds_renew(&set, a, 2000);
	assert_int_equal(gp_holds_nr(&set), 1);
	assert_int_equal(gp_holds_next_ns(&set), 2000);
	assert_null(gp_holds_expired(&set, 1999));
	assert_ptr_equal(gp_holds_expired(&set, 2000), a);
}

static void queue_is_held_with_its_process(void **state)
{
	struct gp_hold *a = add(queue(7, 3), 1, 100, 1000);
	struct gp_hold_target other_node = queue(7, 3);

	other_node.node = 2;
	assert_true(covers(queue(7, 3)));
	assert_false(covers(queue(7, 4)));
	assert_false(covers(whole(7)));
	assert_false(covers(other_node));
	add(whole(7), 1, 100, 1000);
	assert_true(covers(queue(7, 4)));
	assert_true(covers(whole(7)));
	assert_false(covers(queue(8, 3)));
	assert_false(covers(other_node));
	gp_holds_drop(&set, a);
	assert_true(covers(queue(7, 3)));
	/* What is named is counted, not what is covered. */
	assert_int_equal(gp_holds_nr_on(&set, &a->target), 0);
}

static void budget_is_per_user(void **state)
{
	struct gp_hold *one_more, *first = NULL;
	u64 i;

	for (i = 0; i < BUDGET; i++) {
		struct gp_hold *h = add(queue(7, i), i, 100, 1000);

		first = first ? first : h;
	}
	assert_int_equal(gp_holds_nr_of_user(&set, 100), BUDGET);
	one_more = fill(queue(7, BUDGET), 1, 100, 1000);
	assert_int_equal(gp_holds_add(&set, one_more), -ENOSPC);
	assert_int_equal(gp_holds_nr(&set), BUDGET);
	add(queue(7, BUDGET), 11, 101, 1000);
	add(queue(7, BUDGET), 12, 99, 1000);
	assert_int_equal(gp_holds_nr_of_user(&set, 101), 1);
	assert_int_equal(gp_holds_nr_of_user(&set, 100), BUDGET);
	gp_holds_drop(&set, first);
	assert_int_equal(gp_holds_nr_of_user(&set, 100), BUDGET - 1);
	assert_int_equal(gp_holds_add(&set, one_more), 0);
}

static void largest_numbers_are_counted_too(void **state)
{
	struct gp_hold *a = add(whole(U64_MAX), U64_MAX, U64_MAX, GP_HOLD_FOREVER);

	add(whole(U64_MAX), 0, U64_MAX, GP_HOLD_FOREVER);
	assert_int_equal(gp_holds_nr_on(&set, &a->target), 2);
	assert_int_equal(gp_holds_nr_of_user(&set, U64_MAX), 2);
	assert_ptr_equal(gp_holds_first_of(&set, U64_MAX), a);
	assert_null(gp_holds_next_of(a));
	gp_holds_drop(&set, a);
	assert_int_equal(gp_holds_nr_on(&set, &a->target), 1);
}

static void leases_end_in_their_order(void **state)
{
	struct gp_hold *late = add(queue(1, 1), 1, 100, 300);
	struct gp_hold *soon = add(queue(1, 2), 1, 100, 100);
	struct gp_hold *never = add(queue(1, 3), 1, 100, GP_HOLD_FOREVER);

	assert_int_equal(gp_holds_next_ns(&set), 100);
	assert_null(gp_holds_expired(&set, 99));
	assert_ptr_equal(gp_holds_expired(&set, U64_MAX), soon);
	gp_holds_drop(&set, soon);
	gp_holds_renew(&set, late, 50);
	assert_ptr_equal(gp_holds_expired(&set, 60), late);
	gp_holds_drop(&set, late);
	assert_int_equal(gp_holds_next_ns(&set), U64_MAX);
	assert_null(gp_holds_expired(&set, U64_MAX));
	gp_holds_drop(&set, never);
	assert_int_equal(gp_holds_next_ns(&set), U64_MAX);
}

static void owner_goes_with_all_its_holds(void **state)
{
	struct gp_hold *h;
	u32 nr = 0;

	add(queue(1, 1), 5, 100, 300);
	add(queue(2, 1), 5, 100, 300);
	add(queue(1, 1), 6, 100, 300);
	while ((h = gp_holds_first_of(&set, 5))) {
		assert_int_equal(h->owner, 5);
		gp_holds_drop(&set, h);
		nr++;
	}
	assert_int_equal(nr, 2);
	assert_true(covers(queue(1, 1)));
	assert_false(covers(queue(2, 1)));
}

static void holds_of_a_process_are_found_together(void **state)
{
	struct gp_hold *h, *all;
	u32 nr = 0;

	add(queue(1, 9), 5, 100, 300);
	all = add(whole(2), 5, 100, 300);
	add(queue(2, 1), 6, 101, 300);
	add(queue(2, 1), 5, 101, 300);
	add(queue(3, 1), 5, 101, 300);
	for (h = gp_holds_first_on(&set, 2, 1); h; h = gp_holds_next_on(h)) {
		assert_int_equal(h->target.process, 2);
		nr++;
		assert_true((nr == 3) == (h == all));
	}
	assert_int_equal(nr, 3);
	assert_null(gp_holds_first_on(&set, 2, 2));
	for (nr = 0, h = gp_holds_first(&set); h; h = gp_holds_next(h))
		nr++;
	assert_int_equal(nr, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(second_holder_does_not_end_the_hold_of_the_first, setup),
		cmocka_unit_test_setup(owner_that_holds_again_has_one_hold, setup),
		cmocka_unit_test_setup(queue_is_held_with_its_process, setup),
		cmocka_unit_test_setup(budget_is_per_user, setup),
		cmocka_unit_test_setup(largest_numbers_are_counted_too, setup),
		cmocka_unit_test_setup(leases_end_in_their_order, setup),
		cmocka_unit_test_setup(owner_goes_with_all_its_holds, setup),
		cmocka_unit_test_setup(holds_of_a_process_are_found_together, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
