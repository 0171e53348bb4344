// SPDX-License-Identifier: MIT
/*
 * AMD's own reader judges what the model and AMD's handler have saved: a debugger on Debian's
 * ROCdbgapi attaches to a process whose waves run, and finds every register and every word of LDS,
 * the place and the workgroup of each wave. It changes what is saved to stop the waves; let go,
 * they finish with the right result.
 *
 * Needs: debugger kernels
 */
#define _GNU_SOURCE
#include "gt/gt_code.h"
#include "gt/gt_debug.h"
#include "gt/gt_root.h"
#include "loads/held.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOT "/debugger"
#define OUTPUT "/tmp/debugger.out"
#define GROUPS 16
#define RDEBUG_VERSION 10 /* of ROCr 6 */
#define LONG 120

static const struct launch held = { "held", { HELD_GROUP, 1 }, { GROUPS, 1 }, 0 };

/* What a debugger looks for in a process that has loaded ROCr. */
static struct r_debug debug_info = { .r_version = RDEBUG_VERSION, .r_brk = 0x1000 };

/* A process that is debugged. */
struct target {
	struct gt_gpu gpu;
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
};

static void enable_runtime(struct gt_gpu *gpu)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.r_debug = (uintptr_t)&debug_info,
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK |
			     KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK,
	};

	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_RUNTIME_ENABLE, &args), "%s", strerror(errno));
}

static void check_sums(const struct target *t)
{
	uint32_t i;

	for (i = 0; i < GROUPS * HELD_GROUP; i++)
		GT_CHECK(t->run.buffer[0][i] == held_sum(i / HELD_GROUP, i % HELD_GROUP),
			 "work-item %u: 0x%x", i, t->run.buffer[0][i]);
}

/* Small ones, each from its start to its end: as many as the ring has packets, and some. */
static void go_round(struct target *t)
{
	uint64_t nr = t->q.ring_bytes / GPU_AQL_PACKET_BYTES + 5;

	t->run.buffer[1][0] = 1;
	t->run.launch.groups[0] = 1;
	while (nr--) {
		gt_run_start(&t->run, &t->q, &t->code);
		GT_CHECK(!gt_run_wait(&t->run, 20000), "no end");
	}
	t->run.launch = held;
}

static void start(struct target *t, bool is_round)
{
	gt_gpu_open(&t->gpu, 0);
	enable_runtime(&t->gpu);
	gt_queue_create(&t->gpu, 7, &t->q);
	gt_queue_describe(&t->q);
	gt_code_load(&t->gpu, "held", &t->code);
	gt_run_create(&t->gpu, &held, &t->run);
	if (is_round)
		go_round(t);
	memset(t->run.buffer[0], 0, LAUNCH_BUFFER_BYTES);
	t->run.buffer[1][0] = 0;
	gt_run_start(&t->run, &t->q, &t->code);
}

/* Tells when its waves wait, lets them go when told. */
static void be_target(int tell, int told, bool is_round)
{
	struct target t;
	char byte;

	start(&t, is_round);
	GT_CHECK(!gt_stat_wait(0, "waves", 2 * GROUPS), "%lu waves", gt_stat(0, "waves"));
	/* From the first wave to the loop. */
	gt_sleep_us(20000);
	GT_CHECK(write(tell, "", 1) == 1, "pipe");
	GT_CHECK(read(told, &byte, 1) == 1, "pipe");
	__atomic_store_n(&t.run.buffer[1][0], 1, __ATOMIC_RELEASE);
	GT_CHECK(!gt_run_wait(&t.run, 20000), "no end");
	check_sums(&t);
	_exit(0);
}

static void exec_debugger(pid_t pid)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	if (!freopen(OUTPUT, "w", stdout) || dup2(1, 2) < 0 || chroot(ROOT) || chdir("/"))
		_exit(126);
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	execl("/usr/bin/debugger", "debugger", number, NULL);
	_exit(127);
}

