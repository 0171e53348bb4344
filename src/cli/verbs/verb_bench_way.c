// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/verbs/verb_bench_way.h"

#include "cli/verbs/verb_bench_queue.h"
#include "driver/module.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define GRACE 1
#define HOOK_LEASE_MS 10000
#define POKE_NS 20000000

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NS_PER_S + (u64)t.tv_nsec;
}

static bool failed(struct cli_bench_result *r, int err, const char *step)
{
	if (err >= 0)
		return false;
	r->err = err;
	snprintf(r->step, sizeof(r->step), "%s", step);
	return true;
}

/* Queues of this process. False = they could not be made. */
static bool make_queues(struct cli_bench_gpu *gpu, const struct drv_node *node, u32 nr,
			bool runtime, struct kfd_ioctl_update_queue_args *q,
			struct cli_bench_result *r)
{
	if (failed(r, cli_bench_gpu_open(gpu, node), "opening the GPU"))
		return false;
	if (runtime && failed(r, drv_kfd_runtime_enable(gpu->kfd, DRV_KFD_RUNTIME_ENABLE),
			      "RUNTIME_ENABLE"))
		return false;
	for (u32 i = 0; i < nr; i++) {
		if (failed(r, cli_bench_queue_create(gpu, &q[i]), "CREATE_QUEUE"))
			return false;
	}
	return true;
}

