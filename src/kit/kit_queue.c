// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "kit/kit_gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_BYTES (64ul << 10)
#define RING_PACKETS (RING_BYTES / GPU_AQL_PACKET_BYTES)
#define DOORBELL_SLICE 8192ul /* 1024 doorbells of 8 bytes: kfd_doorbell.c */

/* amd_queue_t of ROCr, which the firmware finds by the address of the read pointer. */
#define AMD_QUEUE_MAX_CU 0x48
#define AMD_QUEUE_MAX_WAVE 0x4c
#define AMD_QUEUE_WPTR 0x38
#define AMD_QUEUE_RPTR 0x80
#define AMD_QUEUE_PTR64 (1u << 1)
/* Fences of the whole system's scope around a packet. */
#define FENCES (2u << 9 | 2u << 11)

static u64 round_up(u64 value, u64 to)
{
	return (value + to - 1) / to * to;
}

/* As amdkfd computes it (kfd_queue.c, kfd_queue_ctx_save_restore_size): it wants just this size. */
static int find_save_bytes(struct kit_gpu *gpu)
{
	const struct drv_node *n = gpu->node;
	u64 waves;

	if (!n->nr_arrays.source || !n->arrays_per_engine.value || !n->nr_xcc.value)
		return -EINVAL;
	waves = min((u64)(n->nr_cu.value / n->nr_xcc.value * 40),
		    (u64)(n->nr_arrays.value / n->arrays_per_engine.value * 512));
	gpu->save_bytes = round_up((n->cwsr_bytes.value + round_up(waves * 32, 64)) *
					   n->nr_xcc.value, KIT_PAGE);
	return 0;
}

int kit_gpu_open(struct kit_gpu *gpu, const struct drv_node *node)
{
	struct kfd_ioctl_acquire_vm_args vm = { .gpu_id = node->gpu_id };
	char path[64];
	int ret;

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
	ret = drv_kfd_call(gpu->kfd, AMDKFD_IOC_ACQUIRE_VM, &vm);
	return ret ? ret : find_save_bytes(gpu);
}

static int map_to_gpu(struct kit_gpu *gpu, u64 handle)
{
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->node->gpu_id,
		.n_devices = 1,
	};

	return drv_kfd_call(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map);
}

static int alloc(struct kit_gpu *gpu, u64 bytes, u32 where, void *out)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.size = round_up(bytes, KIT_PAGE),
		.gpu_id = gpu->node->gpu_id,
		.flags = where | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
	};
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *va = mmap(NULL, args.size, PROT_NONE, flags, -1, 0);
	int ret;

	if (va == MAP_FAILED)
		return -errno;
	args.va_addr = (uintptr_t)va;
	ret = drv_kfd_call(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);
	if (!ret)
		ret = map_to_gpu(gpu, args.handle);
	if (ret)
		return ret;
	if (mmap(va, args.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, gpu->drm,
		 (off_t)args.mmap_offset) == MAP_FAILED)
		return -errno;
	*(void **)out = va;
	return 0;
}

int kit_gpu_alloc(struct kit_gpu *gpu, u64 bytes, void *out)
{
	return alloc(gpu, bytes, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |
					 KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, out);
}

/*
 * Where waves are saved decides how long that takes: in the GPU's own memory, as ROCr has it. A
 * machine whose processor does not see all of that memory has it in the host's.
 */
static int alloc_save_area(struct kit_gpu *gpu, void *out)
{
	int ret = alloc(gpu, gpu->save_bytes, KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
						      KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, out);

	return ret ? kit_gpu_alloc(gpu, gpu->save_bytes, out) : 0;
}

/* What firmware and trap handler look for; a queue of ours has no scratch memory. */
static void describe(const struct kit_gpu *gpu, u8 *page)
{
	struct gpu_queue_words *words = (void *)(page + AMD_QUEUE_RPTR);
	u32 nr_cu = (u32)gpu->node->nr_cu.value;
	u32 waves = (u32)(gpu->node->nr_simd.value * gpu->node->waves_per_simd.value);

	words->queue_offset = AMD_QUEUE_RPTR;
	words->properties = AMD_QUEUE_PTR64;
	*(u32 *)(page + AMD_QUEUE_MAX_CU) = nr_cu ? nr_cu - 1 : 0;
	*(u32 *)(page + AMD_QUEUE_MAX_WAVE) = nr_cu ? max(waves / nr_cu, 1u) - 1 : 0;
}

