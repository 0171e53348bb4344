// SPDX-License-Identifier: MIT
/*
 * Compiled kernels for gfx90a and gfx942 on AMD's driver: they leave what the processor's build
 * of the same source leaves, alone and while AMD's own trap handler, which amdkfd has loaded,
 * saves and restores them in the middle.
 *
 * Needs: kernels
 */
#define _GNU_SOURCE
#include "gt/gt_code.h"
#include "gt/gt_debug.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1
#define S_BRANCH_SELF 0xbf82ffffu

cpu_kernel add_ints, copy_bytes, divide_long, churn, churn_shared, collatz, crc32, private_array,
	choices, reduce, scan, sort, histogram, atomics, lanes;

static const struct {
	struct launch launch;
	cpu_kernel *cpu;
} kernels[] = {
	{ { "add_ints", { 64, 1 }, { 2, 1 }, 100 }, add_ints },
	{ { "copy_bytes", { 128, 1 }, { 2, 1 }, 777 }, copy_bytes },
	{ { "divide_long", { 64, 1 }, { 1, 1 }, 0 }, divide_long },
	{ { "churn", { 64, 1 }, { 20, 1 }, 30 }, churn },
	{ { "churn_shared", { 128, 1 }, { 9, 1 }, 20 }, churn_shared },
	{ { "collatz", { 64, 1 }, { 40, 1 }, 200 }, collatz },
	{ { "crc32", { 64, 1 }, { 12, 1 }, 16 }, crc32 },
	{ { "private_array", { 64, 1 }, { 12, 1 }, 12 }, private_array },
	{ { "choices", { 64, 1 }, { 2, 1 }, 0 }, choices },
	{ { "reduce", { 256, 1 }, { 2, 1 }, 900 }, reduce },
	{ { "scan", { 128, 1 }, { 2, 1 }, 0 }, scan },
	{ { "sort", { 128, 1 }, { 1, 1 }, 0 }, sort },
	{ { "histogram", { 128, 1 }, { 2, 1 }, 700 }, histogram },
	{ { "atomics", { 64, 1 }, { 2, 1 }, 1000 }, atomics },
	{ { "lanes", { 64, 1 }, { 1, 1 }, 0 }, lanes },
};

/* Some milliseconds of the GPU's time: long enough to be stopped in the middle many times. */
static const struct launch steady = { "churn", { 64, 1 }, { 4, 1 }, 20000 };
static const struct launch barriers = { "churn_shared", { 128, 1 }, { 2, 1 }, 20000 };

/* What all cases begin with. */
struct scene {
	struct gt_gpu gpu;
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
};

/* @session: the process is to debug itself, or NULL */
static void set_up(struct scene *s, const struct launch *launch, struct gt_session *session)
{
	/* A sleep of some microseconds takes that long. */
	prctl(PR_SET_TIMERSLACK, 1);
	gt_gpu_open(&s->gpu, 0);
	if (session)
		*session = gt_debug_self(&s->gpu);
	gt_queue_create(&s->gpu, 7, &s->q);
	if (session)
		gt_debug_clear_new(session);
	gt_queue_give_scratch(&s->q);
	gt_code_load(&s->gpu, "kernels", &s->code);
	gt_run_create(&s->gpu, launch, &s->run);
	gt_run_fill(&s->run, 5);
}

static void wait_for_waves(uint64_t nr)
{
	uint64_t end = gt_deadline_ns(20000);

	while (gt_stat(0, "waves") != nr) {
		GT_CHECK(gt_now_ns() < end, "%lu waves, not %lu", gt_stat(0, "waves"), nr);
		gt_sleep_us(20);
	}
}

