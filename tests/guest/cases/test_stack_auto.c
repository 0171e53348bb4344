// SPDX-License-Identifier: MIT
/*
 * dbg = auto: processes that were not started under the shim are traced without being asked
 * for, and those under the shim are left to it.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <string.h>

#define AUTO "[daemon]\ndbg = auto\n"
/* It looks once a second. */
#define FOUND_MS 10000
#define LOOKS_US 3000000

static void processes_are_found(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;
	struct gt_view view;

	gt_stack_devices();
	gt_daemon_start(&daemon, AUTO);
	GT_LOAD(&offline, GT_PLAIN, 0, NULL, "load_offline", "--runtime");
	GT_CHECK(!gt_daemon_wait_view(offline.pid, "dbg", 1, FOUND_MS), "not found");
	/* Its class is the default; a more urgent process is served first. */
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online", "--count", "50");
	gt_load_wait(&online, 30000);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "is lost");
	GT_CHECK(view.nr_preempted > 0, "was never preempted");
	gt_load_stop(&offline, 10000);
	gt_daemon_stop(&daemon);
}

/* Control: a process that was not asked for is not traced. */
static void by_default_nobody_is_traced(void)
{
	struct gt_program daemon;
	struct gt_load offline;
	struct gt_view view;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&offline, GT_PLAIN, 0, NULL, "load_offline", "--runtime");
	gt_sleep_us(LOOKS_US);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "not listed");
	GT_CHECK(!strcmp(view.mechanism, "none"), "%s", view.mechanism);
	gt_load_stop(&offline, 10000);
	gt_daemon_stop(&daemon);
}

static void the_shim_keeps_its_process(void)
{
	struct gt_program daemon;
	struct gt_load offline;
	struct gt_view view;

	gt_stack_devices();
	gt_daemon_start(&daemon, AUTO);
	GT_LOAD(&offline, GT_SHIM, 0, "besteffort", "load_offline", "--runtime");
	gt_sleep_us(LOOKS_US);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "not listed");
	GT_CHECK(!strcmp(view.mechanism, "shim"), "%s", view.mechanism);
	gt_load_stop(&offline, 10000);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "processes_are_found", processes_are_found, "profile=tiny", 60 },
	{ "by_default_nobody_is_traced", by_default_nobody_is_traced, "profile=tiny", 60 },
	{ "the_shim_keeps_its_process", the_shim_keeps_its_process, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