static int alloc_parts(struct kit_gpu *gpu, struct kit_queue *q,
		       struct kfd_ioctl_create_queue_args *c)
{
	u8 *page, *eop, *save;
	int ret = kit_gpu_alloc(gpu, RING_BYTES, &q->ring);

	if (!ret)
		ret = kit_gpu_alloc(gpu, KIT_PAGE, &page);
	if (!ret)
		ret = kit_gpu_alloc(gpu, KIT_PAGE, &eop);
	if (!ret)
		ret = alloc_save_area(gpu, &save);
	if (ret)
		return ret;
	for (u64 at = 0; at < RING_BYTES; at += GPU_AQL_PACKET_BYTES)
		*(u16 *)(q->ring + at) = GPU_AQL_INVALID;
	describe(gpu, page);
	q->wptr = (u64 *)(page + AMD_QUEUE_WPTR);
	c->ring_base_address = (uintptr_t)q->ring;
	c->read_pointer_address = (uintptr_t)page + AMD_QUEUE_RPTR;
	c->write_pointer_address = (uintptr_t)q->wptr;
	c->eop_buffer_address = (uintptr_t)eop;
	c->ctx_save_restore_address = (uintptr_t)save;
	return 0;
}

/* Needed once, whatever the number of queues. */
static int map_doorbells(struct kit_gpu *gpu, u64 offset)
{
	void *at;

	if (gpu->doorbells)
		return 0;
	at = mmap(NULL, DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED, gpu->kfd,
		  (off_t)(offset & ~(DOORBELL_SLICE - 1)));
	if (at == MAP_FAILED)
		return -errno;
	gpu->doorbells = at;
	return 0;
}

int kit_queue_create(struct kit_gpu *gpu, struct kit_queue *q)
{
	struct kfd_ioctl_create_queue_args c = {
		.ring_size = RING_BYTES,
		.gpu_id = gpu->node->gpu_id,
		.queue_type = DRV_KFD_QUEUE_AQL,
		.queue_percentage = KFD_MAX_QUEUE_PERCENTAGE,
		.queue_priority = 7,
		.eop_buffer_size = KIT_PAGE,
		.ctx_save_restore_size = (u32)gpu->node->cwsr_bytes.value,
		.ctl_stack_size = (u32)gpu->node->ctl_stack_bytes.value,
	};
	int ret;

	memset(q, 0, sizeof(*q));
	q->gpu = gpu;
	ret = alloc_parts(gpu, q, &c);
	if (!ret)
		ret = drv_kfd_call(gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &c);
	if (!ret)
		ret = map_doorbells(gpu, c.doorbell_offset);
	if (ret)
		return ret;
	q->doorbell = (void *)(gpu->doorbells + (c.doorbell_offset & (DOORBELL_SLICE - 1)));
	q->update = (struct kfd_ioctl_update_queue_args){
		.ring_base_address = c.ring_base_address,
		.queue_id = c.queue_id,
		.ring_size = c.ring_size,
		.queue_percentage = c.queue_percentage,
		.queue_priority = c.queue_priority,
	};
	return 0;
}

int kit_queue_destroy(struct kit_queue *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->update.queue_id };

	return drv_kfd_call(q->gpu->kfd, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

int kit_queue_percent(struct kit_queue *q, u32 percent)
{
	q->update.queue_percentage = percent;
	return drv_kfd_update_queue(q->gpu->kfd, &q->update);
}

void kit_queue_submit(struct kit_queue *q, const struct gpu_aql_dispatch *packet)
{
	struct gpu_aql_dispatch *to =
		(void *)(q->ring + *q->wptr % RING_PACKETS * GPU_AQL_PACKET_BYTES);

	memcpy((u8 *)to + sizeof(to->header), (const u8 *)packet + sizeof(to->header),
	       sizeof(*to) - sizeof(to->header));
	__atomic_store_n(&to->header, (u16)(packet->header | FENCES), __ATOMIC_RELEASE);
	__atomic_store_n(q->wptr, *q->wptr + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* As ROCr does: the index of the last packet. */
	*q->doorbell = *q->wptr - 1;
}

void kit_queue_barrier(struct kit_queue *q, struct gpu_signal *signal)
{
	struct gpu_aql_barrier packet = {
		.header = GPU_AQL_BARRIER_AND | GPU_AQL_HEADER_BARRIER,
		.completion_signal = (uintptr_t)signal,
	};
	struct gpu_aql_dispatch bytes;

	memcpy(&bytes, &packet, sizeof(bytes));
	kit_queue_submit(q, &bytes);
}
