// SPDX-License-Identifier: MIT
#include "unit.h"

static u64 wait_slot(struct world *w, u32 slot)
{
	u64 start = w->now_ns;

	w->next_ns = gpu_advance(w->gpu, w->now_ns);
	while (gpu_hqd_is_busy(w->gpu, slot)) {
		assert_true(w->next_ns < start + 100 * MS);
		w->now_ns = w->next_ns;
		w->next_ns = gpu_advance(w->gpu, w->now_ns);
	}
	return w->now_ns - start;
}

static struct world_queue *load(struct world *w, u32 slot, const struct world_kernel *k,
				struct world_dispatch *d)
{
	struct world_queue *q = world_queue(w, P1, 7);

	*d = world_dispatch(q, k);
	world_ring(q);
	assert_int_equal(gpu_hqd_load(w->gpu, slot, P1, 5, q->mqd, w->now_ns), 0);
	assert_true(gpu_hqd_is_busy(w->gpu, slot));
	assert_true(gpu_hqd_is_active(w->gpu, slot));
	assert_int_equal(wait_slot(w, slot), 1000);
	return q;
}

static void a_slot_is_loaded_saved_and_loaded_again(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_kernel k = { .nr_groups = 20, .steps = 50, .step_ns = 1000, .has_out = true };
	struct world_dispatch d, e;
	struct world_queue *q = load(w, 2, &k, &d), *other = load(w, 5, &k, &e);
	u64 bytes, save_ns;

	assert_int_equal(gpu_slot_of(w->gpu, q->doorbell), 2);
	world_run_for(w, 10000);
	bytes = gpu_context_bytes(w->gpu, q->doorbell, NULL);
	save_ns = gpu_profile_save_ns(w->profile, bytes);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 2, GPU_DEQUEUE_SAVE, w->now_ns), 0);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 2, GPU_DEQUEUE_SAVE, w->now_ns), -EBUSY);
	assert_int_equal(wait_slot(w, 2), 1000 + save_ns);
	assert_false(gpu_hqd_is_active(w->gpu, 2));
	assert_int_equal(gpu_waves(w->gpu, other->doorbell), 20);
	assert_int_equal(gpu_hqd_load(w->gpu, 3, P1, 5, q->mqd, w->now_ns), 0);
	assert_int_equal(wait_slot(w, 3), 1000 + save_ns);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 20);
	assert_int_equal(unit_tally(other, &e), 20);
	unit_done(w);
}

static void drain_lets_resident_workgroups_end(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_kernel k = { .nr_groups = 300, .steps = 50, .step_ns = 1000, .vgprs = 64 };
	struct world_dispatch d;
	struct world_queue *q = load(w, 0, &k, &d);

	world_run_for(w, 10200);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_DRAIN, w->now_ns), 0);
	assert_int_equal(wait_slot(w, 0), 40000 + 1000);
	assert_int_equal(unit_tally(q, &d), 256);
	assert_int_equal(gpu_stats(w->gpu)->nr_saves, 0);
	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, w->now_ns), 0);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 300);
	assert_int_equal(unit_signal(q, &d), 0);
	unit_done(w);
}

static void reset_repeats_the_dispatch(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_kernel k = { .nr_groups = 300, .steps = 50, .step_ns = 1000, .vgprs = 64 };
	struct world_dispatch d;
	struct world_queue *q = load(w, 0, &k, &d);

	world_run_for(w, 60000);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_RESET, w->now_ns), 0);
	wait_slot(w, 0);
	assert_int_equal(gpu_stats(w->gpu)->nr_killed, 44);
	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, w->now_ns), 0);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 256 + 300);
	unit_done(w);
}

static void misuse_is_refused(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);

	assert_int_equal(gpu_hqd_dequeue(w->gpu, 0, GPU_DEQUEUE_SAVE, 0), -ENOENT);
	assert_int_equal(gpu_hqd_dequeue(w->gpu, 99, GPU_DEQUEUE_SAVE, 0), -EINVAL);
	assert_int_equal(gpu_hqd_load(w->gpu, 8, P1, 5, q->mqd, 0), -EINVAL);
	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, 0x100, 0), -EFAULT);
	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, 0), 0);
	assert_int_equal(gpu_hqd_load(w->gpu, 0, P1, 5, q->mqd, 0), -EBUSY);
	assert_int_equal(gpu_hqd_load(w->gpu, 1, P1, 5, q->mqd, 0), -EBUSY);
	assert_false(gpu_hqd_is_active(w->gpu, 99));
	world_set_u32(w, GPU_PASID_GART, q->mqd + GPU_MQD_PQ_CONTROL, 1);
	world_set_u32(w, GPU_PASID_GART, q->mqd + GPU_MQD_DOORBELL_CONTROL, 0x9999 << 2);
	assert_int_equal(gpu_hqd_load(w->gpu, 1, P1, 5, q->mqd, 0), -EINVAL);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_is_loaded_saved_and_loaded_again),
		cmocka_unit_test(drain_lets_resident_workgroups_end),
		cmocka_unit_test(reset_repeats_the_dispatch),
		cmocka_unit_test(misuse_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