static void compiled_kernels_leave_what_the_processor_leaves(void)
{
	uint64_t before = gt_stat(0, "instructions");
	struct scene s;
	size_t i;

	set_up(&s, &kernels[0].launch, NULL);
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		const char *name = kernels[i].launch.name;

		s.run.launch = kernels[i].launch;
		gt_run_fill(&s.run, 100 + i);
		gt_run_start(&s.run, &s.q, &s.code);
		GT_CHECK(!gt_run_wait(&s.run, 20000), "%s: no end, %lu faults", name,
			 gt_stat(0, "faults"));
		GT_CHECK(gt_run_is_right(&s.run, kernels[i].cpu), "%s: wrong result", name);
	}
	gt_note("%zu kernels, %lu instructions", i, gt_stat(0, "instructions") - before);
	GT_CHECK(!gt_queue_destroy(&s.q), "destroy");
}

/* Control: a GPU that ends every kernel and executes nothing is found out. */
static void device_that_executes_nothing_is_noticed(void)
{
	struct scene s;
	size_t i;

	gt_fault(0, "dead 1");
	set_up(&s, &kernels[0].launch, NULL);
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		s.run.launch = kernels[i].launch;
		gt_run_fill(&s.run, 100 + i);
		gt_run_start(&s.run, &s.q, &s.code);
		GT_CHECK(!gt_run_wait(&s.run, 20000), "no end");
		GT_CHECK(!gt_run_is_right(&s.run, kernels[i].cpu), "%s: not noticed",
			 kernels[i].launch.name);
	}
	GT_CHECK(!gt_stat(0, "instructions"), "%lu instructions", gt_stat(0, "instructions"));
	gt_fault(0, "dead 0");
}

/* How a queue is stopped and lets go again. */
struct way {
	void (*stop)(struct scene *s, struct gt_session *session);
	void (*go)(struct scene *s, struct gt_session *session);
};

static void stop_by_update(struct scene *s, struct gt_session *session)
{
	GT_CHECK(!gt_queue_update(&s->q, 0), "preempt: %s", strerror(errno));
}

static void go_by_update(struct scene *s, struct gt_session *session)
{
	GT_CHECK(!gt_queue_update(&s->q, 100), "resume: %s", strerror(errno));
}

static void stop_by_debugger(struct scene *s, struct gt_session *session)
{
	uint32_t id = s->q.id;

	GT_CHECK(gt_debug_suspend(session, &id, 1, GRACE) == 1, "suspend: %x", id);
}

static void go_by_debugger(struct scene *s, struct gt_session *session)
{
	uint32_t id = s->q.id;

	GT_CHECK(gt_debug_resume(session, &id, 1) == 1, "resume: %x", id);
}

static const struct way by_update = { stop_by_update, go_by_update };
static const struct way by_debugger = { stop_by_debugger, go_by_debugger };

/* Stopped again and again; @us: how long it runs between, more or less. */
static void disturb(struct scene *s, const struct way *way, struct gt_session *session,
		    unsigned int us)
{
	uint64_t end = gt_deadline_ns(100000);
	unsigned int n;

	for (n = 0; s->run.signal->value; n++) {
		GT_CHECK(gt_now_ns() < end, "no end after %u preemptions", n);
		gt_sleep_us(us + n * 7 % (us / 2));
		way->stop(s, session);
		GT_CHECK(!gt_stat(0, "waves"), "%lu waves run on", gt_stat(0, "waves"));
		way->go(s, session);
	}
}

static void preempt(const struct launch *launch, cpu_kernel *cpu, const struct way *way)
{
	uint64_t saves = gt_stat(0, "saves"), restores = gt_stat(0, "restores");
	bool is_debugged = way == &by_debugger;
	struct gt_session session;
	struct scene s;

	set_up(&s, launch, is_debugged ? &session : NULL);
	gt_run_start(&s.run, &s.q, &s.code);
	disturb(&s, way, &session, 150);
	saves = gt_stat(0, "saves") - saves;
	restores = gt_stat(0, "restores") - restores;
	gt_note("%lu saves of %lu bytes", saves, gt_stat(0, "save_bytes"));
	GT_CHECK(saves >= 5, "%lu saves", saves);
	GT_CHECK(saves == restores, "%lu saves, %lu restores", saves, restores);
	GT_CHECK(gt_run_is_right(&s.run, cpu), "wrong result");
	/* 6.12 does not come back from DISABLE on gfx 9.4.3: docs/upstream-bugs.md. */
	if (is_debugged && gt_gpu_prop(&s.gpu, "num_xcc") == 1)
		GT_CHECK(!gt_debug_disable(&session), "disable");
}

