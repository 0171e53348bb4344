// SPDX-License-Identifier: MIT
/*
 * The user-space stack over the kernel module, when a part of it is not there or goes
 * away: nothing stays stopped, and the rest goes on.
 *
 * Variant: hooks
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>

#define MS GT_COMMAND_MS
#define STATE "/run/gpreempt/state.json"

/* Its own queue cannot be traced (no runtime): only the module can hold it. */
static void without_the_daemon_the_module_is_asked(void)
{
	struct gt_program hold;
	struct gt_load job;
	char pid[16], text[64];
	int r;

	gt_gpk_unload();
	gt_stack_devices();
	gt_command_load();
	GT_LOAD(&job, GT_PLAIN, 0, NULL, "gpreempt", "run", "-p", "3", "-c", "besteffort", "--",
		"load_offline", "--endless");
	GT_CHECK(!gt_program_says(&job.program, "classes are the daemon's", 10), "no word of it");
	GT_CHECK(gt_command_prio(job.pid) == 3, "priority %u", gt_command_prio(job.pid));
	snprintf(pid, sizeof(pid), "%d", job.pid);
	snprintf(text, sizeof(text), "%s,1,kernel,running", pid);
	GT_COMMAND_UNTIL(text, "list", "--csv", "--fields", "pid,nr_queues,mechanism,state");
	GT_START(&hold, 0, "gpreempt", "suspend", pid, "--wait", "--lease", "50s");
	GT_CHECK(!gt_program_says(&hold, "suspended", MS), "not suspended");
	GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
	r = gt_program_stop(&hold, SIGTERM, MS);
	if (r)
		gt_program_show(&hold);
	GT_CHECK(!r, "the command ended with %d", r);
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "it does not go on");
	gt_load_stop(&job, MS);
	gt_gpk_unload();
}

/* Killed, its files are closed; stopped, its leases end. */
static void holds_end_with_the_daemon(void)
{
	static const int signals[] = { SIGKILL, SIGSTOP };
	struct gt_program daemon;
	struct gt_load job;
	char pid[16], text[32];
	uint64_t start, end;

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	end = gt_deadline_ns(MS);
	snprintf(pid, sizeof(pid), "%d", job.pid);
	/* What a user has said is written within a second. */
	while (!gt_file_has(STATE, "besteffort")) {
		GT_CHECK(gt_now_ns() < end, "the class is not in %s", STATE);
		gt_sleep_us(10000);
	}
	for (int i = 0; i < 2; i++) {
		GT_COMMAND("suspended", "suspend", pid, "--lease", "60s");
		GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
		start = gt_now_ns();
		kill(daemon.pid, signals[i]);
		GT_CHECK(!gt_load_wait_mapped(&job, 1, GT_LEASE_MS + GT_SLACK_MS),
			 "it stays suspended");
		gt_note("%s: in its slot again after %.1f ms",
			i ? "daemon stopped" : "daemon killed", (gt_now_ns() - start) / 1e6);
		if (i)
			kill(daemon.pid, SIGCONT);
		else
			GT_CHECK(gt_program_wait(&daemon, MS) == 128 + SIGKILL, "its end");
		if (i)
			continue;
		gt_daemon_start(&daemon, NULL);
		/* The next one knows what was said to the one before. */
		snprintf(text, sizeof(text), "%s,besteffort", pid);
		GT_COMMAND(text, "list", "--csv", "--fields", "pid,class");
	}
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

static unsigned int count_files(pid_t pid)
{
	unsigned int nr = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	GT_CHECK(dir, "%s", path);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* An idle daemon does not keep the module; it says what happened, and goes on. */
static void the_module_comes_and_goes(void)
{
	struct gt_program daemon;
	unsigned int nr_files;
	struct gt_load job;

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	GT_COMMAND("prio -> fair", "policy", "set", "fair");
	gt_sleep_us(100000);
	nr_files = count_files(daemon.pid);
	gt_gpk_unload();
	GT_CHECK(!gt_program_says(&daemon, "the kernel module was unloaded", MS), "not a word");
	GT_CHECK(!gt_daemon_wait_view(job.pid, "none", 1, MS), "the view");
	GT_CHECK(!gt_load_moves(&job, 2, MS), "the job does not go on");
	gt_command_check("warn  module", "ok    mechanism     shim, dbg: the daemon schedules");
	gt_command_load();
	GT_CHECK(!gt_daemon_wait_view(job.pid, "kernel", 1, MS), "it is not back");
	GT_CHECK(gt_command_prio(job.pid) < 7, "its priority is forgotten");
	GT_COMMAND("policy fair, scheduling on", "policy", "get");
	gt_command_check(GT_CHECK_LOADED, "ok    mechanism     kernel");
	gt_sleep_us(100000);
	GT_CHECK(count_files(daemon.pid) == nr_files, "%u files, %u before",
		 count_files(daemon.pid), nr_files);
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

static const struct gt_case cases[] = {
	{ "without_the_daemon_the_module_is_asked", without_the_daemon_the_module_is_asked,
	  GT_TINY, 60 },
	{ "holds_end_with_the_daemon", holds_end_with_the_daemon, GT_TINY, 60 },
	{ "the_module_comes_and_goes", the_module_comes_and_goes, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
