// SPDX-License-Identifier: MIT
/*
 * Two programs on Debian's HIP, unmodified, one urgent and one not, under gpreempt: the kernels
 * of the second are saved in the middle by AMD's handler, and all results are those of the
 * processor, bit by bit.
 *
 * Suite: clients
 * Needs: stack hip:trixie
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#include <signal.h>

#define SUITE GT_HIP_5_7
#define END_MS 600000
/* Rounds of a product of matrices, all in one kernel. */
#define LONG "300"
#define NR_REQUESTS 24
#define PAUSE_MS "2"
#define MIN_PREEMPTED 8
#define NEVER_MS 3000

static void start_first(struct gt_program *p)
{
	GT_CHECK(!gt_program_says(p, "completed", END_MS), "no job begins");
}

static void both_are_exact(enum gt_how how)
{
	struct gt_program daemon, offline, online;
	uint64_t saves, restores;
	struct gt_view view = {};
	char count[16];
	int r;

	snprintf(count, sizeof(count), "%u", gt_scaled(10 * NR_REQUESTS));
	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	gt_hip_enter(SUITE);
	GT_HIP(&offline, SUITE, how, "besteffort", "jobs", "0", LONG, "0");
	start_first(&offline);
	saves = gt_stat(0, "saves");
	restores = gt_stat(0, "restores");
	GT_HIP(&online, SUITE, how, "realtime", "jobs", count, "1", PAUSE_MS);
	r = gt_hip_wait(&online, END_MS);
	GT_CHECK(!r, "online ended with %d", r);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline has ended before");
	kill(offline.pid, SIGTERM);
	r = gt_hip_wait(&offline, END_MS);
	GT_CHECK(!r, "offline ended with %d", r);
	saves = gt_stat(0, "saves") - saves;
	restores = gt_stat(0, "restores") - restores;
	gt_note("preempted %lu times, %lu saves, %lu restores; %s requests, p50 %lu us, p99 %lu us",
		view.nr_preempted, saves, restores, count,
		gt_program_value(&online, "p50_us"), gt_program_value(&online, "p99_us"));
	GT_CHECK(saves >= MIN_PREEMPTED, "%lu saves in the middle of kernels", saves);
	GT_CHECK(saves == restores, "not all were restored");
	gt_hip_leave(SUITE);
	gt_daemon_stop(&daemon);
}

static void the_shim_preempts_hip(void)
{
	both_are_exact(GT_SHIM);
}

static void dbg_preempts_hip(void)
{
	both_are_exact(GT_DBG);
}

/* Without gpreempt a kernel that never ends and fills the GPU lets no other one in. */
static void an_endless_kernel_gives_way(void)
{
	struct gt_program daemon, endless, alone, online;
	int r;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	gt_hip_enter(SUITE);
	GT_HIP(&endless, SUITE, GT_SHIM, "besteffort", "endless");
	start_first(&endless);
	GT_HIP(&alone, SUITE, GT_PLAIN, NULL, "jobs", "1");
	GT_CHECK(gt_program_says(&alone, "completed", NEVER_MS), "there is room without gpreempt");
	GT_CHECK(gt_program_stop(&alone, SIGKILL, END_MS) == 128 + SIGKILL, "kill");
	GT_HIP(&online, SUITE, GT_SHIM, "realtime", "jobs", "3");
	r = gt_hip_wait(&online, END_MS);
	GT_CHECK(!r, "online ended with %d", r);
	GT_CHECK(gt_program_stop(&endless, SIGKILL, END_MS) == 128 + SIGKILL, "kill");
	gt_hip_leave(SUITE);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "the_shim_preempts_hip", the_shim_preempts_hip, "profile=tiny", 900 },
	{ "dbg_preempts_hip", dbg_preempts_hip, "profile=tiny", 900 },
	{ "an_endless_kernel_gives_way", an_endless_kernel_gives_way, "profile=tiny", 900 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
