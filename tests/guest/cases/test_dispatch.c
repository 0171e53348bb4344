// SPDX-License-Identifier: MIT
/*
 * Kernels run and leave exactly what they must, alone, side by side, and while
 * they are preempted all the time by UPDATE_QUEUE.
 *
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"

static const struct gt_shape small = {
	.groups = 8, .waves = 2, .vgprs = 16, .lds_bytes = 1024,
	.steps = 40, .step_ns = 1000, .seed = 11,
};

/* Long enough to be preempted many times; 8 CUs hold it all at once. */
static const struct gt_shape steady = {
	.groups = 8, .waves = 1, .vgprs = 16, .lds_bytes = 256,
	.steps = 2000, .step_ns = 100000, .seed = 22,
};

static void run_once(struct gt_kernel *k, struct gt_queue *q, unsigned int ms)
{
	const char *wrong;

	gt_kernel_launch(k, q);
	GT_CHECK(!gt_kernel_wait(k, ms), "rptr %lu wptr %lu, %lu waves", *q->rptr, *q->wptr,
		 gt_stat(0, "waves"));
	wrong = gt_kernel_check(k);
	GT_CHECK(!wrong, "%s", wrong);
}

static void kernel_leaves_its_results(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest;
	int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	run_once(&k, &q, 2000);
	digest = gt_kernel_digest(&k);
	for (i = 0; i < 20; i++) {
		run_once(&k, &q, 2000);
		GT_CHECK(gt_kernel_digest(&k) == digest, "run %d differs", i);
	}
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

/* Control: another seed, another result. A digest that is always the same proves nothing. */
static void other_seed_gives_other_results(void)
{
	struct gt_shape other = small;
	struct gt_kernel a, b;
	struct gt_queue q;
	struct gt_gpu gpu;

	other.seed++;
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &a);
	gt_kernel_create(&gpu, &other, &b);
	run_once(&a, &q, 2000);
	run_once(&b, &q, 2000);
	GT_CHECK(gt_kernel_digest(&a) != gt_kernel_digest(&b), "same digest");
}

static void completion_raises_an_event(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t mailbox;
	uint32_t event;
	int i, r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_SIGNAL, &mailbox);
	gt_kernel_signal_event(&k, event, mailbox);
	/* Control: nothing was launched, nothing comes. */
	r = gt_event_wait(&gpu, event, NULL, 20);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "result %d", r);
	for (i = 0; i < 20; i++) {
		gt_kernel_launch(&k, &q);
		r = gt_event_wait(&gpu, event, NULL, 2000);
		GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "round %d: result %d", i, r);
		GT_CHECK(!k.signal->value, "event before the end");
	}
}

static void disabled_queue_does_not_fetch(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &small, &k);
	GT_CHECK(!gt_queue_update(&q, 0), "disable");
	gt_kernel_launch(&k, &q);
	GT_CHECK(gt_kernel_wait(&k, 50) == -ETIMEDOUT, "a disabled queue ran");
	GT_CHECK(!gt_queue_update(&q, 100), "enable");
	GT_CHECK(!gt_kernel_wait(&k, 2000), "the doorbell was lost");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

static uint64_t reference(struct gt_gpu *gpu, struct gt_queue *q, const struct gt_shape *shape)
{
	struct gt_kernel k;

	gt_kernel_create(gpu, shape, &k);
	run_once(&k, q, 5000);
	return gt_kernel_digest(&k);
}

static unsigned int preempt_until_done(struct gt_kernel *k, struct gt_queue *q, uint64_t us)
{
	uint64_t end = gt_deadline_ns(20000);
	unsigned int n;

	for (n = 0; k->signal->value; n++) {
		GT_CHECK(gt_now_ns() < end, "no end after %u preemptions", n);
		gt_sleep_us(us);
		GT_CHECK(!gt_queue_update(q, 0), "preempt %u", n);
		GT_CHECK(!gt_queue_update(q, 100), "resume %u", n);
	}
	return n;
}

static void preempted_kernel_gives_the_same_result(void)
{
	uint64_t saves, restores, digest;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int n;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	digest = reference(&gpu, &q, &steady);
	saves = gt_stat(0, "saves");
	restores = gt_stat(0, "restores");
	gt_kernel_create(&gpu, &steady, &k);
	gt_kernel_launch(&k, &q);
	n = preempt_until_done(&k, &q, 300);
	saves = gt_stat(0, "saves") - saves;
	restores = gt_stat(0, "restores") - restores;
	gt_note("%u preemptions, %lu saves, %lu restores, %lu bytes", n, saves, restores,
		gt_stat(0, "save_bytes"));
	GT_CHECK(saves >= 2, "%lu saves: it was never preempted", saves);
	GT_CHECK(saves == restores, "%lu saves, %lu restores", saves, restores);
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	GT_CHECK(gt_kernel_digest(&k) == digest, "result changed by preemption");
}

/* Control: one flipped bit in the save area must show. */
static void corrupted_save_is_noticed(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest, saves;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	digest = reference(&gpu, &q, &steady);
	gt_kernel_create(&gpu, &steady, &k);
	gt_fault(0, "corrupt %u", 3000);
	saves = gt_stat(0, "saves");
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "%lu saves", gt_stat(0, "saves") - saves);
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "did not end");
	GT_CHECK(gt_kernel_digest(&k) != digest, "a corrupted save went unnoticed");
}

