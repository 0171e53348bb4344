// SPDX-License-Identifier: MIT
/*
 * Memory and the GPU: user memory, faults, eviction and restore.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define PAGE 4096ul

static const struct gt_shape quick = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 10, .step_ns = 10000, .seed = 3,
};
static const struct gt_shape finite = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 3000, .step_ns = 100000, .seed = 2,
};

static int alloc_user(struct gt_gpu *gpu, void *addr, uint64_t bytes, uint64_t *handle)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = (uintptr_t)addr,
		.size = bytes,
		.mmap_offset = (uintptr_t)addr,
		.gpu_id = gpu->id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};

	if (ioctl(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args))
		return -errno;
	map.handle = args.handle;
	*handle = args.handle;
	return ioctl(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) ? -errno : 0;
}

static void kernel_writes_user_memory(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t handle, *out;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &quick, &k);
	out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	GT_CHECK(out != MAP_FAILED, "mmap");
	r = alloc_user(&gpu, out, PAGE, &handle);
	GT_CHECK(!r, "%s", strerror(-r));
	k.kernarg->out = (uintptr_t)out;
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(out[0] && out[3] && !out[4], "%lx %lx %lx", out[0], out[3], out[4]);
}

static void memory_nobody_has_is_refused(void)
{
	struct gt_gpu gpu;
	uint64_t handle;
	void *hole;

	gt_gpu_open(&gpu, 0);
	hole = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole, PAGE);
	GT_CHECK(alloc_user(&gpu, hole, PAGE, &handle) == -EFAULT, "taken");
}

static void access_outside_raises_the_fault_event(void)
{
	struct kfd_event_data data = {};
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &quick, &k);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_MEMORY, NULL);
	/* Control: a kernel with its own memory raises none. */
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	r = gt_event_wait(&gpu, event, &data, 20);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_TIMEOUT, "event without a fault: %d", r);
	k.kernarg->out = 0x123000;
	gt_kernel_launch(&k, &q);
	r = gt_event_wait(&gpu, event, &data, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(data.memory_exception_data.gpu_id == gpu.id, "gpu_id");
	GT_CHECK(data.memory_exception_data.va == 0x123000, "address %llx",
		 (unsigned long long)data.memory_exception_data.va);
	GT_CHECK(data.memory_exception_data.failure.NotPresent, "not NotPresent");
	GT_CHECK(k.signal->value == 1, "the kernel ended well");
}

static void unused_memory_is_unmapped(void)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = { .n_devices = 1 };
	struct gt_mem mem;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!gt_mem_alloc(&gpu, PAGE, GT_GTT, &mem), "alloc");
	args.handle = mem.handle;
	args.device_ids_array_ptr = (uintptr_t)&gpu.id;
	GT_CHECK(!ioctl(gpu.kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args), "%s", strerror(errno));
}

static void evicted_process_goes_on(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	gt_evict(getpid());
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "not evicted");
	GT_CHECK(gt_stat(0, "saves") == 1, "%lu saves", gt_stat(0, "saves"));
	GT_CHECK(!gt_kernel_wait(&k, 5000), "not restored");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

/* Both must be undone before the queue runs, in any order. */
static void eviction_and_preemption_are_independent(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	gt_evict(getpid());
	/* The restore comes 100 ms later (PROCESS_RESTORE_TIME_MS). */
	gt_sleep_us(500000);
	GT_CHECK(!gt_stat(0, "mapped"), "the restore resumed a preempted queue");
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

static void resumed_while_evicted_waits_for_the_restore(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	gt_evict(getpid());
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "not evicted");
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	GT_CHECK(!gt_queue_update(&q, 100), "resume");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
}

/* The kernel takes the pages away under a running kernel, and gives others. */
static void moved_user_memory_is_followed(void)
{
	uint64_t handle, *out, maps;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &finite, &k);
	out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	out[0] = 0x5a5a;
	r = alloc_user(&gpu, out, PAGE, &handle);
	GT_CHECK(!r, "%s", strerror(-r));
	k.kernarg->out = (uintptr_t)out;
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	maps = gt_stat(0, "unmaps");
	/* Drops the page; the next touch gets a new one. */
	GT_CHECK(!madvise(out, PAGE, MADV_DONTNEED), "%s", strerror(errno));
	GT_CHECK(gt_stat(0, "unmaps") > maps, "the queues were not stopped");
	GT_CHECK(!out[0], "the page was not dropped");
	GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
	GT_CHECK(out[0] && out[3], "the results went to the old page");
}

/* Memory that is gone does not stop the process; touching it does. */
static void unmapped_user_memory_faults(void)
{
	struct kfd_event_data data = {};
	struct gt_kernel good, bad;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint64_t handle, *out;
	uint32_t event;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &quick, &good);
	gt_kernel_create(&gpu, &quick, &bad);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_MEMORY, NULL);
	out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r = alloc_user(&gpu, out, PAGE, &handle);
	GT_CHECK(!r, "%s", strerror(-r));
	munmap(out, PAGE);
	gt_kernel_launch(&good, &q);
	GT_CHECK(!gt_kernel_wait(&good, 5000), "the queue does not run any more");
	bad.kernarg->out = (uintptr_t)out;
	gt_kernel_launch(&bad, &q);
	r = gt_event_wait(&gpu, event, &data, 3000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no fault: %d", r);
}

static const struct gt_case cases[] = {
	{ "kernel_writes_user_memory", kernel_writes_user_memory, TINY, 0 },
	{ "memory_nobody_has_is_refused", memory_nobody_has_is_refused, TINY, 0 },
	{ "moved_user_memory_is_followed", moved_user_memory_is_followed, TINY, 0 },
	{ "unmapped_user_memory_faults", unmapped_user_memory_faults, TINY, 0 },
	{ "access_outside_raises_the_fault_event", access_outside_raises_the_fault_event, TINY, 0 },
	{ "unused_memory_is_unmapped", unused_memory_is_unmapped, TINY, 0 },
	{ "evicted_process_goes_on", evicted_process_goes_on, TINY " gpus=1", 0 },
	{ "eviction_and_preemption_are_independent", eviction_and_preemption_are_independent, TINY,
	  0 },
	{ "resumed_while_evicted_waits_for_the_restore",
	  resumed_while_evicted_waits_for_the_restore, TINY, 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
