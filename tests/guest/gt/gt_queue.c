// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define RING_BYTES (64ul << 10)
#define DOORBELL_SLICE 8192ul	/* 1024 doorbells of 8 bytes: kfd_doorbell.c */
#define RING_PACKETS(q) ((q)->ring_bytes / GPU_AQL_PACKET_BYTES)

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static int map_to_gpu(struct gt_gpu *gpu, uint64_t handle)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args) ? -errno : 0;
}

/*
 * Every process has addresses of its own: find_queue_by_address() of 6.12 takes
 * queues of two processes for each other when their rings are at one address.
 */
static void *reserve_va(uint64_t bytes)
{
	static uint64_t next;
	static pid_t owner;
	void *va;

	if (owner != getpid()) {
		owner = getpid();
		/* User-Mode Linux has 39 bits of addresses. */
		next = (1ull << 37) + ((owner & 0xfffull) << 26);
	}
	va = mmap((void *)next, bytes, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	next += bytes;
	return va;
}

int gt_mem_alloc(struct gt_gpu *gpu, uint64_t bytes, uint32_t flags, struct gt_mem *mem)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.size = round_up(bytes, PAGE),
		.gpu_id = gpu->id,
		.flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE |
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
	};
	void *va = reserve_va(args.size);
	int r;

	if (va == MAP_FAILED)
		return -errno;
	args.va_addr = (uintptr_t)va;
	if (ioctl(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args)) {
		r = -errno;
		munmap(va, args.size);
		return r;
	}
	r = map_to_gpu(gpu, args.handle);
	if (r)
		return r;
	if (mmap(va, args.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, gpu->drm,
		 args.mmap_offset) == MAP_FAILED)
		return -errno;
	mem->addr = va;
	mem->bytes = args.size;
	mem->handle = args.handle;
	return 0;
}

int gt_mem_free(struct gt_gpu *gpu, struct gt_mem *mem)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = {
		.handle = mem->handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = mem->handle };

	if (ioctl(gpu->kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap))
		return -errno;
	munmap(mem->addr, mem->bytes);
	return ioctl(gpu->kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) ? -errno : 0;
}

void *gt_alloc(struct gt_gpu *gpu, uint64_t bytes)
{
	struct gt_mem mem;
	int r = gt_mem_alloc(gpu, bytes, GT_GTT, &mem);

	if (r)
		gt_fail("%llu bytes of GTT: %s", (unsigned long long)bytes, strerror(-r));
	return mem.addr;
}

/* What a debugger wants for itself of an XCC's save area. */
static uint64_t debug_bytes(const struct gt_gpu *gpu)
{
	uint64_t xccs = gt_gpu_prop(gpu, "num_xcc");
	uint64_t cus = gt_gpu_prop(gpu, "simd_count") / gt_gpu_prop(gpu, "simd_per_cu") / xccs;
	uint64_t engines = gt_gpu_prop(gpu, "array_count") /
			   gt_gpu_prop(gpu, "simd_arrays_per_engine");
	uint64_t waves = cus * 40 < engines * 512 ? cus * 40 : engines * 512;

	return round_up(waves * 32, 64);
}

/* kfd_queue.c: kfd_queue_ctx_save_restore_size; all XCCs one after the other */
static uint64_t save_area_bytes(const struct gt_gpu *gpu)
{
	return round_up((gt_gpu_prop(gpu, "cwsr_size") + debug_bytes(gpu)) *
				gt_gpu_prop(gpu, "num_xcc"),
			PAGE);
}

void gt_queue_describe(struct gt_queue *q)
{
	uint64_t xccs = gt_gpu_prop(q->gpu, "num_xcc"), i;
	uint64_t bytes = gt_gpu_prop(q->gpu, "cwsr_size");

	for (i = 0; i < xccs; i++) {
		struct kfd_context_save_area_header *h = (void *)(q->save_area + i * bytes);

		h->debug_offset = (xccs - i) * bytes;
		h->debug_size = debug_bytes(q->gpu) * xccs;
	}
}

static void map_doorbells(struct gt_gpu *gpu, uint64_t offset)
{
	void *p;

	if (gpu->doorbells)
		return;
	p = mmap(NULL, DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED, gpu->kfd,
		 offset & ~(DOORBELL_SLICE - 1));
	if (p == MAP_FAILED)
		gt_fail("mmap of doorbells: %s", strerror(errno));
	gpu->doorbells = p;
}

static void alloc_parts(struct gt_queue *q)
{
	size_t i;

	q->ring_bytes = RING_BYTES;
	q->ring = gt_alloc(q->gpu, RING_BYTES);
	q->rptr = gt_alloc(q->gpu, PAGE);
	q->wptr = gt_alloc(q->gpu, PAGE);
	q->save_area = gt_alloc(q->gpu, save_area_bytes(q->gpu));
	for (i = 0; i < RING_PACKETS(q); i++)
		*(uint16_t *)(q->ring + i * GPU_AQL_PACKET_BYTES) = GPU_AQL_INVALID;
}

