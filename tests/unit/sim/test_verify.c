// SPDX-License-Identifier: MIT
/*
 * The judge of lost and repeated work, given memory as a kernel may leave it.
 */
#include "sim/sim.h"
#include "gpu/mqd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define WORKGROUPS 10
#define WORKGROUP_NS 1000

static void judge(u64 wgs, u64 ns, s64 signal, struct sim_result *result)
{
	struct sim sim = { .result = result };
	struct sim_proc proc = { .sim = &sim };
	u64 tally[1][2] = { { wgs, ns } };
	struct gpu_signal signals[1] = { { .value = signal } };
	struct sim_kernel_image k = { .nr_workgroups = WORKGROUPS, .workgroup_ns = WORKGROUP_NS };
	const struct sim_kernel_image *image[1] = { &k };
	struct sim_queue q = {
		.proc = &proc,
		.nr_packets = 1,
		.tally = tally,
		.signals = signals,
		.image = image,
	};

	memset(result, 0, sizeof(*result));
	sim_verify_packet(&q, 0);
}

static void assert_verdict(u64 wgs, u64 ns, s64 signal, u64 lost, u64 repeated)
{
	static struct sim_result r;

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

static const struct gpu_host_ops no_ops;

static void *test_alloc(struct gpu_host *host, size_t bytes)
{
	return test_calloc(1, bytes);
}

static void test_release(struct gpu_host *host, void *mem)
{
	test_free(mem);
}

/* A packet consumed by a GPU that has nothing of it, unless @ctl_offset says saved. */
static bool vanished(s64 signal, u64 rptr, u32 ctl_offset)
{
	struct gpu_host_ops ops = no_ops;
	struct sim sim = { .host = { .ops = &ops } };
	struct gpu_config config = { .profile = gpu_profile_find("tiny"), .engine = "timed" };
	struct sim_proc proc = { .sim = &sim };
	struct gpu_signal signals[1] = { { .value = signal } };
	u64 pointers[2] = { rptr, 1 };
	struct sim_queue q = {
		.proc = &proc, .nr_packets = 1, .signals = signals, .pointers = pointers,
	};
	u32 *mqd;
	bool ret;

	ops.alloc = test_alloc;
	ops.free = test_release;
	assert_int_equal(gpu_create(&config, &sim.host, &sim.gpu), 0);
	assert_int_equal(sim_space_init(&sim.gart, 0, 1 << 16), 0);
	q.mqd = sim_space_alloc(&sim.gart, GPU_MQD_BYTES, 4096);
	mqd = sim_space_ptr(&sim.gart, q.mqd, GPU_MQD_BYTES);
	mqd[GPU_MQD_CTL_STACK_SIZE / 4] = 4096;
	mqd[GPU_MQD_CTL_STACK_OFFSET / 4] = ctl_offset;
	ret = sim_verify_has_vanished(&q);
	gpu_destroy(sim.gpu);
	sim_space_fini(&sim.gart);
	return ret;
}

static void consumed_packet_that_is_nowhere_has_vanished(void **state)
{
	assert_true(vanished(1, 1, 4096));
	assert_false(vanished(1, 1, 4000));	/* saved */
	assert_false(vanished(1, 0, 4096));	/* still in the ring */
	assert_false(vanished(0, 1, 4096));	/* complete */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undisturbed_kernel_is_fine),
		cmocka_unit_test(missing_workgroups_are_lost),
		cmocka_unit_test(extra_workgroups_are_repeated),
		cmocka_unit_test(wrong_run_time_is_noticed),
		cmocka_unit_test(signal_counts_down_exactly_once),
		cmocka_unit_test(consumed_packet_that_is_nowhere_has_vanished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
