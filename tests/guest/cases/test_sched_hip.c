// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko and two programs on Debian's HIP, unmodified, one urgent and one not: the kernels
 * of the second are saved in the middle by AMD's handler, and all results are those of the
 * processor, bit by bit.
 *
 * Variant: hooks
 * Suite: clients
 * Needs: stack hip:trixie
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_gpk.h"
#include "gt/gt_hip.h"

#include <signal.h>

#define SUITE GT_HIP_5_7
#define END_MS 600000
#define LONG "300"
#define PAUSE_MS "2"
#define MIN_SAVES 8

static void begin(struct gt_program *daemon)
{
	gt_gpk_load("");
	gt_stack_devices();
	gt_daemon_start(daemon, NULL);
	gt_hip_enter(SUITE);
}

static void end(struct gt_program *daemon)
{
	gt_hip_leave(SUITE);
	gt_daemon_stop(daemon);
	gt_gpk_unload();
}

static void both_are_exact(void)
{
	struct gt_program daemon, offline, online;
	uint64_t saves, restores;
	struct gt_view view = {};
	char count[16];
	int r;

	begin(&daemon);
	snprintf(count, sizeof(count), "%u", gt_scaled(240));
	GT_HIP(&offline, SUITE, GT_KERNEL, "besteffort", "jobs", "0", LONG, "0");
	GT_CHECK(!gt_program_says(&offline, "completed", END_MS), "no job begins");
	saves = gt_stat(0, "saves");
	restores = gt_stat(0, "restores");
	GT_HIP(&online, SUITE, GT_KERNEL, "realtime", "jobs", count, "1", PAUSE_MS);
	r = gt_hip_wait(&online, END_MS);
	GT_CHECK(!r, "online ended with %d", r);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline has ended before");
	kill(offline.pid, SIGTERM);
	r = gt_hip_wait(&offline, END_MS);
	GT_CHECK(!r, "offline ended with %d", r);
	saves = gt_stat(0, "saves") - saves;
	restores = gt_stat(0, "restores") - restores;
	gt_note("%lu saves, %lu restores; %s requests, p50 %lu us, p99 %lu us", saves, restores,
		count, gt_program_value(&online, "p50_us"), gt_program_value(&online, "p99_us"));
	GT_CHECK(saves >= MIN_SAVES, "%lu saves in the middle of kernels", saves);
	GT_CHECK(saves == restores, "not all were restored");
	end(&daemon);
}

static void an_endless_kernel_gives_way(void)
{
	struct gt_program daemon, endless, online;
	int r;

	begin(&daemon);
	GT_HIP(&endless, SUITE, GT_KERNEL, "besteffort", "endless");
	GT_CHECK(!gt_program_says(&endless, "completed", END_MS), "no kernel begins");
	GT_HIP(&online, SUITE, GT_KERNEL, "realtime", "jobs", "3");
	r = gt_hip_wait(&online, END_MS);
	GT_CHECK(!r, "online ended with %d", r);
	GT_CHECK(gt_program_stop(&endless, SIGKILL, END_MS) == 128 + SIGKILL, "kill");
	end(&daemon);
}

static const struct gt_case cases[] = {
	{ "both_are_exact", both_are_exact, "profile=tiny", 900 },
	{ "an_endless_kernel_gives_way", an_endless_kernel_gives_way, "profile=tiny", 900 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
