// SPDX-License-Identifier: MIT
#include "unit.h"

#include "gpu/gpu_types.h"

static void workgroups_go_to_the_xccs_in_turn(void **state)
{
	struct world *w = unit_world("mi300x", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 19, .flags = GPU_PROGRAM_ENDLESS };
	u64 largest, sum;
	u32 x;

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(gpu_waves(w->gpu, 0), 19);
	for (x = 0; x < 8; x++)
		assert_int_equal(w->gpu->slot[0].dispatch[0].share[x].next, x < 3 ? 3 : 2);
	sum = gpu_context_bytes(w->gpu, q->doorbell, &largest);
	assert_true(largest * 8 > sum);
	unit_done(w);
}

static void one_cohort_holds_what_began_together(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 200, .steps = 1, .step_ns = 10000 };
	const struct gpu_share *share = &w->gpu->slot[0].dispatch[0].share[0];

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 5000);
	assert_non_null(share->resident);
	assert_int_equal(share->resident->nr, 200);
	assert_null(share->resident->next);
	assert_true(world_run_idle(w, MS));
	unit_done(w);
}

/* Two queues want everything; the one with the higher pipe priority gets what is freed. */
static void pipe_priority_decides_who_launches_but_evicts_nobody(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *low = world_queue(w, P1, 3), *high = world_queue(w, P2, 11);
	struct world_kernel k = { .nr_groups = 512, .steps = 100, .step_ns = 1000, .vgprs = 64 };
	struct world_dispatch l = world_dispatch(low, &k), h;

	k.nr_groups = 256;
	h = world_dispatch(high, &k);
	unit_map_all(w);
	world_ring(low);
	world_run_for(w, 50000);
	world_ring(high);
	world_run_for(w, 10000);
	assert_int_equal(gpu_waves(w->gpu, low->doorbell), 256);
	assert_int_equal(gpu_waves(w->gpu, high->doorbell), 0);
	world_run_for(w, 50000);
	assert_int_equal(gpu_waves(w->gpu, low->doorbell), 0);
	assert_int_equal(gpu_waves(w->gpu, high->doorbell), 256);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(low, &l), 512);
	assert_int_equal(unit_tally(high, &h), 256);
	unit_done(w);
}

/* Small workgroups of a lower level would keep a large one out for ever. */
static void lower_levels_wait_while_a_higher_one_finds_no_room(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *filler = world_queue(w, P1, 7);
	struct world_queue *low = world_queue(w, P2, 3), *high = world_queue(w, P2, 11);
	struct world_kernel k = { .nr_groups = 8 * 24, .vgprs = 64, .flags = GPU_PROGRAM_ENDLESS };

	world_dispatch(filler, &k);
	k.nr_groups = 1;
	k.group_size = 1024;
	world_dispatch(high, &k);
	k.nr_groups = 64;
	k.group_size = 64;
	world_dispatch(low, &k);
	unit_map_all(w);
	world_ring(filler);
	world_run_for(w, 50000);
	world_ring(high);
	world_run_for(w, 50000);
	world_ring(low);
	world_run_for(w, MS);
	assert_int_equal(gpu_waves(w->gpu, filler->doorbell), 8 * 24);
	assert_int_equal(gpu_waves(w->gpu, high->doorbell), 0);
	assert_int_equal(gpu_waves(w->gpu, low->doorbell), 0);
	unit_done(w);
}

static void equal_queues_share_what_is_freed(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *a = world_queue(w, P1, 7), *b = world_queue(w, P2, 7);
	struct world_kernel k = { .nr_groups = 2000, .steps = 10, .step_ns = 1000, .vgprs = 64 };

	world_dispatch(a, &k);
	world_dispatch(b, &k);
	unit_map_all(w);
	world_ring(a);
	world_ring(b);
	world_run_for(w, 35000);
	assert_int_equal(gpu_waves(w->gpu, a->doorbell), 128);
	assert_int_equal(gpu_waves(w->gpu, b->doorbell), 128);
	unit_done(w);
}

static void running_out_of_memory_stops_the_queue(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 10, .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);

	unit_map_all(w);
	w->alloc_budget = 4;
	world_ring(q);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 1);
	assert_int_equal(w->nr_irqs[GPU_IRQ_NO_MEMORY], 1);
	assert_int_equal(gpu_waves(w->gpu, 0), 0);
	w->alloc_budget = -1;
	assert_true(world_preempt(w));
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workgroups_go_to_the_xccs_in_turn),
		cmocka_unit_test(one_cohort_holds_what_began_together),
		cmocka_unit_test(pipe_priority_decides_who_launches_but_evicts_nobody),
		cmocka_unit_test(lower_levels_wait_while_a_higher_one_finds_no_room),
		cmocka_unit_test(equal_queues_share_what_is_freed),
		cmocka_unit_test(running_out_of_memory_stops_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
