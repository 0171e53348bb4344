// SPDX-License-Identifier: MIT
#include "unit.h"

static struct world *small_world(u32 nr_slots, u32 nr_vmids)
{
	struct world_options o = { .profile = "tiny", .engine = "timed", .nr_slots = nr_slots,
				   .nr_vmids = nr_vmids };
	struct world *w = malloc(sizeof(*w));

	assert_int_equal(world_init(w, &o), 0);
	return w;
}

static u32 nr_mapped(struct world *w)
{
	u32 i, nr = 0;

	for (i = 0; i < w->nr_queues; i++)
		nr += gpu_slot_of(w->gpu, w->queue[i].doorbell) >= 0;
	return nr;
}

static void what_fits_is_mapped_and_stays(void **state)
{
	struct world *w = small_world(8, 4);
	u32 i;

	for (i = 0; i < 8; i++)
		world_queue(w, P1 + i % 4, 7);
	unit_map_all(w);
	assert_int_equal(nr_mapped(w), 8);
	assert_true(world_run_idle(w, 100 * MS));
	assert_int_equal(gpu_stats(w->gpu)->nr_rotations, 0);
	unit_done(w);
}

/* 16 processes x 4 queues on 24 slots and 8 VMIDs, as amdkfd would submit it. */
static void more_than_fits_takes_turns(void **state)
{
	struct world *w = small_world(24, 8);
	struct world_kernel k = { .steps = 30, .step_ns = MS, .nr_groups = 2 };
	struct world_dispatch d[64];
	u32 i;

	for (i = 0; i < 64; i++) {
		struct world_queue *q = world_queue(w, P1 + i / 4, 7);

		d[i] = world_dispatch(q, &k);
		world_ring(q);
	}
	unit_map_all(w);
	for (i = 0; i < 4000 && gpu_stats(w->gpu)->nr_dispatches < 64; i++) {
		world_run_for(w, MS / 3);
		assert_true(nr_mapped(w) <= 24);
	}
	for (i = 0; i < 64; i++)
		assert_int_equal(unit_tally(&w->queue[i], &d[i]), 2);
	assert_true(gpu_stats(w->gpu)->nr_rotations > 5);
	assert_int_equal(gpu_stats(w->gpu)->max_slots_used, 24);
	assert_int_equal(gpu_stats(w->gpu)->nr_saves, gpu_stats(w->gpu)->nr_restores);
	unit_done(w);
}

static void vmids_limit_the_processes(void **state)
{
	struct world *w = small_world(8, 2);
	u32 i;

	for (i = 0; i < 3; i++)
		world_queue(w, P1 + i, 7);
	unit_map_all(w);
	assert_int_equal(nr_mapped(w), 2);
	assert_int_equal(gpu_slot_of(w->gpu, w->queue[2].doorbell), -ENOENT);
	world_run_for(w, 11 * MS);
	assert_true(gpu_slot_of(w->gpu, w->queue[2].doorbell) >= 0);
	unit_done(w);
}

static void a_process_larger_than_the_slots_comes_in_parts(void **state)
{
	struct world *w = small_world(3, 4);
	struct world_kernel k = { .steps = 1, .step_ns = 1000 };
	struct world_dispatch d[10];
	u32 i;

	for (i = 0; i < 10; i++) {
		struct world_queue *q = world_queue(w, P1, 7);

		d[i] = world_dispatch(q, &k);
		world_ring(q);
	}
	unit_map_all(w);
	world_run_for(w, 50 * MS);
	for (i = 0; i < 10; i++)
		assert_int_equal(unit_signal(&w->queue[i], &d[i]), 0);
	unit_done(w);
}

static void set_resources_limits_slots_and_vmids(void **state)
{
	struct world *w = small_world(8, 8);
	u32 i;

	for (i = 0; i < 6; i++)
		world_queue(w, P1 + i, 7);
	world_set_resources(w, 0x6000, 0x1f);
	unit_map_all(w);
	assert_int_equal(nr_mapped(w), 2);
	unit_done(w);
}

