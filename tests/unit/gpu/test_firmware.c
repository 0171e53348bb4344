// SPDX-License-Identifier: MIT
#include "unit.h"

/* Unmap while a kernel of 10 us is 1 us into its run. Return: when the fence came. */
static u64 unmap_during_10us(u32 grace, bool has_cwsr, u64 *saves)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .steps = 10, .step_ns = 1000 };
	u64 ns;

	if (!has_cwsr)
		world_queue_disable_cwsr(q);
	world_grace(w, grace);
	world_hiq_ring(w);
	unit_map_all(w);
	world_dispatch(q, &k);
	world_ring(q);
	world_run_for(w, 1200);
	ns = w->now_ns;
	assert_true(world_preempt(w));
	ns = w->now_ns - ns;
	*saves = gpu_stats(w->gpu)->nr_saves;
	unit_done(w);
	return ns;
}

static void waves_may_end_within_the_grace_period(void **state)
{
	u64 saves;

	/* One unit is 1 us on this part; unmap 2 us, fence 0.1 us. */
	assert_in_range(unmap_during_10us(3, true, &saves), 5100, 5200);
	assert_int_equal(saves, 1);
	assert_int_equal(unmap_during_10us(20, true, &saves), 9000 + 2100);
	assert_int_equal(saves, 0);
}

static void grace_has_eight_bits_and_zero_is_for_ever(void **state)
{
	u64 saves;

	assert_in_range(unmap_during_10us(256 + 3, true, &saves), 5100, 5200);
	assert_int_equal(unmap_during_10us(256, true, &saves), 9000 + 2100);
	assert_int_equal(saves, 0);
	assert_int_equal(unmap_during_10us(0, true, &saves), 9000 + 2100);
}

static void a_queue_without_cwsr_is_drained(void **state)
{
	u64 saves;

	assert_int_equal(unmap_during_10us(1, false, &saves), 9000 + 100);
	assert_int_equal(saves, 0);
}

static void a_drained_queue_without_control_stack_finishes_what_it_began(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 1000, .steps = 10, .step_ns = 1000 };
	struct world_dispatch d = world_dispatch(q, &k), e = world_dispatch(q, &k);

	((u16 *)world_packet(q, 1))[0] |= GPU_AQL_HEADER_BARRIER;
	world_queue_disable_cwsr(q);
	unit_map_all(w);
	world_ring(q);
	world_run_for(w, 5000);
	assert_true(world_preempt(w));
	assert_int_equal(unit_tally(q, &d), 1000);
	assert_int_equal(unit_tally(q, &e), 0);
	unit_map_all(w);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &e), 1000);
	unit_done(w);
}

static void reset_kills_waves_and_the_dispatch_begins_anew(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 10, .steps = 10, .step_ns = 1000, .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);
	u32 pasid = P1;

	unit_map_all(w);
	world_ring(q);
	world_run_for(w, 5000);
	world_unmap(w, GPU_UNMAP_BY_PASID, GPU_UNMAP_RESET, &pasid, 1);
	world_fence(w);
	world_hiq_ring(w);
	assert_true(world_run_fence(w, MS));
	assert_int_equal(gpu_stats(w->gpu)->nr_killed, 10);
	assert_int_equal(gpu_stats(w->gpu)->nr_saves, 0);
	assert_int_equal(unit_mqd(q, GPU_MQD_WG_STATE_OFFSET), unit_mqd(q, GPU_MQD_CTL_STACK_SIZE));
	unit_map_all(w);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_signal(q, &d), 0);
	assert_int_equal(unit_tally(q, &d), 10);
	assert_int_equal(world_u64(w, P1, d.count), 1);
	unit_done(w);
}

static void restores_come_one_after_the_other(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *a = world_queue(w, P1, 7), *b = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 100, .vgprs = 64, .flags = GPU_PROGRAM_ENDLESS };

	world_dispatch(a, &k);
	world_dispatch(b, &k);
	world_ring(a);
	world_ring(b);
	unit_map_all(w);
	world_run_for(w, 10000);
	assert_true(world_preempt(w));
	world_runlist_all(w);
	world_hiq_ring(w);
	world_run_for(w, 1200 + 30000);
	assert_int_equal(gpu_waves(w->gpu, a->doorbell), 100);
	assert_int_equal(gpu_waves(w->gpu, b->doorbell), 0);
	world_run_for(w, 30000);
	assert_int_equal(gpu_waves(w->gpu, b->doorbell), 100);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_may_end_within_the_grace_period),
		cmocka_unit_test(grace_has_eight_bits_and_zero_is_for_ever),
		cmocka_unit_test(a_queue_without_cwsr_is_drained),
		cmocka_unit_test(a_drained_queue_without_control_stack_finishes_what_it_began),
		cmocka_unit_test(reset_kills_waves_and_the_dispatch_begins_anew),
		cmocka_unit_test(restores_come_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
