// SPDX-License-Identifier: MIT
/*
 * Preempted by gpreempt.ko, and something else happens to the queue as well: the two are
 * independent, nothing waits, and the kernel leaves exactly what an undisturbed one does.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=100"
#define FEW_SLOTS "profile=tiny poll_us=100 slots=2 vmids=3"
#define XCC8 "profile=mi300x poll_us=100"
#define NO_HWS "profile=tiny poll_us=100 sched_policy=2"
#define RESETS TINY " queue_preemption_timeout_ms=1000"
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define MS 20000

/* Half a second of the GPU. */
static const struct gt_shape half = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096,
	.steps = 500, .step_ns = 1000000, .seed = 11,
};

/* Runs still when everything else is set up. */
static const struct gt_shape long_enough = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096,
	.steps = 4000, .step_ns = 1000000, .seed = 12,
};

static uint32_t gpu_id;

static void begin(const char *params)
{
	gt_gpk_load(params);
	gpu_id = gt_gpk_gpu_id();
	/* Only what is done by hand. */
	gt_gpk_set_enabled(false);
}

static void end(void)
{
	gt_gpk_check_left();
	gt_gpk_unload();
}

static void hold(const struct gt_job *j)
{
	int r = gt_gpk_hold(gpu_id, j->pid, ALL, LEASE_MS);

	GT_CHECK(!r, "preempt: %s", strerror(-r));
}

static void let_go(const struct gt_job *j)
{
	int r = gt_gpk_release(gpu_id, j->pid, ALL);

	GT_CHECK(!r, "resume: %s", strerror(-r));
}

static bool is(const struct gt_job *j, uint32_t flag)
{
	return gt_gpk_flags(j->pid, j->queue_id) & flag;
}

static void wait_flag(const struct gt_job *j, uint32_t flag, bool set)
{
	uint64_t end_ns = gt_deadline_ns(MS);

	while (is(j, flag) != set) {
		GT_CHECK(gt_now_ns() < end_ns, "flags %x", gt_gpk_flags(j->pid, j->queue_id));
		gt_sleep_us(2000);
	}
}

/* It is off the GPU because of us, and stays so. */
static void check_off(const struct gt_job *j)
{
	gt_sleep_us(30000);
	GT_CHECK(is(j, GPREEMPT_QUEUE_F_PREEMPTED), "flags %x",
		 gt_gpk_flags(j->pid, j->queue_id));
	GT_CHECK(!is(j, GPREEMPT_QUEUE_F_ACTIVE), "it is active");
	GT_CHECK(!gt_stat(0, "waves"), "%lu waves", gt_stat(0, "waves"));
}

static void evicted_and_restored(const char *params)
{
	struct gt_job j;

	begin(params);
	gt_job_start(&j, &half);
	hold(&j);
	gt_evict(j.pid);
	wait_flag(&j, GPREEMPT_QUEUE_F_EVICTED, true);
	wait_flag(&j, GPREEMPT_QUEUE_F_EVICTED, false);
	check_off(&j);
	let_go(&j);
	gt_job_finish(&j, MS);
	end();
}

static void preempted_then_evicted(void)
{
	evicted_and_restored("verify=1");
}

static void evicted_then_preempted(void)
{
	struct gt_job j;

	begin("verify=1");
	gt_job_start(&j, &half);
	gt_evict(j.pid);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "not evicted");
	hold(&j);
	wait_flag(&j, GPREEMPT_QUEUE_F_EVICTED, false);
	check_off(&j);
	let_go(&j);
	gt_job_finish(&j, MS);
	end();
}

/* Resumed while it is evicted, it runs when it is restored, and not before. */
static void resumed_while_evicted(void)
{
	struct gt_job j;

	begin("");
	gt_job_start(&j, &half);
	hold(&j);
	gt_evict(j.pid);
	wait_flag(&j, GPREEMPT_QUEUE_F_EVICTED, true);
	let_go(&j);
	GT_CHECK(!is(&j, GPREEMPT_QUEUE_F_PREEMPTED), "it is preempted");
	gt_job_finish(&j, MS);
	end();
}

