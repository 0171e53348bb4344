// SPDX-License-Identifier: MIT
/*
 * Some of ROCr 7.2's own tests, as Debian has them, unmodified: kernels that add vectors, change
 * memory of either side by atomic operations, and use LDS whose size the dispatch gives. They pass,
 * and the first fails on a GPU that executes nothing.
 *
 * Suite: clients
 * Needs: hip:experimental
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#include <errno.h>

#define SUITE "experimental"
#define FOLDER "/usr/libexec/rocm/libhsa-runtime64-tests/"
#define END_MS 600000

/* Return: exit code of rocrtst */
static int run_tests(struct gt_program *p, const char *gfx, const char *filter)
{
	char command[512];
	int r;

	snprintf(command, sizeof(command), "cd " FOLDER "%s && ./rocrtst64 --gtest_filter='%s'",
		 gfx, filter);
	gt_hip_enter(SUITE);
	GT_HIP_RUN(p, SUITE, GT_PLAIN, NULL, "/bin/sh", "-c", command);
	r = gt_program_wait(p, END_MS);
	gt_hip_leave(SUITE);
	return r;
}

static void pass(const char *gfx, const char *filter)
{
	struct gt_program p;
	int r = run_tests(&p, gfx, filter);

	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "%s: ended with %d", filter, r);
	GT_CHECK(gt_file_has(p.output, "[  PASSED  ]"), "%s: nothing passed", filter);
}

static void the_example_passes(void)
{
	pass("gfx90a", "rocrtst.Test_Example");
}

/* On memory of the GPU and of the system, each by a kernel. */
static void atomics_pass(void)
{
	pass("gfx90a", "rocrtstFunc.Memory_Atomic_*");
}

static void memory_passes(void)
{
	pass("gfx90a", "rocrtstFunc.MemoryAccessTests:rocrtstFunc.GroupMemoryAllocationTest");
}

static void a_dead_gpu_is_noticed(void)
{
	struct gt_program p;
	int r;

	gt_fault(0, "dead 1");
	r = run_tests(&p, "gfx90a", "rocrtst.Test_Example");
	GT_CHECK(r && r != -ETIMEDOUT, "ended with %d", r);
	gt_fault(0, "dead 0");
}

static const struct gt_case cases[] = {
	{ "the_example_passes", the_example_passes, "profile=tiny", 700 },
	{ "atomics_pass", atomics_pass, "profile=tiny", 700 },
	{ "memory_passes", memory_passes, "profile=tiny", 700 },
	{ "a_dead_gpu_is_noticed", a_dead_gpu_is_noticed, "profile=tiny", 700 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
