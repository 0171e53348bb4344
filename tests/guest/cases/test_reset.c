// SPDX-License-Identifier: MIT
/*
 * Hardware that does not answer. A queue that refuses preemption is reset alone;
 * a firmware that hangs takes the GPU with it, and the GPU comes back.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny queue_preemption_timeout_ms=1000"

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};
static const struct gt_shape finite = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 3000, .step_ns = 100000, .seed = 2,
};
static const struct gt_shape quick = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 10, .step_ns = 10000, .seed = 3,
};

/* kfd_chardev.c: during a reset the device cannot be opened. */
static void wait_for_device(void)
{
	int tries, fd = -1;

	for (tries = 0; fd < 0 && tries < 500; tries++) {
		fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
		gt_sleep_us(10000);
	}
	GT_CHECK(fd >= 0, "%s", strerror(errno));
	close(fd);
}

static void new_process_works(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int status;
	pid_t pid = fork();

	if (!pid) {
		wait_for_device();
		gt_gpu_open(&gpu, 0);
		gt_queue_create(&gpu, 7, &q);
		gt_kernel_create(&gpu, &quick, &k);
		gt_kernel_launch(&k, &q);
		GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
		GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
		_exit(0);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "a new process does not work");
}

static void refusing_queue_is_reset_alone(void)
{
	struct gt_kernel bad, good;
	struct gt_queue hung, bystander;
	struct gt_gpu gpu;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_HW_EXCEPTION, NULL);
	gt_queue_create(&gpu, 7, &hung);
	gt_queue_create(&gpu, 7, &bystander);
	gt_kernel_create(&gpu, &endless, &bad);
	gt_kernel_create(&gpu, &finite, &good);
	gt_kernel_launch(&bad, &hung);
	gt_kernel_launch(&good, &bystander);
	GT_CHECK(!gt_stat_wait(0, "waves", 8), "%lu waves", gt_stat(0, "waves"));
	gt_fault(0, "refuse %u", gt_queue_doorbell(&hung));
	/* kfd_process_queue_manager.c: a queue that was reset cannot be changed any more. */
	gt_queue_update(&hung, 0);
	r = gt_queue_update(&hung, 100);
	GT_CHECK(r == -EACCES, "%s", strerror(-r));
	GT_CHECK(gt_stat(0, "killed") == 4, "%lu workgroups killed", gt_stat(0, "killed"));
	r = gt_event_wait(&gpu, event, NULL, 2000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "the process was not told: %d", r);
	new_process_works();
}

static pid_t start_bystander(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid = fork();

	if (pid)
		return pid;
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, 10000), "the bystander did not finish");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	_exit(0);
}

/* Makes its queue refuse, has it reset, and ends. */
static void hang_and_exit(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 8), "%lu waves", gt_stat(0, "waves"));
	gt_fault(0, "refuse %u", gt_queue_doorbell(&q));
	r = gt_queue_update(&q, 0);
	GT_CHECK(r == -EACCES, "not reset: %s", strerror(-r));
	/*
	 * update_queue() of 6.12 returns here without a new runlist: all wait
	 * until something causes one, as the end of this process does.
	 */
	GT_CHECK(!gt_stat(0, "mapped"), "%lu queues mapped", gt_stat(0, "mapped"));
	_exit(0);
}

static void bystander_survives_a_queue_reset(void)
{
	uint64_t killed = gt_stat(0, "killed");
	pid_t bystander = start_bystander();
	pid_t hung = fork();
	int status;

	if (!hung)
		hang_and_exit();
	GT_CHECK(waitpid(hung, &status, 0) == hung, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "the hung process");
	GT_CHECK(gt_stat(0, "killed") == killed + 4, "%lu workgroups killed", gt_stat(0, "killed"));
	GT_CHECK(waitpid(bystander, &status, 0) == bystander, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "the bystander was hit");
}

/* Control: without the fault the same queue leaves and comes back. */
static void obedient_queue_is_not_reset(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_stat(0, "killed"), "%lu workgroups killed", gt_stat(0, "killed"));
}

static void hung_firmware_resets_the_gpu(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_HW_EXCEPTION, NULL);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	gt_fault(0, "hang 1");
	/* kfd_hws_hang() marks every queue of the node as reset. */
	r = gt_queue_update(&q, 0);
	GT_CHECK(r == -EACCES, "%s", strerror(-r));
	r = gt_event_wait(&gpu, event, NULL, 5000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "the process was not told: %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves survived", gt_stat(0, "waves"));
	new_process_works();
}

static void lost_fence_resets_the_gpu(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_fault(0, "lose_fence 1");
	/* kfd_hws_hang() marks every queue of the node as reset. */
	r = gt_queue_update(&q, 0);
	GT_CHECK(r == -EACCES, "%s", strerror(-r));
	gt_sleep_us(500000);
	new_process_works();
}

static void slow_firmware_is_waited_for(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t start, ns;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_fault(0, "slow 50000");
	start = gt_now_ns();
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	ns = gt_now_ns() - start;
	gt_fault(0, "slow 1");
	GT_CHECK(ns > 90000000, "%lu ns", ns);
}

static const struct gt_case cases[] = {
	{ "obedient_queue_is_not_reset", obedient_queue_is_not_reset, TINY, 0 },
	{ "slow_firmware_is_waited_for", slow_firmware_is_waited_for, TINY, 0 },
	{ "refusing_queue_is_reset_alone", refusing_queue_is_reset_alone, TINY, 0 },
	{ "bystander_survives_a_queue_reset", bystander_survives_a_queue_reset, TINY, 0 },
	{ "hung_firmware_resets_the_gpu", hung_firmware_resets_the_gpu, TINY, 0 },
	{ "lost_fence_resets_the_gpu", lost_fence_resets_the_gpu, TINY, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