#define JOBS 6

/* More processes than VMIDs and more queues than slots: the firmware takes turns. */
static void preempted_when_oversubscribed(void)
{
	struct gt_job j[JOBS];
	int i;

	begin("");
	for (i = 0; i < JOBS; i++)
		gt_job_begin(&j[i], &half);
	for (i = 0; i < JOBS; i += 2)
		hold(&j[i]);
	/* These run, those do not. */
	for (i = 1; i < JOBS; i += 2)
		gt_job_finish(&j[i], MS);
	GT_CHECK(gt_stat(0, "rotations"), "no turns were taken");
	for (i = 0; i < JOBS; i += 2)
		GT_CHECK(is(&j[i], GPREEMPT_QUEUE_F_PREEMPTED), "job %d runs", i);
	GT_CHECK(!gt_stat(0, "waves"), "%lu waves", gt_stat(0, "waves"));
	for (i = 0; i < JOBS; i += 2)
		let_go(&j[i]);
	for (i = 0; i < JOBS; i += 2)
		gt_job_finish(&j[i], MS);
	end();
}

/* One refuses and is reset: it was not preempted; those that were, are; none is hurt. */
static void preempted_and_another_queue_is_reset(void)
{
	struct gt_job off, bad, good;
	int r;

	begin("");
	gt_job_start(&off, &half);
	hold(&off);
	gt_job_start(&bad, &half);
	gt_job_begin(&good, &half);
	/* The driver does not wait until they are mapped. */
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "%lu queues mapped", gt_stat(0, "mapped"));
	GT_CHECK(!gt_job_tell(&bad, GT_JOB_REFUSE, MS), "fault");
	r = gt_gpk_hold(gpu_id, bad.pid, ALL, LEASE_MS);
	GT_CHECK(r == -EIO, "a queue that refuses: %s", strerror(-r));
	GT_CHECK(!is(&bad, GPREEMPT_QUEUE_F_PREEMPTED), "it counts as preempted");
	GT_CHECK(is(&off, GPREEMPT_QUEUE_F_PREEMPTED), "the other one was let go");
	gt_job_kill(&bad);
	gt_job_finish(&good, MS);
	let_go(&off);
	gt_job_finish(&off, MS);
	end();
}

/* kfd_chardev.c: during a reset the device cannot be opened. Each try is counted. */
static void wait_for_device(void)
{
	int status, tries, fd = -1;
	pid_t pid = fork();

	if (!pid) {
		for (tries = 0; fd < 0 && tries < 500; tries++) {
			fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
			gt_sleep_us(10000);
		}
		_exit(fd < 0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "the GPU does not come back");
}

/* The firmware hangs. All processes lose their queues; no hold survives; new ones work. */
static void preempted_and_the_gpu_is_reset(void)
{
	struct gt_job off, on, next;
	int r;

	begin("");
	gt_job_start(&off, &half);
	hold(&off);
	gt_job_start(&on, &half);
	gt_fault(0, "hang 1");
	r = gt_gpk_hold(gpu_id, on.pid, ALL, LEASE_MS);
	GT_CHECK(r == -EIO, "hardware that hangs: %s", strerror(-r));
	wait_for_device();
	wait_flag(&off, GPREEMPT_QUEUE_F_PREEMPTED, false);
	GT_CHECK(!is(&off, GPREEMPT_QUEUE_F_MANUAL), "it counts as held by hand");
	GT_CHECK(is(&off, GPREEMPT_QUEUE_F_EVICTED), "not evicted");
	GT_CHECK(!is(&on, GPREEMPT_QUEUE_F_PREEMPTED), "it counts as preempted");
	gt_job_kill(&off);
	gt_job_kill(&on);
	gt_job_start(&next, &half);
	hold(&next);
	check_off(&next);
	let_go(&next);
	gt_job_finish(&next, MS);
	end();
}

static void killed_while_preempted(void)
{
	struct gt_job j[2];
	int i;

	begin("");
	for (i = 0; i < 2; i++) {
		gt_job_begin(&j[i], &half);
		hold(&j[i]);
	}
	check_off(&j[0]);
	gt_job_kill(&j[0]);
	check_off(&j[1]);
	let_go(&j[1]);
	gt_job_finish(&j[1], MS);
	end();
}

/* As the unpatched driver does not for a debugger's suspension: it waits there. */
static void destroyed_while_preempted(void)
{
	uint64_t start;
	struct gt_job j;
	int r;

	begin("");
	gt_job_start(&j, &half);
	hold(&j);
	start = gt_now_ns();
	r = gt_job_tell(&j, GT_JOB_DESTROY, 5000);
	GT_CHECK(!r, "destroy: %s", strerror(-r));
	gt_note("destroyed in %lu us", (gt_now_ns() - start) / 1000);
	GT_CHECK(!gt_gpk_count(j.pid), "%u queues", gt_gpk_count(j.pid));
	/* All queues are held, those to come as well. */
	r = gt_job_tell(&j, GT_JOB_ADD, MS);
	GT_CHECK(!r, "create: %s", strerror(-r));
	wait_flag(&j, GPREEMPT_QUEUE_F_PREEMPTED, true);
	check_off(&j);
	let_go(&j);
	gt_gpk_wait_waves(1, MS);
	gt_job_kill(&j);
	end();
}

static void born_while_preempted(void)
{
	struct gt_job j;

	begin("verify=1");
	gt_job_start(&j, &half);
	hold(&j);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_ADD, MS), "create");
	GT_CHECK(gt_gpk_count(j.pid) == 2, "%u queues", gt_gpk_count(j.pid));
	check_off(&j);
	let_go(&j);
	gt_job_finish(&j, MS);
	end();
}

