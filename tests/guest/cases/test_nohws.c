// SPDX-License-Identifier: MIT
/*
 * The driver maps queues itself (sched_policy=2): hqd_load and hqd_destroy.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NO_HWS "profile=tiny sched_policy=2"

static const struct gt_shape steady = {
	.groups = 8, .waves = 1, .vgprs = 16, .lds_bytes = 256,
	.steps = 2000, .step_ns = 100000, .seed = 22,
};

static void preempted_kernel_gives_the_same_result(void)
{
	uint64_t digest, saves;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int n;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &steady, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	digest = gt_kernel_digest(&k);
	saves = gt_stat(0, "saves");
	gt_kernel_launch(&k, &q);
	for (n = 0; k.signal->value && n < 5000; n++) {
		GT_CHECK(!gt_queue_update(&q, 0), "preempt %u", n);
		GT_CHECK(!gt_queue_update(&q, 100), "resume %u", n);
		gt_sleep_us(500);
	}
	saves = gt_stat(0, "saves") - saves;
	gt_note("%u preemptions, %lu saves", n, saves);
	GT_CHECK(!k.signal->value, "no end");
	GT_CHECK(saves >= 2, "%lu saves", saves);
	GT_CHECK(gt_kernel_digest(&k) == digest, "result changed");
	GT_CHECK(!gt_stat(0, "hiq_packets"), "the HIQ was used");
}

/*
 * Restoring a saved queue takes the GPU a while, and a queue that is stopped meanwhile leaves
 * after that: the driver asks once and waits.
 */
static void a_queue_that_is_being_restored_can_be_stopped(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int n;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &steady, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "%lu waves", gt_stat(0, "waves"));
	for (n = 0; n < 100; n++) {
		GT_CHECK(!gt_queue_update(&q, 0), "preempt %u", n);
		GT_CHECK(!gt_queue_update(&q, 100), "resume %u", n);
	}
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

static void slots_run_out(void)
{
	struct gt_queue q[9];
	struct gt_gpu gpu;
	int i, r;

	gt_gpu_open(&gpu, 0);
	for (i = 0; i < 8; i++)
		gt_queue_create(&gpu, 7, &q[i]);
	r = gt_queue_try_create(&gpu, 7, &q[8]);
	GT_CHECK(r == -EBUSY, "the ninth queue of 8 slots: %s", strerror(-r));
	GT_CHECK(!gt_queue_destroy(&q[0]), "destroy");
	gt_queue_create(&gpu, 7, &q[8]);
}

static const struct gt_case cases[] = {
	{ "preempted_kernel_gives_the_same_result", preempted_kernel_gives_the_same_result, NO_HWS,
	  0 },
	{ "a_queue_that_is_being_restored_can_be_stopped",
	  a_queue_that_is_being_restored_can_be_stopped, NO_HWS, 0 },
	{ "slots_run_out", slots_run_out, NO_HWS, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