static void preempted_kernel_leaves_the_same(void)
{
	preempt(&steady, churn, &by_update);
}

static void kernel_with_barriers_is_preempted(void)
{
	preempt(&barriers, churn_shared, &by_update);
}

static void suspended_by_a_debugger_it_leaves_the_same(void)
{
	preempt(&steady, churn, &by_debugger);
}

/* A process with a session that it cannot end has to be killed: one of its own. */
static void suspended_on_several_xccs_it_leaves_the_same(void)
{
	int done[2], status;
	char byte;
	pid_t pid;

	GT_CHECK(!pipe(done), "%s", strerror(errno));
	pid = fork();
	if (!pid) {
		preempt(&steady, churn, &by_debugger);
		if (write(done[1], "", 1) == 1)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	close(done[1]);
	GT_CHECK(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	GT_CHECK(read(done[0], &byte, 1) == 1, "it failed");
}

/* Its waves are in memory, all else is on the GPU: what the driver tells a debugger. */
static void saved_kernel_has_no_waves_and_goes_on(void)
{
	uint64_t saves = gt_stat(0, "saves"), instructions;
	struct scene s;

	set_up(&s, &steady, NULL);
	gt_run_start(&s.run, &s.q, &s.code);
	wait_for_waves(steady.groups[0]);
	stop_by_update(&s, NULL);
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "it was not saved");
	GT_CHECK(!gt_stat(0, "waves"), "waves run on");
	instructions = gt_stat(0, "instructions");
	gt_sleep_us(20000);
	GT_CHECK(gt_stat(0, "instructions") == instructions, "something is executed");
	GT_CHECK(s.run.signal->value == 1, "it ended");
	go_by_update(&s, NULL);
	GT_CHECK(!gt_run_wait(&s.run, 20000), "no end");
	GT_CHECK(gt_run_is_right(&s.run, churn), "wrong result");
}

#define NOT_FLIPPED ~0u
#define SEEN 3

/* A process whose kernel is saved once; @byte of that is changed. Ends with SEEN or 0. */
static void run_flipped(unsigned int byte)
{
	static const struct launch one = { "churn", { 64, 1 }, { 1, 1 }, 20000 };
	uint64_t saves = gt_stat(0, "saves"), faults = gt_stat(0, "faults"), end;
	struct scene s;

	set_up(&s, &one, NULL);
	gt_run_start(&s.run, &s.q, &s.code);
	wait_for_waves(1);
	if (byte != NOT_FLIPPED)
		gt_fault(0, "corrupt %u", byte);
	stop_by_update(&s, NULL);
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "it was not saved");
	go_by_update(&s, NULL);
	/* An address may have changed: then there is no end but a fault. */
	end = gt_deadline_ns(20000);
	while (s.run.signal->value && gt_stat(0, "faults") == faults) {
		GT_CHECK(gt_now_ns() < end, "no end and no fault");
		gt_sleep_us(1000);
	}
	_exit(s.run.signal->value || !gt_run_is_right(&s.run, churn) ? SEEN : 0);
}

static bool is_seen(unsigned int byte)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		run_flipped(byte);
	GT_CHECK(waitpid(pid, &status, 0) == pid, "%s", strerror(errno));
	GT_CHECK(WIFEXITED(status), "byte %u: signal %d", byte, WTERMSIG(status));
	return WEXITSTATUS(status) == SEEN;
}

/*
 * Control: one byte of what AMD's handler saved is changed. A record begins with VGPRs, 64 lanes
 * each, of which the kernel needs some; the save that is not damaged changes nothing.
 */
