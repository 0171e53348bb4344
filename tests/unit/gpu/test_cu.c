// SPDX-License-Identifier: MIT
#include "unit.h"

#include "gpu/cu.h"

static u32 waves_that_fit(u32 vgprs, u32 lds_bytes, u32 group_size)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 10000, .group_size = group_size, .vgprs = vgprs,
				  .lds_bytes = lds_bytes, .flags = GPU_PROGRAM_ENDLESS };
	u32 nr;

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	world_run_for(w, MS);
	nr = gpu_waves(w->gpu, q->doorbell);
	unit_done(w);
	return nr;
}

static void wave_slots_registers_and_lds_limit_occupancy(void **state)
{
	assert_int_equal(waves_that_fit(64, 0, 64), 8 * 32);
	assert_int_equal(waves_that_fit(128, 0, 64), 8 * 16);
	assert_int_equal(waves_that_fit(512, 0, 64), 8 * 4);
	/* 264 registers: one wave on a SIMD, though three would fit a CU's total twice */
	assert_int_equal(waves_that_fit(264, 0, 64), 8 * 4);
	assert_int_equal(waves_that_fit(8, 16 << 10, 64), 8 * 4);
	assert_int_equal(waves_that_fit(8, 33 << 10, 128), 8 * 2);
	assert_int_equal(waves_that_fit(64, 0, 1024), 8 * 32);
}

static void charge_counts_what_a_simd_has_left_over(void **state)
{
	const struct gpu_profile *p = gpu_profile_find("mi300x");

	assert_int_equal(gpu_cu_vgpr_charge(p, 64), 16 << 10);
	assert_int_equal(gpu_cu_vgpr_charge(p, 512), 128 << 10);
	assert_int_equal(gpu_cu_vgpr_charge(p, 264), 128 << 10);
	assert_int_equal(gpu_cu_vgpr_charge(p, 0), 0);
	assert_int_equal(gpu_cu_vgpr_charge(p, 1024), 0);
}

static void busy_time_is_counted_per_cu(void **state)
{
	struct world *w = unit_world("tiny", "timed");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 3, .steps = 10, .step_ns = 1000 };

	world_dispatch(q, &k);
	world_ring(q);
	unit_map_all(w);
	assert_true(world_run_idle(w, MS));
	assert_int_equal(gpu_stats(w->gpu)->busy_cu_ns, 3 * 10000);
	unit_done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wave_slots_registers_and_lds_limit_occupancy),
		cmocka_unit_test(charge_counts_what_a_simd_has_left_over),
		cmocka_unit_test(busy_time_is_counted_per_cu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
