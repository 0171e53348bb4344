// SPDX-License-Identifier: MIT
/*
 * AMDKFD_IOC_DBG_TRAP on another process: who may, and what becomes of the target when
 * its debugger detaches or ends.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};
static const struct gt_shape finite = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 20000, .step_ns = 100000, .seed = 2,
};

/*
 * The session first: a debugger that exits while its target dies waits for the target's
 * interrupts (kfd_process_drain_interrupts), which find it no more.
 */
static void end_target(const struct gt_session *s)
{
	GT_CHECK(!gt_debug_disable(s), "disable");
	kill(s->pid, SIGKILL);
	GT_CHECK(waitpid(s->pid, NULL, 0) == s->pid, "wait");
}

static void stranger_may_not(void)
{
	struct kfd_runtime_info info;
	struct gt_session s = {};
	struct gt_gpu gpu;
	int r, fds[2];
	char c;

	GT_CHECK(!pipe(fds), "pipe");
	s.pid = fork();
	if (!s.pid) {
		gt_gpu_open(&gpu, 0);
		if (write(fds[1], "", 1) != 1)
			_exit(3);
		pause();
	}
	GT_CHECK(read(fds[0], &c, 1) == 1, "child");
	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -EPERM, "not its tracer: %d", r);
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r, "its tracer: %d", r);
	end_target(&s);
}

/* Target of the tracer tests: runs a kernel, tells when, and says whether it ended well. */
static void target(int ready, const struct gt_shape *shape)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, shape, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	if (write(ready, "", 1) != 1)
		_exit(3);
	GT_CHECK(!gt_kernel_wait(&k, 20000), "the target's kernel did not end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	_exit(0);
}

static pid_t start_target(const struct gt_shape *shape)
{
	int fds[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe(fds), "pipe");
	pid = fork();
	if (!pid)
		target(fds[1], shape);
	GT_CHECK(read(fds[0], &c, 1) == 1, "the target did not start");
	close(fds[0]);
	close(fds[1]);
	return pid;
}

/* Attach to the target, suspend its queue, and end without a word. */
static void tracer(pid_t pid)
{
	struct kfd_queue_snapshot_entry entry;
	struct kfd_runtime_info info = {};
	struct gt_session s = { .pid = pid };
	struct gt_gpu gpu;
	uint64_t saves = gt_stat(0, "saves");
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r && info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "enable: %d", r);
	GT_CHECK(gt_debug_snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "snapshot");
	r = gt_debug_suspend(&s, &entry.queue_id, 1, GRACE);
	GT_CHECK(r == 1, "suspend: %d", r);
	/* ENABLE refreshes the runlist, which saves too. */
	GT_CHECK(gt_stat(0, "saves") > saves, "nothing was saved");
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves", gt_stat(0, "waves"));
	gt_sleep_us(300000);
	GT_CHECK(!gt_stat(0, "waves"), "it runs");
	_exit(0);
}

static void tracer_exit_resumes_the_target(void)
{
	pid_t target_pid = start_target(&finite), tracer_pid = fork();
	int status;

	if (!tracer_pid)
		tracer(target_pid);
	GT_CHECK(waitpid(tracer_pid, &status, 0) == tracer_pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "tracer");
	GT_CHECK(waitpid(target_pid, &status, 0) == target_pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "target");
}

/* Control for the one above: a suspended target whose tracer lives stays suspended. */
static void suspended_target_can_be_killed(void)
{
	pid_t target_pid = start_target(&endless);
	struct kfd_queue_snapshot_entry entry;
	struct kfd_runtime_info info = {};
	struct gt_session s = { .pid = target_pid };
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, target_pid, 0, 0), "%s", strerror(errno));
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(gt_debug_snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "snapshot");
	GT_CHECK(gt_debug_suspend(&s, &entry.queue_id, 1, GRACE) == 1, "suspend");
	gt_sleep_us(200000);
	GT_CHECK(!gt_stat(0, "waves"), "it runs");
	kill(target_pid, SIGKILL);
	GT_CHECK(waitpid(target_pid, NULL, 0) == target_pid, "wait");
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

/* Suspends the target's only queue and checks that it stands. */
static void suspend_target(const struct gt_session *s)
{
	struct kfd_queue_snapshot_entry entry;
	int r;

	GT_CHECK(gt_debug_snapshot(s, &entry, 1, GT_NEW) == 1, "snapshot");
	r = gt_debug_suspend(s, &entry.queue_id, 1, GRACE);
	GT_CHECK(r == 1, "suspend: %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves", gt_stat(0, "waves"));
}

static void expect_stands_still(void)
{
	gt_sleep_us(300000);
	GT_CHECK(!gt_stat(0, "waves"), "it runs");
}

static void expect_good_end(pid_t pid)
{
	int status;

	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "process %d: %x", pid, status);
}

/*
 * kfd_chardev.c: the session belongs to the process that opened it, traced or not.
 * Another process may do nothing, not even end it.
 */
static void expect_stranger_is_refused(pid_t target_pid)
{
	struct gt_session s = { .pid = target_pid };
	struct kfd_queue_snapshot_entry entry;
	struct gt_gpu gpu;
	pid_t pid = fork();
	int r;

	if (pid) {
		expect_good_end(pid);
		return;
	}
	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	r = gt_debug_snapshot(&s, &entry, 1, 0);
	GT_CHECK(r == -EPERM, "snapshot by a stranger: %d", r);
	r = gt_debug_disable(&s);
	GT_CHECK(r == -EPERM, "disable by a stranger: %d", r);
	_exit(0);
}

