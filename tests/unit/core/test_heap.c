// SPDX-License-Identifier: MIT
#include "rig.h"

#include "core/heap.h"

#define ITEMS 300U
#define CHUNKS (ITEMS / GP_HEAP_CHUNK + 4)

/**
 * struct heaps - a pool with two heaps, and what they should hold
 * @p: pool
 * @h: heaps
 * @where: heap of each item, 2 = none
 * @key: key of each item
 */
struct heaps {
	struct gp_heap_pool p;
	struct gp_heap h[2];
	u32 where[ITEMS];
	u64 key[ITEMS];
	struct gp_heap_entry entry[CHUNKS * GP_HEAP_CHUNK] __attribute__((aligned(64)));
	u32 pos[ITEMS];
	u16 free[CHUNKS];
	u16 chunk[2][CHUNKS];
};

static struct heaps heaps;

static int setup(void **state)
{
	u32 i;

	memset(&heaps, 0, sizeof(heaps));
	heaps.p.entry = heaps.entry;
	heaps.p.pos = heaps.pos;
	heaps.p.free = heaps.free;
	gp_heap_pool_init(&heaps.p, ITEMS, CHUNKS);
	for (i = 0; i < 2; i++)
		heaps.h[i].chunk = heaps.chunk[i];
	for (i = 0; i < ITEMS; i++)
		heaps.where[i] = 2;
	*state = &heaps;
	return 0;
}

static void put(struct heaps *s, u32 h, u32 item, u64 key)
{
	struct gp_heap_entry e = { .key = key, .tie = item, .item = item };

	gp_heap_insert(&s->p, &s->h[h], &e);
	s->where[item] = h;
	s->key[item] = key;
}

static void assert_is_heap(struct heaps *s, u32 h)
{
	u32 i;

	for (i = 0; i < s->h[h].nr; i++) {
		const struct gp_heap_entry *e = gp_heap_at(&s->p, &s->h[h], i);

		assert_int_equal(s->where[e->item], h);
		assert_int_equal(s->key[e->item], e->key);
		assert_int_equal(s->pos[e->item], i);
		if (i)
			assert_false(gp_heap_is_before(
				e, gp_heap_at(&s->p, &s->h[h], (i - 1) / 4)));
	}
}

static void items_come_out_in_order(void **state)
{
	struct heaps *s = *state;
	u64 last = 0;
	u32 i;

	for (i = 0; i < ITEMS; i++)
		put(s, 0, i, (i * 7919U) % 1000);
	for (i = 0; i < ITEMS; i++) {
		const struct gp_heap_entry *top = gp_heap_top(&s->p, &s->h[0]);

		assert_true(top->key >= last);
		last = top->key;
		gp_heap_remove(&s->p, &s->h[0], top->item);
	}
	assert_null(gp_heap_top(&s->p, &s->h[0]));
}

static void random_operations_keep_the_heap_property(void **state)
{
	struct heaps *s = *state;
	u64 x = 42;
	u32 round;

	for (round = 0; round < 20000; round++) {
		u32 item, h;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		item = (u32)(x >> 33) % ITEMS;
		h = (u32)(x >> 20) & 1;
		if (s->where[item] == 2) {
			put(s, h, item, x >> 50);
		} else if (x >> 19 & 1) {
			gp_heap_remove(&s->p, &s->h[s->where[item]], item);
			s->where[item] = 2;
		} else {
			struct gp_heap_entry e = { .key = x >> 48, .tie = item, .item = item };

			s->key[item] = e.key;
			gp_heap_update(&s->p, &s->h[s->where[item]], &e);
		}
		if (round % 16 == 0) {
			assert_is_heap(s, 0);
			assert_is_heap(s, 1);
		}
	}
}

static void all_items_fit_into_either_heap_and_chunks_come_back(void **state)
{
	struct heaps *s = *state;
	u32 nr_free = s->p.nr_free;
	u32 h, i;

	for (h = 0; h < 2; h++) {
		for (i = 0; i < ITEMS; i++)
			put(s, h, i, i);
		for (i = 0; i < ITEMS; i++)
			gp_heap_remove(&s->p, &s->h[h], i);
		assert_int_equal(s->p.nr_free, nr_free);
	}
}

static void ties_decide_between_equal_keys(void **state)
{
	struct heaps *s = *state;

	put(s, 0, 9, 5);
	put(s, 0, 3, 5);
	put(s, 0, 7, 5);
	assert_int_equal(gp_heap_top(&s->p, &s->h[0])->item, 3);
}

static void first_few_are_in_order_and_leave_the_heap_alone(void **state)
{
	struct gp_heap_entry first[GP_HEAP_FIRST_MAX];
	struct heaps *s = *state;
	u32 i;

	for (i = 0; i < 100; i++)
		put(s, 0, i, (i * 37) % 100);
	assert_int_equal(gp_heap_first(&s->p, &s->h[0], 8, first), 8);
	for (i = 0; i < 8; i++)
		assert_int_equal(first[i].key, i);
	assert_int_equal(s->h[0].nr, 100);
	assert_is_heap(s, 0);
	assert_int_equal(gp_heap_first(&s->p, &s->h[1], 8, first), 0);
}

static void misuse_warns_and_changes_nothing(void **state)
{
	struct gp_heap_entry e = { .key = 1, .tie = 4, .item = 4 };
	struct heaps *s = *state;

	gp_port_warn_count();
	gp_heap_remove(&s->p, &s->h[0], 4);
	gp_heap_update(&s->p, &s->h[0], &e);
	assert_int_equal(gp_port_warn_count(), 2);
	put(s, 0, 4, 1);
	gp_heap_insert(&s->p, &s->h[1], &e);
	assert_int_equal(gp_port_warn_count(), 1);
	assert_int_equal(s->h[0].nr, 1);
	assert_int_equal(s->h[1].nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(items_come_out_in_order, setup),
		cmocka_unit_test_setup(random_operations_keep_the_heap_property, setup),
		cmocka_unit_test_setup(all_items_fit_into_either_heap_and_chunks_come_back, setup),
		cmocka_unit_test_setup(ties_decide_between_equal_keys, setup),
		cmocka_unit_test_setup(first_few_are_in_order_and_leave_the_heap_alone, setup),
		cmocka_unit_test_setup(misuse_warns_and_changes_nothing, setup),
	};

	return cmocka_run_group_tests_name("core/heap", tests, NULL, NULL);
}
