// SPDX-License-Identifier: MIT
/* Both wave engines: wave_timed.c and wave_state.c. */
#include "unit.h"

struct result {
	u64 end_ns;
	u64 preempt_ns;
	u64 save_bytes;
	u64 tally[2];
};

static struct result run(const char *engine, const char *profile, u64 seed, u64 *out)
{
	struct world *w = unit_world(profile, engine);
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 50, .steps = 20, .step_ns = 1000, .vgprs = 24,
				  .group_size = 192, .lds_bytes = 700, .seed = seed,
				  .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);
	struct result r;

	world_ring(q);
	unit_map_all(w);
	world_run_for(w, 7777);
	r.preempt_ns = w->now_ns;
	assert_true(world_preempt(w));
	r.preempt_ns = w->now_ns - r.preempt_ns;
	unit_map_all(w);
	assert_true(world_run_idle(w, 10 * MS));
	r.end_ns = w->now_ns;
	r.save_bytes = gpu_stats(w->gpu)->save_bytes;
	r.tally[0] = unit_tally(q, &d);
	r.tally[1] = world_u64(w, P1, d.tally + 8);
	if (out)
		memcpy(out, world_at(w, P1, d.out, 150 * 8), 150 * 8);
	unit_done(w);
	return r;
}

/* What costs time and bytes must not depend on how waves are represented. */
static void both_engines_agree_on_time_and_bytes(void **state)
{
	static const char *const profile[] = { "tiny", "mi210", "mi308x", "mi300x" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(profile); i++) {
		struct result t = run("timed", profile[i], 1, NULL);
		struct result s = run("state", profile[i], 1, NULL);

		assert_memory_equal(&t, &s, sizeof(t));
		assert_int_equal(t.tally[0], 50);
		assert_int_equal(t.tally[1], 50 * 20000);
		assert_true(t.save_bytes > 0);
	}
}

static void results_depend_on_seed_and_wave_but_not_on_the_gpu(void **state)
{
	u64 a[150], b[150], c[150];
	u32 i, j;

	run("state", "tiny", 1, a);
	run("state", "mi300x", 1, b);
	run("state", "tiny", 2, c);
	assert_memory_equal(a, b, sizeof(a));
	for (i = 0; i < 150; i++) {
		assert_int_not_equal(a[i], 0);
		assert_int_not_equal(a[i], c[i]);
		for (j = 0; j < i; j++)
			assert_int_not_equal(a[i], a[j]);
	}
}

static void endless_waves_can_be_saved_and_restored(void **state)
{
	static const char *const engine[] = { "timed", "state" };
	u32 i, j;

	for (i = 0; i < 2; i++) {
		struct world *w = unit_world("tiny", engine[i]);
		struct world_queue *q = world_queue(w, P1, 7);
		struct world_kernel k = { .nr_groups = 4, .step_ns = 1000,
					  .flags = GPU_PROGRAM_ENDLESS };

		world_dispatch(q, &k);
		world_ring(q);
		unit_map_all(w);
		for (j = 0; j < 5; j++) {
			world_run_for(w, MS);
			assert_int_equal(gpu_waves(w->gpu, 0), 4);
			assert_true(world_preempt(w));
			assert_int_equal(gpu_waves(w->gpu, 0), 0);
			unit_map_all(w);
		}
		assert_int_equal(gpu_stats(w->gpu)->nr_restores, 5);
		unit_done(w);
	}
}

#define LONG_NS (1ull << 52)

static void run_long(u32 flags, u32 nr_saves, u64 *out)
{
	struct world *w = unit_world("tiny", "state");
	struct world_queue *q = world_queue(w, P1, 7);
	struct world_kernel k = { .nr_groups = 4, .steps = 4000000000u, .step_ns = 100, .vgprs = 16,
				  .flags = flags, .has_out = true };
	struct world_dispatch d = world_dispatch(q, &k);
	u32 i;

	world_ring(q);
	unit_map_all(w);
	for (i = 0; i < nr_saves; i++) {
		world_run_for(w, flags ? LONG_NS : 50000000000ull);
		assert_true(world_preempt(w));
		unit_map_all(w);
		assert_int_equal(gpu_waves(w->gpu, 0), 4);
	}
	if (!flags) {
		assert_true(world_run_idle(w, LONG_NS));
		assert_int_equal(unit_signal(q, &d), 0);
		assert_int_equal(world_u64(w, P1, d.tally + 8), 4 * 400000000000ull);
		memcpy(out, world_at(w, P1, d.out, 4 * 8), 4 * 8);
	}
	unit_done(w);
}

/* In no time: a test that computed every step would not end. */
static void age_does_not_make_waves_dear(void **state)
{
	u64 once[4], in_parts[4];

	run_long(GPU_PROGRAM_ENDLESS, 3, NULL);
	run_long(0, 0, once);
	run_long(0, 7, in_parts);
	assert_memory_equal(once, in_parts, sizeof(once));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_engines_agree_on_time_and_bytes),
		cmocka_unit_test(results_depend_on_seed_and_wave_but_not_on_the_gpu),
		cmocka_unit_test(endless_waves_can_be_saved_and_restored),
		cmocka_unit_test(age_does_not_make_waves_dear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
