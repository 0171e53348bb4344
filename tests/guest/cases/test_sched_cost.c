// SPDX-License-Identifier: MIT
/*
 * What a preemption costs the node: runlist cycles, counted by the simulated GPU. Any
 * number of victims leave in one; a debugger that suspends them one by one needs as many.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gt/gt_debug.h"
#include "gt/gt_ftrace.h"

#define PARAMS "profile=tiny engine=timed poll_us=100"
#define SERVED_MS 20000
#define VICTIMS_MAX 100
/* Queues of one process that a debugger suspends. */
#define SUSPENDED_MAX 32
/* Processes that amdkfd can have on a GPU at a time. */
#define ROOM 8

/* A wave that never ends: enough of them for all. */
static const struct gt_shape small = {
	.groups = 1,
	.waves = 1,
	.vgprs = 8,
	.steps = 400000,
	.step_ns = 1000000,
	.seed = 5,
};

/**
 * struct cost - of one way to take @k victims off the GPU, and of the way back
 */
struct cost {
	uint64_t cycles;
	uint64_t us;
};

static struct cost cost_begin(void)
{
	return (struct cost){ .cycles = gt_stat(0, "unmaps"), .us = gt_now_ns() / 1000 };
}

static struct cost cost_end(struct cost from)
{
	return (struct cost){ .cycles = gt_stat(0, "unmaps") - from.cycles,
			      .us = gt_now_ns() / 1000 - from.us };
}

/*
 * Where all do not fit, a queue without work leaves them its room, in a switch of its own
 * that is no part of what a request costs.
 */
static void wait_parked(const struct gt_queue *q)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (gt_gpk_queue(getpid(), q->id).state != GPREEMPT_STATE_PREEMPTED) {
		GT_CHECK(gt_now_ns() < end, "a queue without work keeps its room");
		gt_sleep_us(1000);
	}
}

static void wait_resumed(uint32_t gpu_id, uint64_t nr)
{
	uint64_t end = gt_deadline_ns(SERVED_MS);

	while (gt_gpk_stats(gpu_id).nr_resumes < nr) {
		GT_CHECK(gt_now_ns() < end, "%llu of %lu resumed",
			 gt_gpk_stats(gpu_id).nr_resumes, nr);
		gt_sleep_us(5000);
	}
}

/* A request preempts all of them, and they all come back: two switches, two cycles. */
static void by_scheduler(struct gt_kernel *k, struct gt_queue *q, uint32_t nr)
{
	struct gpreempt_ioc_stats before = gt_gpk_stats(q->gpu->id), after;
	struct cost c = cost_begin();

	gt_kernel_launch(k, q);
	GT_CHECK(!gt_kernel_wait(k, SERVED_MS), "not served");
	wait_resumed(q->gpu->id, before.nr_resumes + nr);
	c = cost_end(c);
	after = gt_gpk_stats(q->gpu->id);
	GT_CHECK(after.nr_preemptions - before.nr_preemptions == nr, "%llu of %u preempted",
		 after.nr_preemptions - before.nr_preemptions, nr);
	GT_CHECK(after.nr_switches - before.nr_switches == 2 && c.cycles == 2,
		 "%u victims: %llu switches, %lu cycles", nr,
		 after.nr_switches - before.nr_switches, c.cycles);
	gt_note("%2u victims: by the scheduler 1 cycle, and 1 for the way back", nr);
}

/*
 * What comes back by hand, in one cycle or in none if nothing was mapped. Meanwhile the scheduler
 * may make switches of its own, where all do not fit: each of them is a cycle.
 */
static void check_way_back(uint32_t nr, struct cost in, uint64_t nr_switches)
{
	GT_CHECK(in.cycles <= 1 + nr_switches, "%u victims: %lu cycles, %lu by the scheduler", nr,
		 in.cycles, nr_switches);
}

static void by_hand(uint32_t gpu_id, const struct gt_offline *o, uint32_t nr)
{
	pid_t pids[VICTIMS_MAX];
	uint64_t nr_switches;
	struct cost out, in;
	uint32_t i;

	for (i = 0; i < nr; i++)
		pids[i] = o[i].pid;
	out = cost_begin();
	GT_CHECK(!gt_gpk_switch(gpu_id, pids, nr, 0, 60000, 0), "preempt");
	out = cost_end(out);
	GT_CHECK(out.cycles == 1, "%u victims: %lu cycles", nr, out.cycles);
	GT_CHECK(!gt_stat(0, "waves"), "%lu waves are left", gt_stat(0, "waves"));
	nr_switches = gt_gpk_stats(gpu_id).nr_switches;
	in = cost_begin();
	GT_CHECK(!gt_gpk_switch(gpu_id, pids, 0, nr, 0, 0), "resume");
	in = cost_end(in);
	check_way_back(nr, in, gt_gpk_stats(gpu_id).nr_switches - nr_switches);
	/* And when the file is closed, which comes back when that is done. */
	GT_CHECK(!gt_gpk_switch(gpu_id, pids, nr, 0, 60000, 0), "preempt");
	nr_switches = gt_gpk_stats(gpu_id).nr_switches;
	in = cost_begin();
	gt_gpk_reopen();
	in = cost_end(in);
	check_way_back(nr, in, gt_gpk_stats(gpu_id).nr_switches - nr_switches);
	gt_note("%2u victims: by hand %lu cycle, %lu us", nr, out.cycles, out.us);
}

