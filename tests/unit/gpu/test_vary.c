// SPDX-License-Identifier: MIT
#include "gpu/vary.h"
#include "unit.h"

#define DRAWS 65536

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void exponential_has_its_mean_and_its_tail(void **state)
{
	u64 *ns = malloc(DRAWS * sizeof(*ns));
	u64 random = 7, sum = 0;

	for (u32 i = 0; i < DRAWS; i++) {
		ns[i] = gpu_exponential(gpu_random(&random), 1000000);
		sum += ns[i];
	}
	qsort(ns, DRAWS, sizeof(*ns), compare);
	assert_in_range(sum / DRAWS, 985000, 1015000);
	/* ln 2, ln 100 */
	assert_in_range(ns[DRAWS / 2], 675000, 712000);
	assert_in_range(ns[DRAWS / 100 * 99], 4400000, 4800000);
	free(ns);
}

/* Inversion: -ln of the number as a share of 2^64. */
static void exponential_is_exact_where_it_can_be_seen(void **state)
{
	assert_in_range(gpu_exponential(1ull << 63, 1000000), 693100, 693200);
	assert_in_range(gpu_exponential(1ull << 62, 1000000), 1386200, 1386400);
	assert_in_range(gpu_exponential(3ull << 62, 1000000), 287600, 287800);
	assert_true(gpu_exponential(U64_MAX, 1000000) < 100);
	assert_in_range(gpu_exponential(0, 1000000), 44300000, 44400000);
	assert_int_equal(gpu_exponential(1ull << 62, U64_MAX),
			 gpu_exponential(1ull << 62, 1ull << 40));
}

static void a_spread_keeps_the_mean(void **state)
{
	u64 random = 3, sum = 0, least = U64_MAX;

	for (u32 i = 0; i < DRAWS; i++) {
		u64 ns = gpu_vary(&random, 20000, 250000);

		sum += ns;
		least = min(least, ns);
	}
	assert_in_range(sum / DRAWS, 19850, 20150);
	assert_in_range(least, 15000, 15010);
}

static void no_spread_takes_no_random_number(void **state)
{
	u64 random = 3;

	assert_int_equal(gpu_vary(&random, 20000, 0), 20000);
	assert_false(gpu_chance(&random, 0));
	assert_int_equal(random, 3);
	assert_true(gpu_chance(&random, GPU_PPM_ONE));
}

static void a_chance_is_met_as_often_as_it_says(void **state)
{
	u64 random = 5;
	u32 nr = 0;

	for (u32 i = 0; i < DRAWS; i++)
		nr += gpu_chance(&random, 100000);
	assert_in_range(nr, DRAWS / 10 - 300, DRAWS / 10 + 300);
}

/* A kernel of 100 us is unmapped 1 us into its run. Return: when the fence came. */
static u64 unmap(const struct gpu_profile *profile, u64 seed)
{
	struct world_options o = { .engine = "timed", .own = profile, .seed = seed };
	struct world_kernel k = { .steps = 100, .step_ns = 1000 };
	struct world *w = malloc(sizeof(*w));
	struct world_queue *q;
	u64 ns;

	assert_int_equal(world_init(w, &o), 0);
	q = world_queue(w, P1, 7);
	unit_map_all(w);
	world_dispatch(q, &k);
	world_ring(q);
	world_run_for(w, 5000);
	ns = w->now_ns;
	assert_true(world_preempt(w));
	ns = w->now_ns - ns;
	unit_done(w);
	return ns;
}

static void costs_vary_with_a_seed_and_only_then(void **state)
{
	struct gpu_profile p = *gpu_profile_find("tiny");
	u64 fixed = unmap(&p, 9), nr_equal = 0;

	p.spread_ppm = 500000;
	assert_int_equal(unmap(&p, 0), fixed);
	assert_int_equal(unmap(&p, 1), unmap(&p, 1));
	for (u64 seed = 1; seed < 9; seed++)
		nr_equal += unmap(&p, seed) == fixed;
	assert_true(nr_equal < 2);
}

static void a_retry_adds_its_sleep(void **state)
{
	struct gpu_profile p = *gpu_profile_find("tiny");
	u64 fixed = unmap(&p, 1);

	p.retry_ns = 64000;
	assert_int_equal(unmap(&p, 1), fixed);
	p.retry_ppm = GPU_PPM_ONE;
	assert_int_equal(unmap(&p, 1), fixed + 64000);
}

/* How long after its doorbell a kernel has its first wave. */
static u64 first_wave_ns(struct world_queue *q)
{
	struct world_kernel k = { .steps = 10, .step_ns = 1000 };
	u64 ns = q->world->now_ns;

	world_dispatch(q, &k);
	world_ring(q);
	assert_true(world_run_idle(q->world, MS));
	return q->world->last_trace_ns[GPU_TRACE_DISPATCH_BEGIN] - ns;
}

/* Not where nothing has run yet, and once for each time that the queue comes back. */
static void cold_caches_delay_the_first_wave(void **state)
{
	struct gpu_profile p = *gpu_profile_find("tiny");
	struct world_options o = { .engine = "timed", .own = &p };
	struct world *w = malloc(sizeof(*w));
	struct world_queue *q;

	p.cold_ns = 2000;
	assert_int_equal(world_init(w, &o), 0);
	q = world_queue(w, P1, 7);
	unit_map_all(w);
	assert_int_equal(first_wave_ns(q), p.packet_ns);
	assert_true(world_preempt(w));
	unit_map_all(w);
	assert_int_equal(first_wave_ns(q), p.packet_ns + 2000);
	assert_int_equal(first_wave_ns(q), p.packet_ns);
	unit_done(w);
}

static void costs_out_of_range_are_refused(void **state)
{
	struct gpu_profile p = *gpu_profile_find("tiny");
	struct world_options o = { .engine = "timed", .own = &p };
	struct world *w = malloc(sizeof(*w));

	p.spread_ppm = GPU_PPM_ONE + 1;
	assert_int_equal(world_init(w, &o), -EINVAL);
	world_fini(w);
	p.spread_ppm = 0;
	p.cold_ns = 1ull << 60;
	assert_int_equal(world_init(w, &o), -EINVAL);
	world_fini(w);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exponential_has_its_mean_and_its_tail),
		cmocka_unit_test(exponential_is_exact_where_it_can_be_seen),
		cmocka_unit_test(a_spread_keeps_the_mean),
		cmocka_unit_test(no_spread_takes_no_random_number),
		cmocka_unit_test(a_chance_is_met_as_often_as_it_says),
		cmocka_unit_test(costs_vary_with_a_seed_and_only_then),
		cmocka_unit_test(a_retry_adds_its_sleep),
		cmocka_unit_test(cold_caches_delay_the_first_wave),
		cmocka_unit_test(costs_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
