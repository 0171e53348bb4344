// SPDX-License-Identifier: MIT
/*
 * A process that is stopped or frozen leaves the GPU under the kernel module, and comes back
 * with its results; one that is urgent keeps nothing from others meanwhile.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
/* Looked at twice in a millisecond. */
#define PARAMS "poll_us=500"
#define LEAVES_US 1000
#define STAYS_US 100000

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s: %s",
		 path, text, strerror(errno));
	close(fd);
}

static void begin(void)
{
	gt_gpk_unload();
	gt_stack_devices();
	gt_gpk_load(PARAMS);
	gt_gpk_close();
}

/* Ways to stop a process, and to have it go on. */
static void stop_by_signal(pid_t pid, bool stop)
{
	GT_CHECK(!kill(pid, stop ? SIGSTOP : SIGCONT), "kill: %s", strerror(errno));
}

/* Makes a cgroup and puts the process there, the first time. */
static void join(const char *folder, const char *type, const char *options, pid_t pid)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "%s/job", folder);
	if (!access(path, F_OK))
		return;
	mkdir(folder, 0755);
	GT_CHECK(!mount("none", folder, type, 0, options), "%s: %s", type, strerror(errno));
	GT_CHECK(!mkdir(path, 0755), "%s: %s", path, strerror(errno));
	snprintf(path, sizeof(path), "%s/job/cgroup.procs", folder);
	snprintf(text, sizeof(text), "%d", pid);
	write_to(path, text);
}

static void leave(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/job", folder);
	rmdir(path);
	umount2(folder, MNT_DETACH);
}

static void freeze_v2(pid_t pid, bool stop)
{
	join("/tmp/v2", "cgroup2", NULL, pid);
	write_to("/tmp/v2/job/cgroup.freeze", stop ? "1" : "0");
}

static void freeze_v1(pid_t pid, bool stop)
{
	join("/tmp/v1", "cgroup", "freezer", pid);
	write_to("/tmp/v1/job/freezer.state", stop ? "FROZEN" : "THAWED");
}

static void wait_gone(const char *what)
{
	uint64_t begin_ns = gt_now_ns(), us;

	while (gt_stat(0, "waves") && gt_now_ns() - begin_ns < 4 * LEAVES_US * 1000ull)
		gt_sleep_us(10);
	us = (gt_now_ns() - begin_ns) / 1000;
	gt_note("%s: no wave after %lu us", what, us);
	GT_CHECK(us <= LEAVES_US, "%s: still there after %lu us", what, us);
}

static void check_leaves(const char *what, void (*set)(pid_t pid, bool stop))
{
	struct gt_load l;

	begin();
	GT_LOAD(&l, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", "20");
	for (int i = 0; i < 3; i++) {
		GT_CHECK(!gt_load_moves(&l, 2, MS), "%s: does not run", what);
		gt_gpk_wait_waves(1, MS);
		set(l.pid, true);
		wait_gone(what);
		gt_sleep_us(STAYS_US);
		GT_CHECK(!gt_load_mapped(&l), "%s: it is back", what);
		set(l.pid, false);
	}
	GT_CHECK(!gt_load_moves(&l, 2, MS), "%s: does not go on", what);
	gt_load_stop(&l, MS);
	gt_gpk_unload();
}

static void a_stopped_process_leaves_the_gpu(void)
{
	check_leaves("SIGSTOP", stop_by_signal);
}

static void a_frozen_cgroup_leaves_the_gpu(void)
{
	check_leaves("cgroup v2", freeze_v2);
	leave("/tmp/v2");
	check_leaves("cgroup v1", freeze_v1);
	leave("/tmp/v1");
}

static void make_urgent(pid_t pid)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .valid = GPREEMPT_ATTR_F_PRIO,
					 .prio = 12 };
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);

	arg.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	GT_CHECK(fd >= 0 && arg.pidfd >= 0 && !ioctl(fd, GPREEMPT_IOC_SET_ATTR, &arg), "urgent: %s",
		 strerror(errno));
	close(arg.pidfd);
	close(fd);
}

