// SPDX-License-Identifier: MIT
/*
 * Hardware that does not answer the scheduler: preemption is suspended, all queues run, the
 * reason is there to be read, and after a probation preemption is trusted again.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"
#include "gt/gt_offline.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARAMS "profile=tiny poll_us=100 queue_preemption_timeout_ms=1000"
#define SERVED_MS 20000
#define OPEN_NS 3000000000
#define LEASE_MS 60000

/**
 * struct stage - the urgent process
 */
struct stage {
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
};

static void stage_open(struct stage *s)
{
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&s->gpu, 0);
	gt_queue_create(&s->gpu, 7, &s->q);
	gt_kernel_create(&s->gpu, &gt_brief, &s->k);
}

/* What people read: the state, and why. */
static void check_shown(const struct stage *s, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/gpreempt/%u/breaker", s->gpu.id);
	GT_CHECK(gt_file_has(path, text), "%s does not say: %s", path, text);
}

static void wait_breaker(const struct stage *s, uint32_t state)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (gt_gpk_stats(s->gpu.id).breaker != state) {
		GT_CHECK(gt_now_ns() < end, "breaker %u, %llu preemptions, %llu failed, %lu killed",
			 gt_gpk_stats(s->gpu.id).breaker,
			 gt_gpk_stats(s->gpu.id).nr_preemptions,
			 gt_gpk_stats(s->gpu.id).nr_failed, gt_stat(0, "killed"));
		gt_sleep_us(2000);
	}
}

/* Requests that preempt, until that is trusted again. */
static void check_recovery(struct stage *s, uint64_t nr_before)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);
	struct gpreempt_ioc_stats now;

	wait_breaker(s, GPREEMPT_BREAKER_PROBATION);
	check_shown(s, "probation: ");
	do {
		GT_CHECK(!gt_online_once(&s->k, &s->q, SERVED_MS), "not served on probation");
		gt_sleep_us(20000);
		now = gt_gpk_stats(s->gpu.id);
		GT_CHECK(gt_now_ns() < end, "breaker %u after %llu preemptions", now.breaker,
			 now.nr_preemptions - nr_before);
	} while (now.breaker != GPREEMPT_BREAKER_CLOSED);
	check_shown(s, "closed");
	GT_CHECK(now.nr_preemptions > nr_before, "trusted again without a trial");
	gt_note("trusted again after %llu preemptions", now.nr_preemptions - nr_before);
}

/* While it is open nothing is preempted, and the others get on with their work. */
static void check_open(struct stage *s, const struct gt_offline *other, const char *reason)
{
	struct gpreempt_ioc_stats open = gt_gpk_stats(s->gpu.id), now;
	uint64_t end = gt_deadline_ns(SERVED_MS);
	uint32_t kernels = other->shared->nr_kernels;
	char text[64];

	snprintf(text, sizeof(text), "open: %s", reason);
	check_shown(s, text);
	do {
		GT_CHECK(gt_now_ns() < end, "the other process does not get on");
		gt_sleep_us(5000);
		now = gt_gpk_stats(s->gpu.id);
		GT_CHECK(now.breaker != GPREEMPT_BREAKER_OPEN ||
				 now.nr_preemptions == open.nr_preemptions,
			 "a queue was preempted");
	} while (other->shared->nr_kernels == kernels);
}

/* A queue that was reset is not mapped again: what it was doing is lost. */
static void check_stays_off(uint32_t doorbell)
{
	int i;

	for (i = 0; i < 50; i++) {
		GT_CHECK(!gt_has_slot(doorbell), "the queue that was reset is mapped");
		gt_sleep_us(2000);
	}
}

static void a_hung_queue_does_not_hold_the_others_up(void)
{
	struct gt_offline hung, other;
	uint32_t doorbell;
	struct stage s;
	uint64_t nr;

	gt_gpk_load("");
	gt_gpk_set_param("deadline_ns", 20000000000);
	gt_gpk_set_param("breaker_errors", 1);
	gt_gpk_set_param("open_ns", OPEN_NS);
	gt_offline_start(&hung, &gt_endless);
	doorbell = gt_other_doorbell(0);
	stage_open(&s);
	gt_offline_start(&other, &gt_third);
	check_shown(&s, "closed");
	/* Or it is reset in a cycle that preempts the other, and that did not ask for it. */
	gt_gpk_wait_busy(2, SERVED_MS);
	/* Last: any other cycle would have it reset, and the scheduler would see nothing. */
	gt_fault(0, "refuse %u", doorbell);
	gt_kernel_launch(&s.k, &s.q);
	wait_breaker(&s, GPREEMPT_BREAKER_OPEN);
	nr = gt_gpk_stats(s.gpu.id).nr_preemptions;
	check_stays_off(doorbell);
	check_open(&s, &other, "switch failed");
	GT_CHECK(!gt_kernel_wait(&s.k, SERVED_MS), "the request was not served");
	GT_CHECK(gt_stat(0, "killed"), "the queue was not hung");
	GT_CHECK(gt_gpk_stats(s.gpu.id).nr_failed, "no failure was counted");
	check_recovery(&s, nr);
	check_stays_off(doorbell);
	gt_offline_kill(&hung);
	gt_offline_finish(&other, SERVED_MS);
	gt_gpk_unload();
}

