// SPDX-License-Identifier: MIT
/*
 * The first run on a GPU, on the simulated one: the whole ladder of gpreempt selftest on AMD's
 * driver and AMD's trap handler. Each failure that is planted is found on its rung, in words, and
 * leaves a GPU on which the ladder is climbed again.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"
#define MS 300000
#define LONG 600
#define TINY "profile=tiny"
/* What runs on while the driver waits for an answer is executed, too. */
#define IMPATIENT TINY " queue_preemption_timeout_ms=100"

/* Saves and restores take as long as their bytes. */
#define MODEL_ONLY " handler=shortcut wave_mb=256 poll_us=1"
/* Three wake-ups of 5 us: the GPU's thread for the packet and for its end, then the driver. */
#define SLACK_NS 16000

/* Of kit_live: 64 VGPRs and 64 ACC VGPRs, 256 bytes each, begin its record. */
#define VGPR_8_LANE_1 (8 * 256 + 4)
#define ACC_0 (64 * 256)

static void check_lines(const struct gt_program *p, const char *const *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (gt_program_says(p, lines[i], 10)) {
			gt_program_show(p);
			gt_fail("there is no %s", lines[i]);
		}
}

/* All rungs; @fill: how much of the GPU, which an interpreter has to run. */
static void climb(const char *fill)
{
	static const char *const lines[] = {
		"ok    machine", "ok    queue", "ok    kernel", "ok    update", "ok    debugger",
		"skip  module", "ok    many", "ok    cost",
		"preemption works on this GPU (update, debugger); nothing was lost",
	};
	uint64_t saves = gt_stat(0, "saves");
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--fill", fill, "--count", "10");
	gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
	saves = gt_stat(0, "saves") - saves;
	GT_CHECK(saves >= 50, "%lu saves", saves);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "waves are left");
}

static void tiny_is_climbed(void)
{
	climb("100");
}

static void large_is_climbed(void)
{
	climb("5");
}

/* A climb that waits before each rung. */
struct stepwise {
	struct gt_program p;
	int keys;
};

static void step_begin(struct stepwise *s)
{
	int keys[2], saved = dup(0);

	gt_stack_devices();
	GT_CHECK(!pipe2(keys, O_CLOEXEC), "%s", strerror(errno));
	dup2(keys[0], 0);
	GT_START(&s->p, GT_USER, "gpreempt", "selftest", "--step", "--count", "3", "--fill", "25");
	if (saved >= 0) {
		dup2(saved, 0);
		close(saved);
	}
	close(keys[0]);
	s->keys = keys[1];
}

static void press(struct stepwise *s)
{
	GT_CHECK(write(s->keys, "\n", 1) == 1, "%s", strerror(errno));
}

/* Up to @rung, which has not begun then. */
static void step_to(struct stepwise *s, const char *rung)
{
	static const char *const rungs[] = { "machine", "queue", "kernel", "update", "debugger",
					     "module", "many", "cost" };
	char text[32];

	for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++) {
		snprintf(text, sizeof(text), "next: %s:", rungs[i]);
		if (gt_program_says(&s->p, text, 30000)) {
			gt_program_show(&s->p);
			gt_fail("it does not come to %s", rungs[i]);
		}
		if (!strcmp(rungs[i], rung))
			return;
		press(s);
	}
	gt_fail("there is no rung %s", rung);
}

/* Does that rung; it has to fail and to say so. */
static void step_fails(struct stepwise *s, const char *line, const char *words)
{
	int r = gt_program_wait(&s->p, 120000);

	gt_program_show(&s->p);
	GT_CHECK(r == 1, "exit code %d", r);
	GT_CHECK(!gt_program_says(&s->p, line, 10), "not on that rung: %s", line);
	GT_CHECK(!gt_program_says(&s->p, words, 10), "it does not say %s", words);
	words = strstr(line, "kernel") ? "nothing was preempted on this GPU" :
					 "do not use gpreempt on this GPU yet";
	GT_CHECK(!gt_program_says(&s->p, words, 10), "it does not end with %s", words);
	close(s->keys);
}

