// SPDX-License-Identifier: MIT
#include "unit.h"

#include "gpu/event.h"

#define NR 500

static struct gpu_heap_node nodes[NR];

static u64 pop(struct gpu_heap *heap)
{
	struct gpu_event *e = heap->node[0].event;

	gpu_heap_remove(heap, e);
	return e->at_ns;
}

static void events_come_in_order_of_time(void **state)
{
	struct gpu_heap heap = { .node = nodes, .max = NR };
	struct gpu_event e[NR] = { 0 };
	u64 last = 0;
	u32 i;

	for (i = 0; i < NR; i++)
		gpu_heap_add(&heap, &e[i], i * 7919 % 1009);
	for (i = 0; i < NR; i += 3)
		gpu_heap_remove(&heap, &e[i]);
	for (i = 1; i < NR; i += 3)
		gpu_heap_add(&heap, &e[i], i * 104729 % 997);
	while (heap.nr) {
		u64 at = pop(&heap);

		assert_true(at >= last);
		last = at;
	}
}

static void equal_times_keep_the_order_of_scheduling(void **state)
{
	struct gpu_heap heap = { .node = nodes, .max = NR };
	struct gpu_event e[NR] = { 0 };
	u32 i;

	for (i = 0; i < NR; i++)
		gpu_heap_add(&heap, &e[i], 5);
	for (i = 0; i < NR; i++) {
		assert_ptr_equal(heap.node[0].event, &e[i]);
		gpu_heap_remove(&heap, &e[i]);
	}
	assert_int_equal(gpu_heap_next_ns(&heap), U64_MAX);
}

static void never_takes_an_event_out(void **state)
{
	struct gpu_heap heap = { .node = nodes, .max = NR };
	struct gpu_event e = { 0 };

	gpu_heap_add(&heap, &e, 5);
	assert_true(gpu_event_is_scheduled(&e));
	gpu_heap_add(&heap, &e, U64_MAX);
	assert_false(gpu_event_is_scheduled(&e));
	gpu_heap_remove(&heap, &e);
	assert_int_equal(heap.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_order_of_time),
		cmocka_unit_test(equal_times_keep_the_order_of_scheduling),
		cmocka_unit_test(never_takes_an_event_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
