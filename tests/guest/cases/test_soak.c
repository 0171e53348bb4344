// SPDX-License-Identifier: MIT
/*
 * The preemption story for as long as one likes: an online job and two offline ones,
 * one under the shim and one traced, while people suspend, resume and change their
 * minds, and the daemon is restarted now and then. `make soak` runs it for an hour;
 * in the suite it runs for a few seconds.
 *
 * Needs: stack
 * Clock: host, it is for hours of two processors
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 10
#define SPARE_SECONDS 60
/*
 * On a slow machine the online job has always work, and a job of a lower priority gets
 * no more than the slice after its longest wait: its kernel may take long.
 */
#define HANGS_MS 20000
#define PERIOD_MS "50"
#define SAY_EVERY_NS 60000000000ull
#define RESTART_EVERY 40	/* actions, which take half a second each */
#define MAX_GROWTH_KB 4096
#define KNOWN_MS 5000

/**
 * struct soak - the processes that take part, and what was done
 * @daemon: daemon
 * @online: shim, realtime
 * @shim: offline under the shim
 * @dbg: offline, traced
 * @rss_kb: of the daemon after its start
 * @nr_actions: things done by hand
 * @nr_restarts: of the daemon
 * @nr_busy: answers that said to try again, as a tracer was being replaced
 * @worst_gap_ms: longest time until both offline jobs had made progress
 */
struct soak {
	struct gt_program daemon;
	struct gt_load online;
	struct gt_load shim;
	struct gt_load dbg;
	uint64_t rss_kb;
	uint64_t nr_actions;
	uint64_t nr_restarts;
	uint64_t nr_busy;
	uint64_t worst_gap_ms;
};

static uint64_t status_value(pid_t pid, const char *key)
{
	char path[64], line[256];
	size_t len = strlen(key);
	uint64_t value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	GT_CHECK(f, "%s", path);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len))
			value = strtoull(line + len, NULL, 10);
	fclose(f);
	return value;
}

static void check_daemon(struct soak *s)
{
	uint64_t kb = status_value(s->daemon.pid, "VmRSS:");

	GT_CHECK(kb <= s->rss_kb + MAX_GROWTH_KB, "the daemon grew from %lu to %lu kB", s->rss_kb,
		 kb);
	GT_CHECK(status_value(s->daemon.pid, "FDSize:") <= 128, "descriptors");
}

static void describe_all(struct soak *s)
{
	gt_load_describe(&s->online, "online");
	gt_load_describe(&s->shim, "shim");
	gt_load_describe(&s->dbg, "dbg");
	gt_program_show(&s->daemon);
}

static void check_moves(struct soak *s, const struct gt_load *l, const char *name)
{
	if (!gt_load_moves(l, 1, HANGS_MS))
		return;
	describe_all(s);
	gt_fail("%s does not get on", name);
}

static void check_progress(struct soak *s)
{
	uint64_t start = gt_now_ns(), ms;

	check_moves(s, &s->online, "online");
	check_moves(s, &s->shim, "shim");
	check_moves(s, &s->dbg, "dbg");
	ms = (gt_now_ns() - start) / 1000000;
	if (ms > s->worst_gap_ms)
		s->worst_gap_ms = ms;
	GT_CHECK(!s->online.progress->wrong && !s->shim.progress->wrong && !s->dbg.progress->wrong,
		 "a wrong result");
}

static void start_daemon(struct soak *s)
{
	gt_daemon_start(&s->daemon, NULL);
	s->rss_kb = status_value(s->daemon.pid, "VmRSS:");
}

static void restart_daemon(struct soak *s)
{
	int signal = gt_random(2) ? SIGKILL : SIGTERM;

	gt_program_stop(&s->daemon, signal, 5000);
	check_progress(s);
	start_daemon(s);
	gt_daemon_attach(s->dbg.pid, "besteffort");
	GT_CHECK(!gt_daemon_wait_view(s->shim.pid, "shim", 1, KNOWN_MS), "the view");
	GT_CHECK(!gt_daemon_wait_view(s->online.pid, "shim", 1, KNOWN_MS), "the view");
	s->nr_restarts++;
}