/* A debugger's flag and ours: both must be undone, in either order. */
static void suspended_while_preempted(void)
{
	struct gt_job j;

	begin("");
	gt_job_start_debugged(&j, &half);
	hold(&j);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_SUSPEND, MS), "suspend");
	GT_CHECK(is(&j, GPREEMPT_QUEUE_F_SUSPENDED), "not suspended");
	check_off(&j);
	let_go(&j);
	gt_sleep_us(30000);
	GT_CHECK(!gt_stat(0, "waves"), "resumed although suspended");
	GT_CHECK(!gt_job_tell(&j, GT_JOB_RESUME, MS), "resume");
	gt_gpk_wait_waves(1, MS);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_DETACH, MS), "detach");
	gt_job_finish(&j, MS);
	end();
}

static void preempted_while_suspended(void)
{
	struct gt_job j;

	begin("");
	gt_job_start_debugged(&j, &half);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_SUSPEND, MS), "suspend");
	hold(&j);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_RESUME, MS), "resume");
	check_off(&j);
	/* And with the debugger that goes away. */
	GT_CHECK(!gt_job_tell(&j, GT_JOB_SUSPEND, MS), "suspend");
	GT_CHECK(!gt_job_tell(&j, GT_JOB_DETACH, MS), "detach");
	GT_CHECK(!is(&j, GPREEMPT_QUEUE_F_SUSPENDED), "suspended without a hold");
	check_off(&j);
	let_go(&j);
	gt_job_finish(&j, MS);
	end();
}

static void changed_while_preempted(void)
{
	struct gt_job j;
	int r;

	begin("verify=1");
	gt_job_start(&j, &half);
	hold(&j);
	r = gt_job_tell(&j, GT_JOB_CU_MASK, MS);
	GT_CHECK(!r, "CU mask: %s", strerror(-r));
	check_off(&j);
	r = gt_job_tell(&j, GT_JOB_UPDATE, MS);
	GT_CHECK(!r, "update: %s", strerror(-r));
	check_off(&j);
	let_go(&j);
	gt_job_finish(&j, MS);
	end();
}