static void a_specified_queue_does_not_come_back_with_the_next_turn(void **state)
{
	struct world *w = small_world(1, 4);
	u32 doorbell;

	world_queue(w, P1, 7);
	doorbell = world_queue(w, P2, 7)->doorbell;
	unit_map_all(w);
	world_unmap(w, GPU_UNMAP_SPECIFIED, GPU_UNMAP_PREEMPT, &doorbell, 1);
	world_hiq_ring(w);
	world_run_for(w, 15 * MS);
	assert_int_equal(gpu_slot_of(w->gpu, doorbell), -ENOENT);
	assert_true(gpu_slot_of(w->gpu, w->queue[0].doorbell) >= 0);
	unit_done(w);
}

static void both_forms_of_map_process_are_read_and_sdma_is_left_out(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	u32 *ib = world_at(w, GPU_PASID_GART, w->ib, 4), queue[64], pkt[4];

	world_build_ib(w, queue, &q, 1);
	gpu_pm4_begin(ib, GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_DW);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_PASID, P2);
	memcpy(ib + 16, queue + 21, 28);
	memcpy(ib + 23, queue + 21, 28);
	gpu_pm4_set(ib + 23, GPU_MAP_QUEUES_ENGINE_SEL, GPU_MAP_ENGINE_SDMA0);
	gpu_pm4_set(ib + 23, GPU_MAP_QUEUES_DOORBELL, 0x2222);
	gpu_pm4_begin(pkt, GPU_PM4_RUN_LIST, 4);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_LO, (u32)w->ib);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_HI, (u32)(w->ib >> 32));
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_SIZE, 30);
	gpu_pm4_set(pkt, GPU_RUN_LIST_VALID, 1);
	world_hiq_emit(w, pkt, 4);
	world_hiq_ring(w);
	world_run_for(w, MS);
	assert_true(gpu_slot_of(w->gpu, q->doorbell) >= 0);
	assert_int_equal(gpu_slot_of(w->gpu, 0x2222), -ENOENT);
	assert_int_equal(gpu_stats(w->gpu)->nr_faults, 0);
	unit_done(w);
}

static void a_runlist_that_makes_no_sense_maps_nothing(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 pkt[4];

	world_queue(w, P1, 7);
	gpu_pm4_begin(pkt, GPU_PM4_RUN_LIST, 4);
	world_hiq_emit(w, pkt, 4);
	gpu_pm4_set(pkt, GPU_RUN_LIST_VALID, 1);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_SIZE, 0xfffff);
	world_hiq_emit(w, pkt, 4);
	world_hiq_ring(w);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], 1);
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	assert_int_equal(nr_mapped(w), 0);
	unit_map_all(w);
	assert_int_equal(nr_mapped(w), 1);
	unit_done(w);
}

static void a_runlist_without_memory_is_nobodys_fault(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	world_queue(w, P1, 7);
	w->alloc_budget = 0;
	world_runlist_all(w);
	world_hiq_ring(w);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_NO_MEMORY], 1);
	assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], 0);
	w->alloc_budget = -1;
	unit_map_all(w);
	assert_int_equal(nr_mapped(w), 1);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_mapped_and_stays),
		cmocka_unit_test(more_than_fits_takes_turns),
		cmocka_unit_test(vmids_limit_the_processes),
		cmocka_unit_test(a_process_larger_than_the_slots_comes_in_parts),
		cmocka_unit_test(set_resources_limits_slots_and_vmids),
		cmocka_unit_test(a_specified_queue_does_not_come_back_with_the_next_turn),
		cmocka_unit_test(both_forms_of_map_process_are_read_and_sdma_is_left_out),
		cmocka_unit_test(a_runlist_that_makes_no_sense_maps_nothing),
		cmocka_unit_test(a_runlist_without_memory_is_nobodys_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
