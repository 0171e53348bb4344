// SPDX-License-Identifier: MIT
/*
 * A program on Debian 13's HIP, unmodified, of which that suite's own compiler has made machine
 * code: its results are those of the processor, bit by bit. Other suites: hip_suites.
 *
 * Needs: hip:trixie
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#define SUITE GT_HIP_5_7
#define END_MS 300000

static int run_jobs(const char *count)
{
	struct gt_program p;
	int r;

	gt_hip_enter(SUITE);
	GT_HIP(&p, SUITE, GT_PLAIN, NULL, "jobs", count);
	r = gt_hip_wait(&p, END_MS);
	gt_hip_leave(SUITE);
	return r;
}

static void hip_computes(void)
{
	uint64_t instructions = gt_stat(0, "instructions");
	int r = run_jobs("3");

	GT_CHECK(!r, "ended with %d", r);
	gt_note("%lu instructions", gt_stat(0, "instructions") - instructions);
}

/* Control: a GPU that ends every kernel and executes nothing is found out. */
static void device_that_executes_nothing_is_noticed(void)
{
	gt_fault(0, "dead 1");
	GT_CHECK(run_jobs("1"), "not noticed");
	gt_fault(0, "dead 0");
}

static const struct gt_case cases[] = {
	{ "hip_computes", hip_computes, "profile=tiny", 400 },
	{ "device_that_executes_nothing_is_noticed", device_that_executes_nothing_is_noticed,
	  "profile=tiny", 400 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