/* Nothing of it is left. */
static void climb_again(void)
{
	struct gt_program p;
	int r;

	gt_fault(0, "clear");
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--count", "3", "--fill", "25");
	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "the GPU cannot be used any more: %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "waves are left");
}

/* The queue of the rung that runs: the dword index of its doorbell. */
static uint32_t wait_for_queue(void)
{
	uint64_t end = gt_deadline_ns(20000);
	uint32_t doorbell;

	for (;;) {
		FILE *f = fopen("/sys/kernel/debug/kfdsim/0/slots", "re");
		int nr = f ? fscanf(f, "slot %*u doorbell %u", &doorbell) : 0;

		if (f)
			fclose(f);
		if (nr == 1)
			return doorbell;
		GT_CHECK(gt_now_ns() < end, "no queue");
		gt_sleep_us(20);
	}
}

static void queue_that_refuses_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "update");
	press(&s);
	gt_fault(0, "refuse %u", wait_for_queue());
	step_fails(&s, "fail  update", "it did not leave when it was told to");
	climb_again();
}

static void lost_fence_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "update");
	gt_fault(0, "lose_fence 1");
	press(&s);
	step_fails(&s, "fail  update", "the driver has reset the GPU");
	climb_again();
}

static void flipped_bit_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "update");
	gt_fault(0, "corrupt %u", VGPR_8_LANE_1);
	press(&s);
	step_fails(&s, "fail  update", "VGPR v8 of lane 1 is ");
	climb_again();
}

/* One that traces any process, 0 = there is none. */
static pid_t find_tracer(void)
{
	DIR *all = opendir("/proc");
	struct dirent *d;
	pid_t found = 0;

	while (all && !found && (d = readdir(all))) {
		char path[32], line[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%.10s/status", d->d_name);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f) && !sscanf(line, "TracerPid: %d", &found))
			;
		if (f)
			fclose(f);
	}
	if (all)
		closedir(all);
	return found;
}

static void dead_tracer_is_found(void)
{
	uint64_t end = gt_deadline_ns(20000);
	struct stepwise s;
	pid_t tracer;

	step_begin(&s);
	step_to(&s, "debugger");
	press(&s);
	while (!(tracer = find_tracer())) {
		GT_CHECK(gt_now_ns() < end, "no tracer");
		gt_sleep_us(20);
	}
	kill(tracer, SIGKILL);
	step_fails(&s, "fail  debugger", "the tracer: ");
	climb_again();
}

/* As AMD's handler does for waves with four arch VGPRs: docs/upstream-bugs.md, 11. */
static void wrong_acc_registers_are_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "debugger");
	gt_fault(0, "shift %u", ACC_0);
	press(&s);
	step_fails(&s, "fail  debugger", "ACC VGPR a0 of lane 0 is ");
	climb_again();
}

static void hang_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "update");
	press(&s);
	wait_for_queue();
	gt_fault(0, "hang 1");
	step_fails(&s, "fail  update", "the driver has reset the GPU");
	climb_again();
}

static void reset_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "kernel");
	press(&s);
	wait_for_queue();
	gt_fault(0, "reset 1");
	step_fails(&s, "fail  kernel", "the driver has reset the GPU");
	climb_again();
}

/* Kernels end and nothing was executed. */
static void dead_gpu_is_found(void)
{
	struct stepwise s;

	step_begin(&s);
	step_to(&s, "kernel");
	gt_fault(0, "dead 1");
	press(&s);
	step_fails(&s, "fail  kernel", "not all of them run");
	climb_again();
}

static void machine_fails(uid_t uid, const char *words)
{
	struct gt_program p;
	int r;

	r = GT_RUN(&p, uid, MS, "gpreempt", "selftest");
	gt_program_show(&p);
	GT_CHECK(r == 1, "exit code %d", r);
	GT_CHECK(!gt_program_says(&p, "fail  machine", 10), "not on that rung");
	GT_CHECK(!gt_program_says(&p, words, 10), "it does not say %s", words);
	GT_CHECK(!gt_program_says(&p, "stopped at machine; nothing was preempted", 10), "the end");
}

