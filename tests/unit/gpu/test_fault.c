// SPDX-License-Identifier: MIT
#include "unit.h"

static u32 refused(struct world *w, u32 xcc)
{
	return world_u32(w, GPU_PASID_GART, w->hiq_mqd + xcc * 4096 + GPU_MQD_REFUSED_DOORBELL);
}

static struct world_queue *busy_queue(struct world *w, u32 pasid)
{
	struct world_queue *q = world_queue(w, pasid, 7);
	struct world_kernel k = { .nr_groups = 10, .flags = GPU_PROGRAM_ENDLESS };

	world_dispatch(q, &k);
	world_ring(q);
	return q;
}

static void a_refusing_queue_stays_and_is_reported_on_every_xcc(void **state)
{
	struct world *w = unit_world("mi308x", "timed");
	struct world_queue *bad = busy_queue(w, P1), *good = busy_queue(w, P2);
	u32 pasid = P1;

	unit_map_all(w);
	world_run_for(w, 10000);
	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_REFUSE, bad->doorbell), 0);
	assert_true(world_preempt(w));
	assert_int_equal(refused(w, 0), bad->doorbell);
	assert_int_equal(refused(w, 3), bad->doorbell);
	assert_int_equal(gpu_waves(w->gpu, bad->doorbell), 10);
	assert_int_equal(gpu_slot_of(w->gpu, good->doorbell), -ENOENT);
	/* A reset ends it. */
	world_unmap(w, GPU_UNMAP_BY_PASID, GPU_UNMAP_RESET, &pasid, 1);
	world_fence(w);
	world_hiq_ring(w);
	assert_true(world_run_fence(w, MS));
	assert_int_equal(gpu_slot_of(w->gpu, bad->doorbell), -ENOENT);
	unit_done(w);
}

static void a_refusing_queue_stays_in_its_slot_without_firmware(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = busy_queue(w, P1);

	gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, 0);
	world_run_for(w, MS);
	gpu_inject(w->gpu, GPU_FAULT_REFUSE, q->doorbell);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_SAVE, w->now_ns), 0);
	world_run_for(w, MS);
	assert_true(gpu_hqd_is_active(w->gpu, 0));
	assert_false(gpu_hqd_is_busy(w->gpu, 0));
	gpu_inject(w->gpu, GPU_FAULT_CLEAR, 0);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_SAVE, w->now_ns), 0);
	world_run_for(w, MS);
	assert_false(gpu_hqd_is_active(w->gpu, 0));
	unit_done(w);
}

static void fences_get_lost(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	gpu_inject(w->gpu, GPU_FAULT_LOSE_FENCE, 2);
	assert_false(world_preempt(w));
	assert_false(world_preempt(w));
	assert_true(world_preempt(w));
	assert_int_equal(w->nr_traces[GPU_TRACE_FAULT], 2);
	unit_done(w);
}

static void a_hung_firmware_reads_nothing_until_cleared_or_reset(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	gpu_inject(w->gpu, GPU_FAULT_HANG, 1);
	assert_false(world_preempt(w));
	gpu_inject(w->gpu, GPU_FAULT_HANG, 0);
	assert_true(world_run_fence(w, MS));
	gpu_inject(w->gpu, GPU_FAULT_HANG, 1);
	gpu_reset(w->gpu, w->now_ns);
	world_set_u32(w, GPU_PASID_GART, w->hiq_mqd + GPU_MQD_PQ_RPTR, (u32)w->hiq_wptr);
	assert_int_equal(gpu_hiq_load(w->gpu, w->hiq_mqd, w->now_ns), 0);
	assert_true(world_preempt(w));
	unit_done(w);
}

static void a_cleared_hang_asks_for_a_call_and_goes_on_then(void **state)
{
	static const enum gpu_fault way[] = { GPU_FAULT_HANG, GPU_FAULT_CLEAR };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(way); i++) {
		struct world *w = unit_world("tiny", "timed");
		u64 start;

		gpu_inject(w->gpu, GPU_FAULT_HANG, 1);
		assert_false(world_preempt(w));
		assert_int_equal(gpu_next_ns(w->gpu), U64_MAX);
		gpu_inject(w->gpu, way[i], 0);
		assert_true(gpu_next_ns(w->gpu) <= w->now_ns);
		/* Not before the call: it is not known when it was cleared. */
		w->now_ns += MS;
		start = w->now_ns;
		assert_true(world_run_fence(w, MS));
		assert_int_equal(w->now_ns - start, 2000 + 100);
		unit_done(w);
	}
}

static void slow_firmware_takes_longer(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u64 start = w->now_ns;

	gpu_inject(w->gpu, GPU_FAULT_SLOW, 5);
	assert_true(world_preempt(w));
	assert_int_equal(w->now_ns - start, 5 * (2000 + 100));
	unit_done(w);
}

#define SHIFT_AT 256
#define SHIFT_BYTES 1024
#define SHIFTED_BYTES 2048

/* 64 rows of registers of a wave; what they hold differs from row to row. */
static struct world *saved_world(u32 nr_shifts)
{
	struct world *w = unit_world("tiny", "state");
	struct world_kernel k = { .nr_groups = 4, .flags = GPU_PROGRAM_ENDLESS, .vgprs = 64,
				  .has_out = true };
	struct world_queue *q = world_queue(w, P1, 7);

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 10000);
	if (nr_shifts)
		assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_SHIFT, SHIFT_AT), 0);
	assert_true(world_preempt(w));
	assert_int_equal(w->nr_traces[GPU_TRACE_FAULT], nr_shifts);
	return w;
}

