// SPDX-License-Identifier: MIT
/* Encodings against dwords computed by hand from kfd_pm4_headers_ai.h. */
#include "unit.h"

static void headers_are_those_of_amdkfd(void **state)
{
	u32 pkt[GPU_PM4_MAP_PROCESS_ALDEBARAN_DW];

	/* type 3 << 30 | count << 16 | opcode << 8 */
	gpu_pm4_begin(pkt, GPU_PM4_SET_RESOURCES, GPU_PM4_SET_RESOURCES_DW);
	assert_int_equal(pkt[0], 0xc006a000);
	gpu_pm4_begin(pkt, GPU_PM4_RUN_LIST, GPU_PM4_RUN_LIST_DW);
	assert_int_equal(pkt[0], 0xc002a500);
	gpu_pm4_begin(pkt, GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_DW);
	assert_int_equal(pkt[0], 0xc00ea100);
	gpu_pm4_begin(pkt, GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_ALDEBARAN_DW);
	assert_int_equal(pkt[0], 0xc013a100);
	gpu_pm4_begin(pkt, GPU_PM4_MAP_QUEUES, GPU_PM4_MAP_QUEUES_DW);
	assert_int_equal(pkt[0], 0xc005a200);
	gpu_pm4_begin(pkt, GPU_PM4_UNMAP_QUEUES, GPU_PM4_UNMAP_QUEUES_DW);
	assert_int_equal(pkt[0], 0xc004a300);
	gpu_pm4_begin(pkt, GPU_PM4_QUERY_STATUS, GPU_PM4_QUERY_STATUS_DW);
	assert_int_equal(pkt[0], 0xc005a400);
	gpu_pm4_begin(pkt, GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW);
	assert_int_equal(pkt[0], 0xc0033700);
}

static u32 hiq_dword(struct world *w, u32 index)
{
	return world_u32(w, GPU_PASID_GART, w->hiq_ring + index * 4);
}

static void packets_of_the_world_are_those_of_amdkfd(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 doorbells[2] = { 0x1000, 0x1002 };

	world_unmap(w, GPU_UNMAP_ALL_NON_STATIC, GPU_UNMAP_PREEMPT, NULL, 0);
	assert_int_equal(hiq_dword(w, 1), 3 << 4);
	world_unmap(w, GPU_UNMAP_SPECIFIED, GPU_UNMAP_RESET, doorbells, 2);
	assert_int_equal(hiq_dword(w, 7), 1u | 2u << 29);
	assert_int_equal(hiq_dword(w, 8), 0x4000);
	assert_int_equal(hiq_dword(w, 9), 0x4008);
	world_fence(w);
	assert_int_equal(hiq_dword(w, 13), 2u << 30);
	assert_int_equal(hiq_dword(w, 15), (u32)w->fence_addr);
	assert_int_equal(hiq_dword(w, 17), 1);
	world_grace(w, 0x1234);
	assert_int_equal(hiq_dword(w, 20), 1 << 16);
	assert_int_equal(hiq_dword(w, 21), 0x10b0);
	assert_int_equal(hiq_dword(w, 23), 0x123400);
	unit_done(w);
}

static void a_runlist_is_that_of_amdkfd(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	u32 ib[64];

	assert_int_equal(world_build_ib(w, ib, &q, 1), 21 + 7);
	/* pasid 0x8001, process_quantum 10 << 25; sdma_enable << 7, num_queues << 22 */
	assert_int_equal(ib[1], 0x8001u | 10u << 25);
	assert_int_equal(ib[13], 1u << 7 | 1u << 22);
	/* queue_sel 1 << 4, num_queues 1 << 29; doorbell_offset << 2 */
	assert_int_equal(ib[22], 1u << 4 | 1u << 29);
	assert_int_equal(ib[23], 0x1000u << 2);
	assert_int_equal(ib[24], (u32)q->mqd);
	assert_int_equal(ib[25], (u32)(q->mqd >> 32));
	unit_done(w);
}

static void a_field_takes_no_more_than_its_width(void **state)
{
	u32 pkt[4] = { 0, 0xffffffff, 0, 0xffffffff };

	gpu_pm4_set(pkt, GPU_RUN_LIST_PROCESS_CNT, 0x12);
	assert_int_equal(pkt[3], 0xf2ffffff);
	assert_int_equal(gpu_pm4_get(pkt, GPU_RUN_LIST_PROCESS_CNT), 2);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_LO, 0);
	assert_int_equal(pkt[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_those_of_amdkfd),
		cmocka_unit_test(packets_of_the_world_are_those_of_amdkfd),
		cmocka_unit_test(a_runlist_is_that_of_amdkfd),
		cmocka_unit_test(a_field_takes_no_more_than_its_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