static void cwsr_off_is_found(void)
{
	gt_stack_devices();
	machine_fails(GT_USER, "cwsr: off");
}

static void missing_permission_is_found(void)
{
	gt_stack_devices();
	GT_CHECK(!chown("/dev/kfd", 0, 0), "chown");
	machine_fails(GT_USER, "permissions: /dev/kfd");
	gt_stack_devices();
	climb_again();
}

/* No fault of the GPU: what is left is tried. The device is not the module's, but it is shut. */
static void what_a_user_may_not_is_left_out(void)
{
	static const char *const lines[] = {
		"ok    update", "skip  debugger    PTRACE_SEIZE: Operation not permitted",
		"skip  module      /dev/gpreempt: Permission denied",
		"preemption works on this GPU (update); nothing was lost",
	};
	struct gt_program p;
	int r;

	gt_stack_devices();
	GT_CHECK(!mknod("/dev/gpreempt", S_IFCHR | 0600, makedev(1, 3)), "%s", strerror(errno));
	GT_CHECK(!gt_write_file(YAMA, "2"), "%s", strerror(errno));
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--count", "3", "--fill", "25");
	gt_program_show(&p);
	unlink("/dev/gpreempt");
	GT_CHECK(!gt_write_file(YAMA, "0"), "%s", strerror(errno));
	GT_CHECK(!r, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
}

/* No fault of the GPU: what is left is tried. */
static void without_hws_the_debugger_is_left_out(void)
{
	static const char *const lines[] = {
		"ok    update", "skip  debugger    the firmware scheduler is off",
		"preemption works on this GPU (update); nothing was lost",
	};
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--count", "3", "--fill", "25");
	gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
}

/* Nobody is interrupted who did not agree. */
static void another_process_is_left_alone(void)
{
	struct gt_program load, p;
	uint64_t saves;
	int r;

	gt_stack_devices();
	GT_START(&load, GT_OTHER_USER, "load_offline", "--kernel-ms", "50");
	wait_for_queue();
	saves = gt_stat(0, "saves");
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest");
	gt_program_show(&p);
	GT_CHECK(r == 1, "exit code %d", r);
	GT_CHECK(!gt_program_says(&p, "has a queue on this GPU: nothing was stopped", 10), "words");
	/* The end of any process that has opened the driver is a runlist cycle. */
	GT_CHECK(gt_stat(0, "saves") - saves <= 3, "%lu stops", gt_stat(0, "saves") - saves);
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--shared", "--count", "3", "--fill",
		   "5");
	gt_program_show(&p);
	GT_CHECK(!r, "--shared: exit code %d", r);
	GT_CHECK(gt_stat(0, "saves") - saves > 50, "%lu stops", gt_stat(0, "saves") - saves);
	r = gt_program_stop(&load, SIGTERM, 20000);
	GT_CHECK(!r, "the other process: %d", r);
}