static void a_part_of_the_next_save_is_too_far_along(void **state)
{
	struct world *good = saved_world(0), *bad = saved_world(1);
	u64 at = bad->last_trace_arg[GPU_TRACE_FAULT][1];
	u32 nr_different = 0;

	assert_int_equal(bad->last_trace_arg[GPU_TRACE_FAULT][0], GPU_FAULT_SHIFT);
	for (u32 i = 0; i < SHIFTED_BYTES; i += 4) {
		u32 is = world_u32(bad, P1, at + i);

		assert_int_equal(is, world_u32(good, P1, at + SHIFT_BYTES + i));
		nr_different += is != world_u32(good, P1, at + i);
	}
	assert_int_not_equal(nr_different, 0);
	assert_int_equal(world_u32(bad, P1, at - 4), world_u32(good, P1, at - 4));
	for (u32 i = SHIFTED_BYTES; i < 2 * SHIFTED_BYTES; i += 4)
		assert_int_equal(world_u32(bad, P1, at + i), world_u32(good, P1, at + i));
	/* Of that one alone. */
	unit_map_all(bad);
	world_run_for(bad, 10000);
	assert_true(world_preempt(bad));
	assert_int_equal(bad->nr_traces[GPU_TRACE_FAULT], 1);
	unit_done(good);
	unit_done(bad);
}

/* A dispatch whose workgroups fault when they end, and one behind it. */
static struct world_queue *faulting_queue(struct world *w, struct world_dispatch *behind)
{
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 3000, .steps = 10, .step_ns = 1000 };
	struct world_dispatch bad = world_dispatch(q, &k);

	world_set_u64(w, P1, bad.kernarg + offsetof(struct gpu_kernarg, tally), 0x1000);
	*behind = world_dispatch(q, &k);
	world_ring(q);
	return q;
}

static void a_queue_that_faulted_stays_stopped_when_mapped_again(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_dispatch behind, good;
	struct world_queue *q = faulting_queue(w, &behind), *other = world_queue(w, P2, 7);
	struct world_kernel k = { .nr_groups = 4000, .steps = 10, .step_ns = 100000 };
	u32 i;

	good = world_dispatch(other, &k);
	world_ring(other);
	unit_map_all(w);
	world_run_for(w, MS);
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	for (i = 0; i < 3; i++) {
		assert_true(world_preempt(w));
		assert_int_equal(unit_mqd(q, GPU_MQD_ERROR), GPU_MQD_ERROR_STOPPED);
		assert_int_equal(unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET),
				 unit_mqd(q, GPU_MQD_CTL_STACK_SIZE));
		unit_map_all(w);
		world_ring(q);
		world_run_for(w, MS);
		assert_int_not_equal(gpu_slot_of(w->gpu, q->doorbell), -ENOENT);
		assert_int_equal(gpu_waves(w->gpu, q->doorbell), 0);
	}
	assert_int_equal(unit_tally(q, &behind), 0);
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	assert_true(world_run_idle(w, 1000 * MS));
	assert_int_equal(unit_tally(other, &good), 4000);
	assert_int_equal(gpu_stats(w->gpu)->nr_killed, 0);
	unit_done(w);
}

static void a_reset_lets_a_queue_that_faulted_go_on_with_its_next_packets(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_dispatch behind, next;
	struct world_queue *q = faulting_queue(w, &behind);
	struct world_kernel k = { .nr_groups = 7 };

	unit_map_all(w);
	world_run_for(w, MS);
	world_unmap(w, GPU_UNMAP_SPECIFIED, GPU_UNMAP_RESET, &q->doorbell, 1);
	world_fence(w);
	world_hiq_ring(w);
	assert_true(world_run_fence(w, MS));
	assert_int_equal(unit_mqd(q, GPU_MQD_ERROR), 0);
	unit_map_all(w);
	next = world_dispatch(q, &k);
	world_ring(q);
	assert_true(world_run_idle(w, 100 * MS));
	assert_int_equal(unit_tally(q, &next), 7);
	assert_int_equal(unit_tally(q, &behind), 0);
	unit_done(w);
}

static void senseless_faults_are_refused(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	u32 i;

	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_SLOW, 0), -EINVAL);
	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_SLOW, 1ull << 40), -EINVAL);
	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_COUNT, 0), -EINVAL);
	for (i = 0; i < 8; i++)
		assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_REFUSE, i), 0);
	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_REFUSE, 7), 0);
	assert_int_equal(gpu_inject(w->gpu, GPU_FAULT_REFUSE, 8), -ENOSPC);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusing_queue_stays_and_is_reported_on_every_xcc),
		cmocka_unit_test(a_refusing_queue_stays_in_its_slot_without_firmware),
		cmocka_unit_test(fences_get_lost),
		cmocka_unit_test(a_hung_firmware_reads_nothing_until_cleared_or_reset),
		cmocka_unit_test(a_cleared_hang_asks_for_a_call_and_goes_on_then),
		cmocka_unit_test(slow_firmware_takes_longer),
		cmocka_unit_test(a_part_of_the_next_save_is_too_far_along),
		cmocka_unit_test(a_queue_that_faulted_stays_stopped_when_mapped_again),
		cmocka_unit_test(a_reset_lets_a_queue_that_faulted_go_on_with_its_next_packets),
		cmocka_unit_test(senseless_faults_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
