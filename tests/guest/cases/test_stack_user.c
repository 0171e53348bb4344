// SPDX-License-Identifier: MIT
/*
 * Rights: two ordinary users, root's daemon, and the command that every user has.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MS 10000
#define DENIED 5	/* exit code, gpreempt(1) */

/**
 * struct world - a daemon, and a job of GT_USER
 */
struct world {
	struct gt_program daemon;
	struct gt_load job;
	char pid[16];
};

static void begin(struct world *w, enum gt_how how)
{
	gt_stack_devices();
	gt_daemon_start(&w->daemon, NULL);
	GT_LOAD(&w->job, how, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	snprintf(w->pid, sizeof(w->pid), "%d", w->job.pid);
}

static void end(struct world *w)
{
	gt_load_stop(&w->job, MS);
	gt_daemon_stop(&w->daemon);
}

/* Runs a command as a user; checks whether it was let do that. */
static void expect(bool is_allowed, uid_t uid, const char *const argv[])
{
	struct gt_program p;
	int r = gt_program_run(&p, uid, MS, argv);

	gt_program_show(&p);
	GT_CHECK(r == (is_allowed ? 0 : DENIED), "user %u, gpreempt %s: exit code %d", uid,
		 argv[1], r);
}

#define EXPECT(is_allowed, uid, ...) \
	expect(is_allowed, uid, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })

/* What others must not do has no effect either: the job goes on. */
static void others_cannot_touch_a_process(void)
{
	struct world w;

	begin(&w, GT_SHIM);
	EXPECT(false, GT_OTHER_USER, "suspend", w.pid);
	GT_CHECK(gt_load_mapped(&w.job) == 1, "it was suspended all the same");
	EXPECT(false, GT_OTHER_USER, "set", w.pid, "prio=0");
	EXPECT(false, GT_OTHER_USER, "policy", "set", "fair");
	GT_CHECK(!gt_load_moves(&w.job, 2, MS), "the job does not go on");
	end(&w);
}

/* Control: the same requests of users that may. */
static void the_owner_and_root_can(void)
{
	struct world w;

	begin(&w, GT_SHIM);
	EXPECT(true, GT_USER, "suspend", w.pid);
	GT_CHECK(!gt_load_mapped(&w.job), "it was not suspended");
	EXPECT(true, GT_USER, "resume", w.pid);
	GT_CHECK(!gt_load_wait_mapped(&w.job, 1, MS), "it was not resumed");
	EXPECT(true, 0, "suspend", w.pid);
	GT_CHECK(!gt_load_mapped(&w.job), "root did not suspend it");
	/* Two holders are two holds: the owner ends its own, and is told that root's remains. */
	EXPECT(false, GT_USER, "resume", w.pid);
	GT_CHECK(!gt_load_mapped(&w.job), "the owner ended the hold of root");
	EXPECT(true, 0, "resume", w.pid);
	GT_CHECK(!gt_load_wait_mapped(&w.job, 1, MS), "root did not resume it");
	EXPECT(true, GT_USER, "set", w.pid, "prio=1");
	EXPECT(true, 0, "set", w.pid, "prio=14");
	EXPECT(true, 0, "policy", "set", "fair");
	end(&w);
}

static void raising_oneself_needs_permission(void)
{
	struct world w;

	begin(&w, GT_SHIM);
	EXPECT(false, GT_USER, "set", w.pid, "prio=14");
	EXPECT(true, GT_USER, "set", w.pid, "prio=7");
	end(&w);
}

/* A traced process belongs to its owner as well. */
static void others_cannot_attach(void)
{
	struct gt_program daemon, p;
	struct gt_load job;
	char pid[16];

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&job, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", "20", "--runtime");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	GT_CHECK(GT_RUN(&p, GT_OTHER_USER, MS, "gpreempt", "suspend", pid) != 0, "attached");
	GT_CHECK(gt_load_mapped(&job) == 1, "it was suspended");
	GT_CHECK(!gt_load_moves(&job, 2, MS), "the job does not go on");
	gt_load_stop(&job, MS);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "others_cannot_touch_a_process", others_cannot_touch_a_process, "profile=tiny", 60 },
	{ "the_owner_and_root_can", the_owner_and_root_can, "profile=tiny", 60 },
	{ "raising_oneself_needs_permission", raising_oneself_needs_permission, "profile=tiny",
	  60 },
	{ "others_cannot_attach", others_cannot_attach, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