void gt_queue_prepare(struct gt_gpu *gpu, uint32_t type, struct gt_queue *q,
		      struct kfd_ioctl_create_queue_args *args)
{
	memset(q, 0, sizeof(*q));
	q->gpu = gpu;
	alloc_parts(q);
	*args = (struct kfd_ioctl_create_queue_args){
		.ring_base_address = (uintptr_t)q->ring,
		.write_pointer_address = (uintptr_t)q->wptr,
		.read_pointer_address = (uintptr_t)q->rptr,
		.ring_size = RING_BYTES,
		.gpu_id = gpu->id,
		.queue_type = type,
		.queue_percentage = 100,
		.eop_buffer_address = (uintptr_t)gt_alloc(gpu, PAGE),
		.eop_buffer_size = PAGE,
		.ctx_save_restore_address = (uintptr_t)q->save_area,
		.ctx_save_restore_size = gt_gpu_prop(gpu, "cwsr_size"),
		.ctl_stack_size = gt_gpu_prop(gpu, "ctl_stack_size"),
	};
}

static int try_create(struct gt_gpu *gpu, uint32_t priority, uint32_t type, struct gt_queue *q)
{
	struct kfd_ioctl_create_queue_args args;

	gt_queue_prepare(gpu, type, q, &args);
	q->priority = priority;
	args.queue_priority = priority;
	if (ioctl(gpu->kfd, AMDKFD_IOC_CREATE_QUEUE, &args))
		return -errno;
	q->id = args.queue_id;
	q->doorbell_offset = args.doorbell_offset;
	map_doorbells(gpu, args.doorbell_offset);
	q->doorbell = (volatile uint64_t *)(gpu->doorbells +
					    (args.doorbell_offset & (DOORBELL_SLICE - 1)));
	return 0;
}

int gt_queue_try_create(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q)
{
	return try_create(gpu, priority, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, q);
}

void gt_queue_create_pm4(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q)
{
	int r = try_create(gpu, priority, KFD_IOC_QUEUE_TYPE_COMPUTE, q);

	if (r)
		gt_fail("CREATE_QUEUE: %s", strerror(-r));
}

void gt_queue_create(struct gt_gpu *gpu, uint32_t priority, struct gt_queue *q)
{
	int r = gt_queue_try_create(gpu, priority, q);

	if (r)
		gt_fail("CREATE_QUEUE: %s", strerror(-r));
}

int gt_queue_destroy(struct gt_queue *q)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = q->id };

	return ioctl(q->gpu->kfd, AMDKFD_IOC_DESTROY_QUEUE, &args) ? -errno : 0;
}

int gt_queue_update(struct gt_queue *q, uint32_t percentage)
{
	struct kfd_ioctl_update_queue_args args = {
		.ring_base_address = (uintptr_t)q->ring,
		.ring_size = q->ring_bytes,
		.queue_id = q->id,
		.queue_percentage = percentage,
		.queue_priority = q->priority,
	};

	return ioctl(q->gpu->kfd, AMDKFD_IOC_UPDATE_QUEUE, &args) ? -errno : 0;
}

/* As ROCr does: the doorbell gets the index of the last packet. */
uint32_t gt_queue_doorbell(const struct gt_queue *q)
{
	uint32_t index;
	char path[] = "/sys/kernel/debug/kfdsim/0/slots";
	FILE *f = fopen(path, "re");
	uint64_t ring;

	GT_CHECK(f, "%s: %s", path, strerror(errno));
	while (fscanf(f, "slot %*u doorbell %u ring %lx pasid %*x vmid %*u waves %*u\n", &index,
		      &ring) == 2)
		if (ring == (uintptr_t)q->ring) {
			fclose(f);
			return index;
		}
	gt_fail("the queue has no slot");
}

void gt_queue_ring(struct gt_queue *q)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->doorbell = *q->wptr - 1;
}

