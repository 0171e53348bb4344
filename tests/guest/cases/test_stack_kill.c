// SPDX-License-Identifier: MIT
/*
 * SIGKILL at random instants, of any process. Afterwards no client stays paused
 * longer than a lease, nothing is left behind, and the daemon knows again what is
 * there. What the hardware has in its slots is the judge of "paused".
 *
 * The online job makes the daemon pause and continue the offline one fifty times a
 * second meanwhile, so that the instants fall everywhere.
 *
 * Needs: stack
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_DAEMON 40
#define NR_CLIENT 60
#define NR_TRACER 60
#define NR_DBG_DAEMON 20
#define NR_DBG_CLIENT 20

/* Of so many instants at least one finds the offline job paused. */
#define MIN_JUDGED 20
#define MAX_WAIT_US 60000
#define BOUND_MS (GT_LEASE_MS + GT_SLACK_MS)
#define KNOWN_MS 5000
#define SEED 20261116

/**
 * struct world - the processes that take part
 * @how: mechanism
 * @daemon: daemon
 * @offline: paused and continued
 * @online: for whom
 * @nr_fds: of the daemon, with both clients
 * @worst_ms: longest time until offline had its slot again
 * @nr_paused: instants at which offline was paused
 * @nr: instants
 * @nr_saves: of the GPU when it began
 */
struct world {
	enum gt_how how;
	struct gt_program daemon;
	struct gt_load offline;
	struct gt_load online;
	unsigned int nr_fds;
	uint64_t worst_ms;
	unsigned int nr_paused;
	unsigned int nr;
	uint64_t nr_saves;
};

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	GT_CHECK(dir, "%s: %s", path, strerror(errno));
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static unsigned int fds_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return count_entries(path);
}

/* Processes of that name; the first one's number goes to @first. */
static unsigned int find_processes(const char *comm, pid_t *first)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	unsigned int n = 0;
	char path[300];

	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		if (atoi(e->d_name) <= 0 || !gt_file_has(path, comm))
			continue;
		if (!n++ && first)
			*first = atoi(e->d_name);
	}
	closedir(dir);
	return n;
}

static int wait_for_processes(const char *comm, unsigned int nr, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (find_processes(comm, NULL) != nr) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(5000);
	}
	return 0;
}

static int wait_gone(pid_t pid, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (!kill(pid, 0)) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(5000);
	}
	return 0;
}

