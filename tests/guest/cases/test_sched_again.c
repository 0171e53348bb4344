// SPDX-License-Identifier: MIT
/*
 * What goes wrong beside a switch of gpreempt.ko is made good: a process that comes back
 * under its old name, a call that takes longer than the watchdog waits, a resume that
 * fails.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=100"
#define NO_HWS "profile=tiny poll_us=100 sched_policy=2"
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define MS 30000

#define WATCHDOG_NS 2000000000ull

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096, .step_ns = 1000000, .seed = 8,
};

static uint32_t gpu_id;

static void begin(bool enabled)
{
	gt_gpk_load("");
	gpu_id = gt_gpk_gpu_id();
	gt_gpk_set_enabled(enabled);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	gt_gpk_module_param("kfdsim", "gpreempt_fault_pid", 0);
}

/* The next event of this kind; false if none came for @ms. */
static bool find_event(int fd, uint32_t kind, uint32_t code, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	struct gpreempt_abi_event events[GT_GPK_EVENTS];
	size_t i, nr;

	for (;;) {
		nr = gt_gpk_events(fd, events);
		for (i = 0; i < nr; i++)
			if (events[i].kind == kind && events[i].code == code)
				return true;
		if (nr)
			continue;
		if (gt_now_ns() >= end)
			return false;
		gt_sleep_us(1000);
	}
}

static uint32_t flags_of(const struct gt_job *j)
{
	struct gpreempt_ioc_queue queues[8];
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .queues = (uintptr_t)queues, .nr = 8,
		.entry_size = sizeof(queues[0]),
	};
	uint32_t i, flags = 0;

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &arg), "list: %s", strerror(errno));
	for (i = 0; i < arg.nr; i++)
		if (queues[i].pid == j->pid)
			flags |= queues[i].flags;
	return flags;
}

static void wait_flag(const struct gt_job *j, uint32_t flag, bool set)
{
	uint64_t end = gt_deadline_ns(MS);

	while (!!(flags_of(j) & flag) != set) {
		GT_CHECK(gt_now_ns() < end, "flags %x", flags_of(j));
		gt_sleep_us(2000);
	}
}

/* Endless, of high priority, in this process. */
static void urgent(struct gt_queue *q)
{
	static struct gt_kernel k;
	static struct gt_gpu g;

	gt_gpk_set_attr(12, GPREEMPT_DETECT_CRITICAL);
	gt_gpu_open(&g, 0);
	gt_queue_create(&g, 7, q);
	gt_kernel_create(&g, &endless, &k);
	gt_kernel_launch(&k, q);
}

static unsigned int fault_switch(void)
{
	char text[16] = "";
	int fd = open("/sys/module/gpreempt/parameters/fault_switch", O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, "fault_switch");
	close(fd);
	return (unsigned int)atoi(text);
}

/*
 * A process destroys its last queue just before a switch names it, and makes another one
 * before the scheduler looks: the same name, and the switch said that it is gone.
 */
static void a_process_that_comes_back_at_once_is_scheduled(void)
{
	uint64_t end = gt_deadline_ns(MS);
	struct gt_queue q;
	struct gt_job j;
	int events;

	begin(true);
	gt_gpk_set_param("deadline_ns", 60000000000);
	gt_gpk_set_param("max_wait_ns", 600000000000);
	gt_job_start(&j, &endless);
	events = gt_gpk_events_open();
	gt_gpk_module_param("gpreempt", "fault_switch", 1);
	urgent(&q);
	GT_CHECK(find_event(events, GPREEMPT_EVENT_STATE, GPREEMPT_STATE_PREEMPTING, MS),
		 "nothing is preempted");
	GT_CHECK(!gt_job_tell(&j, GT_JOB_DESTROY, MS), "destroy");
	gt_gpk_module_param("gpreempt", "fault_switch", 2);
	while (fault_switch() != 3) {
		GT_CHECK(gt_now_ns() < end, "no switch ended");
		gt_sleep_us(1000);
	}
	GT_CHECK(!gt_job_tell(&j, GT_JOB_ADD, MS), "create");
	gt_gpk_module_param("gpreempt", "fault_switch", 0);
	/* It has work, and something more urgent has too. */
	wait_flag(&j, GPREEMPT_QUEUE_F_SCHED, true);
	wait_flag(&j, GPREEMPT_QUEUE_F_PREEMPTED, true);
	GT_CHECK(!gt_queue_destroy(&q), "end of the urgent one");
	wait_flag(&j, GPREEMPT_QUEUE_F_PREEMPTED, false);
	gt_gpk_wait_waves(1, MS);
	close(events);
	gt_job_kill(&j);
	gt_gpk_unload();
}

/* A switch that keeps the driver's lock for longer than the watchdog waits. */
static void a_slow_call_is_not_silence(void)
{
	struct gt_job held, slow;
	uint64_t took;
	int events, r;

	begin(false);
	gt_job_start(&held, &endless);
	r = gt_gpk_hold(gpu_id, held.pid, ALL, LEASE_MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	gt_job_start(&slow, &endless);
	events = gt_gpk_events_open();
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 5);
	took = gt_now_ns();
	r = gt_gpk_hold(gpu_id, slow.pid, ALL, LEASE_MS);
	took = gt_now_ns() - took;
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	gt_note("the switch took %lu ms", took / 1000000);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	GT_CHECK(took > WATCHDOG_NS, "the switch was too quick to show anything");
	/* Whatever waited for the lock has had it since. */
	GT_CHECK(!find_event(events, GPREEMPT_EVENT_LEASE, 1, 500), "a hold was dropped");
	GT_CHECK(flags_of(&held) & GPREEMPT_QUEUE_F_PREEMPTED, "flags %x", flags_of(&held));
	GT_CHECK(flags_of(&slow) & GPREEMPT_QUEUE_F_PREEMPTED, "flags %x", flags_of(&slow));
	close(events);
	gt_job_kill(&held);
	gt_job_kill(&slow);
	gt_gpk_unload();
}

