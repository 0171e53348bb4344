// SPDX-License-Identifier: MIT
/*
 * Processes that lose what gpreempt.ko knows of them: their last queue, their memory, the
 * right to run. Holds by hand outlive queues; no room is made for work that cannot be
 * done.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"
#include "gt/gt_offline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define MS 20000
#define PRIO_HIGH 12

/* Leaves room for others, and runs for longer than a case does. */
static const struct gt_shape small = {
	.groups = 1, .waves = 1, .vgprs = 8, .steps = 120000, .step_ns = 1000000, .seed = 3,
};

static uint32_t gpu_id;

static void begin(bool enabled)
{
	gt_gpk_load("");
	gpu_id = gt_gpk_gpu_id();
	gt_gpk_set_enabled(enabled);
	/* No queue gets a turn for having waited, or keeps it for a while. */
	gt_gpk_set_param("max_wait_ns", 600000000000);
	gt_gpk_set_param("hysteresis_ns", 0);
}

static void end(void)
{
	gt_gpk_check_left();
	gt_gpk_unload();
}

static void wait_out(uint32_t nr)
{
	uint64_t end_ns = gt_deadline_ns(MS);

	while (gt_gpk_stats(gpu_id).nr_out != nr) {
		GT_CHECK(gt_now_ns() < end_ns, "%u preempted, not %u",
			 gt_gpk_stats(gpu_id).nr_out, nr);
		gt_sleep_us(2000);
	}
}

static void wait_listed(pid_t pid, unsigned int nr)
{
	uint64_t end_ns = gt_deadline_ns(MS);

	while (gt_gpk_count(pid) != nr) {
		GT_CHECK(gt_now_ns() < end_ns, "%u queues, not %u", gt_gpk_count(pid), nr);
		gt_sleep_us(2000);
	}
}

static void hold(const struct gt_job *j, uint32_t queue_id, uint32_t lease_ms)
{
	int r = gt_gpk_hold(gpu_id, j->pid, queue_id, lease_ms);

	GT_CHECK(!r, "preempt: %s", strerror(-r));
}

static void tell(struct gt_job *j, enum gt_job_order order)
{
	int r = gt_job_tell(j, order, MS);

	GT_CHECK(!r, "order %d: %s", order, strerror(-r));
}

/* Its only queue, which always has the same number, is off the GPU, and stays so. */
static void check_held(const struct gt_job *j)
{
	uint32_t flags = gt_gpk_flags(j->pid, j->queue_id);

	GT_CHECK(flags & GPREEMPT_QUEUE_F_MANUAL, "flags %x", flags);
	gt_gpk_wait_empty(MS);
	gt_sleep_us(30000);
	flags = gt_gpk_flags(j->pid, j->queue_id);
	GT_CHECK(flags & GPREEMPT_QUEUE_F_PREEMPTED && !(flags & GPREEMPT_QUEUE_F_ACTIVE) &&
		 !gt_stat(0, "waves"), "flags %x, %lu waves", flags, gt_stat(0, "waves"));
}

/* The next event of this kind of a file that does not block. */
static struct gpreempt_abi_event wait_event(int fd, uint32_t kind)
{
	uint64_t end_ns = gt_deadline_ns(MS);
	struct gpreempt_abi_event events[GT_GPK_EVENTS];
	size_t i, nr;

	for (;;) {
		nr = gt_gpk_events(fd, events);
		for (i = 0; i < nr; i++)
			if (events[i].kind == kind)
				return events[i];
		GT_CHECK(gt_now_ns() < end_ns, "no event %u", kind);
		gt_sleep_us(2000);
	}
}

static void holds_outlive_the_last_queue(void)
{
	struct gpreempt_abi_event event;
	struct gt_job j;
	int fd;

	begin(false);
	gt_job_start(&j, &small);
	hold(&j, ALL, LEASE_MS);
	tell(&j, GT_JOB_DESTROY);
	wait_listed(j.pid, 0);
	tell(&j, GT_JOB_ADD);
	check_held(&j);
	fd = gt_gpk_events_open();
	hold(&j, ALL, 1);
	event = wait_event(fd, GPREEMPT_EVENT_LEASE);
	GT_CHECK(event.pid == j.pid && event.code == 1 && event.value == ALL,
		 "pid %d, code %u, value %llx", event.pid, event.code, event.value);
	gt_gpk_wait_waves(1, MS);
	/* Nothing is left of it, and it can be held again. */
	GT_CHECK(!(gt_gpk_flags(j.pid, j.queue_id) & GPREEMPT_QUEUE_F_MANUAL), "held");
	hold(&j, j.queue_id, 1);
	event = wait_event(fd, GPREEMPT_EVENT_LEASE);
	GT_CHECK(event.pid == j.pid && !event.code && event.value == j.queue_id,
		 "pid %d, code %u, value %llx", event.pid, event.code, event.value);
	gt_gpk_wait_waves(1, MS);
	close(fd);
	gt_job_kill(&j);
	end();
}