/* What it printed is in OUTPUT. Return: it came to its end. */
static bool run_debugger(pid_t target)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		exec_debugger(target);
	GT_CHECK(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void show_output(void)
{
	char line[256];
	FILE *f = fopen(OUTPUT, "re");

	while (f && fgets(line, sizeof(line), f))
		gt_note("%.*s", (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
}

/* Starts a target. @let_go: output: a byte lets its waves go. Return: pid */
static pid_t start_target(bool is_round, int *let_go)
{
	int tell[2], told[2];
	char byte;
	pid_t pid;

	GT_CHECK(!pipe(tell) && !pipe(told), "%s", strerror(errno));
	pid = fork();
	if (!pid)
		be_target(tell[1], told[0], is_round);
	close(tell[1]);
	GT_CHECK(read(tell[0], &byte, 1) == 1, "the program does not run");
	*let_go = told[1];
	return pid;
}

static void enter_root(void)
{
	if (access(ROOT "/usr/bin/debugger", X_OK))
		gt_skip("the guest has no " ROOT);
	gt_root_bind(ROOT);
}

static void let_end(pid_t pid, int let_go)
{
	int status;

	GT_CHECK(write(let_go, "", 1) == 1, "pipe");
	GT_CHECK(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "the program failed: %x", status);
}

static void debug(bool is_round)
{
	bool has_ended;
	int let_go;
	pid_t pid;

	enter_root();
	pid = start_target(is_round, &let_go);
	has_ended = run_debugger(pid);
	show_output();
	GT_CHECK(has_ended, "the debugger failed");
	GT_CHECK(gt_file_value(OUTPUT, "seen") == 2 * GROUPS, "not all waves");
	GT_CHECK(!gt_file_value(OUTPUT, "differ"), "the debugger found something else");
	let_end(pid, let_go);
	gt_root_leave(ROOT);
}

static void debugger_finds_what_was_saved(void)
{
	debug(false);
}

/* What waves say of their packet counts modulo the ring. */
static void ring_that_was_gone_round(void)
{
	debug(true);
}

/* The record of the first wave that is saved, the second of its workgroup; then the first. */
#define VGPR(n) ((n)*256)
#define ACC_VGPR(n) VGPR(HELD_VGPRS + (n))
#define SGPR(n) (VGPR(HELD_VGPRS + HELD_ACC_VGPRS) + (n)*4)
#define RECORD_BYTES (SGPR(112) + 192)
#define LDS(n) (RECORD_BYTES + SGPR(112) + 128 + (n)*4)

/* Control: a bit of what was saved is changed. @nr: of so many waves it is seen */
static void expect_seen(unsigned int byte, const char *what, unsigned int nr)
{
	int let_go;
	pid_t pid;

	pid = start_target(false, &let_go);
	gt_fault(0, "corrupt %u", byte);
	run_debugger(pid);
	show_output();
	GT_CHECK(gt_file_value(OUTPUT, "differ") == nr, "not seen: %s", what);
	GT_CHECK(gt_file_has(OUTPUT, what), "something else than %s was seen", what);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void flipped_bits_are_seen(void)
{
	enter_root();
	expect_seen(VGPR(7) + 4 * 9, "v7 9: ", 1);
	expect_seen(ACC_VGPR(31) + 4 * 63 + 3, "a31 63: ", 1);
	expect_seen(SGPR(40), "s40 0: ", 1);
	expect_seen(LDS(100), "LDS 100: ", 2);
	gt_root_leave(ROOT);
}

static const struct gt_case cases[] = {
	{ "debugger_finds_what_was_saved", debugger_finds_what_was_saved, "profile=tiny", LONG },
	{ "ring_that_was_gone_round", ring_that_was_gone_round, "profile=tiny", LONG },
	{ "flipped_bits_are_seen", flipped_bits_are_seen, "profile=tiny", LONG },
	{ "gfx942_debugger_finds_what_was_saved", debugger_finds_what_was_saved, "profile=mi300x",
	  LONG },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
