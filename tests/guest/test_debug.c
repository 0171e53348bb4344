// SPDX-License-Identifier: MIT
/*
 * AMDKFD_IOC_DBG_TRAP as the real driver behaves: who may, when, what comes back.
 */
#define _GNU_SOURCE
#include "gt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1
#define MAX_QUEUES 8

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};
static const struct gt_shape finite = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 1000, .step_ns = 100000, .seed = 2,
};

/* A debugger's view of a process. */
struct session {
	int kfd;
	pid_t pid;
	int events[2];
};

/* Return: what the ioctl returns, or -errno. */
static int trap(const struct session *s, uint32_t op, struct kfd_ioctl_dbg_trap_args *args)
{
	int r;

	args->pid = s->pid;
	args->op = op;
	r = ioctl(s->kfd, AMDKFD_IOC_DBG_TRAP, args);
	return r < 0 ? -errno : r;
}

static int enable(struct session *s, struct kfd_runtime_info *info)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	if (!s->events[1] && pipe2(s->events, O_NONBLOCK | O_CLOEXEC))
		gt_fail("pipe");
	args.enable.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	args.enable.rinfo_ptr = (uintptr_t)info;
	args.enable.rinfo_size = sizeof(*info);
	args.enable.dbg_fd = s->events[1];
	return trap(s, KFD_IOC_DBG_TRAP_ENABLE, &args);
}

static int disable(const struct session *s)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	return trap(s, KFD_IOC_DBG_TRAP_DISABLE, &args);
}

static int suspend(const struct session *s, uint32_t *ids, uint32_t nr, uint32_t grace)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = nr;
	args.suspend_queues.grace_period = grace;
	return trap(s, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args);
}

static int resume(const struct session *s, uint32_t *ids, uint32_t nr)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.resume_queues.queue_array_ptr = (uintptr_t)ids;
	args.resume_queues.num_queues = nr;
	return trap(s, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &args);
}

/* Return: how many queues there are. @clear: exceptions to forget */
static int snapshot(const struct session *s, struct kfd_queue_snapshot_entry *entries, uint32_t nr,
		    uint64_t clear)
{
	struct kfd_ioctl_dbg_trap_args args = {};
	int r;

	args.queue_snapshot.exception_mask = clear;
	args.queue_snapshot.snapshot_buf_ptr = (uintptr_t)entries;
	args.queue_snapshot.num_queues = nr;
	args.queue_snapshot.entry_size = sizeof(*entries);
	r = trap(s, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args);
	return r ? r : (int)args.queue_snapshot.num_queues;
}

static int runtime_enable(struct gt_gpu *gpu)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_RUNTIME_ENABLE, &args) ? -errno : 0;
}

/* This process debugs itself: no ptrace is asked for. */
static struct session self_session(struct gt_gpu *gpu)
{
	struct kfd_runtime_info info = {};
	struct session s = { .kfd = gpu->kfd, .pid = getpid() };
	int r;

	GT_CHECK(!runtime_enable(gpu), "RUNTIME_ENABLE: %s", strerror(errno));
	r = enable(&s, &info);
	GT_CHECK(!r, "ENABLE: %s", strerror(-r));
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "state %u",
		 info.runtime_state);
	return s;
}

static void clear_new(const struct session *s)
{
	struct kfd_queue_snapshot_entry entries[MAX_QUEUES];
	int r = snapshot(s, entries, MAX_QUEUES, KFD_EC_MASK(EC_QUEUE_NEW));

	GT_CHECK(r >= 0, "snapshot: %s", strerror(-r));
}

static void preconditions_are_checked(void)
{
	struct session s = {}, ghost;
	struct kfd_runtime_info info;
	uint32_t id = 0;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	s.pid = getpid();
	ghost = s;
	ghost.pid = 0x3ffff0;
	r = disable(&ghost);
	GT_CHECK(r == -ESRCH, "no such process: %d", r);
	r = suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EINVAL, "not enabled: %d", r);
	s.events[1] = 999;
	r = enable(&s, &info);
	GT_CHECK(r == -EBADF, "no such file: %d", r);
	s.events[1] = 0;
	GT_CHECK(!enable(&s, &info), "enable");
	r = enable(&s, &info);
	GT_CHECK(r == -EALREADY, "enabled twice: %d", r);
	r = suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EPERM, "runtime not enabled: %d", r);
	GT_CHECK(!disable(&s), "disable");
}

static void stranger_may_not(void)
{
	struct kfd_runtime_info info;
	struct session s = {};
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
	r = enable(&s, &info);
	GT_CHECK(r == -EPERM, "not its tracer: %d", r);
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = enable(&s, &info);
	GT_CHECK(!r, "its tracer: %d", r);
	kill(s.pid, SIGKILL);
}

static void new_queue_is_refused_once(void)
{
	struct kfd_queue_snapshot_entry entry;
	struct session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;
	int r;

	gt_gpu_open(&gpu, 0);
	s = self_session(&gpu);
	gt_queue_create(&gpu, 7, &q);
	id = q.id;
	r = suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 0, "suspended %d", r);
	GT_CHECK(id == (q.id | KFD_DBG_QUEUE_INVALID_MASK), "%x", id);
	GT_CHECK(snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "count");
	GT_CHECK(entry.queue_id == q.id && entry.gpu_id == gpu.id, "entry");
	GT_CHECK(entry.ring_base_address == (uintptr_t)q.ring, "ring");
	GT_CHECK(entry.exception_status & KFD_EC_MASK(EC_QUEUE_NEW), "not new");
	id = q.id;
	r = suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 1 && id == q.id, "suspended %d, id %x", r, id);
	r = resume(&s, &id, 1);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(!disable(&s), "disable");
}

