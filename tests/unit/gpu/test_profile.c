// SPDX-License-Identifier: MIT
#include "unit.h"

/* The table of kfd_queue.c's results for real parts. */
static void save_area_sizes_are_those_of_kfd(void **state)
{
	static const struct {
		const char *name;
		u32 ctl;
		u64 context;	/* without the control stack, over all XCCs */
		u64 allocation;
	} parts[] = {
		{ "mi210", 0x9000, 63471616, 63639552 },
		{ "mi300x", 0x3000, 185532416, 186019840 },
		{ "mi308x", 0x2000, 48824320, 48959488 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct gpu_profile *p = gpu_profile_find(parts[i].name);
		u64 area = gpu_profile_cwsr_bytes(p);

		assert_non_null(p);
		assert_int_equal(gpu_profile_ctl_stack_bytes(p), parts[i].ctl);
		assert_int_equal((area - parts[i].ctl) * p->nr_xcc, parts[i].context);
		assert_int_equal((area + gpu_profile_debug_bytes(p)) * p->nr_xcc,
				 parts[i].allocation);
	}
}

static void a_full_mi300x_needs_about_75_us(void **state)
{
	const struct gpu_profile *p = gpu_profile_find("mi300x");
	u64 bytes = gpu_profile_cwsr_bytes(p) - gpu_profile_ctl_stack_bytes(p);

	assert_in_range(gpu_profile_save_ns(p, bytes), 43000, 44500);
	assert_in_range(gpu_profile_floor_ns(p, bytes), 74000, 80000);
}

static void the_floor_has_the_grace_period_of_the_profile(void **state)
{
	struct gpu_profile p = *gpu_profile_find("tiny");
	u64 floor_ns = gpu_profile_floor_ns(&p, 0);

	p.grace_default = 11;
	assert_int_equal(gpu_profile_floor_ns(&p, 0), floor_ns + 10 * 1000);
	p.grace_default = 0;
	assert_int_equal(gpu_profile_floor_ns(&p, 0), floor_ns - 1000);
}

static void profiles_can_be_walked_and_found(void **state)
{
	const struct gpu_profile *p;
	u32 nr = 0;

	for (; (p = gpu_profile_at(nr)); nr++)
		assert_ptr_equal(gpu_profile_find(p->name), p);
	assert_int_equal(nr, 4);
	assert_null(gpu_profile_find("mi9000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(save_area_sizes_are_those_of_kfd),
		cmocka_unit_test(a_full_mi300x_needs_about_75_us),
		cmocka_unit_test(the_floor_has_the_grace_period_of_the_profile),
		cmocka_unit_test(profiles_can_be_walked_and_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