static const struct gt_shape endless = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096, .step_ns = 1000000, .seed = 8,
};

static void by_hand(struct gt_job *j, uint32_t *gpu_id)
{
	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	*gpu_id = gt_gpk_gpu_id();
	gt_job_start(j, &endless);
}

static void preempt_and_resume(uint32_t gpu_id, pid_t pid)
{
	int r = gt_gpk_hold(gpu_id, pid, GPREEMPT_ABI_QUEUE_ALL, LEASE_MS);

	GT_CHECK(!r, "preempt: %s", strerror(-r));
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves", gt_stat(0, "waves"));
	r = gt_gpk_release(gpu_id, pid, GPREEMPT_ABI_QUEUE_ALL);
	GT_CHECK(!r, "resume: %s", strerror(-r));
}

static void wait_slot(uint32_t doorbell)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (!gt_has_slot(doorbell)) {
		GT_CHECK(gt_now_ns() < end, "the queue is not mapped");
		gt_sleep_us(1000);
	}
}

/* One of two queues of a process refuses: it alone is lost. */
static void its_other_queue_goes_on(void)
{
	uint32_t gpu_id, hung, other;
	struct gt_job j;
	int r;

	by_hand(&j, &gpu_id);
	hung = gt_other_doorbell(0);
	GT_CHECK(!gt_job_tell(&j, GT_JOB_ADD, SERVED_MS), "create");
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "%lu queues mapped", gt_stat(0, "mapped"));
	other = gt_other_doorbell(hung);
	gt_fault(0, "refuse %u", hung);
	r = gt_gpk_hold(gpu_id, j.pid, GPREEMPT_ABI_QUEUE_ALL, LEASE_MS);
	GT_CHECK(r == -EIO, "a queue that refuses: %s", strerror(-r));
	wait_slot(other);
	check_stays_off(hung);
	preempt_and_resume(gpu_id, j.pid);
	wait_slot(other);
	check_stays_off(hung);
	gt_job_kill(&j);
	gt_gpk_unload();
}

/* Reset in another's cycle, then preempted and resumed: that does not bring it back. */
static void a_queue_that_was_reset_is_not_resumed(void)
{
	uint32_t gpu_id, hung;
	struct gt_job j, next;

	by_hand(&j, &gpu_id);
	hung = gt_other_doorbell(0);
	gt_fault(0, "refuse %u", hung);
	gt_job_begin(&next, &endless);
	GT_CHECK(gt_stat(0, "killed"), "it was not reset");
	gt_job_kill(&next);
	preempt_and_resume(gpu_id, j.pid);
	check_stays_off(hung);
	gt_job_kill(&j);
	gt_gpk_unload();
}

/* Firmware that needs 60 ms where 20 are allowed, and then comes to its senses. */
static void a_slow_switch_opens_the_breaker(void)
{
	struct gt_offline other;
	struct stage s;
	uint64_t nr;

	gt_gpk_load("");
	gt_gpk_set_param("open_ns", OPEN_NS);
	gt_offline_start(&other, &gt_third);
	stage_open(&s);
	GT_CHECK(!gt_online_once(&s.k, &s.q, SERVED_MS), "not served");
	GT_CHECK(gt_gpk_stats(s.gpu.id).breaker == GPREEMPT_BREAKER_CLOSED, "open too early");
	gt_gpk_set_param("deadline_ns", 20000000);
	gt_fault(0, "slow 30000");
	gt_kernel_launch(&s.k, &s.q);
	wait_breaker(&s, GPREEMPT_BREAKER_OPEN);
	gt_fault(0, "clear");
	gt_gpk_set_param("deadline_ns", 2000000000);
	nr = gt_gpk_stats(s.gpu.id).nr_preemptions;
	check_open(&s, &other, "switch missed its deadline");
	GT_CHECK(!gt_kernel_wait(&s.k, SERVED_MS), "the request was not served");
	check_recovery(&s, nr);
	gt_offline_finish(&other, SERVED_MS);
	gt_gpk_unload();
}

