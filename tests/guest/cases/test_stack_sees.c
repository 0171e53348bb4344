// SPDX-License-Identifier: MIT
/*
 * What the shim cannot know of is said where people look.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_daemon.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static bool is_said(void)
{
	struct gt_program p;
	int r = GT_RUN(&p, 0, 20000, "gpreempt", "list", "procs", "--fields", "pid,sees");

	GT_CHECK(!r, "list ends with %d", r);
	return gt_file_has(p.output, "the driver lists queues it never saw");
}

static void queues_that_the_shim_never_saw_are_listed(void)
{
	struct gt_program daemon, load, p;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_START(&load, 0, "gpreempt", "run", "--", "load_queues", "1", "1", "1", "hidden");
	GT_CHECK(!gt_program_says(&load, "completed 1", 15000), "no kernel");
	/* Control: it has seen all. */
	GT_CHECK(!is_said(), "before there is one");
	kill(load.pid, SIGUSR1);
	GT_CHECK(!gt_program_says(&load, "late done", 15000), "no kernel of the hidden queue");
	GT_CHECK(is_said(), "not said");
	GT_CHECK(!GT_RUN(&p, 0, 20000, "gpreempt", "list", "queues", "--csv", "--fields",
			 "mechanism", "--no-header"), "list queues");
	GT_CHECK(gt_file_has(p.output, "shim") && gt_file_has(p.output, "none"), "not listed");
	GT_CHECK(!gt_program_stop(&load, SIGTERM, 10000), "results");
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "queues_that_the_shim_never_saw_are_listed", queues_that_the_shim_never_saw_are_listed,
	  "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
