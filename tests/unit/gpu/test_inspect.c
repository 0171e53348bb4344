// SPDX-License-Identifier: MIT
/* What a driver does with a queue that does not leave: look, then reset that one. */
#include "gpu/inspect.h"
#include "unit.h"

static const struct world_kernel endless = { .nr_groups = 10, .flags = GPU_PROGRAM_ENDLESS };

static struct world_queue *start(struct world *w, u32 pasid)
{
	struct world_queue *q = world_queue(w, pasid, 7);

	world_dispatch(q, &endless);
	world_ring(q);
	return q;
}

/* As detect_queue_hang() of amdkfd looks for the ring in every slot. */
static u32 find(struct world *w, u64 ring)
{
	struct gpu_slot_content info;
	u32 i;

	for (i = 0; i < w->profile->nr_slots; i++)
		if (gpu_slot_info(w->gpu, i, &info) && info.ring == ring)
			return i;
	return i;
}

static void a_slot_tells_who_is_in_it(void **state)
{
	struct world *w = unit_world("mi308x", "timed");
	struct world_queue *q = start(w, P1), *other = start(w, P2);
	struct gpu_slot_content info;

	unit_map_all(w);
	assert_true(gpu_slot_info(w->gpu, find(w, q->ring), &info));
	assert_int_equal(info.pasid, P1);
	assert_int_equal(info.doorbell, q->doorbell);
	assert_int_equal(info.mqd, q->mqd);
	assert_int_not_equal(info.vmid, 0);
	assert_int_equal(gpu_slot_of(w->gpu, q->doorbell), find(w, q->ring));
	assert_int_equal(find(w, other->ring + 256), w->profile->nr_slots);
	assert_false(gpu_slot_info(w->gpu, 99, &info));
	unit_done(w);
}

static void one_refusing_queue_of_the_firmware_is_reset(void **state)
{
	struct world *w = unit_world("mi308x", "timed");
	struct world_queue *bad = start(w, P1), *good = start(w, P2);
	u32 slot;

	unit_map_all(w);
	world_run_for(w, MS);
	gpu_inject(w->gpu, GPU_FAULT_REFUSE, bad->doorbell);
	assert_true(world_preempt(w));
	slot = find(w, bad->ring);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, slot, GPU_DEQUEUE_SAVE, w->now_ns), -EBUSY);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, slot, GPU_DEQUEUE_RESET, w->now_ns), 0);
	assert_true(gpu_hqd_is_busy(w->gpu, slot));
	world_run_for(w, MS);
	assert_false(gpu_hqd_is_active(w->gpu, slot));
	assert_int_equal(gpu_stats(w->gpu)->nr_killed, 10);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(gpu_waves(w->gpu, good->doorbell), 10);
	assert_int_equal(gpu_waves(w->gpu, bad->doorbell), 10);
	unit_done(w);
}

/* Begin an unmap that waits for a queue without CWSR, for ever. */
static struct world_queue *begin_endless_drain(struct world *w)
{
	struct world_queue *q = world_queue(w, P1, 7);

	world_queue_disable_cwsr(q);
	world_dispatch(q, &endless);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_false(world_preempt(w));
	return q;
}

static void a_reset_frees_a_firmware_that_waits_for_the_queue(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = begin_endless_drain(w);
	u32 slot = find(w, q->ring);

	assert_int_equal(gpu_hqd_dequeue(w->gpu, slot, GPU_DEQUEUE_RESET, w->now_ns), 0);
	assert_true(world_run_fence(w, MS));
	world_run_for(w, MS);
	assert_false(gpu_hqd_is_active(w->gpu, slot));
	unit_done(w);
}

static void the_reset_register_takes_no_time(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = begin_endless_drain(w);
	u32 slot = find(w, q->ring);

	assert_int_equal(gpu_slot_reset(w->gpu, slot, w->now_ns), 0);
	assert_false(gpu_hqd_is_active(w->gpu, slot));
	assert_int_equal(gpu_slot_reset(w->gpu, slot, w->now_ns), -ENOENT);
	assert_true(world_run_fence(w, MS));
	unit_done(w);
}

/* The firmware has claimed or is reading back what the driver resets. */
static void a_reset_while_a_queue_is_loaded_leaves_its_memory_alone(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = start(w, P1), *other = start(w, P2);
	u8 before[GPU_MQD_BYTES];
	u64 ns;

	unit_map_all(w);
	world_run_for(w, MS);
	for (ns = 0; ns < 4000; ns += 50) {
		assert_true(world_preempt(w));
		memcpy(before, world_at(w, GPU_PASID_GART, q->mqd, sizeof(before)), sizeof(before));
		world_runlist_all(w);
		world_fence(w);
		world_hiq_ring(w);
		world_run_for(w, ns);
		if (gpu_waves(w->gpu, q->doorbell))
			break;
		gpu_slot_reset(w->gpu, find(w, q->ring), w->now_ns);
		gpu_slot_reset(w->gpu, 0, w->now_ns);
		assert_memory_equal(before, world_at(w, GPU_PASID_GART, q->mqd, sizeof(before)),
				    sizeof(before));
		assert_true(world_run_fence(w, MS));
		assert_int_equal(gpu_waves(w->gpu, other->doorbell), 10);
		assert_int_equal(gpu_waves(w->gpu, q->doorbell), 0);
	}
	assert_true(ns > 1000);
	unit_done(w);
}

static void a_drain_by_hand_can_be_cut_short(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = start(w, P1);

	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, w->now_ns), 0);
	world_run_for(w, MS);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_DRAIN, w->now_ns), 0);
	world_run_for(w, MS);
	assert_true(gpu_hqd_is_busy(w->gpu, 0));
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_RESET, w->now_ns), 0);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_RESET, w->now_ns), -EBUSY);
	world_run_for(w, MS);
	assert_false(gpu_hqd_is_active(w->gpu, 0));
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_tells_who_is_in_it),
		cmocka_unit_test(one_refusing_queue_of_the_firmware_is_reset),
		cmocka_unit_test(a_reset_frees_a_firmware_that_waits_for_the_queue),
		cmocka_unit_test(the_reset_register_takes_no_time),
		cmocka_unit_test(a_reset_while_a_queue_is_loaded_leaves_its_memory_alone),
		cmocka_unit_test(a_drain_by_hand_can_be_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
