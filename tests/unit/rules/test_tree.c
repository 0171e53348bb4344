// SPDX-License-Identifier: MIT
/*
 * The tree keeps its order, its counts and its height whatever comes and goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/tree.h"

#define NODES 1000U

struct item {
	struct gp_tree_node node;
	u64 key;
	bool is_in;
};

static struct item items[NODES];
static struct gp_tree tree;
static u64 seed;

static int by_key(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	u64 x = container_of(a, struct item, node)->key;
	u64 y = container_of(b, struct item, node)->key;

	return x < y ? -1 : x > y;
}

static int setup(void **state)
{
	memset(items, 0, sizeof(items));
	tree = (struct gp_tree){ .cmp = by_key };
	seed = 1;
	return 0;
}

static u32 random_below(u32 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % n;
}

/* Return: height. */
static u32 check(const struct gp_tree_node *n, const struct gp_tree_node *up, u32 *nr)
{
	u32 left, right, nr_left = 0, nr_right = 0;

	*nr = 0;
	if (!n)
		return 0;
	assert_ptr_equal(n->up, up);
	left = check(n->child[0], n, &nr_left);
	right = check(n->child[1], n, &nr_right);
	assert_true(left <= right + 1 && right <= left + 1);
	*nr = 1 + nr_left + nr_right;
	assert_int_equal(n->nr, *nr);
	assert_int_equal(n->height, 1 + max(left, right));
	return n->height;
}

static void check_all(u32 nr_in)
{
	const struct gp_tree_node *n, *before = NULL;
	u32 nr, i = 0;

	check(tree.root, NULL, &nr);
	assert_int_equal(nr, nr_in);
	assert_int_equal(gp_tree_nr(&tree), nr_in);
	for (n = gp_tree_first(&tree); n; n = gp_tree_next(n)) {
		assert_true(!before || by_key(before, n) < 0);
		assert_int_equal(gp_tree_rank(&tree, n), i++);
		before = n;
	}
	assert_int_equal(i, nr_in);
}

static void insert(u32 i, u64 key)
{
	items[i].key = key;
	assert_int_equal(gp_tree_insert(&tree, &items[i].node), 0);
	items[i].is_in = true;
}

static void random_changes_keep_it_a_tree(void **state)
{
	u32 i, step, nr = 0;

	for (step = 0; step < 20000; step++) {
		i = random_below(NODES);
		if (items[i].is_in) {
			gp_tree_remove(&tree, &items[i].node);
			assert_int_equal(items[i].node.height, 0);
			items[i].is_in = false;
			nr--;
		} else {
			insert(i, (u64)random_below(1U << 20) << 10 | i);
			nr++;
		}
		if (step % 97 == 0)
			check_all(nr);
	}
	check_all(nr);
}

static void sorted_keys_do_not_make_it_high(void **state)
{
	u32 i;

	for (i = 0; i < NODES; i++)
		insert(i, i);
	check_all(NODES);
	/* 1.45 * log2(1002) */
	assert_in_range(tree.root->height, 10, 14);
	for (i = 0; i < NODES - 1; i++) {
		gp_tree_remove(&tree, &items[i].node);
		if (i % 50 == 0)
			check_all(NODES - 1 - i);
	}
	check_all(1);
}

static void equal_key_is_refused(void **state)
{
	insert(0, 5);
	items[1].key = 5;
	assert_int_equal(gp_tree_insert(&tree, &items[1].node), -EEXIST);
	check_all(1);
}

static void key_finds_the_first_that_is_not_before(void **state)
{
	struct item key = { .key = 15 };

	assert_null(gp_tree_at_least(&tree, &key.node));
	insert(0, 10);
	insert(1, 20);
	insert(2, 30);
	assert_ptr_equal(gp_tree_at_least(&tree, &key.node), &items[1].node);
	assert_null(gp_tree_find(&tree, &key.node));
	assert_int_equal(gp_tree_rank(&tree, &key.node), 1);
	key.key = 20;
	assert_ptr_equal(gp_tree_find(&tree, &key.node), &items[1].node);
	key.key = 31;
	assert_null(gp_tree_at_least(&tree, &key.node));
	assert_int_equal(gp_tree_rank(&tree, &key.node), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(random_changes_keep_it_a_tree, setup),
		cmocka_unit_test_setup(sorted_keys_do_not_make_it_high, setup),
		cmocka_unit_test_setup(equal_key_is_refused, setup),
		cmocka_unit_test_setup(key_finds_the_first_that_is_not_before, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