static void one_that_comes_later_ends_it(void)
{
	static const char *const lines[] = {
		"fail  cost        another process has a queue on this GPU by now: stopped no more",
		"stopped at cost; that says nothing of this GPU",
	};
	struct gt_program load, p;
	int r;

	gt_stack_devices();
	GT_START(&p, GT_USER, "gpreempt", "selftest", "--count", "100", "--fill", "25");
	GT_CHECK(!gt_program_says(&p, "ok    many", MS), "it does not come to cost");
	GT_START(&load, GT_OTHER_USER, "load_offline", "--kernel-ms", "50");
	r = gt_program_wait(&p, MS);
	gt_program_show(&p);
	GT_CHECK(r == 1, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
	r = gt_program_stop(&load, SIGTERM, 20000);
	GT_CHECK(!r, "the other process: %d", r);
}

/* Between, with what a look at the clock and a wake-up of the GPU's thread add in this guest. */
static void expect(const struct gt_program *p, const char *key, uint64_t low, uint64_t high)
{
	char line[32];
	uint64_t value;

	snprintf(line, sizeof(line), "%-9s =", key);
	value = gt_program_value(p, line);
	GT_CHECK(!gt_program_says(p, "measured: bytes in a microsecond", 10), "not measured");
	GT_CHECK(value >= low && value <= high, "%s: %lu, not %lu to %lu", key, value, low, high);
}

/*
 * The bytes are written without the handler, in the time that the profile says: calibrating gives
 * back what the model was made of.
 */
static void calibrate(const char *fill, uint64_t bandwidth, uint64_t unmap_ns, uint64_t map_ns)
{
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "selftest", "--fill", fill, "--count", "20", "-o",
		   "/tmp/bundle/first");
	gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	r = GT_RUN(&p, GT_USER, MS, "gpreempt", "calibrate", "/tmp/bundle/first/selftest.json");
	gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	/* The last of many waves to go on is at most a step later than that of few. */
	expect(&p, "bandwidth", bandwidth * 4 / 5, bandwidth * 6 / 5);
	expect(&p, "unmap", unmap_ns, unmap_ns + SLACK_NS);
	expect(&p, "map", map_ns > SLACK_NS ? map_ns - SLACK_NS : 0, map_ns + SLACK_NS);
	GT_CHECK(!access("/tmp/bundle/first/selftest.html", R_OK), "no page");
}

static void tiny_is_calibrated(void)
{
	calibrate("100", 65536, 2000, 1100);
}

static void mi210_is_calibrated(void)
{
	calibrate("40", 1310720, 20000, 8500);
}

static void mi300x_is_calibrated(void)
{
	calibrate("50", 4240000, 20000, 8500);
}

static void mi308x_is_calibrated(void)
{
	calibrate("100", 4240000, 20000, 8500);
}

static const struct gt_case cases[] = {
	{ "tiny_is_climbed", tiny_is_climbed, TINY, LONG },
	{ "queue_that_refuses_is_found", queue_that_refuses_is_found, IMPATIENT, LONG },
	{ "lost_fence_is_found", lost_fence_is_found, IMPATIENT, LONG },
	{ "flipped_bit_is_found", flipped_bit_is_found, TINY, LONG },
	{ "wrong_acc_registers_are_found", wrong_acc_registers_are_found, TINY, LONG },
	{ "dead_tracer_is_found", dead_tracer_is_found, TINY, LONG },
	{ "hang_is_found", hang_is_found, IMPATIENT, LONG },
	{ "reset_is_found", reset_is_found, TINY, LONG },
	{ "dead_gpu_is_found", dead_gpu_is_found, TINY, LONG },
	{ "another_process_is_left_alone", another_process_is_left_alone, TINY, LONG },
	{ "one_that_comes_later_ends_it", one_that_comes_later_ends_it, TINY, LONG },
	{ "missing_permission_is_found", missing_permission_is_found, TINY, LONG },
	{ "what_a_user_may_not_is_left_out", what_a_user_may_not_is_left_out, TINY, LONG },
	{ "cwsr_off_is_found", cwsr_off_is_found, TINY " cwsr_enable=0", LONG },
	{ "without_hws_the_debugger_is_left_out", without_hws_the_debugger_is_left_out,
	  TINY " sched_policy=2", LONG },
	{ "mi210_is_climbed", large_is_climbed, "profile=mi210", LONG },
	{ "mi300x_is_climbed", large_is_climbed, "profile=mi300x", LONG },
	{ "mi308x_is_climbed", large_is_climbed, "profile=mi308x", LONG },
	{ "tiny_is_calibrated", tiny_is_calibrated, TINY MODEL_ONLY, LONG },
	{ "mi210_is_calibrated", mi210_is_calibrated, "profile=mi210" MODEL_ONLY, LONG },
	{ "mi300x_is_calibrated", mi300x_is_calibrated, "profile=mi300x" MODEL_ONLY, LONG },
	{ "mi308x_is_calibrated", mi308x_is_calibrated, "profile=mi308x" MODEL_ONLY, LONG },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