static int update_all(int kfd, struct kfd_ioctl_update_queue_args *q, u32 nr, u32 percentage)
{
	for (u32 i = 0; i < nr; i++) {
		int ret;

		q[i].queue_percentage = percentage;
		ret = drv_kfd_update_queue(kfd, &q[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static void run_update(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	struct kfd_ioctl_update_queue_args q[CLI_BENCH_QUEUES];
	struct cli_bench_gpu gpu;

	if (!make_queues(&gpu, node, nr, false, q, r))
		return;
	for (u32 i = 0; i < r->nr; i++) {
		u64 t0 = now_ns(), t1;

		if (failed(r, update_all(gpu.kfd, q, nr, 0), "UPDATE_QUEUE"))
			return;
		t1 = now_ns();
		if (failed(r, update_all(gpu.kfd, q, nr, KFD_MAX_QUEUE_PERCENTAGE), "UPDATE_QUEUE"))
			return;
		r->ns[CLI_BENCH_STOP][i] = t1 - t0;
		r->ns[CLI_BENCH_RESUME][i] = now_ns() - t1;
	}
}

static void on_poke(int sig)
{
}

/* On gfx942 DISABLE waits until a signal comes: see tracer_session.c. */
static void disable(int kfd, u32 pid)
{
	struct itimerspec every = { { 0, POKE_NS }, { 0, POKE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct sigaction sa = { .sa_handler = on_poke };
	timer_t timer;

	sigaction(SIGALRM, &sa, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return;
	timer_settime(timer, 0, &every, NULL);
	drv_kfd_dbg_disable(kfd, pid);
	timer_delete(timer);
}

/* All of a batch, or an error. */
static int check_batch(int done, const u32 *ids, u32 nr)
{
	for (u32 i = 0; done >= 0 && i < nr; i++) {
		int ret = drv_kfd_dbg_result(ids[i]);

		if (ret)
			return ret;
	}
	return done < 0 ? done : 0;
}

static bool measure_batch(int kfd, u32 pid, const u32 *queues, u32 nr, u32 sample,
			  struct cli_bench_result *r)
{
	u32 ids[CLI_BENCH_QUEUES], again[CLI_BENCH_QUEUES];
	u64 t0, t1, t2;
	int stopped, resumed;

	memcpy(ids, queues, nr * sizeof(*ids));
	memcpy(again, queues, nr * sizeof(*ids));
	t0 = now_ns();
	stopped = drv_kfd_dbg_suspend(kfd, pid, ids, nr, GRACE);
	t1 = now_ns();
	resumed = drv_kfd_dbg_resume(kfd, pid, again, nr);
	t2 = now_ns();
	if (failed(r, check_batch(stopped, ids, nr), "SUSPEND_QUEUES") ||
	    failed(r, check_batch(resumed, again, nr), "RESUME_QUEUES"))
		return false;
	r->ns[CLI_BENCH_STOP][sample] = t1 - t0;
	r->ns[CLI_BENCH_RESUME][sample] = t2 - t1;
	return true;
}

/* Of oneself, or of a process that this thread traces. */
static void measure_session(int kfd, u32 pid, u32 nr, struct cli_bench_result *r)
{
	struct drv_kfd_queue_entry entries[CLI_BENCH_QUEUES];
	struct drv_kfd_runtime_info info = { 0 };
	u32 ids[CLI_BENCH_QUEUES];
	int events[2];

	if (pipe2(events, O_NONBLOCK | O_CLOEXEC) ||
	    failed(r, drv_kfd_dbg_enable(kfd, pid, 0, events[1], &info), "DBG_TRAP ENABLE"))
		return;
	/* A queue that no snapshot has shown cannot be suspended. */
	if (!failed(r, drv_kfd_dbg_queues(kfd, pid, entries, CLI_BENCH_QUEUES,
					  DRV_KFD_EC_QUEUE_NEW),
		    "GET_QUEUE_SNAPSHOT")) {
		for (u32 i = 0; i < nr; i++)
			ids[i] = entries[i].queue_id;
		for (u32 i = 0; i < r->nr; i++) {
			if (!measure_batch(kfd, pid, ids, nr, i, r))
				break;
		}
	}
	disable(kfd, pid);
}

static void run_self(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	struct kfd_ioctl_update_queue_args q[CLI_BENCH_QUEUES];
	struct cli_bench_gpu gpu;

	if (make_queues(&gpu, node, nr, true, q, r))
		measure_session(gpu.kfd, (u32)getpid(), nr, r);
}

/* A process with queues that waits to be ended. It says when it has them. */
static pid_t start_target(const struct drv_node *node, u32 nr, struct cli_bench_result *r,
			  int *kept)
{
	struct kfd_ioctl_update_queue_args q[CLI_BENCH_QUEUES];
	struct cli_bench_gpu gpu;
	int ready[2], end[2];
	pid_t child;
	char c;

	if (pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		close(end[1]);
		if (make_queues(&gpu, node, nr, true, q, r) && write(ready[1], "", 1) == 1)
			while (read(end[0], &c, 1) < 0)
				;
		_exit(0);
	}
	close(ready[1]);
	close(end[0]);
	*kept = end[1];
	if (child > 0 && read(ready[0], &c, 1) != 1) {
		close(*kept);
		waitpid(child, NULL, 0);
		return r->err ? r->err : -ECHILD;
	}
	return child;
}

static void run_tracer(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	int kept, status;
	pid_t target = start_target(node, nr, r, &kept);
	int kfd;

	if (failed(r, target, r->step[0] ? r->step : "fork"))
		return;
	kfd = drv_kfd_open();
	if (!failed(r, kfd, "/dev/kfd") &&
	    !failed(r, ptrace(PTRACE_SEIZE, target, 0, 0) ? -errno : 0, "PTRACE_SEIZE"))
		measure_session(kfd, (u32)target, nr, r);
	close(kept);
	waitpid(target, &status, 0);
}

/* All queues of this process at once are one cycle; a single one is, too. */
static void run_hook(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	struct gpreempt_ioc_ref ref = { .pidfd = -1, .gpu_id = node->gpu_id };
	struct kfd_ioctl_update_queue_args q[CLI_BENCH_QUEUES];
	struct cli_bench_gpu gpu;
	int dev = drv_module_open();

	if (failed(r, dev, "/dev/gpreempt") || !make_queues(&gpu, node, nr, false, q, r))
		return;
	ref.queue_id = nr > 1 ? GPREEMPT_ABI_QUEUE_ALL : q[0].queue_id;
	for (u32 i = 0; i < r->nr; i++) {
		u64 t0 = now_ns(), t1;

		if (failed(r, drv_module_hold(dev, &ref, HOOK_LEASE_MS), "SWITCH"))
			return;
		t1 = now_ns();
		if (failed(r, drv_module_release(dev, &ref), "SWITCH"))
			return;
		r->ns[CLI_BENCH_STOP][i] = t1 - t0;
		r->ns[CLI_BENCH_RESUME][i] = now_ns() - t1;
	}
}

const struct cli_bench_way cli_bench_ways[] = {
	{ "update", "UPDATE_QUEUE in the process", false, false, run_update, NULL },
	{ "update", "UPDATE_QUEUE in the process", true, false, run_update, NULL },
	{ "self-dbg", "DBG_TRAP on oneself", false, true, run_self, NULL },
	{ "self-dbg", "DBG_TRAP on oneself", true, true, run_self, NULL },
	{ "dbg", "DBG_TRAP by a tracer", false, true, run_tracer, NULL },
	{ "dbg", "DBG_TRAP by a tracer", true, true, run_tracer, NULL },
	{ "criu", "CRIU_OP by a tracer", true, true, NULL,
	  "not tried: the process stays stopped for ever if the caller dies" },
	{ "hook", "the kernel module", false, true, run_hook, NULL },
	{ "hook", "the kernel module", true, true, run_hook, NULL },
	{ "cwsr", "save one queue directly", false, true, NULL,
	  "the driver has no call for it: needs a patch" },
	{ "halt", "halt the whole node", true, true, NULL,
	  "kgd2kfd_stop_sched has no way in from user space: needs a patch" },
};

const u32 cli_bench_nr_ways = ARRAY_SIZE(cli_bench_ways);

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static bool wait_child(pid_t child, u64 until_ns)
{
	struct timespec ms = { .tv_nsec = 2000000 };

	while (waitpid(child, NULL, WNOHANG) == 0) {
		if (now_ns() > until_ns)
			return false;
		nanosleep(&ms, NULL);
	}
	return true;
}

void cli_bench_try(const struct cli_bench_way *way, const struct drv_node *node, u32 nr_queues,
		   u32 count, struct cli_bench_result *r)
{
	struct cli_bench_result *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 until_ns = now_ns() + 10 * NS_PER_S + count * (NS_PER_S / 10);
	pid_t child;

	memset(r, 0, sizeof(*r));
	if (shared == MAP_FAILED) {
		failed(r, -errno, "mmap");
		return;
	}
	shared->nr = min(count, (u32)CLI_BENCH_SAMPLES);
	fflush(NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		way->run(node, way->is_batch ? nr_queues : 1, shared);
		_exit(0);
	}
	if (child < 0) {
		failed(shared, -errno, "fork");
	} else if (!wait_child(child, until_ns)) {
		kill(child, SIGKILL);
		failed(shared, -ETIMEDOUT, "the call");
	}
	*r = *shared;
	munmap(shared, sizeof(*shared));
	for (u32 side = 0; !r->err && side < CLI_BENCH_SIDE_COUNT; side++)
		qsort(r->ns[side], r->nr, sizeof(r->ns[side][0]), compare);
}
