// SPDX-License-Identifier: MIT
#include "unit.h"

static void bad_configurations_are_refused(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct gpu_config c = { .profile = w->profile, .engine = "timed" };
	struct gpu_profile p = *w->profile;
	struct gpu *gpu;

	c.engine = "gfx9";
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -ENOENT);
	c.engine = "state";
	c.nr_slots = 33;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	c.nr_slots = 0;
	c.nr_vmids = 16;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	c.nr_vmids = 0;
	p.nr_xcc = 9;
	c.profile = &p;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	c.profile = NULL;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	unit_done(w);
}

static void profiles_without_sense_are_refused(void **state)
{
	static const struct {
		size_t offset;
		u32 value;
	} bad[] = {
		{ offsetof(struct gpu_profile, nr_xcc), 0 },
		{ offsetof(struct gpu_profile, se_per_xcc), 0 },
		{ offsetof(struct gpu_profile, cu_per_xcc), 129 },
		{ offsetof(struct gpu_profile, simd_per_cu), 0 },
		{ offsetof(struct gpu_profile, simd_per_cu), 17 },
		{ offsetof(struct gpu_profile, waves_per_simd), 0 },
		{ offsetof(struct gpu_profile, waves_per_simd), 1u << 20 },
		{ offsetof(struct gpu_profile, vgpr_bytes_per_cu), 0 },
		{ offsetof(struct gpu_profile, lds_bytes_per_cu), 1u << 31 },
		{ offsetof(struct gpu_profile, nr_slots), 0 },
		{ offsetof(struct gpu_profile, nr_slots), 33 },
		{ offsetof(struct gpu_profile, nr_vmids), 0 },
		{ offsetof(struct gpu_profile, nr_vmids), 16 },
		{ offsetof(struct gpu_profile, clock_khz), 0 },
		{ offsetof(struct gpu_profile, grace_default), 256 },
	};
	struct world *w = unit_world("tiny", "timed");
	struct gpu_profile p;
	struct gpu_config c = { .profile = &p, .engine = "timed" };
	struct gpu *gpu;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		p = *w->profile;
		memcpy((u8 *)&p + bad[i].offset, &bad[i].value, sizeof(u32));
		assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	}
	p = *w->profile;
	p.quantum_unit_ns = 0;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	p = *w->profile;
	p.unmap_ns = 1ull << 60;
	assert_int_equal(gpu_create(&c, &w->host, &gpu), -EINVAL);
	unit_done(w);
}

/* Two processors read the clock and call in the other order: no harm. */
static void time_that_goes_back_stands_still(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 10, .steps = 10, .step_ns = 1000 };
	struct world_dispatch d = world_dispatch(q, &k);

	unit_map_all(w);
	world_run_for(w, 1000);
	world_set_u64(w, P1, q->wptr_addr, q->wptr);
	assert_int_equal(gpu_doorbell(w->gpu, q->doorbell, 0, w->now_ns - 500),
			 w->now_ns + w->profile->packet_ns);
	assert_int_equal(gpu_advance(w->gpu, 0), w->now_ns + w->profile->packet_ns);
	assert_int_equal(gpu_next_ns(w->gpu), w->now_ns + w->profile->packet_ns);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(unit_tally(q, &d), 10);
	unit_done(w);
}

static void creation_without_memory_leaves_nothing_behind(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct gpu_config c = { .profile = w->profile, .engine = "timed" };
	s64 allocs = w->allocs;
	struct gpu *gpu;
	u32 i;

	for (i = 0; i < 3; i++) {
		w->alloc_budget = i;
		assert_int_equal(gpu_create(&c, &w->host, &gpu), -ENOMEM);
		assert_int_equal(w->allocs, allocs);
	}
	unit_done(w);
}

static void an_idle_gpu_wants_nothing(void **state)
{
	struct world *w = unit_world("tiny", "timed");

	world_queue(w, P1, 7);
	unit_map_all(w);
	assert_int_equal(gpu_advance(w->gpu, w->now_ns), U64_MAX);
	assert_int_equal(gpu_doorbell(w->gpu, 0x7777, 1, w->now_ns), U64_MAX);
	unit_done(w);
}

static void a_reset_forgets_everything(void **state)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 10, .flags = GPU_PROGRAM_ENDLESS };

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 10000);
	gpu_reset(w->gpu, w->now_ns);
	assert_int_equal(gpu_waves(w->gpu, 0), 0);
	assert_int_equal(gpu_slot_of(w->gpu, q->doorbell), -ENOENT);
	assert_int_equal(gpu_stats(w->gpu)->nr_killed, 10);
	world_hiq_ring(w);
	assert_true(world_run_idle(w, MS));
	/* A new life: the driver gives it a HIQ again. */
	world_set_u32(w, GPU_PASID_GART, w->hiq_mqd + GPU_MQD_PQ_RPTR, (u32)w->hiq_wptr);
	assert_int_equal(gpu_hiq_load(w->gpu, w->hiq_mqd, w->now_ns), 0);
	unit_map_all(w);
	assert_true(gpu_slot_of(w->gpu, q->doorbell) >= 0);
	unit_done(w);
}

/* The same calls in larger or smaller steps of time give the same history. */
static void the_size_of_time_steps_does_not_matter(void **state)
{
	static const u64 step[] = { 1, 17, 1000, 100000 };
	u64 end[4], busy[4];
	u32 i;

	for (i = 0; i < 4; i++) {
		struct world *w = unit_world("tiny", "timed");
		struct world_queue *q = world_queue(w, P1, 7);
		struct world_kernel k = { .nr_groups = 700, .steps = 3, .step_ns = 777 };

		world_dispatch(q, &k);
		world_dispatch(q, &k);
		world_ring(q);
		world_runlist_all(w);
		world_hiq_ring(w);
		while (gpu_stats(w->gpu)->nr_dispatches < 2)
			world_run_for(w, step[i]);
		end[i] = w->last_trace_ns[GPU_TRACE_DISPATCH_END];
		busy[i] = gpu_stats(w->gpu)->busy_cu_ns;
		assert_int_equal(end[i], end[0]);
		assert_int_equal(busy[i], busy[0]);
		unit_done(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_configurations_are_refused),
		cmocka_unit_test(profiles_without_sense_are_refused),
		cmocka_unit_test(time_that_goes_back_stands_still),
		cmocka_unit_test(creation_without_memory_leaves_nothing_behind),
		cmocka_unit_test(an_idle_gpu_wants_nothing),
		cmocka_unit_test(a_reset_forgets_everything),
		cmocka_unit_test(the_size_of_time_steps_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