/* By hand for one queue, by hand for all: two levels. */
static void held_twice(void)
{
	struct gt_job j;

	begin("");
	gt_job_start(&j, &half);
	GT_CHECK(!gt_gpk_hold(gpu_id, j.pid, j.queue_id, LEASE_MS), "preempt the queue");
	hold(&j);
	let_go(&j);
	check_off(&j);
	GT_CHECK(!gt_gpk_release(gpu_id, j.pid, j.queue_id), "resume the queue");
	gt_job_finish(&j, MS);
	end();
}

/* Endless, of high priority. */
static void urgent(void)
{
	static const struct gt_shape endless = {
		.groups = 8, .waves = 2, .vgprs = 32, .steps = 0, .step_ns = 1000000, .seed = 1,
	};
	static struct gt_kernel k;
	static struct gt_queue q;
	static struct gt_gpu g;

	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&g, 0);
	gt_queue_create(&g, 7, &q);
	gt_kernel_create(&g, &endless, &k);
	gt_kernel_launch(&k, &q);
}

/* The driver does not wait until the GPU has mapped what it is told to. */
static void wait_restored(uint64_t before)
{
	uint64_t end = gt_deadline_ns(MS);

	while (gt_stat(0, "restores") == before) {
		GT_CHECK(gt_now_ns() < end, "nothing came back");
		gt_sleep_us(1000);
	}
}

/* The scheduler has one preempted, a hand the other; the module goes: both go on. */
static void unloaded_while_preempted(void)
{
	struct gt_job j[2];
	uint64_t restores;

	begin("");
	gt_gpk_set_enabled(true);
	/* A turn for them would be a resume of another kind. */
	gt_gpk_set_param("max_wait_ns", 60000000000);
	gt_job_start(&j[0], &long_enough);
	gt_job_begin(&j[1], &half);
	GT_CHECK(!gt_gpk_hold(gpu_id, j[1].pid, j[1].queue_id, LEASE_MS), "preempt");
	urgent();
	wait_flag(&j[0], GPREEMPT_QUEUE_F_PREEMPTED, true);
	GT_CHECK(is(&j[1], GPREEMPT_QUEUE_F_PREEMPTED), "not held");
	restores = gt_stat(0, "restores");
	gt_gpk_unload();
	wait_restored(restores);
	gt_job_finish(&j[0], MS);
	gt_job_finish(&j[1], MS);
}

static void preempted_then_evicted_on_8_xccs(void)
{
	evicted_and_restored("verify=1");
}

static void preempted_then_evicted_without_hws(void)
{
	evicted_and_restored("");
}

static const struct gt_case cases[] = {
	{ "preempted_then_evicted", preempted_then_evicted, TINY, 60 },
	{ "evicted_then_preempted", evicted_then_preempted, TINY, 60 },
	{ "resumed_while_evicted", resumed_while_evicted, TINY, 60 },
	{ "killed_while_preempted", killed_while_preempted, TINY, 60 },
	{ "destroyed_while_preempted", destroyed_while_preempted, TINY, 60 },
	{ "born_while_preempted", born_while_preempted, TINY, 60 },
	{ "suspended_while_preempted", suspended_while_preempted, TINY, 60 },
	{ "preempted_while_suspended", preempted_while_suspended, TINY, 60 },
	{ "changed_while_preempted", changed_while_preempted, TINY, 60 },
	{ "held_twice", held_twice, TINY, 60 },
	{ "unloaded_while_preempted", unloaded_while_preempted, TINY, 60 },
	{ "preempted_when_oversubscribed", preempted_when_oversubscribed, FEW_SLOTS, 90 },
	{ "preempted_and_another_queue_is_reset", preempted_and_another_queue_is_reset, RESETS,
	  60 },
	{ "preempted_and_the_gpu_is_reset", preempted_and_the_gpu_is_reset, RESETS, 60 },
	{ "preempted_then_evicted_on_8_xccs", preempted_then_evicted_on_8_xccs, XCC8, 60 },
	{ "preempted_then_evicted_without_hws", preempted_then_evicted_without_hws, NO_HWS, 60 },
	{ "killed_while_preempted_without_hws", killed_while_preempted, NO_HWS, 60 },
	{ "destroyed_while_preempted_without_hws", destroyed_while_preempted, NO_HWS, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
