// SPDX-License-Identifier: MIT
/*
 * Memory that cannot be had, addresses that cannot be reached, and mappings that are
 * cut in pieces: what a program may ask for by mistake or on purpose.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define PAGE 4096ul
#define RING_BYTES (64ul << 10)
#define FREE_VA (1ull << 36)

static int alloc(struct gt_gpu *gpu, uint64_t va, uint64_t bytes, uint32_t flags,
		 struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	*args = (struct kfd_ioctl_alloc_memory_of_gpu_args){
		.va_addr = va,
		.size = bytes,
		.gpu_id = gpu->id,
		.flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	return ioctl(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args) ? -errno : 0;
}

static int map(struct gt_gpu *gpu, uint64_t handle, uint32_t id)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&id,
		.n_devices = 1,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args) ? -errno : 0;
}

static int unmap(struct gt_gpu *gpu, uint64_t handle)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args) ? -errno : 0;
}

static int free_memory(struct gt_gpu *gpu, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	return ioctl(gpu->kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) ? -errno : 0;
}

static void size_nobody_has_is_refused(void)
{
	static const uint64_t sizes[] = {
		1ull << 40, 1ull << 41, 1ull << 52, 1ull << 62, 1ull << 63, -PAGE, -PAGE + 1, -1ull,
	};
	static const uint32_t kinds[] = { GT_GTT, GT_VRAM, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR };
	struct kfd_ioctl_alloc_memory_of_gpu_args args;
	struct gt_gpu gpu;
	size_t i, kind;
	int r;

	gt_gpu_open(&gpu, 0);
	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			r = alloc(&gpu, FREE_VA, sizes[i], kinds[kind], &args);
			GT_CHECK(r == -ENOMEM || r == -EINVAL, "%lx bytes of %zu: %d", sizes[i],
				 kind, r);
		}
	GT_CHECK(!gt_stat(0, "vram_used"), "%lu bytes counted", gt_stat(0, "vram_used"));
	/* Control: what there is can be had. */
	GT_CHECK(!alloc(&gpu, FREE_VA, PAGE, GT_GTT, &args), "a page of GTT");
	GT_CHECK(!alloc(&gpu, FREE_VA + PAGE, PAGE, GT_VRAM, &args), "a page of VRAM");
}

static void memory_without_a_kind_is_refused(void)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	r = alloc(&gpu, FREE_VA, PAGE, 0, &args);
	GT_CHECK(r == -EINVAL, "no flags: %d", r);
	/* amdgpu takes the first of VRAM, GTT and USERPTR; this one can be mapped. */
	r = alloc(&gpu, FREE_VA, PAGE, GT_GTT | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, &args);
	GT_CHECK(!r, "GTT: %d", r);
	GT_CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, gpu.drm, args.mmap_offset) != MAP_FAILED,
		 "mmap: %s", strerror(errno));
}

static void address_out_of_reach_is_refused(void)
{
	static const uint64_t places[] = {
		FREE_VA + 8, 1ull << 48, (1ull << 48) - PAGE, -2 * PAGE, -PAGE, -1ull,
	};
	struct kfd_ioctl_alloc_memory_of_gpu_args args;
	struct gt_gpu gpu;
	size_t i;
	int r;

	gt_gpu_open(&gpu, 0);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		GT_CHECK(!alloc(&gpu, places[i], 2 * PAGE, GT_GTT, &args), "alloc");
		r = map(&gpu, args.handle, gpu.id);
		GT_CHECK(r == -EINVAL, "mapped at %lx: %d", places[i], r);
		GT_CHECK(!free_memory(&gpu, args.handle), "free");
	}
	GT_CHECK(!alloc(&gpu, FREE_VA, 2 * PAGE, GT_GTT, &args), "alloc");
	GT_CHECK(!map(&gpu, args.handle, gpu.id), "control: cannot be mapped");
}

