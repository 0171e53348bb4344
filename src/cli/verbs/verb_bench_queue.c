// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/verbs/verb_bench.h"

#include "gpu/aql.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define RING_BYTES (64ul << 10)

static u64 round_up(u64 value, u64 to)
{
	return (value + to - 1) / to * to;
}

/* As amdkfd computes it (kfd_queue.c, kfd_queue_ctx_save_restore_size): it wants just this size. */
static int find_save_bytes(struct cli_bench_gpu *gpu)
{
	const struct drv_node *n = gpu->node;
	u64 waves;

	if (!n->nr_arrays.source || !n->arrays_per_engine.value || !n->nr_xcc.value)
		return -EINVAL;
	waves = min((u64)(n->nr_cu.value / n->nr_xcc.value * 40),
		    (u64)(n->nr_arrays.value / n->arrays_per_engine.value * 512));
	gpu->save_bytes = round_up((n->cwsr_bytes.value + round_up(waves * 32, 64)) *
					   n->nr_xcc.value, PAGE);
	return 0;
}

int cli_bench_gpu_open(struct cli_bench_gpu *gpu, const struct drv_node *node)
{
	struct kfd_ioctl_acquire_vm_args vm = { .gpu_id = node->gpu_id };
	char path[64];

	memset(gpu, 0, sizeof(*gpu));
	gpu->node = node;
	gpu->kfd = drv_kfd_open();
	if (gpu->kfd < 0)
		return gpu->kfd;
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", (u32)node->render_minor.value);
	gpu->drm = open(path, O_RDWR | O_CLOEXEC);
	if (gpu->drm < 0)
		return -errno;
	vm.drm_fd = (u32)gpu->drm;
	if (ioctl(gpu->kfd, AMDKFD_IOC_ACQUIRE_VM, &vm))
		return -errno;
	return find_save_bytes(gpu);
}

static int map_to_gpu(struct cli_bench_gpu *gpu, u64 handle)
{
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->node->gpu_id,
		.n_devices = 1,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) ? -errno : 0;
}

/* Host memory that the GPU sees at the same address. */
static int alloc(struct cli_bench_gpu *gpu, u64 bytes, __u64 *out)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.size = round_up(bytes, PAGE),
		.gpu_id = gpu->node->gpu_id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
	};
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *va = mmap(NULL, args.size, PROT_NONE, flags, -1, 0);
	int ret;

	if (va == MAP_FAILED)
		return -errno;
	args.va_addr = (uintptr_t)va;
	if (ioctl(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args))
		return -errno;
	ret = map_to_gpu(gpu, args.handle);
	if (ret)
		return ret;
	if (mmap(va, args.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, gpu->drm,
		 (off_t)args.mmap_offset) == MAP_FAILED)
		return -errno;
	*out = args.va_addr;
	return 0;
}

static int alloc_parts(struct cli_bench_gpu *gpu, struct kfd_ioctl_create_queue_args *c)
{
	struct {
		u64 bytes;
		__u64 *addr;
	} parts[] = {
		{ RING_BYTES, &c->ring_base_address },
		{ PAGE, &c->read_pointer_address },
		{ PAGE, &c->write_pointer_address },
		{ PAGE, &c->eop_buffer_address },
		{ gpu->save_bytes, &c->ctx_save_restore_address },
	};
	int ret = 0;

	for (u32 i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		ret = alloc(gpu, parts[i].bytes, parts[i].addr);
	for (u64 at = 0; !ret && at < RING_BYTES; at += GPU_AQL_PACKET_BYTES)
		*(u16 *)(uintptr_t)(c->ring_base_address + at) = GPU_AQL_INVALID;
	return ret;
}

int cli_bench_queue_create(struct cli_bench_gpu *gpu, struct kfd_ioctl_update_queue_args *q)
{
	struct kfd_ioctl_create_queue_args c = {
		.ring_size = RING_BYTES,
		.gpu_id = gpu->node->gpu_id,
		.queue_type = DRV_KFD_QUEUE_AQL,
		.queue_percentage = KFD_MAX_QUEUE_PERCENTAGE,
		.queue_priority = 7,
		.eop_buffer_size = PAGE,
		.ctx_save_restore_size = (u32)gpu->node->cwsr_bytes.value,
		.ctl_stack_size = (u32)gpu->node->ctl_stack_bytes.value,
	};
	int ret = alloc_parts(gpu, &c);

	if (ret)
		return ret;
	if (ioctl(gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &c))
		return -errno;
	*q = (struct kfd_ioctl_update_queue_args){
		.ring_base_address = c.ring_base_address,
		.queue_id = c.queue_id,
		.ring_size = c.ring_size,
		.queue_percentage = c.queue_percentage,
		.queue_priority = c.queue_priority,
	};
	return 0;
}
