// SPDX-License-Identifier: MIT
/*
 * AMDKFD_IOC_DBG_TRAP on oneself, as the real driver behaves: when, and what comes back.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1

static const struct gt_shape finite = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 1000, .step_ns = 100000, .seed = 2,
};

static void preconditions_are_checked(void)
{
	struct gt_session s = {}, ghost;
	struct kfd_runtime_info info;
	uint32_t id = 0;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	s.pid = getpid();
	ghost = s;
	ghost.pid = 0x3ffff0;
	r = gt_debug_disable(&ghost);
	GT_CHECK(r == -ESRCH, "no such process: %d", r);
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EINVAL, "not enabled: %d", r);
	s.events[1] = 999;
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -EBADF, "no such file: %d", r);
	s.events[1] = 0;
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -EALREADY, "enabled twice: %d", r);
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EPERM, "runtime not enabled: %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* kfd_chardev.c, runtime_enable(): a process with queues is too late. */
static void runtime_comes_before_queues(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	r = gt_debug_runtime_enable(&gpu);
	GT_CHECK(r == -EEXIST, "with a queue: %d", r);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	r = gt_debug_runtime_enable(&gpu);
	GT_CHECK(!r, "without: %d", r);
}

static void new_queue_is_refused_once(void)
{
	struct kfd_queue_snapshot_entry entry;
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 0, "suspended %d", r);
	GT_CHECK(id == (q.id | KFD_DBG_QUEUE_INVALID_MASK), "%x", id);
	GT_CHECK(gt_debug_snapshot(&s, &entry, 1, KFD_EC_MASK(EC_QUEUE_NEW)) == 1, "count");
	GT_CHECK(entry.queue_id == q.id && entry.gpu_id == gpu.id, "entry");
	GT_CHECK(entry.ring_base_address == (uintptr_t)q.ring, "ring");
	GT_CHECK(entry.exception_status & KFD_EC_MASK(EC_QUEUE_NEW), "not new");
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 1 && id == q.id, "suspended %d, id %x", r, id);
	r = gt_debug_resume(&s, &id, 1);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void suspended_queue_stands_still(void)
{
	uint32_t ids[2];
	struct gt_kernel k;
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t saves;
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_debug_clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	ids[0] = q.id;
	ids[1] = q.id + 77;
	r = gt_debug_suspend(&s, ids, 2, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(ids[0] == q.id && ids[1] & KFD_DBG_QUEUE_INVALID_MASK, "%x %x", ids[0], ids[1]);
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "%lu saves", gt_stat(0, "saves") - saves);
	/* Not counted: twice suspended, once resumed. */
	ids[0] = q.id;
	GT_CHECK(gt_debug_suspend(&s, ids, 1, GRACE) == 1, "again");
	GT_CHECK(gt_kernel_wait(&k, 300) == -ETIMEDOUT, "it ran on");
	GT_CHECK(gt_debug_resume(&s, ids, 1) == 1, "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "it did not go on");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	/* Resuming what was not suspended succeeds and counts. */
	GT_CHECK(gt_debug_resume(&s, ids, 1) == 1, "resume of a running queue");
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void disable_resumes(void)
{
	struct gt_kernel k;
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_debug_clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	id = q.id;
	GT_CHECK(gt_debug_suspend(&s, &id, 1, GRACE) == 1, "suspend");
	GT_CHECK(!gt_debug_disable(&s), "disable");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "it did not go on");
}

static void grace_is_cut_to_8_bits(void)
{
	struct gt_kernel k;
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t saves;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_debug_clear_new(&s);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	id = q.id;
	/* 256 is 0 is for ever: the waves finish by themselves. */
	GT_CHECK(gt_debug_suspend(&s, &id, 1, 256) == 1, "suspend");
	GT_CHECK(gt_stat(0, "saves") == saves, "waves were saved");
	GT_CHECK(gt_debug_resume(&s, &id, 1) == 1, "resume");
	GT_CHECK(!gt_kernel_wait(&k, 1000), "not finished");
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void *destroy_thread(void *arg)
{
	return (void *)(intptr_t)gt_queue_destroy(arg);
}

static void destroy_waits_for_resume(void)
{
	struct timespec soon;
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	pthread_t thread;
	void *result;
	uint32_t id;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_debug_clear_new(&s);
	id = q.id;
	GT_CHECK(gt_debug_suspend(&s, &id, 1, GRACE) == 1, "suspend");
	GT_CHECK(!pthread_create(&thread, NULL, destroy_thread, &q), "thread");
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 200000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	GT_CHECK(pthread_timedjoin_np(thread, &result, &soon) == ETIMEDOUT, "did not wait");
	/* A dying queue is skipped by suspend, but resume finds it. */
	GT_CHECK(gt_debug_resume(&s, &id, 1) == 1, "resume");
	GT_CHECK(!pthread_join(thread, &result) && !result, "destroy: %ld", (long)(intptr_t)result);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void no_hws_means_no_debugger(void)
{
	struct kfd_runtime_info info;
	struct gt_session s = {};
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	s.pid = getpid();
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -EINVAL, "%d", r);
}

static const struct gt_case cases[] = {
	{ "preconditions_are_checked", preconditions_are_checked, TINY, 10 },
	{ "runtime_comes_before_queues", runtime_comes_before_queues, TINY, 10 },
	{ "new_queue_is_refused_once", new_queue_is_refused_once, TINY, 10 },
	{ "suspended_queue_stands_still", suspended_queue_stands_still, TINY, 10 },
	{ "disable_resumes", disable_resumes, TINY, 10 },
	{ "grace_is_cut_to_8_bits", grace_is_cut_to_8_bits, TINY, 10 },
	{ "destroy_waits_for_resume", destroy_waits_for_resume, TINY, 10 },
	{ "no_hws_means_no_debugger", no_hws_means_no_debugger, TINY " sched_policy=2", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