void gt_kernel_create(struct gt_gpu *gpu, const struct gt_shape *s, struct gt_kernel *k)
{
	uint8_t *page = gt_alloc(gpu, PAGE);

	memset(k, 0, sizeof(*k));
	k->gpu = gpu;
	k->nr_groups = s->groups;
	k->waves = s->waves;
	k->desc = (void *)page;
	k->program = (void *)(page + 256);
	k->kernarg = (void *)(page + 512);
	k->signal = (void *)(page + 1024);
	k->tally = (void *)(page + 2048);
	k->out = gt_alloc(gpu, 8ull * s->groups * s->waves);
	k->count = gt_alloc(gpu, 8ull * s->groups);
	k->desc->entry_offset = 256;
	k->desc->group_segment_bytes = s->lds_bytes;
	k->desc->rsrc1 = s->vgprs / 8 - 1;
	k->program->magic = GPU_PROGRAM_MAGIC;
	k->program->flags = s->steps ? 0 : GPU_PROGRAM_ENDLESS;
	k->program->steps = s->steps;
	k->program->step_ns = s->step_ns;
	k->kernarg->tally = (uintptr_t)k->tally;
	k->kernarg->out = (uintptr_t)k->out;
	k->kernarg->count = (uintptr_t)k->count;
	k->kernarg->seed = s->seed;
}

static void write_packet(const struct gt_kernel *k, struct gt_queue *q)
{
	struct gpu_aql_dispatch *p = (void *)(q->ring + *q->wptr % RING_PACKETS(q) *
							       GPU_AQL_PACKET_BYTES);
	struct gpu_aql_dispatch packet = {
		.setup = 1,
		.workgroup_size = { k->waves * 64, 1, 1 },
		.grid_size = { k->waves * 64 * k->nr_groups, 1, 1 },
		.group_segment_size = k->desc->group_segment_bytes,
		.kernel_object = (uintptr_t)k->desc,
		.kernarg_address = (uintptr_t)k->kernarg,
		.completion_signal = (uintptr_t)k->signal,
	};

	memcpy((uint8_t *)p + 2, (uint8_t *)&packet + 2, sizeof(packet) - 2);
	__atomic_store_n(&p->header, GPU_AQL_KERNEL_DISPATCH | GPU_AQL_HEADER_BARRIER,
			 __ATOMIC_RELEASE);
	__atomic_store_n(q->wptr, *q->wptr + 1, __ATOMIC_RELEASE);
}

void gt_kernel_clear(struct gt_kernel *k)
{
	memset((void *)k->out, 0, 8ul * k->nr_groups * k->waves);
	memset((void *)k->count, 0, 8ul * k->nr_groups);
	k->tally[0] = 0;
	k->tally[1] = 0;
	k->signal->value = 1;
}

void gt_kernel_launch(struct gt_kernel *k, struct gt_queue *q)
{
	gt_kernel_clear(k);
	write_packet(k, q);
	gt_queue_ring(q);
}

int gt_kernel_wait(const struct gt_kernel *k, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (k->signal->value) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(100);
	}
	return 0;
}

const char *gt_kernel_check(const struct gt_kernel *k)
{
	uint32_t i;

	if (k->tally[0] != k->nr_groups)
		return "not every workgroup ended once (tally)";
	for (i = 0; i < k->nr_groups; i++)
		if (k->count[i] != 1)
			return "a workgroup did not end exactly once";
	for (i = 0; i < k->nr_groups * k->waves; i++)
		if (!k->out[i])
			return "a wave left no result";
	return NULL;
}

uint64_t gt_kernel_digest(const struct gt_kernel *k)
{
	uint64_t digest = 0xcbf29ce484222325ull;
	uint32_t i;

	for (i = 0; i < k->nr_groups * k->waves; i++)
		digest = (digest ^ k->out[i]) * 0x100000001b3ull;
	return digest;
}

uint32_t gt_event_create(struct gt_gpu *gpu, uint32_t type, uint64_t *mailbox)
{
	struct kfd_ioctl_create_event_args args = { .event_type = type, .auto_reset = 1 };
	struct gt_mem page;

	if (!gpu->event_page) {
		if (gt_mem_alloc(gpu, KFD_SIGNAL_EVENT_LIMIT * 8, GT_GTT, &page))
			gt_fail("no memory for the event page");
		args.event_page_offset = page.handle;
		gpu->event_page = page.addr;
	}
	if (ioctl(gpu->kfd, AMDKFD_IOC_CREATE_EVENT, &args))
		gt_fail("CREATE_EVENT: %s", strerror(errno));
	if (mailbox)
		*mailbox = (uintptr_t)(gpu->event_page + args.event_slot_index);
	return args.event_id;
}

int gt_event_wait(struct gt_gpu *gpu, uint32_t id, struct kfd_event_data *data, unsigned int ms)
{
	struct kfd_event_data own = {};
	struct kfd_ioctl_wait_events_args args = {
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = ms,
	};

	if (!data)
		data = &own;
	data->event_id = id;
	args.events_ptr = (uintptr_t)data;
	return ioctl(gpu->kfd, AMDKFD_IOC_WAIT_EVENTS, &args) ? -errno : (int)args.wait_result;
}

void gt_kernel_signal_event(struct gt_kernel *k, uint32_t id, uint64_t mailbox)
{
	k->signal->event_id = id;
	k->signal->event_mailbox = mailbox;
}