static void start_offline(struct world *w)
{
	GT_LOAD(&w->offline, w->how, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
}

static void start_online(struct world *w)
{
	GT_LOAD(&w->online, w->how, 0, "realtime", "load_online");
}

static void begin(struct world *w, enum gt_how how)
{
	memset(w, 0, sizeof(*w));
	w->how = how;
	gt_random_seed(SEED);
	gt_stack_devices();
	gt_daemon_start(&w->daemon, NULL);
	start_offline(w);
	start_online(w);
	w->nr_fds = fds_of(w->daemon.pid);
	w->nr_saves = gt_stat(0, "saves");
}

/* The paused one is back in its slot within the bound, whatever else is still there. */
static void check_not_paused(struct world *w)
{
	uint64_t start = gt_now_ns(), ms;

	GT_CHECK(!gt_load_wait_mapped(&w->offline, 1, BOUND_MS), "instant %u: offline is paused",
		 w->nr);
	ms = (gt_now_ns() - start) / 1000000;
	if (ms > w->worst_ms)
		w->worst_ms = ms;
}

/* Those that are there go on, with exact results. */
static void check_goes_on(const struct world *w, const struct gt_load *l)
{
	GT_CHECK(!gt_load_moves(l, 1, BOUND_MS), "instant %u: %d hangs", w->nr, l->pid);
	GT_CHECK(!l->progress->wrong, "instant %u: wrong results", w->nr);
}

static void wait_for_instant(struct world *w)
{
	gt_sleep_us(gt_random(MAX_WAIT_US));
	w->nr++;
	w->nr_paused += !gt_load_mapped(&w->offline);
}

static const char *mechanism(const struct world *w)
{
	return w->how == GT_SHIM ? "shim" : "dbg";
}

/* The daemon's view of both, after something of it was lost. */
static void check_view(struct world *w)
{
	GT_CHECK(!gt_daemon_wait_view(w->offline.pid, mechanism(w), 1, KNOWN_MS),
		 "instant %u: offline is not known", w->nr);
	GT_CHECK(!gt_daemon_wait_view(w->online.pid, mechanism(w), 1, KNOWN_MS),
		 "instant %u: online is not known", w->nr);
}

static void kill_daemon(struct world *w)
{
	wait_for_instant(w);
	GT_CHECK(gt_program_stop(&w->daemon, SIGKILL, 2000) == 128 + SIGKILL, "kill");
	check_not_paused(w);
	check_goes_on(w, &w->offline);
	check_goes_on(w, &w->online);
	GT_CHECK(!wait_for_processes("gpreempt-tracer", 0, BOUND_MS), "tracers are left");
	gt_daemon_start(&w->daemon, NULL);
	if (w->how == GT_DBG) {
		gt_daemon_attach(w->offline.pid, "besteffort");
		gt_daemon_attach(w->online.pid, "realtime");
	}
	check_view(w);
}

static void kill_client(struct world *w)
{
	bool is_offline = gt_random(2);
	struct gt_load *victim = is_offline ? &w->offline : &w->online;
	pid_t pid = victim->pid;

	wait_for_instant(w);
	gt_load_kill(victim);
	if (!is_offline)
		check_not_paused(w);
	check_goes_on(w, is_offline ? &w->online : &w->offline);
	GT_CHECK(!gt_daemon_wait_view(pid, NULL, 0, KNOWN_MS), "instant %u: %d is still listed",
		 w->nr, pid);
	if (is_offline)
		start_offline(w);
	else
		start_online(w);
}

/* The process that a tracer was started for: its last argument. */
static pid_t target_of(pid_t tracer)
{
	char path[64], text[256];
	size_t n, i;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", tracer);
	f = fopen(path, "re");
	GT_CHECK(f, "%s: %s", path, strerror(errno));
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	GT_CHECK(n > 1, "%s is empty", path);
	text[n] = 0;
	for (i = n - 1; i && text[i - 1]; i--)
		;
	return atoi(text + i);
}

static void kill_tracer(struct world *w)
{
	pid_t tracer = 0, target;

	wait_for_instant(w);
	GT_CHECK(find_processes("gpreempt-tracer", &tracer), "no tracer");
	target = target_of(tracer);
	GT_CHECK(target == w->offline.pid || target == w->online.pid, "tracer of %d", target);
	kill(tracer, SIGKILL);
	check_not_paused(w);
	check_goes_on(w, &w->offline);
	check_goes_on(w, &w->online);
	GT_CHECK(!wait_gone(tracer, KNOWN_MS), "instant %u: the tracer lives", w->nr);
	GT_CHECK(!wait_for_processes("gpreempt-tracer", 2, KNOWN_MS),
		 "instant %u: not traced again", w->nr);
	check_view(w);
}

/* Connections that were just closed are still being noticed. */
static void check_descriptors(struct world *w)
{
	uint64_t end = gt_deadline_ns(KNOWN_MS);

	while (fds_of(w->daemon.pid) > w->nr_fds) {
		GT_CHECK(gt_now_ns() < end, "the daemon has %u descriptors, had %u",
			 fds_of(w->daemon.pid), w->nr_fds);
		gt_sleep_us(5000);
	}
}

static void end(struct world *w)
{
	check_view(w);
	check_descriptors(w);
	gt_load_stop(&w->online, 10000);
	gt_load_stop(&w->offline, 10000);
	gt_daemon_stop(&w->daemon);
	GT_CHECK(!wait_for_processes("gpreempt-tracer", 0, KNOWN_MS), "tracers are left");
	gt_note("%u instants, offline paused at %u of them, in its slot again after %lu ms at most",
		w->nr, w->nr_paused, w->worst_ms);
	/* On a slow machine online is hardly ever idle, offline paused once for many instants. */
	GT_CHECK(gt_stat(0, "saves") - w->nr_saves > w->nr || w->nr_paused * 2 > w->nr,
		 "hardly any client was ever paused");
	GT_CHECK(w->nr_paused || w->nr < MIN_JUDGED, "offline was never paused when it mattered");
}

static void repeat(enum gt_how how, void (*kill_one)(struct world *w), unsigned int nr)
{
	struct world w;

	begin(&w, how);
	while (w.nr < gt_scaled(nr))
		kill_one(&w);
	end(&w);
}

static void killed_daemon(void)
{
	repeat(GT_SHIM, kill_daemon, NR_DAEMON);
}

static void killed_clients(void)
{
	repeat(GT_SHIM, kill_client, NR_CLIENT);
}

static void killed_tracers(void)
{
	repeat(GT_DBG, kill_tracer, NR_TRACER);
}

static void killed_daemon_with_tracers(void)
{
	repeat(GT_DBG, kill_daemon, NR_DBG_DAEMON);
}

static void killed_traced_clients(void)
{
	repeat(GT_DBG, kill_client, NR_DBG_CLIENT);
}

/* Stopped, not killed: its sockets stay open, only the lease ends. */
static void a_stopped_daemon_lets_go(void)
{
	uint64_t start, ms;
	struct world w;
	int fd;

	begin(&w, GT_SHIM);
	gt_load_stop(&w.online, 10000);
	fd = gt_control_open();
	GT_CHECK(!strcmp(gt_control_hold(fd, "Suspend", w.offline.pid), "ok"), "Suspend");
	/* Longer than a lease: as long as the daemon lives it stays so. */
	GT_CHECK(gt_load_wait_mapped(&w.offline, 1, 2 * GT_LEASE_MS), "let go too early");
	start = gt_now_ns();
	kill(w.daemon.pid, SIGSTOP);
	GT_CHECK(!gt_load_wait_mapped(&w.offline, 1, BOUND_MS), "offline stays paused");
	ms = (gt_now_ns() - start) / 1000000;
	GT_CHECK(!gt_load_moves(&w.offline, 2, BOUND_MS), "offline hangs");
	gt_note("had its slot again %lu ms after SIGSTOP", ms);
	kill(w.daemon.pid, SIGCONT);
	close(fd);
	GT_CHECK(!gt_daemon_wait_view(w.offline.pid, "shim", 1, KNOWN_MS), "the view");
	gt_load_stop(&w.offline, 10000);
	gt_daemon_stop(&w.daemon);
}

static const struct gt_case cases[] = {
	{ "a_stopped_daemon_lets_go", a_stopped_daemon_lets_go, "profile=tiny", 60 },
	{ "killed_daemon", killed_daemon, "profile=tiny", 120 },
	{ "killed_clients", killed_clients, "profile=tiny", 120 },
	{ "killed_tracers", killed_tracers, "profile=tiny", 300 },
	{ "killed_daemon_with_tracers", killed_daemon_with_tracers, "profile=tiny", 120 },
	{ "killed_traced_clients", killed_traced_clients, "profile=tiny", 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
