// SPDX-License-Identifier: MIT
/*
 * The judge of lost and repeated work, given memory as a kernel may leave it.
 */
#include "sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define WORKGROUPS 10
#define WORKGROUP_NS 1000

static void judge(u64 wgs, u64 ns, s64 signal, struct gp_sim_result *result)
{
	struct gp_sim sim = { .result = result };
	struct gp_proc proc = { .sim = &sim };
	u64 tally[1][2] = { { wgs, ns } };
	struct gp_signal signals[1] = { { .value = signal } };
	struct gp_sim_queue q = {
		.proc = &proc, .nr_packets = 1, .tally = tally, .signals = signals,
	};
	struct gp_kernel_image k = { .nr_workgroups = WORKGROUPS, .workgroup_ns = WORKGROUP_NS };

	memset(result, 0, sizeof(*result));
	gp_verify_packet(&q, 0, &k);
}

static void assert_verdict(u64 wgs, u64 ns, s64 signal, u64 lost, u64 repeated)
{
	static struct gp_sim_result r;

	judge(wgs, ns, signal, &r);
	assert_int_equal(r.lost, lost);
	assert_int_equal(r.repeated, repeated);
	assert_int_equal(r.dispatches, 1);
}

static void undisturbed_kernel_is_fine(void **state)
{
	assert_verdict(10, 10000, 0, 0, 0);
}

static void missing_workgroups_are_lost(void **state)
{
	assert_verdict(7, 7000, 0, 3, 0);
}

static void extra_workgroups_are_repeated(void **state)
{
	assert_verdict(12, 12000, 0, 0, 2);
}

static void wrong_run_time_is_noticed(void **state)
{
	assert_verdict(10, 9999, 0, 1, 0);
	assert_verdict(10, 10001, 0, 0, 1);
}

static void signal_counts_down_exactly_once(void **state)
{
	assert_verdict(10, 10000, 1, 1, 0);
	assert_verdict(10, 10000, -1, 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undisturbed_kernel_is_fine),
		cmocka_unit_test(missing_workgroups_are_lost),
		cmocka_unit_test(extra_workgroups_are_repeated),
		cmocka_unit_test(wrong_run_time_is_noticed),
		cmocka_unit_test(signal_counts_down_exactly_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
