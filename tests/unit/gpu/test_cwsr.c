// SPDX-License-Identifier: MIT
#include "unit.h"

/* 8 CUs x 32 waves x (64 registers x 256 bytes + 640) + control stack */
#define FULL_WAVES 256
#define FULL_BYTES (FULL_WAVES * (64 * 256 + 640) + 16 + 96 + FULL_WAVES * 8)

static struct world_queue *start_full(struct world *w, struct world_dispatch *d)
{
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 300, .steps = 100, .step_ns = 1000, .vgprs = 64,
				  .has_out = true };

	*d = world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 10000);
	return q;
}

static void the_mqd_tells_what_was_saved_and_is_stale_while_mapped(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_dispatch d;
	struct world_queue *q = start_full(w, &d);
	u32 size = unit_mqd(q, GPU_MQD_CTL_STACK_SIZE);

	assert_int_equal(unit_mqd(q, GPU_MQD_PQ_RPTR), 0);
	assert_int_equal(unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET), size);
	assert_true(world_preempt(w));
	assert_int_equal(unit_mqd(q, GPU_MQD_PQ_RPTR), 16);
	assert_int_equal(unit_mqd(q, GPU_MQD_PQ_WPTR_LO), 16);
	assert_int_equal(size - unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET), 16 + 96 + 256 * 8);
	assert_int_equal(unit_mqd(q, GPU_MQD_WG_STATE_OFFSET) - size, 256 * (64 * 256 + 640));
	unit_map_all(w);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 300);
	assert_true(world_preempt(w));
	assert_int_equal(unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET), size);
	assert_int_equal(unit_mqd(q, GPU_MQD_WG_STATE_OFFSET), size);
	unit_done(w);
}

static void a_save_costs_firmware_time_and_bytes(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_dispatch d;
	struct world_queue *q = start_full(w, &d);
	u64 start = w->now_ns, largest;

	assert_int_equal(gpu_context_bytes(w->gpu, q->doorbell, &largest), FULL_BYTES);
	assert_int_equal(largest, FULL_BYTES);
	assert_true(world_preempt(w));
	/* grace, unmap, bytes, and the fence */
	assert_int_equal(w->now_ns - start, 1000 + 2000 + FULL_BYTES * 1000ull / 65536 + 100);
	assert_int_equal(w->last_trace_arg[GPU_TRACE_SAVE_BEGIN][0], FULL_BYTES);
	assert_int_equal(gpu_stats(w->gpu)->save_bytes, FULL_BYTES);
	start = w->now_ns;
	unit_map_all(w);
	assert_int_equal(w->now_ns - start, 1000 + 100 + FULL_BYTES * 1000ull / 65536 + 100);
	assert_int_equal(gpu_stats(w->gpu)->restore_bytes, FULL_BYTES);
	unit_done(w);
}

static void xccs_save_at_the_same_time(void **state)
{
	struct world *w = unit_world("mi300x", "timed");
	const struct gpu_profile *p = w->profile;
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 8 * 38 * 32, .vgprs = 64, .lds_bytes = 2048,
				  .flags = GPU_PROGRAM_ENDLESS };
	u64 start, largest;

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, MS);
	gpu_context_bytes(w->gpu, q->doorbell, &largest);
	/* All registers and all LDS: the most an XCC can have. */
	assert_in_range(largest, 38 * (596 << 10), 38 * (596 << 10) + 10000);
	start = w->now_ns;
	assert_true(world_preempt(w));
	assert_in_range(w->now_ns - start, 64000, 66000);
	assert_true(w->now_ns - start + p->map_ns + p->packet_ns <=
		    gpu_profile_floor_ns(p, largest) + 100);
	unit_done(w);
}

/* Nothing but bytes connects the two GPUs: another one can go on. */
static void a_context_can_be_restored_by_another_gpu(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct gpu_config config = { .profile = w->profile, .engine = "state" };
	struct world_dispatch d;
	struct world_queue *q = start_full(w, &d);

	assert_true(world_preempt(w));
	gpu_destroy(w->gpu);
	assert_int_equal(gpu_create(&config, &w->host, &w->gpu), 0);
	assert_int_equal(gpu_hqd_load(w->gpu, 3, q->pasid, 5, q->mqd, w->now_ns), 0);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 0);
	assert_int_equal(unit_tally(q, &d), 300);
	assert_int_equal(world_u64(w, P1, d.tally + 8), 300 * 100000);
	unit_done(w);
}

static void restored_workgroups_go_before_new_ones(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_dispatch d, e;
	struct world_queue *q = start_full(w, &d), *other = world_queue(w, P2, 7);
	struct world_kernel k = { .nr_groups = 128, .steps = 200, .step_ns = 1000, .vgprs = 64 };
	struct world_queue *only[] = { other };

	assert_true(world_preempt(w));
	e = world_dispatch(other, &k);
	world_ring(other);
	world_runlist(w, only, 1);
	world_hiq_ring(w);
	world_run_for(w, 10000);
	assert_int_equal(gpu_waves(w->gpu, other->doorbell), 128);
	/* Half of the GPU is taken: half of what was saved must wait. */
	unit_map_all(w);
	assert_int_equal(gpu_waves(w->gpu, q->doorbell), 128);
	assert_int_equal(gpu_context_bytes(w->gpu, q->doorbell, NULL), FULL_BYTES);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 300);
	assert_int_equal(unit_tally(other, &e), 128);
	unit_done(w);
}

static void a_save_area_that_is_too_small_loses_the_context(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 64, .steps = 100, .step_ns = 1000 };
	struct world_dispatch d = world_dispatch(q, &k);

	world_set_u32(w, GPU_PASID_GART, q->mqd + GPU_MQD_CTX_SAVE_SIZE, 8192);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 10000);
	assert_true(world_preempt(w));
	assert_int_equal(w->nr_irqs[GPU_IRQ_MEM_FAULT], 1);
	assert_int_equal(unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET),
			 unit_mqd(q, GPU_MQD_CTL_STACK_SIZE));
	assert_int_equal(gpu_stats(w->gpu)->nr_saves, 0);
	assert_int_equal(unit_signal(q, &d), 1);
	unit_done(w);
}

static void a_damaged_control_stack_stops_the_queue_and_stays(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_dispatch d;
	struct world_queue *q = start_full(w, &d);
	u32 offset, i;

	assert_true(world_preempt(w));
	offset = unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET);
	world_set_u32(w, GPU_PASID_GART, q->mqd + GPU_MQD_CTL_STACK + offset, 0x12345678);
	for (i = 1; i < 3; i++) {
		unit_map_all(w);
		assert_int_equal(w->nr_irqs[GPU_IRQ_BAD_OPCODE], i);
		assert_int_equal(gpu_waves(w->gpu, 0), 0);
		assert_true(world_preempt(w));
		assert_int_equal(unit_mqd(q, GPU_MQD_CTL_STACK_OFFSET), offset);
	}
	assert_int_equal(unit_signal(q, &d), 1);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mqd_tells_what_was_saved_and_is_stale_while_mapped),
		cmocka_unit_test(a_save_costs_firmware_time_and_bytes),
		cmocka_unit_test(xccs_save_at_the_same_time),
		cmocka_unit_test(a_context_can_be_restored_by_another_gpu),
		cmocka_unit_test(restored_workgroups_go_before_new_ones),
		cmocka_unit_test(a_save_area_that_is_too_small_loses_the_context),
		cmocka_unit_test(a_damaged_control_stack_stops_the_queue_and_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
