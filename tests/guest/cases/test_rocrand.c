// SPDX-License-Identifier: MIT
/*
 * rocRAND's own tests of its kernels, as Debian 13 has them, unmodified: they pass, also while
 * they are stopped and continued at random times, and they fail on a GPU that executes nothing.
 *
 * Suite: clients
 * Needs: stack hip:trixie
 * Clock: real, ROCr compares clocks of processor and kernel at its start
 */
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#include <sys/wait.h>

#define SUITE GT_HIP_5_7
#define TESTS "/usr/libexec/rocm/librocrand1-tests/"
#define XORWOW TESTS "test_rocrand_kernel_xorwow"
#define END_MS 600000
#define MIN_SAVES 5
#define LONGEST_US 20000

static void begin(struct gt_program *p, enum gt_how how)
{
	gt_hip_enter(SUITE);
	GT_HIP_RUN(p, SUITE, how, "besteffort", XORWOW);
}

static void passes(struct gt_program *p)
{
	int r = gt_program_wait(p, END_MS);

	if (r)
		gt_program_show(p);
	GT_CHECK(!r, "ended with %d", r);
	GT_CHECK(gt_file_has(p->output, "[  PASSED  ]"), "nothing passed");
	GT_CHECK(!gt_file_has(p->output, "[  FAILED  ]"), "something failed");
	gt_hip_leave(SUITE);
}

static void xorwow_passes(void)
{
	uint64_t instructions = gt_stat(0, "instructions");
	struct gt_program p;

	begin(&p, GT_PLAIN);
	passes(&p);
	gt_note("%lu instructions", gt_stat(0, "instructions") - instructions);
}

static void xorwow_fails_where_nothing_is_executed(void)
{
	struct gt_program p;
	int r;

	gt_fault(0, "dead 1");
	begin(&p, GT_PLAIN);
	r = gt_program_wait(&p, END_MS);
	GT_CHECK(r > 0, "ended with %d", r);
	GT_CHECK(!gt_file_has(p.output, "[  PASSED  ] 15"), "all passed");
	gt_hip_leave(SUITE);
	gt_fault(0, "dead 0");
}

/* It says how it ended, or died without a word. */
static bool has_ended(const struct gt_program *p)
{
	siginfo_t info = {};

	return gt_file_has(p->output, "[  PASSED  ]") || gt_file_has(p->output, "[  FAILED  ]") ||
	       waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* Paused for less than it runs, again and again, wherever it is. */
static void xorwow_passes_while_it_is_stopped(void)
{
	uint64_t saves = gt_stat(0, "saves"), nr = 0;
	struct gt_program daemon, p;
	int fd;

	gt_random_seed(gt_argument("seed", 21));
	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	begin(&p, GT_SHIM);
	GT_CHECK(!gt_program_says(&p, "[ RUN", END_MS), "no test begins");
	fd = gt_control_open();
	for (; !has_ended(&p); nr++) {
		gt_sleep_us(gt_random(LONGEST_US));
		gt_control_hold(fd, "Suspend", p.pid);
		gt_sleep_us(gt_random(LONGEST_US / 4));
		gt_control_hold(fd, "Resume", p.pid);
	}
	passes(&p);
	saves = gt_stat(0, "saves") - saves;
	gt_note("stopped %lu times, %lu saves in the middle of kernels", nr, saves);
	GT_CHECK(saves >= MIN_SAVES, "%lu saves", saves);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "xorwow_passes", xorwow_passes, "profile=tiny", 900 },
	{ "xorwow_fails_where_nothing_is_executed", xorwow_fails_where_nothing_is_executed,
	  "profile=tiny", 900 },
	{ "xorwow_passes_while_it_is_stopped", xorwow_passes_while_it_is_stopped,
	  "profile=tiny", 900 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
