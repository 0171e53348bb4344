// SPDX-License-Identifier: MIT
/*
 * Programs on Debian's HIP 5.2, 5.7 and 6.4, unmodified, of which each suite's own compiler has
 * made machine code: their results are those of the processor, bit by bit. On gfx90a and, where
 * the compiler knows it, on the eight XCCs of gfx942.
 *
 * Suite: clients
 * Needs: hip:host hip:trixie hip:sid
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#include <errno.h>

#define END_MS 300000

static int run_jobs(const char *suite, const char *count)
{
	struct gt_program p;
	int r;

	gt_hip_enter(suite);
	GT_HIP(&p, suite, GT_PLAIN, NULL, "jobs", count);
	r = gt_hip_wait(&p, END_MS);
	gt_hip_leave(suite);
	return r;
}

static void compute(const char *suite)
{
	uint64_t instructions = gt_stat(0, "instructions");
	int r = run_jobs(suite, "3");

	GT_CHECK(!r, "ended with %d", r);
	gt_note("%lu instructions", gt_stat(0, "instructions") - instructions);
}

static void hip_5_2_computes(void)
{
	compute(GT_HIP_5_2);
}

static void hip_5_7_computes(void)
{
	compute(GT_HIP_5_7);
}

static void hip_6_computes(void)
{
	compute(GT_HIP_6);
}

/* A kernel stores where no memory is: that process ends, another one computes on. */
static void a_fault_ends_its_process_only(void)
{
	struct gt_program bad, good;
	int r;

	gt_hip_enter(GT_HIP_6);
	GT_HIP(&good, GT_HIP_6, GT_PLAIN, NULL, "jobs", "20", "1", "100");
	GT_CHECK(!gt_program_says(&good, "completed 1", END_MS), "no job ends");
	GT_HIP(&bad, GT_HIP_6, GT_PLAIN, NULL, "fault");
	r = gt_program_wait(&bad, END_MS);
	gt_program_show(&bad);
	GT_CHECK(r != 0 && r != -ETIMEDOUT, "ended with %d", r);
	GT_CHECK(gt_file_has(bad.output, "completed 0"), "it did not come to its kernel");
	r = gt_hip_wait(&good, END_MS);
	GT_CHECK(!r, "the other one ended with %d", r);
	gt_hip_leave(GT_HIP_6);
}

static const struct gt_case cases[] = {
	{ "hip_5_2_computes", hip_5_2_computes, "profile=tiny", 600 },
	{ "hip_5_7_computes", hip_5_7_computes, "profile=tiny", 600 },
	{ "hip_6_computes", hip_6_computes, "profile=tiny", 600 },
	{ "a_fault_ends_its_process_only", a_fault_ends_its_process_only, "profile=tiny", 600 },
	{ "hip_5_7_computes_on_8_xccs", hip_5_7_computes, "profile=mi300x", 600 },
	{ "hip_6_computes_on_8_xccs", hip_6_computes, "profile=mi300x", 600 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
