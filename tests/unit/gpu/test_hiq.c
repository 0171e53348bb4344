// SPDX-License-Identifier: MIT
#include "unit.h"

#define NOP 0xffff1000u	/* the one-dword NOP of kfd_kernel_queue.c */

static void run_fence(struct world *w)
{
	world_fence(w);
	world_hiq_ring(w);
	assert_true(world_run_fence(w, 100 * MS));
}

static void the_ring_wraps_and_nops_fill_it(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 nop = NOP, long_nop[4] = { 0xc0021000, 1, 2, 3 }, i;

	for (i = 0; i < 1000; i++) {
		world_hiq_emit(w, &nop, 1);
		world_hiq_emit(w, long_nop, 4);
		run_fence(w);
		assert_int_equal(world_u32(w, GPU_PASID_GART, w->hiq_rptr_addr),
				 w->hiq_wptr % w->hiq_dwords);
	}
	assert_int_equal(gpu_stats(w->gpu)->nr_hiq_packets, 3000);
	assert_int_equal(gpu_stats(w->gpu)->nr_faults, 0);
	unit_done(w);
}

static void unknown_packets_are_reported_and_skipped(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 release_mem[8], type0 = 0x00000123, type2 = 0x80000000, runlist = 0xc000a500, zero = 0;

	gpu_pm4_begin(release_mem, (enum gpu_pm4_opcode)0x49, 8);
	world_hiq_emit(w, release_mem, 8);
	world_hiq_emit(w, &type0, 1);
	world_hiq_emit(w, &type2, 1);
	world_hiq_emit(w, &runlist, 1);
	world_hiq_emit(w, &zero, 1);
	run_fence(w);
	assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], 4);
	assert_int_equal(w->last_irq.doorbell, WORLD_HIQ_DOORBELL);
	unit_done(w);
}

static void a_packet_that_is_not_whole_ends_the_batch(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 header = 0xc100a300;

	world_hiq_emit(w, &header, 1);
	world_fence(w);
	world_hiq_ring(w);
	assert_false(world_run_fence(w, 10 * MS));
	assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], 1);
	run_fence(w);
	unit_done(w);
}

static void every_selector_takes_its_queues(void **state)
{
	static const struct {
		enum gpu_unmap_sel sel;
		u32 param[4];
		u32 nr;
		u32 left;	/* of queues 0..3; 0 and 1 are P1's, 3 is static */
	} cases[] = {
		{ GPU_UNMAP_SPECIFIED, { WORLD_FIRST_DOORBELL, WORLD_FIRST_DOORBELL + 4 }, 2, 0xa },
		{ GPU_UNMAP_BY_PASID, { P1 }, 1, 0xc },
		{ GPU_UNMAP_ALL, { 0 }, 0, 0 },
		{ GPU_UNMAP_ALL_NON_STATIC, { 0 }, 0, 0x8 },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct world *w = unit_world("tiny", "timed");

		for (j = 0; j < 4; j++)
			world_queue(w, j < 2 ? P1 : P2, 7)->is_static = j == 3;
		unit_map_all(w);
		world_unmap(w, cases[i].sel, GPU_UNMAP_PREEMPT, cases[i].param, cases[i].nr);
		run_fence(w);
		for (j = 0; j < 4; j++)
			assert_int_equal(gpu_slot_of(w->gpu, w->queue[j].doorbell) >= 0,
					 cases[i].left >> j & 1);
		unit_done(w);
	}
}

static void a_queue_can_be_mapped_without_a_runlist(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 1 };
	struct world_dispatch d = world_dispatch(q, &k);
	u32 ib[64], nr_dw = world_build_ib(w, ib, &q, 1);

	world_ring(q);
	world_hiq_emit(w, ib, nr_dw);
	run_fence(w);
	assert_true(gpu_slot_of(w->gpu, q->doorbell) >= 0);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 0);
	unit_done(w);
}

static void bad_hiqs_are_refused(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct gpu_config config = { .profile = w->profile, .engine = "timed" };
	struct gpu *gpu;

	world_fence(w);
	world_hiq_ring(w);
	assert_int_equal(gpu_hiq_load(w->gpu, w->hiq_mqd, 0), -EBUSY);
	assert_int_equal(gpu_create(&config, &w->host, &gpu), 0);
	assert_int_equal(gpu_hiq_load(gpu, 0x1000, 0), -EFAULT);
	world_set_u32(w, GPU_PASID_GART, w->hiq_mqd + GPU_MQD_PQ_CONTROL, 63);
	assert_int_equal(gpu_hiq_load(gpu, w->hiq_mqd, 0), -EINVAL);
	gpu_destroy(gpu);
	unit_done(w);
}

static void a_driver_may_bring_a_new_hiq(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	run_fence(w);
	world_set_u32(w, GPU_PASID_GART, w->hiq_mqd + GPU_MQD_PQ_RPTR, 0);
	w->hiq_wptr = 0;
	assert_int_equal(gpu_hiq_load(w->gpu, w->hiq_mqd, w->now_ns), 0);
	run_fence(w);
	unit_done(w);
}

static void a_fence_outside_memory_is_a_fault(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	w->fence_addr = 0x10;
	world_fence(w);
	world_hiq_ring(w);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	unit_done(w);
}

static void writes_to_other_registers_are_counted(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 pkt[GPU_PM4_WRITE_DATA_DW];

	world_grace(w, 3);
	run_fence(w);
	assert_int_equal(gpu_stats(w->gpu)->nr_lost_writes, 0);
	gpu_pm4_begin(pkt, GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_REG, GPU_REG_CP_IQ_WAIT_TIME2 + 0x2000);
	world_hiq_emit(w, pkt, GPU_PM4_WRITE_DATA_DW);
	run_fence(w);
	assert_int_equal(gpu_stats(w->gpu)->nr_lost_writes, 1);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ring_wraps_and_nops_fill_it),
		cmocka_unit_test(unknown_packets_are_reported_and_skipped),
		cmocka_unit_test(a_packet_that_is_not_whole_ends_the_batch),
		cmocka_unit_test(every_selector_takes_its_queues),
		cmocka_unit_test(a_queue_can_be_mapped_without_a_runlist),
		cmocka_unit_test(bad_hiqs_are_refused),
		cmocka_unit_test(a_driver_may_bring_a_new_hiq),
		cmocka_unit_test(a_fence_outside_memory_is_a_fault),
		cmocka_unit_test(writes_to_other_registers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