static void a_flipped_byte_is_seen(void)
{
	unsigned int row, nr_seen = 0;

	GT_CHECK(!is_seen(NOT_FLIPPED), "seen without a flipped byte");
	for (row = 0; row < 8; row++)
		nr_seen += is_seen(row * 256 + 20 * row);
	gt_note("%u bytes, %u seen", row, nr_seen);
	GT_CHECK(nr_seen >= 3, "%u flipped bytes seen", nr_seen);
}

static void endless_kernel_gives_way(void)
{
	static const uint32_t words[] = { S_BRANCH_SELF };
	static const struct launch quick = { "crc32", { 64, 1 }, { 8, 1 }, 16 };
	uint64_t saves = gt_stat(0, "saves");
	struct gt_queue other;
	struct gt_run endless;
	struct scene s;
	int i;

	set_up(&s, &quick, NULL);
	gt_queue_create(&s.gpu, 7, &other);
	gt_run_create(&s.gpu, &quick, &endless);
	endless.launch.groups[0] = 200;
	gt_run_launch(&endless, &other, gt_code_assemble(&s.gpu, words, 1));
	wait_for_waves(200);
	for (i = 0; i < 5; i++) {
		GT_CHECK(!gt_queue_update(&other, 0), "preempt");
		GT_CHECK(gt_stat(0, "saves") - saves == (uint64_t)i + 1, "not saved");
		gt_run_fill(&s.run, i);
		gt_run_start(&s.run, &s.q, &s.code);
		GT_CHECK(!gt_run_wait(&s.run, 20000), "no end");
		GT_CHECK(gt_run_is_right(&s.run, crc32), "wrong result");
		GT_CHECK(!gt_queue_update(&other, 100), "resume");
		wait_for_waves(200);
	}
	GT_CHECK(endless.signal->value == 1, "it ended");
}

/* More workgroups than there is memory for: some wait. */
static void waves_wait_for_memory(void)
{
	static const struct launch many = { "churn", { 64, 1 }, { 700, 1 }, 20 };
	struct scene s;

	set_up(&s, &many, NULL);
	gt_run_start(&s.run, &s.q, &s.code);
	GT_CHECK(!gt_run_wait(&s.run, 30000), "no end");
	GT_CHECK(gt_run_is_right(&s.run, churn), "wrong result");
}

#define LONG 120

static const struct gt_case cases[] = {
	{ "compiled_kernels_leave_what_the_processor_leaves",
	  compiled_kernels_leave_what_the_processor_leaves, TINY, LONG },
	{ "device_that_executes_nothing_is_noticed", device_that_executes_nothing_is_noticed,
	  TINY " gpus=1", LONG },
	{ "preempted_kernel_leaves_the_same", preempted_kernel_leaves_the_same, TINY, LONG },
	{ "kernel_with_barriers_is_preempted", kernel_with_barriers_is_preempted, TINY, LONG },
	{ "suspended_by_a_debugger_it_leaves_the_same",
	  suspended_by_a_debugger_it_leaves_the_same, TINY, LONG },
	{ "saved_kernel_has_no_waves_and_goes_on", saved_kernel_has_no_waves_and_goes_on, TINY,
	  LONG },
	{ "a_flipped_byte_is_seen", a_flipped_byte_is_seen, TINY, LONG },
	{ "endless_kernel_gives_way", endless_kernel_gives_way, TINY, LONG },
	{ "waves_wait_for_memory", waves_wait_for_memory, TINY " wave_mb=1", LONG },
	{ "preempted_by_the_shortcut", preempted_kernel_leaves_the_same,
	  TINY " handler=shortcut", LONG },
	{ "preempted_without_hws", preempted_kernel_leaves_the_same, TINY " sched_policy=2",
	  LONG },
	{ "gfx942_leaves_what_the_processor_leaves",
	  compiled_kernels_leave_what_the_processor_leaves, "profile=mi300x", LONG },
	{ "gfx942_with_barriers_is_preempted", kernel_with_barriers_is_preempted,
	  "profile=mi300x", LONG },
	{ "gfx942_suspended_by_a_debugger", suspended_on_several_xccs_it_leaves_the_same,
	  "profile=mi300x", LONG },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
