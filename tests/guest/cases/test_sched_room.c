// SPDX-License-Identifier: MIT
/*
 * More processes than the GPU has address spaces for. Those without work leave the runlist, so
 * that the firmware has nothing to take turns among; work brings each of them back.
 *
 * Variant: hooks
 */
#include "gt/gt_job.h"
#include "gt/gt_offline.h"

#define JOBS 39
/* So often the work of each comes while it is off. */
#define ROUNDS 25
/* Address spaces of the tiny GPU. */
#define ROOM 8
#define MS 60000
/* Several quanta of the firmware. */
#define WATCH_US 300000

static const struct gt_shape small = {
	.groups = 1, .waves = 1, .vgprs = 8, .steps = 2, .step_ns = 1000000, .seed = 5,
};

static uint64_t rotations_in_a_while(void)
{
	uint64_t before = gt_stat(0, "rotations");

	gt_sleep_us(WATCH_US);
	return gt_stat(0, "rotations") - before;
}

static void wait_still(void)
{
	uint64_t end_ns = gt_deadline_ns(MS);

	while (rotations_in_a_while())
		GT_CHECK(gt_now_ns() < end_ns, "the firmware takes turns, %lu queues are mapped",
			 gt_stat(0, "mapped"));
}

/* Processes with a queue whose kernel has ended, beside one that fills the GPU. */
static void start(struct gt_job *jobs, struct gt_offline *o)
{
	int i;

	gt_gpk_load("");
	for (i = 0; i < JOBS; i++) {
		gt_job_begin(&jobs[i], &small);
		GT_CHECK(!gt_job_tell(&jobs[i], GT_JOB_WAIT, MS), "job %d", i);
	}
	gt_offline_start(o, &gt_endless);
}

static void end(struct gt_job *jobs, struct gt_offline *o)
{
	int i;

	gt_offline_kill(o);
	for (i = 0; i < JOBS; i++)
		gt_job_kill(&jobs[i]);
	gt_gpk_wait_empty(MS);
	gt_gpk_unload();
}

static void idle_processes_leave_the_runlist(void)
{
	struct gt_job jobs[JOBS];
	struct gt_offline o;
	uint64_t mapped;

	start(jobs, &o);
	wait_still();
	mapped = gt_stat(0, "mapped");
	GT_CHECK(mapped && mapped < JOBS, "%lu queues are mapped", mapped);
	/* Without the scheduler all are in the runlist again, work or not. */
	gt_gpk_set_enabled(false);
	gt_sleep_us(WATCH_US);
	GT_CHECK(rotations_in_a_while(), "the firmware takes no turns");
	gt_gpk_set_enabled(true);
	wait_still();
	end(jobs, &o);
}

static void work_brings_them_back(void)
{
	struct gpreempt_ioc_stats before, after;
	struct gt_job jobs[JOBS];
	struct gt_offline o;
	int i, round;

	start(jobs, &o);
	wait_still();
	before = gt_gpk_stats(gt_gpk_gpu_id());
	GT_CHECK(before.nr_out >= JOBS - ROOM, "%u are out", before.nr_out);
	gt_offline_kill(&o);
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < JOBS; i++) {
			GT_CHECK(!gt_job_tell(&jobs[i], GT_JOB_LAUNCH, MS), "job %d", i);
			GT_CHECK(!gt_job_tell(&jobs[i], GT_JOB_WAIT, MS), "job %d waits", i);
		}
	/* One that was there stays for its next round; all others had to come back. */
	after = gt_gpk_stats(gt_gpk_gpu_id());
	GT_CHECK(after.nr_resumes - before.nr_resumes >= ROUNDS * (JOBS - ROOM),
		 "%llu resumed", after.nr_resumes - before.nr_resumes);
	for (i = 0; i < JOBS; i++)
		gt_job_kill(&jobs[i]);
	gt_gpk_wait_empty(MS);
	gt_gpk_unload();
}

static void urgent_one_is_served_among_them(void)
{
	struct gt_job jobs[JOBS];
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	start(jobs, &o);
	gt_gpk_set_attr(12, GPREEMPT_DETECT_DOORBELL);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	wait_still();
	for (i = 0; i < 50; i++) {
		GT_CHECK(!gt_online_once(&k, &q, MS), "request %d is not served", i);
		gt_sleep_us(1000);
	}
	wait_still();
	end(jobs, &o);
}

static const struct gt_case cases[] = {
	{ "idle_processes_leave_the_runlist", idle_processes_leave_the_runlist, GT_TINY, 120 },
	{ "work_brings_them_back", work_brings_them_back, GT_TINY, 120 },
	{ "urgent_one_is_served_among_them", urgent_one_is_served_among_them, GT_TINY, 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
