// SPDX-License-Identifier: MIT
/*
 * The command and the library on AMD's driver, without the daemon: what they see, what
 * they say about the machine, and what each way to stop a queue costs.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_stack.h"

#include <string.h>
#include <unistd.h>

static void check_says_ok(void)
{
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, 0, 20000, "gpreempt", "check");
	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(!gt_program_says(&p, "ok    uapi          ioctl version 1.17, with DBG_TRAP", 10),
		 "the ioctl version");
	GT_CHECK(!gt_program_says(&p, "ok    scheduler     firmware", 10), "the scheduler");
	GT_CHECK(!gt_program_says(&p, "ok    cwsr", 10), "CWSR");
	GT_CHECK(!gt_program_says(&p, "warn  daemon", 10), "the daemon");
}

static void check_sees_that_cwsr_is_off(void)
{
	struct gt_program p;

	gt_stack_devices();
	GT_CHECK(GT_RUN(&p, 0, 20000, "gpreempt", "check") == 1, "exit code");
	GT_CHECK(!gt_program_says(&p, "fail  cwsr", 10), "CWSR");
}

static void check_sees_no_firmware_scheduler(void)
{
	struct gt_program p;

	gt_stack_devices();
	GT_RUN(&p, 0, 20000, "gpreempt", "check");
	GT_CHECK(!gt_program_says(&p, "warn  scheduler", 10), "the scheduler");
	GT_CHECK(GT_RUN(&p, 0, 20000, "gpreempt", "check", "--strict") == 1, "--strict");
}

static void check_sees_that_the_user_may_not(void)
{
	struct gt_program p;

	gt_stack_devices();
	GT_CHECK(!chown("/dev/kfd", 0, 0), "chown");
	GT_CHECK(GT_RUN(&p, GT_USER, 20000, "gpreempt", "check") == 1, "exit code");
	GT_CHECK(!gt_program_says(&p, "fail  permissions", 10), "permissions");
}

static void lists_come_from_the_driver(void)
{
	struct gt_program load, p;
	char text[64];

	gt_stack_devices();
	GT_START(&load, GT_USER, "load_offline", "--kernel-ms", "50");
	for (int i = 0; i < 200; i++) {
		GT_CHECK(!GT_RUN(&p, 0, 20000, "gpreempt", "list", "procs", "--csv", "--fields",
				 "pid,nr_queues,mechanism"), "list");
		snprintf(text, sizeof(text), "%d,1,none", load.pid);
		if (!gt_program_says(&p, text, 10))
			break;
		gt_sleep_us(50000);
	}
	gt_program_show(&p);
	GT_CHECK(!gt_program_says(&p, text, 10), "the process");
	GT_CHECK(!GT_RUN(&p, 0, 20000, "gpreempt", "list", "queues"), "queues");
	gt_program_show(&p);
	gt_program_stop(&load, 15, 5000);
}

/* Waits ten seconds at most for waves on the GPU, or for none. */
static bool has_waves(bool want)
{
	for (int i = 0; i < 1000; i++) {
		if (!!gt_stat(0, "waves") == want)
			return true;
		gt_sleep_us(10000);
	}
	return false;
}

/* The library alone: a tracer of its own holds while the command runs, and not longer. */
static void a_process_is_held_without_the_daemon(void)
{
	struct gt_program load, p, list;
	char pid[16], text[64];

	gt_stack_devices();
	GT_START(&load, GT_USER, "load_offline", "--endless", "--runtime");
	snprintf(pid, sizeof(pid), "%d", load.pid);
	snprintf(text, sizeof(text), "%s,1", pid);
	for (int i = 0; i < 200; i++) {
		GT_RUN(&list, 0, 20000, "gpreempt", "list", "--csv", "--fields", "pid,nr_queues");
		if (!gt_program_says(&list, text, 10))
			break;
		gt_sleep_us(50000);
	}
	GT_CHECK(has_waves(true), "it does not run");
	GT_START(&p, GT_USER, "gpreempt", "suspend", pid, "--wait", "--lease", "60s");
	snprintf(text, sizeof(text), "%s: suspended", pid);
	if (gt_program_says(&p, text, 10000)) {
		gt_program_show(&p);
		gt_fail("not suspended");
	}
	GT_CHECK(has_waves(false), "it still runs");
	gt_sleep_us(300000);
	GT_CHECK(!gt_stat(0, "waves"), "it went on");
	GT_CHECK(!gt_program_stop(&p, 15, 5000), "the command's end");
	GT_CHECK(has_waves(true), "it does not go on");
	gt_program_stop(&load, 9, 10000);
}

static void check_lines(const struct gt_program *p, const char *const *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (gt_program_says(p, lines[i], 10)) {
			gt_program_show(p);
			gt_fail("there is no %s", lines[i]);
		}
	}
}

static void every_mechanism_is_measured(void)
{
	static const char *const lines[] = {
		"update,1,measured", "update,4,measured", "self-dbg,1,measured",
		"self-dbg,4,measured", "dbg,1,measured", "dbg,4,measured", "criu,4,unavailable",
		"hook,1,unavailable", "halt,4,unavailable",
	};
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, GT_USER, 120000, "gpreempt", "bench", "mechanisms", "--count", "20",
		   "--fields", "name,nr_queues,cycles,result,stop_p50_ns,stop_p99_ns,resume_p50_ns,"
		   "reason");
	gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	r = GT_RUN(&p, GT_USER, 120000, "gpreempt", "bench", "mechanisms", "--count", "3", "--csv",
		   "--fields", "name,nr_queues,result");
	GT_CHECK(!r, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
}

/* Control: what cannot be done is not said to be measured. */
static void without_firmware_scheduler_only_update_works(void)
{
	static const char *const lines[] = {
		"update,1,measured", "update,4,measured", "self-dbg,1,unavailable",
		"self-dbg,4,unavailable", "dbg,1,unavailable", "dbg,4,unavailable",
	};
	struct gt_program p;
	int r;

	gt_stack_devices();
	r = GT_RUN(&p, 0, 120000, "gpreempt", "bench", "mechanisms", "--count", "3", "--csv",
		   "--fields", "name,nr_queues,result");
	if (r)
		gt_program_show(&p);
	GT_CHECK(!r, "exit code %d", r);
	check_lines(&p, lines, sizeof(lines) / sizeof(lines[0]));
}

static const struct gt_case cases[] = {
	{ "check_says_ok", check_says_ok, "profile=tiny", 60 },
	{ "check_sees_that_cwsr_is_off", check_sees_that_cwsr_is_off, "profile=tiny cwsr_enable=0",
	  60 },
	{ "check_sees_no_firmware_scheduler", check_sees_no_firmware_scheduler,
	  "profile=tiny sched_policy=2", 60 },
	{ "check_sees_that_the_user_may_not", check_sees_that_the_user_may_not, "profile=tiny",
	  60 },
	{ "lists_come_from_the_driver", lists_come_from_the_driver, "profile=tiny", 90 },
	{ "a_process_is_held_without_the_daemon", a_process_is_held_without_the_daemon,
	  "profile=tiny", 120 },
	{ "every_mechanism_is_measured", every_mechanism_is_measured, "profile=tiny", 240 },
	{ "without_firmware_scheduler_only_update_works",
	  without_firmware_scheduler_only_update_works, "profile=tiny sched_policy=2", 240 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