static void an_urgent_process_that_is_stopped_holds_up_no_other(void)
{
	struct gt_load offline, urgent;
	uint64_t before;

	begin();
	GT_LOAD(&offline, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", "20");
	GT_LOAD(&urgent, GT_PLAIN, GT_USER, NULL, "load_offline", "--endless");
	make_urgent(urgent.pid);
	GT_CHECK(!gt_load_wait_mapped(&offline, 0, MS), "it is not urgent");
	stop_by_signal(urgent.pid, true);
	gt_sleep_us(STAYS_US);
	GT_CHECK(!gt_load_mapped(&urgent), "the urgent one is there");
	before = offline.progress->completed;
	gt_sleep_us(10 * STAYS_US);
	/* All of that second: 50 kernels of 20 ms, but for the last one and the switch. */
	GT_CHECK(offline.progress->completed - before >= 48, "%lu kernels in a second",
		 offline.progress->completed - before);
	stop_by_signal(urgent.pid, false);
	GT_CHECK(!gt_load_wait_mapped(&urgent, 1, MS), "the urgent one does not go on");
	GT_CHECK(!gt_load_wait_mapped(&offline, 0, MS), "it is not urgent any more");
	gt_load_kill(&urgent);
	gt_load_stop(&offline, MS);
	gt_gpk_unload();
}

/* A debugger has its own ways, and so has the tracer. */
static void a_traced_process_stays(void)
{
	struct gt_load l;
	int status;

	begin();
	GT_LOAD(&l, GT_PLAIN, GT_USER, NULL, "load_offline", "--kernel-ms", "20");
	GT_CHECK(!gt_load_moves(&l, 2, MS), "does not run");
	GT_CHECK(!ptrace(PTRACE_SEIZE, l.pid, 0, 0) && !ptrace(PTRACE_INTERRUPT, l.pid, 0, 0) &&
		 waitpid(l.pid, &status, __WALL) == l.pid, "ptrace: %s", strerror(errno));
	gt_sleep_us(10000);
	GT_CHECK(gt_load_mapped(&l) == 1, "it is gone");
	GT_CHECK(!ptrace(PTRACE_DETACH, l.pid, 0, 0), "detach: %s", strerror(errno));
	gt_load_stop(&l, MS);
	gt_gpk_unload();
}

/* The control: the driver by itself lets it run. */
static void where_scheduling_is_off_it_stays(void)
{
	struct gt_load l;

	begin();
	gt_gpk_reopen();
	gt_gpk_set_enabled(false);
	GT_LOAD(&l, GT_PLAIN, GT_USER, NULL, "load_offline", "--endless");
	gt_gpk_wait_waves(1, MS);
	stop_by_signal(l.pid, true);
	gt_sleep_us(STAYS_US);
	GT_CHECK(gt_stat(0, "waves"), "it is gone");
	gt_gpk_set_enabled(true);
	wait_gone("switched on");
	gt_load_kill(&l);
	gt_gpk_unload();
}

/* Killed while it is frozen, and stopped until the module goes. */
static void the_end_finds_nothing_held(void)
{
	struct gt_load l;

	begin();
	GT_LOAD(&l, GT_PLAIN, GT_USER, NULL, "load_offline", "--endless");
	gt_gpk_wait_waves(1, MS);
	stop_by_signal(l.pid, true);
	wait_gone("SIGSTOP");
	gt_load_kill(&l);
	GT_LOAD(&l, GT_PLAIN, GT_USER, NULL, "load_offline", "--endless");
	gt_gpk_wait_waves(1, MS);
	stop_by_signal(l.pid, true);
	wait_gone("SIGSTOP");
	gt_gpk_unload();
	gt_gpk_wait_waves(1, MS);
	gt_load_kill(&l);
}

static const struct gt_case cases[] = {
	{ "a_stopped_process_leaves_the_gpu", a_stopped_process_leaves_the_gpu, GT_TINY, 60 },
	{ "a_frozen_cgroup_leaves_the_gpu", a_frozen_cgroup_leaves_the_gpu, GT_TINY, 90 },
	{ "an_urgent_process_that_is_stopped_holds_up_no_other",
	  an_urgent_process_that_is_stopped_holds_up_no_other, GT_TINY, 90 },
	{ "a_traced_process_stays", a_traced_process_stays, GT_TINY, 60 },
	{ "where_scheduling_is_off_it_stays", where_scheduling_is_off_it_stays, GT_TINY, 60 },
	{ "the_end_finds_nothing_held", the_end_finds_nothing_held, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