/* A process is held, and the hardware cannot be reached, but no reset follows. */
static uint32_t hold_and_lock_out(struct gt_job *j, uint32_t *gpu_id)
{
	uint32_t doorbell;
	int r;

	by_hand(j, gpu_id);
	doorbell = gt_other_doorbell(0);
	r = gt_gpk_hold(*gpu_id, j->pid, GPREEMPT_ABI_QUEUE_ALL, LEASE_MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	GT_CHECK(!gt_has_slot(doorbell), "it is still mapped");
	gt_fault(0, "lock_out 1");
	return doorbell;
}

/* It is not asked for again: the next call of the scheduler makes up for it, or the watchdog. */
static void a_resume_that_fails_is_made_up_for(void)
{
	uint32_t gpu_id, doorbell;
	struct gt_job j;
	int r;

	doorbell = hold_and_lock_out(&j, &gpu_id);
	r = gt_gpk_release(gpu_id, j.pid, GPREEMPT_ABI_QUEUE_ALL);
	GT_CHECK(r == -EIO, "resume: %s", strerror(-r));
	/* So long that others fail as well. */
	gt_sleep_us(3000000);
	GT_CHECK(!gt_has_slot(doorbell), "no queue was locked out");
	gt_fault(0, "lock_out 0");
	wait_slot(doorbell);
	gt_job_kill(&j);
	gt_gpk_unload();
}

/* The module goes, and with it all that could try again. */
static void the_last_resume_fails_at_first(void)
{
	uint32_t gpu_id, doorbell;
	struct gt_job j;
	pid_t pid;

	doorbell = hold_and_lock_out(&j, &gpu_id);
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid) {
		gt_gpk_close();
		gt_sleep_us(200000);
		gt_fault(0, "lock_out 0");
		_exit(0);
	}
	gt_gpk_unload();
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	wait_slot(doorbell);
	gt_job_kill(&j);
}

/* A queue is off the GPU before the switch that took it off is over. */
static void wait_preempted(const struct stage *s, uint64_t before)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (gt_gpk_stats(s->gpu.id).nr_preemptions == before) {
		GT_CHECK(gt_now_ns() < end, "it was not preempted");
		gt_sleep_us(1000);
	}
}

static void wait_failed(const struct stage *s, uint64_t before)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (gt_gpk_stats(s->gpu.id).nr_failed == before) {
		GT_CHECK(gt_now_ns() < end, "no resume failed");
		gt_sleep_us(1000);
	}
}

static const struct gt_shape two_seconds = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536,
	.steps = 2000, .step_ns = 1000000, .seed = 9,
};

/* A request of two seconds is served, and what it preempted cannot be resumed: its doorbell. */
static uint32_t fail_a_resume(struct gt_offline *victim, struct stage *s, struct gt_kernel *k)
{
	uint32_t doorbell;
	uint64_t nr;

	gt_gpk_load("");
	gt_gpk_set_param("max_wait_ns", 60000000000);
	gt_offline_start(victim, &gt_endless);
	doorbell = gt_other_doorbell(0);
	stage_open(s);
	gt_kernel_create(&s->gpu, &two_seconds, k);
	nr = gt_gpk_stats(s->gpu.id).nr_preemptions;
	gt_kernel_launch(k, &s->q);
	wait_preempted(s, nr);
	GT_CHECK(!gt_has_slot(doorbell), "the victim runs");
	nr = gt_gpk_stats(s->gpu.id).nr_failed;
	gt_fault(0, "lock_out 1");
	GT_CHECK(!gt_kernel_wait(k, SERVED_MS), "the request was not served");
	wait_failed(s, nr);
	return doorbell;
}

/* The scheduler's own resume fails, and it tries again. */
static void the_scheduler_tries_again(void)
{
	struct gt_offline victim;
	struct gt_kernel k;
	uint32_t doorbell;
	struct stage s;

	doorbell = fail_a_resume(&victim, &s, &k);
	gt_fault(0, "lock_out 0");
	wait_slot(doorbell);
	gt_offline_kill(&victim);
	gt_gpk_unload();
}

/* It is made up for when the next request is there already: that one is not disturbed. */
static void a_late_resume_does_not_disturb_the_next_request(void)
{
	struct gt_offline victim;
	struct gt_kernel k;
	uint32_t doorbell;
	struct stage s;

	doorbell = fail_a_resume(&victim, &s, &k);
	gt_kernel_launch(&k, &s.q);
	gt_sleep_us(300000);
	gt_fault(0, "lock_out 0");
	gt_sleep_us(1000000);
	GT_CHECK(!gt_has_slot(doorbell), "the victim runs beside it");
	GT_CHECK(gt_kernel_wait(&k, 0), "the request has ended, and nothing is shown");
	GT_CHECK(!gt_kernel_wait(&k, SERVED_MS), "the next request was not served");
	wait_slot(doorbell);
	gt_offline_kill(&victim);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "a_hung_queue_does_not_hold_the_others_up", a_hung_queue_does_not_hold_the_others_up,
	  PARAMS, 90 },
	{ "its_other_queue_goes_on", its_other_queue_goes_on, PARAMS, 90 },
	{ "a_queue_that_was_reset_is_not_resumed", a_queue_that_was_reset_is_not_resumed, PARAMS,
	  90 },
	{ "a_resume_that_fails_is_made_up_for", a_resume_that_fails_is_made_up_for, PARAMS, 90 },
	{ "the_last_resume_fails_at_first", the_last_resume_fails_at_first, PARAMS, 90 },
	{ "the_scheduler_tries_again", the_scheduler_tries_again, PARAMS, 90 },
	{ "a_late_resume_does_not_disturb_the_next_request",
	  a_late_resume_does_not_disturb_the_next_request, PARAMS, 90 },
	{ "a_slow_switch_opens_the_breaker", a_slow_switch_opens_the_breaker, PARAMS, 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