static void client(uint64_t seed, unsigned int rounds)
{
	struct gt_shape shape = small;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t digest;
	unsigned int i;

	shape.seed = seed;
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &shape, &k);
	run_once(&k, &q, 10000);
	digest = gt_kernel_digest(&k);
	for (i = 0; i < rounds; i++) {
		run_once(&k, &q, 10000);
		GT_CHECK(gt_kernel_digest(&k) == digest, "round %u", i);
	}
	_exit(0);
}

static void wait_for_children(unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++) {
		GT_CHECK(wait(&status) > 0, "child %u", i);
		GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "a client failed");
	}
}

static void several_processes_side_by_side(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (!fork())
			client(100 + i, 20);
	wait_for_children(4);
}

/* Two GPUs at once: each runs its own, and counts its own. */
static void second_gpu_works_for_itself(void)
{
	struct gt_kernel k[2];
	struct gt_queue q[2];
	struct gt_gpu gpu[2];
	int i;

	for (i = 0; i < 2; i++) {
		gt_gpu_open(&gpu[i], i);
		gt_queue_create(&gpu[i], 7, &q[i]);
		gt_kernel_create(&gpu[i], &small, &k[i]);
	}
	for (i = 0; i < 2; i++)
		gt_kernel_launch(&k[i], &q[i]);
	for (i = 0; i < 2; i++) {
		GT_CHECK(!gt_kernel_wait(&k[i], 5000), "GPU %d: no end", i);
		GT_CHECK(!gt_kernel_check(&k[i]), "GPU %d: %s", i, gt_kernel_check(&k[i]));
		GT_CHECK(gt_stat(i, "dispatches") == 1, "GPU %d: %lu", i, gt_stat(i, "dispatches"));
	}
	GT_CHECK(gt_kernel_digest(&k[0]) == gt_kernel_digest(&k[1]), "results differ");
}

/*
 * Switching a tracepoint patches code that runs, the scheduler's too. An emulated
 * second processor has been seen to trip over that, so it is not there meanwhile.
 */
static void switch_trace(const char *value)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";

	/* Where there is a second processor. */
	GT_CHECK(!gt_write_file(online, "0") || errno == ENOENT, "cpu1: %s", strerror(errno));
	GT_CHECK(!gt_write_file("/sys/kernel/tracing/options/record-cmd", "0"), "record-cmd");
	GT_CHECK(!gt_write_file("/sys/kernel/tracing/events/kfdsim/gpu/enable", value), "%s",
		 strerror(errno));
	GT_CHECK(!gt_write_file(online, "1") || errno == ENOENT, "cpu1: %s", strerror(errno));
}

/* The tracepoint tells of saves and restores, when it is on. */
static void saves_are_traced(void)
{
	static const char trace[] = "/sys/kernel/tracing/trace";
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	GT_CHECK(!mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) || errno == EBUSY,
		 "%s", strerror(errno));
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &steady, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "not running");
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	GT_CHECK(!gt_file_has(trace, "saved"), "traced while off");
	/* Off the GPU the kernel cannot end meanwhile. */
	switch_trace("1");
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "not running");
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	switch_trace("0");
	GT_CHECK(gt_file_has(trace, "saved pasid="), "no save in the trace");
}

/* What a debugger asks: how much of the save area is in use. */
static void wave_state_is_told(void)
{
	struct kfd_ioctl_get_queue_wave_state_args args = {};
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &steady, &k);
	args.queue_id = q.id;
	args.ctl_stack_address = (uintptr_t)q.save_area;
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "not running");
	/* Control: a mapped queue has no state to tell. */
	GT_CHECK(ioctl(gpu.kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args) && errno == EINVAL, "%s",
		 strerror(errno));
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	GT_CHECK(!ioctl(gpu.kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), "%s", strerror(errno));
	GT_CHECK(args.ctl_stack_used_size > 0 && args.save_area_used_size > 0, "%u %u",
		 args.ctl_stack_used_size, args.save_area_used_size);
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

static void kernel_on_8_xccs_is_preempted(void)
{
	preempted_kernel_gives_the_same_result();
}

static const struct gt_case cases[] = {
	{ "kernel_leaves_its_results", kernel_leaves_its_results, TINY, 0 },
	{ "other_seed_gives_other_results", other_seed_gives_other_results, TINY, 0 },
	{ "completion_raises_an_event", completion_raises_an_event, TINY, 0 },
	{ "disabled_queue_does_not_fetch", disabled_queue_does_not_fetch, TINY, 0 },
	{ "preempted_kernel_gives_the_same_result", preempted_kernel_gives_the_same_result, TINY,
	  0 },
	{ "corrupted_save_is_noticed", corrupted_save_is_noticed, TINY, 0 },
	{ "several_processes_side_by_side", several_processes_side_by_side, TINY, 0 },
	{ "saves_are_traced", saves_are_traced, TINY, 0 },
	{ "second_gpu_works_for_itself", second_gpu_works_for_itself, "profile=tiny gpus=2", 0 },
	{ "wave_state_is_told", wave_state_is_told, TINY, 0 },
	{ "kernel_on_8_xccs_is_preempted", kernel_on_8_xccs_is_preempted, "profile=mi300x", 0 },
	{ "wave_state_is_told_by_8_xccs", wave_state_is_told, "profile=mi300x", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