static void order(struct soak *s, int fd, const char *method, const struct gt_load *l)
{
	uint64_t end = gt_deadline_ns(HANGS_MS);
	const char *r;

	do {
		r = gt_control_hold(fd, method, l->pid);
		if (!strcmp(r, "ok"))
			return;
		if (strncmp(r, "busy", 4))
			break;
		s->nr_busy++;
		gt_note("%s %d: %s", method, l->pid, r);
		/* Why is in the log of this daemon, which may be gone at the end. */
		gt_program_show(&s->daemon);
		gt_sleep_us(1000000);
	} while (gt_now_ns() < end);
	describe_all(s);
	gt_fail("%s %d: %s", method, l->pid, r);
}

static void suspend_for_a_while(struct soak *s, const struct gt_load *l)
{
	int fd = gt_control_open();

	order(s, fd, "Suspend", l);
	gt_sleep_us(gt_random(100000));
	/* Now and then by closing the connection. */
	if (gt_random(2))
		order(s, fd, "Resume", l);
	close(fd);
}

static void change_policy(const char *name)
{
	int fd = gt_control_open();

	json_decref(gt_control_call(fd, "SetPolicy", "{s:s}", "policy", name));
	close(fd);
}

static void act(struct soak *s)
{
	static const char *const policies[] = { "prio", "fair", "slice", "edf", "laxity", "mlfq" };

	if (++s->nr_actions % RESTART_EVERY == 0) {
		restart_daemon(s);
		return;
	}
	switch (gt_random(4)) {
	case 0:
		suspend_for_a_while(s, &s->shim);
		break;
	case 1:
		suspend_for_a_while(s, &s->dbg);
		break;
	case 2:
		change_policy(policies[gt_random(6)]);
		break;
	case 3:
		change_policy("prio");
		break;
	}
}

static uint64_t seconds_wanted(void)
{
	return gt_argument("soak", DEFAULT_SECONDS);
}

static void begin(struct soak *s)
{
	gt_random_seed(gt_now_ns() ^ (uint64_t)getpid());
	gt_stack_devices();
	start_daemon(s);
	GT_LOAD(&s->shim, GT_SHIM, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	GT_LOAD(&s->dbg, GT_DBG, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	GT_LOAD(&s->online, GT_SHIM, 0, "realtime", "load_online", "--period-ms", PERIOD_MS);
}

static void say(const struct soak *s)
{
	gt_note("%lu actions, %lu told to try again, %lu restarts, %lu requests, "
		"%lu + %lu kernels, %lu saves; all had made progress after %lu ms at most",
		s->nr_actions, s->nr_busy, s->nr_restarts, s->online.progress->completed,
		s->shim.progress->completed, s->dbg.progress->completed, gt_stat(0, "saves"),
		s->worst_gap_ms);
}

static void soak(void)
{
	uint64_t now = gt_now_ns(), end = now + seconds_wanted() * 1000000000ull, said = now;
	struct soak s = {};

	begin(&s);
	while ((now = gt_now_ns()) < end) {
		act(&s);
		check_progress(&s);
		check_daemon(&s);
		if (now - said > SAY_EVERY_NS) {
			said = now;
			say(&s);
		}
		gt_sleep_us(gt_random(500000));
	}
	say(&s);
	gt_load_stop(&s.online, 10000);
	gt_load_stop(&s.shim, 10000);
	gt_load_stop(&s.dbg, 10000);
	gt_daemon_stop(&s.daemon);
	GT_CHECK(gt_stat(0, "saves") == gt_stat(0, "restores"), "saves differ from restores");
	/* The rest of the time was worth seeing, but it is no run without an error. */
	GT_CHECK(!s.nr_busy, "%lu orders were refused for a while", s.nr_busy);
	gt_note("online p50 %lu us, p99 %lu us, max %lu us",
		gt_program_value(&s.online.program, "p50_us"),
		gt_program_value(&s.online.program, "p99_us"),
		gt_program_value(&s.online.program, "max_us"));
}

int main(void)
{
	const struct gt_case cases[] = {
		{ "soak", soak, "profile=tiny", (unsigned int)seconds_wanted() + SPARE_SECONDS },
	};

	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