static void any_number_leaves_in_one_cycle(void)
{
	static const uint32_t victims[] = { 1, 2, 4, 8, 16, 32, VICTIMS_MAX };
	struct gt_offline o[VICTIMS_MAX];
	uint32_t i, nr, have = 0;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpk_load("");
	/* Time enough for those that wait their turn; and none is starved meanwhile. */
	gt_gpk_set_param("max_wait_ns", 60000000000);
	gt_gpk_set_param("spare_victims", 0);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	/* There is room beside the victims: long enough to be found while it runs. */
	gt_kernel_create(&gpu, &gt_third, &k);
	for (i = 0; i < sizeof(victims) / sizeof(victims[0]); i++) {
		nr = victims[i];
		while (have < nr)
			gt_offline_start(&o[have++], &small);
		/* A queue that is not known to have work yet leaves in a switch of its own. */
		gt_gpk_wait_busy(nr, SERVED_MS);
		if (nr + 1 > ROOM)
			wait_parked(&q);
		by_scheduler(&k, &q, nr);
		by_hand(gpu.id, o, nr);
	}
	while (have)
		gt_offline_kill(&o[--have]);
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
}

static void by_debugger(const struct gt_session *s, const struct gt_queue *q, uint32_t nr)
{
	struct cost one_by_one, batch;
	uint32_t ids[SUSPENDED_MAX], i;
	int r;

	one_by_one = cost_begin();
	for (i = 0; i < nr; i++) {
		ids[i] = q[i].id;
		r = gt_debug_suspend(s, &ids[i], 1, 0);
		GT_CHECK(r == 1, "suspend: %d", r);
	}
	one_by_one = cost_end(one_by_one);
	r = gt_debug_resume(s, ids, nr);
	GT_CHECK(r == (int)nr, "resume: %d", r);
	for (i = 0; i < nr; i++)
		ids[i] = q[i].id;
	batch = cost_begin();
	r = gt_debug_suspend(s, ids, nr, 0);
	batch = cost_end(batch);
	GT_CHECK(r == (int)nr, "suspend: %d", r);
	r = gt_debug_resume(s, ids, nr);
	GT_CHECK(r == (int)nr, "resume: %d", r);
	GT_CHECK(one_by_one.cycles == nr && batch.cycles == 1, "%u queues: %lu cycles, %lu", nr,
		 one_by_one.cycles, batch.cycles);
	gt_note("%2u queues: a debugger, one by one %2lu cycles, %lu us; at once %lu cycle, %lu us",
		nr, one_by_one.cycles, one_by_one.us, batch.cycles, batch.us);
}

/* For comparison, and as a control: one by one is counted as what it is. */
static void a_debugger_needs_as_many_as_calls(void)
{
	struct kfd_queue_snapshot_entry entries[SUSPENDED_MAX];
	struct gt_kernel k[SUSPENDED_MAX];
	struct gt_queue q[SUSPENDED_MAX];
	uint32_t nr, have = 0;
	struct gt_session s;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	for (nr = 1; nr <= SUSPENDED_MAX; nr *= 2) {
		for (; have < nr; have++) {
			gt_queue_create(&gpu, 7, &q[have]);
			gt_kernel_create(&gpu, &small, &k[have]);
			gt_kernel_launch(&k[have], &q[have]);
		}
		GT_CHECK(gt_debug_snapshot(&s, entries, SUSPENDED_MAX, GT_NEW) == (int)nr,
			 "queues");
		by_debugger(&s, q, nr);
	}
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

#define WRITE_DATA "arg0=55"
#define TRIES 5

/*
 * From the packet that sets the grace period to the first wave that is stopped, in simulated
 * time; 0 if there is no such packet.
 */
static uint64_t granted_ns(const struct gt_ftrace *t)
{
	size_t set = gt_ftrace_find(t, 0, " hiq ", WRITE_DATA);
	size_t save = gt_ftrace_find(t, set, " save ", "");
	uint64_t from, to;

	if (set == t->nr)
		return 0;
	GT_CHECK(save < t->nr, "nothing was saved");
	from = strtoull(strstr(t->line[set].text, "at=") + 3, NULL, 10);
	to = strtoull(strstr(t->line[save].text, "at=") + 3, NULL, 10);
	return to - from;
}

static uint64_t shortest_grace(uint32_t gpu_id, pid_t pid, uint32_t grace)
{
	uint64_t best = UINT64_MAX, ns;
	struct gt_ftrace t;
	int i;

	for (i = 0; i < TRIES; i++) {
		gt_gpk_wait_waves(1, SERVED_MS);
		gt_ftrace_start();
		GT_CHECK(!gt_gpk_switch(gpu_id, &pid, 1, 0, 60000, grace), "preempt");
		gt_ftrace_stop(&t);
		ns = granted_ns(&t);
		best = ns < best ? ns : best;
		gt_ftrace_free(&t);
		GT_CHECK(!gt_gpk_release(gpu_id, pid, GPREEMPT_ABI_QUEUE_ALL), "resume");
	}
	return best;
}

static void grace_is_granted(void)
{
	uint64_t none, little, much;
	struct gt_offline o;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_offline_start(&o, &small);
	none = shortest_grace(gpu.id, o.pid, 0);
	little = shortest_grace(gpu.id, o.pid, 1);
	much = shortest_grace(gpu.id, o.pid, 255);
	gt_note("grace 1: %lu us, 255: %lu us", little / 1000, much / 1000);
	GT_CHECK(!none, "the period is set unasked");
	GT_CHECK(much >= 250000, "255 thousand clocks of 1.024 GHz are %lu ns", much);
	GT_CHECK(little && little < much, "1 is %lu ns", little);
	gt_offline_kill(&o);
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "any_number_leaves_in_one_cycle", any_number_leaves_in_one_cycle, PARAMS, 120 },
	{ "a_debugger_needs_as_many_as_calls", a_debugger_needs_as_many_as_calls, PARAMS, 60 },
	{ "grace_is_granted", grace_is_granted, PARAMS, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
