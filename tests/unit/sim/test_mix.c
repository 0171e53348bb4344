// SPDX-License-Identifier: MIT
/* The synthesised kernel lists against the statistics they are made from. */
#include "test_support.h"

#include "sim/sim_mix.h"

#include <stdlib.h>
#include <string.h>

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static u64 make_sorted(const struct sim_mix *mix, u64 *ns)
{
	struct sim_kernel_spec k[SIM_MAX_KERNELS];
	u64 sum = 0;

	sim_mix_kernels(mix, 1000000, k);
	for (u32 i = 0; i < mix->nr_kernels; i++) {
		ns[i] = k[i].duration_ns;
		sum += ns[i];
	}
	qsort(ns, mix->nr_kernels, sizeof(*ns), compare_u64);
	return sum;
}

static void lists_have_the_published_statistics(void **state)
{
	const struct sim_mix *m;

	for (u32 i = 0; (m = sim_mix_at(i)); i++) {
		u64 ns[SIM_MAX_KERNELS];
		u64 sum = make_sorted(m, ns);
		u64 want = m->sum_us * 1000ull;
		u32 n = m->nr_kernels;

		print_message("%s\n", m->name);
		assert_in_range(sum, want - want / 1000, want + want / 1000);
		assert_int_equal(ns[(n * 50 + 99) / 100 - 1], m->p50_us * 1000);
		assert_int_equal(ns[(n * 90 + 99) / 100 - 1], m->p90_us * 1000);
		assert_int_equal(ns[n - 1], m->max_us * 1000);
	}
}

static void lists_have_the_published_buckets(void **state)
{
	static const u64 end_us[] = { 16, 40, 100, 200, 300, 1000000 };
	const struct sim_mix *m;

	for (u32 i = 0; (m = sim_mix_at(i)); i++) {
		u64 ns[SIM_MAX_KERNELS];
		u32 count[SIM_MIX_BUCKETS] = { 0 };

		make_sorted(m, ns);
		for (u32 k = 0, b = 0; k < m->nr_kernels; k++) {
			while (ns[k] > end_us[b] * 1000)
				b++;
			count[b]++;
		}
		assert_memory_equal(count, m->bucket, sizeof(count));
	}
}

static void vgg_is_as_published(void **state)
{
	const struct sim_mix *m = sim_mix_find("vgg");
	u64 ns[SIM_MAX_KERNELS];

	assert_non_null(m);
	assert_int_equal(m->nr_kernels, 71);
	assert_in_range(make_sorted(m, ns), 5294000 - 52940, 5294000 + 52940);
}

static void kernels_are_legal_and_grow_with_their_duration(void **state)
{
	const struct sim_mix *m;

	for (u32 i = 0; (m = sim_mix_at(i)); i++) {
		struct sim_kernel_spec k[SIM_MAX_KERNELS];

		sim_mix_kernels(m, 1000000, k);
		for (u32 a = 0; a < m->nr_kernels; a++) {
			assert_in_range(k[a].fill_ppm, 50000, 1000000);
			assert_in_range(k[a].duration_ns, 10000, 4000000);
			assert_false(k[a].endless);
			if (a && k[a].duration_ns > k[a - 1].duration_ns)
				assert_true(k[a].fill_ppm >= k[a - 1].fill_ppm);
		}
	}
}

static void the_same_list_every_time(void **state)
{
	struct sim_kernel_spec a[SIM_MAX_KERNELS], b[SIM_MAX_KERNELS];
	const struct sim_mix *m = sim_mix_find("bert");

	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	sim_mix_kernels(m, 1000000, a);
	sim_mix_kernels(m, 1000000, b);
	assert_memory_equal(a, b, sizeof(a));
}

static void scale_changes_durations_only(void **state)
{
	struct sim_kernel_spec a[SIM_MAX_KERNELS], b[SIM_MAX_KERNELS];
	const struct sim_mix *m = sim_mix_find("vgg");

	sim_mix_kernels(m, 1000000, a);
	sim_mix_kernels(m, 500000, b);
	for (u32 i = 0; i < m->nr_kernels; i++) {
		assert_int_equal(b[i].duration_ns, a[i].duration_ns / 2);
		assert_int_equal(b[i].fill_ppm, a[i].fill_ppm);
	}
}

static void unknown_names_are_not_found(void **state)
{
	assert_null(sim_mix_find("vgg19"));
	assert_null(sim_mix_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_the_published_statistics),
		cmocka_unit_test(lists_have_the_published_buckets),
		cmocka_unit_test(vgg_is_as_published),
		cmocka_unit_test(kernels_are_legal_and_grow_with_their_duration),
		cmocka_unit_test(the_same_list_every_time),
		cmocka_unit_test(scale_changes_durations_only),
		cmocka_unit_test(unknown_names_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