static void suspended_queue_stands_still(void)
{
	uint32_t ids[2];
	struct gt_kernel k;
	struct session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t saves;
	int r;

	gt_gpu_open(&gpu, 0);
	s = self_session(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	ids[0] = q.id;
	ids[1] = q.id + 77;
	r = suspend(&s, ids, 2, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(ids[0] == q.id && ids[1] & KFD_DBG_QUEUE_INVALID_MASK, "%x %x", ids[0], ids[1]);
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "%lu saves", gt_stat(0, "saves") - saves);
	/* Not counted: twice suspended, once resumed. */
	ids[0] = q.id;
	GT_CHECK(suspend(&s, ids, 1, GRACE) == 1, "again");
	GT_CHECK(gt_kernel_wait(&k, 300) == -ETIMEDOUT, "it ran on");
	GT_CHECK(resume(&s, ids, 1) == 1, "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "it did not go on");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	/* Resuming what was not suspended succeeds and counts. */
	GT_CHECK(resume(&s, ids, 1) == 1, "resume of a running queue");
	GT_CHECK(!disable(&s), "disable");
}

static void disable_resumes(void)
{
	struct gt_kernel k;
	struct session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = self_session(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	id = q.id;
	GT_CHECK(suspend(&s, &id, 1, GRACE) == 1, "suspend");
	GT_CHECK(!disable(&s), "disable");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "it did not go on");
}

static void grace_is_cut_to_8_bits(void)
{
	struct gt_kernel k;
	struct session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t saves;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = self_session(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	id = q.id;
	/* 256 is 0 is for ever: the waves finish by themselves. */
	GT_CHECK(suspend(&s, &id, 1, 256) == 1, "suspend");
	GT_CHECK(gt_stat(0, "saves") == saves, "waves were saved");
	GT_CHECK(resume(&s, &id, 1) == 1, "resume");
	GT_CHECK(!gt_kernel_wait(&k, 1000), "not finished");
	GT_CHECK(!disable(&s), "disable");
}

static void *destroy_thread(void *arg)
{
	return (void *)(intptr_t)gt_queue_destroy(arg);
}

static void destroy_waits_for_resume(void)
{
	struct timespec soon;
	struct session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	pthread_t thread;
	void *result;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = self_session(&gpu);
	gt_queue_create(&gpu, 7, &q);
	clear_new(&s);
	id = q.id;
	GT_CHECK(suspend(&s, &id, 1, GRACE) == 1, "suspend");
	GT_CHECK(!pthread_create(&thread, NULL, destroy_thread, &q), "thread");
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 200000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	GT_CHECK(pthread_timedjoin_np(thread, &result, &soon) == ETIMEDOUT, "did not wait");
	/* A dying queue is skipped by suspend, but resume finds it. */
	GT_CHECK(resume(&s, &id, 1) == 1, "resume");
	GT_CHECK(!pthread_join(thread, &result) && !result, "destroy: %ld", (long)(intptr_t)result);
	GT_CHECK(!disable(&s), "disable");
}

/* Target of the tracer tests: runs a kernel, tells when, and says whether it ended well. */
static void target(int ready, const struct gt_shape *shape)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!runtime_enable(&gpu), "runtime");
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
	struct session s = { .pid = pid };
	struct gt_gpu gpu;
	uint64_t saves = gt_stat(0, "saves");
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, pid, 0, 0), "%s", strerror(errno));
	r = enable(&s, &info);
	GT_CHECK(!r && info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "enable: %d", r);
	GT_CHECK(snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "snapshot");
	r = suspend(&s, &entry.queue_id, 1, GRACE);
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
	struct session s = { .pid = target_pid };
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!ptrace(PTRACE_SEIZE, target_pid, 0, 0), "%s", strerror(errno));
	GT_CHECK(!enable(&s, &info), "enable");
	GT_CHECK(snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "snapshot");
	GT_CHECK(suspend(&s, &entry.queue_id, 1, GRACE) == 1, "suspend");
	gt_sleep_us(200000);
	GT_CHECK(!gt_stat(0, "waves"), "it runs");
	kill(target_pid, SIGKILL);
	GT_CHECK(waitpid(target_pid, NULL, 0) == target_pid, "wait");
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

static void no_hws_means_no_debugger(void)
{
	struct kfd_runtime_info info;
	struct session s = {};
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	s.pid = getpid();
	r = enable(&s, &info);
	GT_CHECK(r == -EINVAL, "%d", r);
}

static const struct gt_case cases[] = {
	{ "preconditions_are_checked", preconditions_are_checked, TINY, 10 },
	{ "stranger_may_not", stranger_may_not, TINY, 10 },
	{ "new_queue_is_refused_once", new_queue_is_refused_once, TINY, 10 },
	{ "suspended_queue_stands_still", suspended_queue_stands_still, TINY, 10 },
	{ "disable_resumes", disable_resumes, TINY, 10 },
	{ "grace_is_cut_to_8_bits", grace_is_cut_to_8_bits, TINY, 10 },
	{ "destroy_waits_for_resume", destroy_waits_for_resume, TINY, 10 },
	{ "tracer_exit_resumes_the_target", tracer_exit_resumes_the_target, TINY, 10 },
	{ "suspended_target_can_be_killed", suspended_target_can_be_killed, TINY, 10 },
	{ "no_hws_means_no_debugger", no_hws_means_no_debugger, TINY " sched_policy=2", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
