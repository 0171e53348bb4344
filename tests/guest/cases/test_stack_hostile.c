// SPDX-License-Identifier: MIT
/*
 * The shim in a program that behaves badly: interrupted all the time, threads that end
 * while their work is paused, descriptors of the shim closed and their numbers used
 * again. It is paused and continued before and after, and nothing of its own is touched.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_daemon.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define KNOWN_MS 15000
#define PAUSE_US 300000

static uint64_t nr_completed(const struct gt_program *p)
{
	char line[128];
	uint64_t nr = 0;
	FILE *f = fopen(p->output, "re");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "completed %lu", &nr);
	if (f)
		fclose(f);
	return nr;
}

static void wait_for_more(const struct gt_program *p, const char *when)
{
	uint64_t before = nr_completed(p), end = gt_deadline_ns(10000);

	while (nr_completed(p) < before + 3) {
		GT_CHECK(gt_now_ns() < end, "%s: it stands still", when);
		gt_sleep_us(10000);
	}
}

static void pause_and_continue(const struct gt_program *p, const char *when)
{
	int fd = gt_control_open();
	uint64_t before;

	wait_for_more(p, when);
	GT_CHECK(!strcmp(gt_control_hold(fd, "Suspend", p->pid), "ok"), "%s: suspend", when);
	/* What ended before may still be said. */
	gt_sleep_us(PAUSE_US);
	before = nr_completed(p);
	gt_sleep_us(PAUSE_US);
	GT_CHECK(nr_completed(p) == before, "%s: it goes on", when);
	GT_CHECK(!strcmp(gt_control_hold(fd, "Resume", p->pid), "ok"), "%s: resume", when);
	wait_for_more(p, when);
	close(fd);
}

static int end(struct gt_program *p)
{
	int r = gt_program_stop(p, SIGTERM, 10000);

	if (r)
		gt_program_show(p);
	return r;
}

static void nothing_of_the_program_is_touched(void)
{
	struct gt_program daemon, load;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_START(&load, GT_USER, "gpreempt", "run", "--", "load_hostile");
	GT_CHECK(!gt_program_says(&load, "started 1", 15000), "does not start");
	GT_CHECK(!gt_daemon_wait_view(load.pid, "shim", 1, KNOWN_MS), "not known");
	pause_and_continue(&load, "before");
	kill(load.pid, SIGUSR1);
	GT_CHECK(!gt_program_says(&load, "closed 1", 10000), "does not close");
	wait_for_more(&load, "closed");
	/* It comes back by itself. */
	gt_sleep_us(6000000);
	GT_CHECK(!gt_daemon_wait_view(load.pid, "shim", 1, KNOWN_MS), "not known again");
	pause_and_continue(&load, "after");
	GT_CHECK(!end(&load), "something was touched, or a result is wrong");
	gt_daemon_stop(&daemon);
}

/* Closed while it is paused: the end of the lease continues it. */
static void what_is_paused_goes_on_without_descriptors(void)
{
	struct gt_program daemon, load;
	int fd;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_START(&load, GT_USER, "gpreempt", "run", "--", "load_hostile");
	GT_CHECK(!gt_program_says(&load, "completed 3", 15000), "does not start");
	fd = gt_control_open();
	kill(load.pid, SIGUSR1);
	gt_control_hold(fd, "Suspend", load.pid);
	close(fd);
	GT_CHECK(!gt_program_says(&load, "closed 1", 10000), "does not close");
	wait_for_more(&load, "closed while it was paused");
	GT_CHECK(!end(&load), "something was touched, or a result is wrong");
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "nothing_of_the_program_is_touched", nothing_of_the_program_is_touched, "profile=tiny",
	  60 },
	{ "what_is_paused_goes_on_without_descriptors", what_is_paused_goes_on_without_descriptors,
	  "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