/* Two views of the same pages; one is cut up before it was touched. */
static void split_mapping_shows_the_same_memory(void)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args;
	uint64_t nr = 6, i, *whole, *parts;
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!alloc(&gpu, FREE_VA, nr * PAGE, GT_GTT, &args), "alloc");
	whole = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, gpu.drm,
		     args.mmap_offset);
	parts = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, gpu.drm,
		     args.mmap_offset);
	GT_CHECK(whole != MAP_FAILED && parts != MAP_FAILED, "mmap");
	for (i = 0; i < nr; i++)
		whole[i * PAGE / 8] = 100 + i;
	GT_CHECK(!mprotect(parts + 2 * PAGE / 8, PAGE, PROT_READ), "mprotect");
	GT_CHECK(!munmap(parts + 4 * PAGE / 8, PAGE), "munmap");
	for (i = 0; i < nr; i++)
		if (i != 4)
			GT_CHECK(parts[i * PAGE / 8] == 100 + i, "page %lu shows %lu", i,
				 parts[i * PAGE / 8]);
}

static int create_at(struct gt_queue *like, uint64_t ring, uint32_t *id)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = ring,
		.ring_size = RING_BYTES,
		.gpu_id = like->gpu->id,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100,
		.queue_priority = 7,
		.write_pointer_address = (uintptr_t)like->wptr,
		.read_pointer_address = (uintptr_t)like->rptr,
		.ctx_save_restore_address = (uintptr_t)like->save_area,
		.ctx_save_restore_size = gt_gpu_prop(like->gpu, "cwsr_size"),
		.ctl_stack_size = gt_gpu_prop(like->gpu, "ctl_stack_size"),
	};
	int r = ioctl(like->gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &args) ? -errno : 0;

	*id = args.queue_id;
	return r;
}

/* Memory that is mapped twice is one memory, whichever mapping a queue names. */
static void ring_in_the_second_half_is_given_back(void)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	r = alloc(&gpu, FREE_VA, 2 * RING_BYTES, GT_GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM,
		  &args);
	GT_CHECK(!r && !map(&gpu, args.handle, gpu.id), "alloc: %d", r);
	r = create_at(&q, FREE_VA + RING_BYTES, &q.id);
	GT_CHECK(!r && !gt_queue_destroy(&q), "create: %d", r);
	r = unmap(&gpu, args.handle);
	GT_CHECK(!r, "unmap: %d", r);
	/* Control: it counts as used while the queue is there. */
	GT_CHECK(!map(&gpu, args.handle, gpu.id), "map");
	GT_CHECK(!create_at(&q, FREE_VA + RING_BYTES, &q.id), "create");
	r = unmap(&gpu, args.handle);
	GT_CHECK(r == -EBUSY, "unmapped under a queue: %d", r);
	GT_CHECK(!gt_queue_destroy(&q) && !unmap(&gpu, args.handle), "unmap");
	GT_CHECK(!free_memory(&gpu, args.handle), "free");
}

/* A VM belongs to the GPU whose render node was opened. */
static void vm_of_another_gpu_is_refused(void)
{
	struct kfd_ioctl_acquire_vm_args args = {};
	struct gt_gpu first = {}, second = {};
	int r;

	gt_gpu_find(&first, 0);
	gt_gpu_find(&second, 1);
	args.drm_fd = second.drm;
	args.gpu_id = first.id;
	r = ioctl(first.kfd, AMDKFD_IOC_ACQUIRE_VM, &args) ? -errno : 0;
	GT_CHECK(r == -EINVAL, "taken: %d", r);
	args.drm_fd = first.drm;
	GT_CHECK(!ioctl(first.kfd, AMDKFD_IOC_ACQUIRE_VM, &args), "its own: %s", strerror(errno));
}

static const struct gt_case cases[] = {
	{ "size_nobody_has_is_refused", size_nobody_has_is_refused, TINY, 0 },
	{ "memory_without_a_kind_is_refused", memory_without_a_kind_is_refused, TINY, 0 },
	{ "address_out_of_reach_is_refused", address_out_of_reach_is_refused, TINY, 0 },
	{ "split_mapping_shows_the_same_memory", split_mapping_shows_the_same_memory, TINY, 0 },
	{ "ring_in_the_second_half_is_given_back", ring_in_the_second_half_is_given_back, TINY, 0 },
	{ "vm_of_another_gpu_is_refused", vm_of_another_gpu_is_refused, TINY " gpus=2", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
