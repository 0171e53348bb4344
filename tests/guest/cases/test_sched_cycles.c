// SPDX-License-Identifier: MIT
/*
 * A hundred thousand times preempted and resumed: nothing changes in what is computed. With
 * and without verification of what describes the saved waves, on one XCC and on eight.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"
#include "gt/gt_offline.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NR_CYCLES 25000 /* of all jobs together, in each of four cases */
#define NR_JOBS 4
#define LOOK_EVERY 50
#define MAP_MS 10000
#define END_MS 30000
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define SILENCE_US 3000000	/* more than amdkfd waits for a word of the scheduler */

/* Little to save in each job: it is the number of times that counts here. */
static const struct gt_shape job = {
	.groups = 8,
	.waves = 1,
	.vgprs = 8,
	.lds_bytes = 1024,
	.steps = 20,
	.step_ns = 1000000,
	.seed = 9,
};

/* Every so often, do not believe the scheduler but look at the hardware. */
static void cycle(uint32_t gpu_id, const pid_t *pids, bool look)
{
	GT_CHECK(!gt_gpk_switch(gpu_id, pids, NR_JOBS, 0, 60000, 0), "preempt");
	if (look)
		GT_CHECK(!gt_stat(0, "mapped") && !gt_stat(0, "waves"),
			 "preempted: %lu queues are mapped, %lu waves", gt_stat(0, "mapped"),
			 gt_stat(0, "waves"));
	GT_CHECK(!gt_gpk_switch(gpu_id, pids, 0, NR_JOBS, 0, 0), "resume");
	if (look)
		gt_gpk_wait_waves(1, MAP_MS);
}

static void cycles(const char *params)
{
	unsigned int nr = gt_scaled(NR_CYCLES) / NR_JOBS, i;
	struct gt_offline o[NR_JOBS];
	uint32_t nr_kernels = 0;
	uint64_t start, saves;
	pid_t pids[NR_JOBS];
	struct gt_gpu gpu;

	gt_gpk_load(params);
	gt_gpu_open(&gpu, 0);
	for (i = 0; i < NR_JOBS; i++) {
		gt_offline_start(&o[i], &job);
		pids[i] = o[i].pid;
	}
	saves = gt_stat(0, "saves");
	start = gt_now_ns();
	for (i = 0; i < nr; i++)
		cycle(gpu.id, pids, i % LOOK_EVERY == 0);
	start = gt_now_ns() - start;
	saves = gt_stat(0, "saves") - saves;
	for (i = 0; i < NR_JOBS; i++)
		nr_kernels += gt_offline_finish(&o[i], END_MS);
	gt_note("%u preemptions of %u jobs in %lu ms, %lu saves with waves, %u kernels exact",
		nr * NR_JOBS, NR_JOBS, start / 1000000, saves, nr_kernels);
	GT_CHECK(saves >= nr * NR_JOBS / 4, "hardly anything was saved");
	GT_CHECK(!gt_stat(0, "faults") && !gt_stat(0, "killed"), "faults");
	gt_gpk_unload();
}

static void cycles_change_nothing(void)
{
	cycles("");
}

static void verified_cycles_change_nothing(void)
{
	cycles("verify=1");
}

/* Control: one byte of one save changed, and the job says so. */
static void a_changed_byte_is_seen(void)
{
	uint64_t end = gt_deadline_ns(END_MS);
	struct gt_offline o;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_gpu_open(&gpu, 0);
	gt_offline_start(&o, &gt_third);
	gt_fault(0, "corrupt 70000");
	GT_CHECK(!gt_gpk_hold(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL, 60000), "preempt");
	GT_CHECK(!gt_gpk_release(gpu.id, o.pid, GPREEMPT_ABI_QUEUE_ALL), "resume");
	while (!o.shared->nr_wrong) {
		GT_CHECK(gt_now_ns() < end && o.shared->nr_kernels < 3, "not noticed");
		gt_sleep_us(1000);
	}
	gt_offline_kill(&o);
	gt_gpk_wait_empty(END_MS);
	gt_gpk_unload();
}

/* What was altered does not run again, whatever is silent or goes; others are not held up. */
static void what_was_altered_stays_off(void)
{
	static const struct gt_shape endless = {
		.groups = 8, .waves = 1, .vgprs = 8, .step_ns = 1000000, .seed = 10,
	};
	struct gt_job bad, good;
	uint32_t gpu_id;
	int r;

	gt_gpk_load("verify=1");
	gt_gpk_set_enabled(false);
	gpu_id = gt_gpk_gpu_id();
	gt_job_start(&bad, &endless);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 3);
	r = gt_gpk_hold(gpu_id, bad.pid, ALL, 60000);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	gt_job_start(&good, &gt_third);
	r = gt_gpk_hold(gpu_id, good.pid, ALL, 60000);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	r = gt_gpk_release(gpu_id, bad.pid, ALL);
	GT_CHECK(r == -EBADMSG, "resume what was altered: %s", strerror(-r));
	GT_CHECK(!gt_stat(0, "mapped"), "%lu queues mapped", gt_stat(0, "mapped"));
	r = gt_gpk_release(gpu_id, good.pid, ALL);
	GT_CHECK(!r, "resume: %s", strerror(-r));
	gt_job_finish(&good, END_MS);
	gt_sleep_us(SILENCE_US);
	GT_CHECK(!gt_stat(0, "mapped"), "mapped when nothing was heard");
	gt_gpk_unload();
	gt_sleep_us(100000);
	GT_CHECK(!gt_stat(0, "mapped"), "mapped when the module went");
	gt_job_kill(&bad);
}

static const struct gt_case cases[] = {
	{ "cycles_change_nothing", cycles_change_nothing, GT_TINY, 1200 },
	{ "verified_cycles_change_nothing", verified_cycles_change_nothing, GT_TINY, 1200 },
	{ "a_changed_byte_is_seen", a_changed_byte_is_seen, GT_TINY, 60 },
	{ "what_was_altered_stays_off", what_was_altered_stays_off, GT_TINY, 90 },
	{ "cycles_on_8_xccs_change_nothing", cycles_change_nothing, GT_XCC8, 1200 },
	{ "verified_cycles_on_8_xccs_change_nothing", verified_cycles_change_nothing,
	  GT_XCC8, 1200 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
