// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli.h"
#include "cli/verbs/verb_bench.h"
#include "kit/kit_way.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOK_LEASE_MS 10000

static bool failed(struct cli_bench_result *r, int err, const char *step)
{
	if (err >= 0)
		return false;
	r->err = err;
	snprintf(r->step, sizeof(r->step), "%s", step);
	return true;
}

/* Queues, and what the calls on them need. */
struct bench {
	struct kit_gpu gpu;
	struct kit_queue q[CLI_BENCH_QUEUES]; /* of this process */
	u32 nr;
	int fd;	 /* what is called: /dev/kfd or /dev/gpreempt */
	u32 pid; /* for a debugger: process of the queues */
	u32 ids[CLI_BENCH_QUEUES];
	struct gpreempt_ioc_ref ref; /* for the module */
};

/* Queues of this process. False = they could not be made. */
static bool make_queues(struct bench *b, const struct drv_node *node, bool runtime,
			struct cli_bench_result *r)
{
	if (failed(r, kit_gpu_open(&b->gpu, node), "opening the GPU"))
		return false;
	if (runtime && failed(r, drv_kfd_runtime_enable(b->gpu.kfd, DRV_KFD_RUNTIME_ENABLE),
			      "RUNTIME_ENABLE"))
		return false;
	for (u32 i = 0; i < b->nr; i++) {
		if (failed(r, kit_queue_create(&b->gpu, &b->q[i]), "CREATE_QUEUE"))
			return false;
	}
	return true;
}

/* The two sides of a way, and what a failure of each is called. */
struct calls {
	int (*stop)(struct bench *b);
	const char *stop_name;
	int (*resume)(struct bench *b);
	const char *resume_name;
};

static void measure(struct bench *b, const struct calls *c, struct cli_bench_result *r)
{
	for (u32 i = 0; i < r->nr; i++) {
		u64 t0 = cli_now_ns(), t1;

		if (failed(r, c->stop(b), c->stop_name))
			return;
		t1 = cli_now_ns();
		if (failed(r, c->resume(b), c->resume_name))
			return;
		r->ns[CLI_BENCH_STOP][i] = t1 - t0;
		r->ns[CLI_BENCH_RESUME][i] = cli_now_ns() - t1;
	}
}

static int update_all(struct bench *b, u32 percentage)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < b->nr; i++)
		ret = kit_queue_percent(&b->q[i], percentage);
	return ret;
}

static int stop_update(struct bench *b)
{
	return update_all(b, 0);
}

static int resume_update(struct bench *b)
{
	return update_all(b, KFD_MAX_QUEUE_PERCENTAGE);
}

static void run_update(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	static const struct calls calls = { stop_update, "UPDATE_QUEUE", resume_update,
					    "UPDATE_QUEUE" };
	struct bench b = { .nr = nr };

	if (make_queues(&b, node, false, r))
		measure(&b, &calls, r);
}

static int stop_dbg(struct bench *b)
{
	return kit_debug_stop(b->fd, b->pid, b->ids, b->nr);
}

static int resume_dbg(struct bench *b)
{
	return kit_debug_go(b->fd, b->pid, b->ids, b->nr);
}

/* Of oneself, or of a process that this thread traces. */
static void measure_session(struct bench *b, struct cli_bench_result *r)
{
	static const struct calls calls = { stop_dbg, "SUSPEND_QUEUES", resume_dbg,
					    "RESUME_QUEUES" };
	const char *step;
	int err = kit_debug_open(b->fd, b->pid, b->ids, b->nr, &step);

	if (failed(r, err, step))
		return;
	measure(b, &calls, r);
	kit_debug_close(b->fd, b->pid);
}

static void run_self(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	struct bench b = { .nr = nr, .pid = (u32)getpid() };

	if (!make_queues(&b, node, true, r))
		return;
	b.fd = b.gpu.kfd;
	measure_session(&b, r);
}

/* A process with queues that waits to be ended. It says when it has them. */
static pid_t start_target(struct bench *b, const struct drv_node *node,
			  struct cli_bench_result *r, int *kept)
{
	int ready[2], end[2];
	pid_t child;
	char c;

	if (pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		close(end[1]);
		if (make_queues(b, node, true, r) && write(ready[1], "", 1) == 1)
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
	struct bench b = { .nr = nr };
	int kept = -1;
	pid_t target = start_target(&b, node, r, &kept);

	if (failed(r, target, r->step[0] ? r->step : "fork"))
		return;
	b.pid = (u32)target;
	b.fd = drv_kfd_open();
	if (!failed(r, b.fd, "/dev/kfd") &&
	    !failed(r, ptrace(PTRACE_SEIZE, target, 0, 0) ? -errno : 0, "PTRACE_SEIZE"))
		measure_session(&b, r);
	close(kept);
	waitpid(target, NULL, 0);
}

static int stop_hook(struct bench *b)
{
	return drv_module_hold(b->fd, &b->ref, HOOK_LEASE_MS);
}

static int resume_hook(struct bench *b)
{
	return drv_module_release(b->fd, &b->ref);
}

/* All queues of this process at once are one cycle; a single one is, too. */
static void run_hook(const struct drv_node *node, u32 nr, struct cli_bench_result *r)
{
	static const struct calls calls = { stop_hook, "SWITCH", resume_hook, "SWITCH" };
	struct gpreempt_ioc_ref ref = { .pidfd = -1, .gpu_id = node->gpu_id };
	struct bench b = { .nr = nr, .fd = drv_module_open(), .ref = ref };

	if (failed(r, b.fd, "/dev/gpreempt") || !make_queues(&b, node, false, r))
		return;
	b.ref.queue_id = nr > 1 ? GPREEMPT_ABI_QUEUE_ALL : b.q[0].update.queue_id;
	measure(&b, &calls, r);
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
	while (waitpid(child, NULL, WNOHANG) == 0) {
		if (cli_now_ns() > until_ns)
			return false;
		cli_sleep(2 * CLI_NS_PER_MS);
	}
	return true;
}

void cli_bench_try(const struct cli_bench_way *way, const struct drv_node *node, u32 nr_queues,
		   u32 count, struct cli_bench_result *r)
{
	struct cli_bench_result *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 until_ns = cli_now_ns() + 10 * CLI_NS_PER_S + count * (CLI_NS_PER_S / 10);
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