/* As above, without a moment for the monitor, and with many questions meanwhile. */
static void nobody_escapes_a_hold(void)
{
	struct gt_job j;
	pid_t pid;
	int r;

	begin(false);
	gt_job_start(&j, &small);
	hold(&j, ALL, LEASE_MS);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		gt_gpk_reopen();
		for (;;)
			gt_gpk_count(0);
	}
	tell(&j, GT_JOB_DESTROY);
	tell(&j, GT_JOB_ADD);
	check_held(&j);
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	r = gt_gpk_release(gpu_id, j.pid, ALL);
	GT_CHECK(!r, "resume: %s", strerror(-r));
	gt_gpk_wait_waves(1, MS);
	gt_job_kill(&j);
	end();
}

/* Control: a queue that is let go meanwhile runs. */
static void holds_end_without_queues(void)
{
	struct gt_job j;
	int r;

	begin(false);
	gt_job_start(&j, &small);
	hold(&j, ALL, LEASE_MS);
	tell(&j, GT_JOB_DESTROY);
	wait_listed(j.pid, 0);
	r = gt_gpk_release(gpu_id, j.pid, ALL);
	GT_CHECK(!r, "resume: %s", strerror(-r));
	r = gt_gpk_release(gpu_id, j.pid, ALL);
	GT_CHECK(r == -ESRCH, "resumed twice: %s", strerror(-r));
	tell(&j, GT_JOB_ADD);
	gt_gpk_wait_waves(1, MS);
	GT_CHECK(!(gt_gpk_flags(j.pid, j.queue_id) & GPREEMPT_QUEUE_F_MANUAL), "held");
	gt_job_kill(&j);
	end();
}

/* An urgent kernel that does not end, and a child that keeps the files. Never returns. */
static void be_urgent(int ready)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t child;

	gt_gpk_set_attr(PRIO_HIGH, -1);
	gt_gpk_close();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	gt_kernel_launch(&k, &q);
	child = fork();
	if (child && write(ready, &child, sizeof(child)) != sizeof(child))
		_exit(1);
	for (;;)
		pause();
}

/*
 * amdkfd keeps the queues of a process as long as its file is open, and its
 * kernel goes on. Nothing waits for it any more.
 */
static void dead_processes_have_no_work(void)
{
	struct gt_offline o;
	pid_t urgent, child;
	uint32_t before;
	uint64_t end_ns;
	int ready[2];

	begin(true);
	gt_offline_start(&o, &gt_third);
	GT_CHECK(!pipe2(ready, O_CLOEXEC), "pipe");
	urgent = fork();
	if (!urgent)
		be_urgent(ready[1]);
	GT_CHECK(read(ready[0], &child, sizeof(child)) == sizeof(child), "no urgent process");
	wait_out(1);
	before = o.shared->nr_kernels;
	/* Control: it stays off while the other one lives. */
	gt_sleep_us(500000);
	wait_out(1);
	GT_CHECK(o.shared->nr_kernels <= before + 1, "it runs");
	kill(urgent, SIGKILL);
	GT_CHECK(waitpid(urgent, NULL, 0) == urgent, "wait");
	wait_out(0);
	before = o.shared->nr_kernels;
	end_ns = gt_deadline_ns(MS);
	while (o.shared->nr_kernels <= before) {
		GT_CHECK(gt_now_ns() < end_ns, "it does not run");
		gt_sleep_us(2000);
	}
	GT_CHECK(gt_gpk_count(urgent) == 1, "its queue went with it: %u", gt_gpk_count(urgent));
	kill(child, SIGKILL);
	gt_offline_finish(&o, MS);
	close(ready[0]);
	close(ready[1]);
	end();
}

static void set_prio(pid_t pid, uint32_t prio)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .valid = GPREEMPT_ATTR_F_PRIO,
					 .prio = prio };

	arg.pidfd = syscall(SYS_pidfd_open, pid, 0);
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg), "%s", strerror(errno));
	close(arg.pidfd);
}

/* A process stopped in a debugger has packets, but no use for the GPU. */
static void suspended_queues_have_no_work(void)
{
	struct gt_offline o;
	struct gt_job j;

	begin(true);
	gt_job_start_debugged(&j, &small);
	gt_offline_start(&o, &gt_third);
	set_prio(j.pid, PRIO_HIGH);
	wait_out(1);
	tell(&j, GT_JOB_SUSPEND);
	wait_out(0);
	tell(&j, GT_JOB_RESUME);
	wait_out(1);
	tell(&j, GT_JOB_DETACH);
	gt_job_kill(&j);
	wait_out(0);
	gt_offline_finish(&o, MS);
	end();
}

static const struct gt_case cases[] = {
	{ "holds_outlive_the_last_queue", holds_outlive_the_last_queue, GT_TINY, 60 },
	{ "nobody_escapes_a_hold", nobody_escapes_a_hold, GT_TINY, 60 },
	{ "holds_end_without_queues", holds_end_without_queues, GT_TINY, 60 },
	{ "dead_processes_have_no_work", dead_processes_have_no_work, GT_TINY, 60 },
	{ "suspended_queues_have_no_work", suspended_queues_have_no_work, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
