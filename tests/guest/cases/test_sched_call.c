// SPDX-License-Identifier: MIT
/*
 * A call of gpreempt.ko that comes at any moment of another one is answered when the monitor is
 * done with that, and does not wait for the next event. `vehicle/run --racy` plants what this is
 * to find.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARAMS "profile=tiny engine=timed poll_us=50"
#define EMPTY_MS 10000
#define SWITCHES 60
#define LEASE_MS 60000
/* The monitor looks at nothing by itself; only calls wake it. */
#define LOAD "poll_us=1000000"
#define SWITCH_US 6100
#define CALL_US 3000
/* A switch, a call before it and what a seed delays it by are less than half of it. */
#define ANSWERED_US 1500

/**
 * struct calls - of both processes
 * @nr: calls that were answered
 * @longest_us: what one took
 * @stop: the one that only calls is told to end
 */
struct calls {
	volatile uint64_t nr;
	volatile uint64_t longest_us;
	volatile uint32_t stop;
};

static void count(struct calls *calls, uint64_t start_ns)
{
	uint64_t us = (gt_now_ns() - start_ns) / 1000;

	if (us > calls->longest_us)
		calls->longest_us = us;
	calls->nr++;
}

static void call_again_and_again(struct calls *calls)
{
	uint64_t start;

	while (!calls->stop) {
		start = gt_now_ns();
		gt_gpk_set_param("max_wait_ns", 600000000000);
		count(calls, start);
		gt_sleep_us(CALL_US);
	}
	_exit(0);
}

static struct calls *start_caller(pid_t *pid)
{
	struct calls *calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	GT_CHECK(calls != MAP_FAILED, "no memory");
	*pid = fork();
	GT_CHECK(*pid >= 0, "fork");
	if (!*pid)
		call_again_and_again(calls);
	return calls;
}

static void stop_caller(pid_t pid, struct calls *calls)
{
	int status;

	calls->stop = 1;
	GT_CHECK(waitpid(pid, &status, 0) == pid && !status, "the caller's end: %x", status);
}

/* One process is preempted and resumed by hand, again and again. */
static void switch_it(struct calls *calls, pid_t pid)
{
	uint32_t gpu_id = gt_gpk_gpu_id();
	uint64_t start;
	int i, r;

	for (i = 0; i < SWITCHES; i++) {
		gt_sleep_us(SWITCH_US);
		start = gt_now_ns();
		r = i % 2 ? gt_gpk_release(gpu_id, pid, GPREEMPT_ABI_QUEUE_ALL)
			  : gt_gpk_hold(gpu_id, pid, GPREEMPT_ABI_QUEUE_ALL, LEASE_MS);
		count(calls, start);
		GT_CHECK(!r, "switch %d: %d", i, r);
	}
}

static void a_call_is_answered_whatever_is_under_way(void)
{
	struct gt_offline offline;
	struct calls *calls;
	pid_t pid;

	gt_gpk_load(LOAD);
	gt_gpk_set_enabled(false);
	gt_offline_start(&offline, &gt_endless);
	calls = start_caller(&pid);
	switch_it(calls, offline.pid);
	stop_caller(pid, calls);
	gt_note("%lu calls, the longest %lu us", calls->nr, calls->longest_us);
	gt_offline_kill(&offline);
	gt_gpk_wait_empty(EMPTY_MS);
	gt_gpk_unload();
	GT_CHECK(calls->nr > 2 * SWITCHES, "%lu calls", calls->nr);
	GT_CHECK(calls->longest_us < ANSWERED_US, "a call took %lu us", calls->longest_us);
}

static const struct gt_case cases[] = {
	{ "a_call_is_answered_whatever_is_under_way", a_call_is_answered_whatever_is_under_way,
	  PARAMS, 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
