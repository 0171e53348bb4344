// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_ARGS 20
#define START_MS 15000
#define KNOWN_MS 5000

static uint64_t random_state;

void gt_random_seed(uint64_t seed)
{
	random_state = seed;
	gt_note("seed %lu", seed);
}

/* splitmix64 */
uint64_t gt_random(uint64_t below)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static const struct load_progress *map_progress(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p;

	GT_CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	p = mmap(NULL, sizeof(struct load_progress), PROT_READ, MAP_SHARED, fd, 0);
	GT_CHECK(p != MAP_FAILED, "%s: %s", path, strerror(errno));
	close(fd);
	unlink(path);
	return p;
}

static void start_program(struct gt_load *l, enum gt_how how, uid_t uid, const char *klass,
			  const char *const argv[], const char *progress)
{
	const char *args[MAX_ARGS];
	unsigned int n = 0;

	if (how == GT_SHIM || how == GT_KERNEL) {
		args[n++] = "gpreempt";
		args[n++] = "run";
		args[n++] = "-c";
		args[n++] = klass;
		args[n++] = "--";
	}
	while (*argv && n < MAX_ARGS - 5)
		args[n++] = *argv++;
	GT_CHECK(!*argv, "too many arguments");
	if (how == GT_DBG)
		args[n++] = "--runtime";
	args[n++] = "--progress";
	args[n++] = progress;
	args[n] = NULL;
	gt_program_start(&l->program, uid, args);
}

void gt_daemon_attach(pid_t pid, const char *klass)
{
	int fd = gt_control_open();

	json_decref(gt_control_call(fd, "Attach", "{s:i, s:{s:s}}", "pid", (int)pid, "attributes",
				    "class", klass));
	close(fd);
}

void gt_load_start(struct gt_load *l, enum gt_how how, uid_t uid, const char *klass,
		   const char *const argv[])
{
	static const char *const names[] = {
		[GT_SHIM] = "shim",
		[GT_DBG] = "dbg",
		[GT_KERNEL] = "kernel",
	};
	static unsigned int serial;
	char progress[64];

	snprintf(progress, sizeof(progress), "/tmp/progress.%d.%u", getpid(), serial++);
	start_program(l, how, uid, klass, argv, progress);
	if (gt_program_says(&l->program, "started 1", START_MS)) {
		gt_program_show(&l->program);
		gt_fail("%s does not start", argv[0]);
	}
	l->pid = (pid_t)gt_program_value(&l->program, "pid");
	l->progress = map_progress(progress);
	if (how == GT_DBG)
		gt_daemon_attach(l->pid, klass);
	if (how != GT_PLAIN)
		GT_CHECK(!gt_daemon_wait_view(l->pid, names[how], 1, KNOWN_MS),
			 "the daemon does not know %s %d", argv[0], l->pid);
}

static void check_end(struct gt_load *l, int r)
{
	if (r)
		gt_program_show(&l->program);
	if (r == -ETIMEDOUT)
		gt_load_describe(l, "late");
	GT_CHECK(!r, "%d ended with %d", l->pid, r);
	GT_CHECK(gt_program_value(&l->program, "exact") == 1, "results");
}

void gt_load_wait(struct gt_load *l, unsigned int ms)
{
	check_end(l, gt_program_wait(&l->program, ms));
}

void gt_load_stop(struct gt_load *l, unsigned int ms)
{
	kill(l->pid, SIGTERM);
	gt_load_wait(l, ms);
}

void gt_load_kill(struct gt_load *l)
{
	int r;

	kill(l->pid, SIGKILL);
	r = gt_program_wait(&l->program, 5000);
	GT_CHECK(r == 128 + SIGKILL, "%d ended with %d", l->pid, r);
}

int gt_load_moves(const struct gt_load *l, uint64_t nr, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms), target = l->progress->completed + nr;

	while (l->progress->completed < target) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(1000);
	}
	return 0;
}

unsigned int gt_load_mapped(const struct gt_load *l)
{
	FILE *f = fopen("/sys/kernel/debug/kfdsim/0/slots", "re");
	unsigned int pasid = gt_pasid_of(l->pid), found, nr = 0;

	GT_CHECK(f, "slots: %s", strerror(errno));
	while (fscanf(f, "slot %*u doorbell %*u ring %*x pasid %x vmid %*u waves %*u\n",
		      &found) == 1)
		nr += found == pasid;
	fclose(f);
	return nr;
}

int gt_load_wait_mapped(const struct gt_load *l, unsigned int nr, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (gt_load_mapped(l) != nr) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(1000);
	}
	return 0;
}

void gt_load_describe(const struct gt_load *l, const char *name)
{
	struct gt_view v = { .mechanism = "not listed", .state = "no state" };

	if (!access(GT_SOCKET, F_OK))
		gt_daemon_view(l->pid, &v);
	gt_note("%s %d: %lu of %lu kernels, %u slots; the daemon says: %s, %s, %lu of %lu queues "
		"busy, preempted %lu times", name, l->pid, l->progress->completed,
		l->progress->launched, gt_load_mapped(l), v.mechanism, v.state, v.nr_busy,
		v.nr_queues, v.nr_preempted);
}