/*
 * The resume of a hold that ended fails; it is tried again without being asked for. The
 * module is not called meanwhile, as that could be what makes it try.
 */
static void check_repeated(int events)
{
	gt_sleep_us(300000);
	GT_CHECK(!gt_stat(0, "mapped"), "no resume failed");
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	gt_gpk_module_param("kfdsim", "gpreempt_fault_pid", 0);
	gt_gpk_wait_waves(1, MS);
	/* Not by amdkfd, which takes the scheduler for dead then. */
	GT_CHECK(!find_event(events, GPREEMPT_EVENT_REPORT, GPREEMPT_REPORT_NODE_LOST, 0),
		 "the watchdog did it");
}

static void a_resume_by_hand_is_repeated(void)
{
	struct gt_job j;
	int events, r;

	begin(false);
	gt_job_start(&j, &endless);
	events = gt_gpk_events_open();
	r = gt_gpk_hold(gpu_id, j.pid, ALL, LEASE_MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 4);
	r = gt_gpk_release(gpu_id, j.pid, ALL);
	GT_CHECK(r == -EIO, "resume: %s", strerror(-r));
	check_repeated(events);
	/* The same for a lease that ends, of one queue. */
	r = gt_gpk_hold(gpu_id, j.pid, j.queue_id, 300);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 4);
	GT_CHECK(find_event(events, GPREEMPT_EVENT_LEASE, 0, MS), "the lease does not end");
	check_repeated(events);
	close(events);
	gt_job_kill(&j);
	gt_gpk_unload();
}

/* Any failure is, not only that of hardware. */
static void a_resume_that_finds_no_room_is_repeated(void)
{
	struct gt_job j;
	int events, r;

	begin(false);
	gt_job_start(&j, &endless);
	events = gt_gpk_events_open();
	r = gt_gpk_hold(gpu_id, j.pid, ALL, LEASE_MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	gt_gpk_module_param("kfdsim", "gpreempt_fault_pid", (unsigned int)j.pid);
	r = gt_gpk_release(gpu_id, j.pid, ALL);
	GT_CHECK(r == -EBUSY, "resume: %s", strerror(-r));
	check_repeated(events);
	close(events);
	gt_job_kill(&j);
	gt_gpk_unload();
}

#define JOBS 4
/* Between two failures less than until the first is tried again, which is 100 ms. */
#define GAP_MS 60
#define FIRST_MS 500

static void sleep_until(uint64_t ns)
{
	uint64_t now = gt_now_ns();

	GT_CHECK(now < ns, "this guest is too slow to show anything");
	gt_sleep_us((ns - now) / 1000);
}

static uint64_t end_of(uint64_t start_ns, int job)
{
	return start_ns + (FIRST_MS + (uint64_t)job * GAP_MS) * 1000000;
}

/*
 * Leases end one after the other, and each resume fails. Nothing keeps the first process from
 * going on when the second fails: its turn comes at the time that was set then.
 */
static void a_later_failure_does_not_put_off_an_earlier_one(void)
{
	struct gt_job j[JOBS];
	uint64_t start;
	int i, r;

	begin(false);
	for (i = 0; i < JOBS; i++)
		gt_job_start(&j[i], &endless);
	start = gt_now_ns();
	for (i = 0; i < JOBS; i++) {
		r = gt_gpk_hold(gpu_id, j[i].pid, ALL,
				(uint32_t)((end_of(start, i) - gt_now_ns()) / 1000000));
		GT_CHECK(!r, "preempt: %s", strerror(-r));
	}
	for (i = 0; i < JOBS - 1; i++) {
		sleep_until(end_of(start, i) - 20000000);
		gt_gpk_module_param("kfdsim", "gpreempt_fault_pid", (unsigned int)j[i].pid);
		sleep_until(end_of(start, i) + 10000000);
		GT_CHECK(i > 1 || !gt_stat(0, "mapped"), "no resume failed");
	}
	sleep_until(end_of(start, JOBS - 1) - 30000000);
	GT_CHECK(gt_stat(0, "mapped"), "the first is still off");
	gt_gpk_module_param("kfdsim", "gpreempt_fault_pid", 0);
	for (i = 0; i < JOBS; i++)
		gt_job_kill(&j[i]);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "a_process_that_comes_back_at_once_is_scheduled",
	  a_process_that_comes_back_at_once_is_scheduled, TINY, 90 },
	{ "a_slow_call_is_not_silence", a_slow_call_is_not_silence, TINY, 90 },
	{ "a_resume_by_hand_is_repeated", a_resume_by_hand_is_repeated, NO_HWS, 90 },
	{ "a_resume_that_finds_no_room_is_repeated", a_resume_that_finds_no_room_is_repeated,
	  NO_HWS, 90 },
	{ "a_later_failure_does_not_put_off_an_earlier_one",
	  a_later_failure_does_not_put_off_an_earlier_one, NO_HWS, 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