/* No process traces the target any more; the session is open and its queue suspended. */
static void expect_session_lives(const struct gt_session *s)
{
	struct kfd_queue_snapshot_entry entry;
	int r;

	expect_stands_still();
	expect_stranger_is_refused(s->pid);
	GT_CHECK(gt_debug_snapshot(s, &entry, 1, 0) == 1, "snapshot");
	r = gt_debug_resume(s, &entry.queue_id, 1);
	GT_CHECK(r == 1, "resume: %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	suspend_target(s);
	expect_stands_still();
}

/* DISABLE resumes, and was the last thing that could be done without a trace. */
static void expect_session_ends(struct gt_session *s)
{
	struct kfd_runtime_info info;
	int r;

	GT_CHECK(!gt_debug_disable(s), "disable");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not resumed");
	r = gt_debug_enable(s, &info);
	GT_CHECK(r == -EPERM, "enable without a trace: %d", r);
	expect_good_end(s->pid);
}

static void detach_leaves_the_session(void)
{
	struct gt_session s = { .pid = start_target(&finite) };
	struct kfd_runtime_info info = {};
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r, "enable: %d", r);
	suspend_target(&s);
	/* Only a stopped process can be let go. */
	GT_CHECK(!ptrace(PTRACE_INTERRUPT, s.pid, 0, 0), "%s", strerror(errno));
	GT_CHECK(waitpid(s.pid, NULL, __WALL) == s.pid, "%s", strerror(errno));
	GT_CHECK(!ptrace(PTRACE_DETACH, s.pid, 0, 0), "%s", strerror(errno));
	expect_session_lives(&s);
	expect_session_ends(&s);
}

/* Attaches as a thread of its own, and ends. */
static void *attach_thread(void *arg)
{
	struct kfd_runtime_info info = {};
	struct gt_session *s = arg;
	int r;

	GT_CHECK(!ptrace(PTRACE_SEIZE, s->pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(s, &info);
	GT_CHECK(!r, "enable: %d", r);
	suspend_target(s);
	return NULL;
}

static void tracer_thread_exit_leaves_the_session(void)
{
	struct gt_session s = { .pid = start_target(&finite) };
	struct gt_gpu gpu;
	pthread_t thread;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!pthread_create(&thread, NULL, attach_thread, &s), "thread");
	GT_CHECK(!pthread_join(thread, NULL), "thread");
	/* Another thread takes over the session, but not the trace. */
	GT_CHECK(ptrace(PTRACE_INTERRUPT, s.pid, 0, 0) && errno == ESRCH, "still traced");
	expect_session_lives(&s);
	expect_session_ends(&s);
}

/* A target that makes a queue when told to. */
static void late_target(int ready, int go)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	char c;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	GT_CHECK(write(ready, "", 1) == 1 && read(go, &c, 1) == 1, "pipe");
	gt_queue_create(&gpu, 7, &q);
	pause();
}

static void tracer_hears_of_a_new_queue(void)
{
	struct gt_session s = { .exceptions = GT_NEW };
	struct kfd_ioctl_dbg_trap_args args = {};
	struct kfd_runtime_info info = {};
	int r, ready[2], go[2];
	struct pollfd poll_fd;
	struct gt_gpu gpu;
	char c;

	GT_CHECK(!pipe(ready) && !pipe(go), "pipe");
	s.pid = fork();
	if (!s.pid)
		late_target(ready[1], go[0]);
	GT_CHECK(read(ready[0], &c, 1) == 1, "the target did not start");
	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r, "enable: %d", r);
	poll_fd = (struct pollfd){ .fd = s.events[0], .events = POLLIN };
	GT_CHECK(poll(&poll_fd, 1, 200) == 0, "told before anything happened");
	GT_CHECK(write(go[1], "", 1) == 1, "pipe");
	GT_CHECK(poll(&poll_fd, 1, 3000) == 1, "not told");
	GT_CHECK(read(s.events[0], &c, 1) == 1 && c == '.', "no dot");
	args.query_debug_event.exception_mask = GT_NEW;
	r = gt_debug_trap(&s, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args);
	GT_CHECK(!r && args.query_debug_event.exception_mask == GT_NEW, "%d", r);
	GT_CHECK(args.query_debug_event.gpu_id == gpu.id, "%u", args.query_debug_event.gpu_id);
	r = gt_debug_trap(&s, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args);
	GT_CHECK(r == -EAGAIN, "%d", r);
	end_target(&s);
}

static const struct gt_case cases[] = {
	{ "stranger_may_not", stranger_may_not, TINY, 10 },
	{ "tracer_exit_resumes_the_target", tracer_exit_resumes_the_target, TINY, 10 },
	{ "suspended_target_can_be_killed", suspended_target_can_be_killed, TINY, 10 },
	{ "tracer_hears_of_a_new_queue", tracer_hears_of_a_new_queue, TINY, 10 },
	{ "detach_leaves_the_session", detach_leaves_the_session, TINY, 15 },
	{ "tracer_thread_exit_leaves_the_session", tracer_thread_exit_leaves_the_session, TINY,
	  15 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
