// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "world.h"

#include <stdlib.h>
#include <sys/mman.h>

#define GART_BYTES (64ull << 20)
#define PROC_BYTES (1ull << 30)
#define HIQ_DWORDS 1024
#define IB_BYTES (64 << 10)
#define RING_PACKETS 256

static struct world *world_of(struct gpu_host *host)
{
	return container_of(host, struct world, host);
}

static int map_space(struct world_space *s, u64 base, u64 bytes)
{
	s->mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->mem == MAP_FAILED) {
		s->mem = NULL;
		return -ENOMEM;
	}
	s->base = base;
	s->bytes = bytes;
	return 0;
}

static struct world_space *space_of(struct world *w, u32 pasid)
{
	struct world_space *s;

	if (pasid == GPU_PASID_GART)
		return &w->gart;
	pasid -= WORLD_FIRST_PASID;
	if (pasid >= WORLD_MAX_PROCS)
		return NULL;
	s = &w->proc[pasid];
	if (!s->mem && map_space(s, WORLD_PROC_BASE, w->proc_bytes))
		return NULL;
	return s;
}

void *world_at(struct world *w, u32 pasid, u64 addr, u64 len)
{
	struct world_space *s = space_of(w, pasid);

	if (!s || addr < s->base || len > s->bytes || addr - s->base > s->bytes - len)
		return NULL;
	return s->mem + (addr - s->base);
}

static int host_read(struct gpu_host *host, u32 pasid, u64 addr, void *dst, u32 len)
{
	const void *src = world_at(world_of(host), pasid, addr, len);

	if (!src)
		return -EFAULT;
	memcpy(dst, src, len);
	return 0;
}

static int host_write(struct gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len)
{
	void *dst = world_at(world_of(host), pasid, addr, len);

	if (!dst)
		return -EFAULT;
	memcpy(dst, src, len);
	return 0;
}

static int host_add64(struct gpu_host *host, u32 pasid, u64 addr, s64 delta, s64 *value)
{
	void *at = world_at(world_of(host), pasid, addr, sizeof(u64));
	u64 word;

	if (!at)
		return -EFAULT;
	memcpy(&word, at, sizeof(word));
	word += (u64)delta;
	memcpy(at, &word, sizeof(word));
	*value = (s64)word;
	return 0;
}

static void host_irq(struct gpu_host *host, const struct gpu_irq *irq)
{
	struct world *w = world_of(host);

	w->nr_irqs[irq->source]++;
	w->last_irq = *irq;
}

static void *host_alloc(struct gpu_host *host, size_t bytes)
{
	struct world *w = world_of(host);

	if (!w->alloc_budget)
		return NULL;
	if (w->alloc_budget > 0)
		w->alloc_budget--;
	w->allocs++;
	return calloc(1, bytes);
}

static void host_free(struct gpu_host *host, void *mem)
{
	world_of(host)->allocs--;
	free(mem);
}

static void host_trace(struct gpu_host *host, const struct gpu_trace *t)
{
	struct world *w = world_of(host);

	w->nr_traces[t->kind]++;
	w->last_trace_ns[t->kind] = t->now_ns;
	w->last_trace_arg[t->kind][0] = t->arg[0];
	w->last_trace_arg[t->kind][1] = t->arg[1];
}

static int host_page(struct gpu_host *host, u32 pasid, u64 addr, bool *can_write, void **at)
{
	struct world *w = world_of(host);

	w->nr_pages++;
	*at = world_at(w, pasid, addr, 4096);
	*can_write = true;
	return *at ? 0 : -EFAULT;
}

static u32 host_generation(struct gpu_host *host, u32 pasid)
{
	return world_of(host)->generation;
}

static const struct gpu_host_ops isa_host_ops = {
	.read = host_read,
	.write = host_write,
	.add64 = host_add64,
	.irq = host_irq,
	.alloc = host_alloc,
	.free = host_free,
	.trace = host_trace,
	.page = host_page,
	.generation = host_generation,
};

static const struct gpu_host_ops host_ops = {
	.read = host_read,
	.write = host_write,
	.add64 = host_add64,
	.irq = host_irq,
	.alloc = host_alloc,
	.free = host_free,
	.trace = host_trace,
};

u64 world_alloc(struct world *w, u32 pasid, u64 bytes, u64 align)
{
	struct world_space *s = space_of(w, pasid);
	u64 at = (s->used + align - 1) / align * align;

	if (GP_WARN_ON(bytes > s->bytes || at > s->bytes - bytes))
		return 0;
	s->used = at + bytes;
	return s->base + at;
}

u64 world_u64(struct world *w, u32 pasid, u64 addr)
{
	u64 value;

	memcpy(&value, world_at(w, pasid, addr, sizeof(value)), sizeof(value));
	return value;
}

u32 world_u32(struct world *w, u32 pasid, u64 addr)
{
	u32 value;

	memcpy(&value, world_at(w, pasid, addr, sizeof(value)), sizeof(value));
	return value;
}

void world_set_u64(struct world *w, u32 pasid, u64 addr, u64 value)
{
	memcpy(world_at(w, pasid, addr, sizeof(value)), &value, sizeof(value));
}

void world_set_u32(struct world *w, u32 pasid, u64 addr, u32 value)
{
	memcpy(world_at(w, pasid, addr, sizeof(value)), &value, sizeof(value));
}

const u8 *world_image(struct world *w, u32 pasid, u64 *bytes)
{
	struct world_space *s = space_of(w, pasid);

	*bytes = s->used;
	return s->mem;
}

/* order_base_2(ring bytes / 4) - 1, as update_mqd() of kfd_mqd_manager_v9.c */
static u32 pq_control(u32 nr_dw)
{
	u32 order = 0;

	while (1u << order < nr_dw)
		order++;
	return order - 1;
}

static void set_mqd64(struct world *w, u64 mqd, u32 offset, u64 value)
{
	world_set_u32(w, GPU_PASID_GART, mqd + offset, (u32)value);
	world_set_u32(w, GPU_PASID_GART, mqd + offset + 4, (u32)(value >> 32));
}

static void init_hiq(struct world *w)
{
	u32 stride = 4096, x;

	w->hiq_mqd = world_alloc(w, GPU_PASID_GART, stride * w->profile->nr_xcc, 4096);
	w->hiq_ring = world_alloc(w, GPU_PASID_GART, HIQ_DWORDS * 4, 4096);
	w->hiq_rptr_addr = world_alloc(w, GPU_PASID_GART, 64, 64);
	w->hiq_wptr_addr = world_alloc(w, GPU_PASID_GART, 64, 64);
	w->fence_addr = world_alloc(w, GPU_PASID_GART, 64, 64);
	w->ib = world_alloc(w, GPU_PASID_GART, IB_BYTES, 4096);
	w->hiq_dwords = HIQ_DWORDS;
	for (x = 0; x < w->profile->nr_xcc; x++) {
		u64 mqd = w->hiq_mqd + x * stride;

		world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_HEADER, 0xc0310800);
		set_mqd64(w, mqd, GPU_MQD_PQ_BASE_LO, w->hiq_ring >> 8);
		set_mqd64(w, mqd, GPU_MQD_RPTR_REPORT_LO, w->hiq_rptr_addr);
		set_mqd64(w, mqd, GPU_MQD_WPTR_POLL_LO, w->hiq_wptr_addr);
		world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_PQ_CONTROL, pq_control(HIQ_DWORDS));
		world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_DOORBELL_CONTROL,
			      WORLD_HIQ_DOORBELL << 2);
		world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_STRIDE, stride);
	}
}

int world_init(struct world *w, const struct world_options *o)
{
	struct gpu_config config = {
		.profile = o->own ? o->own : gpu_profile_find(o->profile),
		.seed = o->seed,
		.engine = o->engine,
		.nr_slots = o->nr_slots,
		.nr_vmids = o->nr_vmids,
		.handler = o->handler,
		.max_wave_bytes = o->max_wave_bytes,
		.slice = o->slice,
		.max_instructions = o->max_instructions,
		.has_contention = o->has_contention,
	};
	int err;

	memset(w, 0, sizeof(*w));
	w->host.ops = o->has_machine_code ? &isa_host_ops : &host_ops;
	w->profile = config.profile;
	w->next_ns = U64_MAX;
	w->quantum = 10;
	w->alloc_budget = -1;
	w->proc_bytes = o->proc_bytes ? o->proc_bytes : PROC_BYTES;
	err = map_space(&w->gart, WORLD_GART_BASE, GART_BYTES);
	if (err)
		return err;
	err = gpu_create(&config, &w->host, &w->gpu);
	if (err)
		return err;
	init_hiq(w);
	return gpu_hiq_load(w->gpu, w->hiq_mqd, 0);
}

void world_fini(struct world *w)
{
	u32 i;

	if (w->gpu)
		gpu_destroy(w->gpu);
	GP_WARN_ON(w->allocs);
	if (w->gart.mem)
		munmap(w->gart.mem, w->gart.bytes);
	for (i = 0; i < WORLD_MAX_PROCS; i++)
		if (w->proc[i].mem)
			munmap(w->proc[i].mem, w->proc[i].bytes);
}

static void init_mqd(struct world_queue *q, u32 xcc, u32 priority)
{
	struct world *w = q->world;
	u32 ctl_bytes = gpu_profile_ctl_stack_bytes(w->profile);
	u64 mqd = q->mqd + xcc * q->stride;
	u32 se;

	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_HEADER, 0xc0310800);
	for (se = 0; se < gpu_cu_mask_words(w->profile); se++)
		world_set_u32(w, GPU_PASID_GART, mqd + gpu_cu_mask_offset(se), ~0u);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_PERSISTENT_STATE,
		      GPU_MQD_PERSISTENT_QSWITCH);
	/* pipe_priority_map of kfd_mqd_manager.c */
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_PIPE_PRIORITY,
		      priority < 7 ? 0 : priority < 11 ? 1 : 2);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_QUEUE_PRIORITY, priority);
	set_mqd64(w, mqd, GPU_MQD_PQ_BASE_LO, q->ring >> 8);
	set_mqd64(w, mqd, GPU_MQD_RPTR_REPORT_LO, q->rptr_addr);
	set_mqd64(w, mqd, GPU_MQD_WPTR_POLL_LO, q->wptr_addr);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_DOORBELL_CONTROL, q->doorbell << 2);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_PQ_CONTROL, pq_control(q->nr_packets * 16));
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_AQL_CONTROL, GPU_MQD_AQL_CONTROL_AQL);
	set_mqd64(w, mqd, GPU_MQD_CTX_SAVE_BASE_LO, q->area + xcc * (u64)q->area_bytes);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_CTX_SAVE_SIZE, q->area_bytes);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_SIZE, ctl_bytes);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_OFFSET, ctl_bytes);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_WG_STATE_OFFSET, ctl_bytes);
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_STRIDE, (u32)q->stride);
	set_mqd64(w, mqd, GPU_MQD_EOP_BASE_LO, q->eop >> 8);
	/* update_mqd(): order_base_2(bytes / 4) - 1 */
	world_set_u32(w, GPU_PASID_GART, mqd + GPU_MQD_EOP_CONTROL,
		      pq_control(WORLD_EOP_BYTES / 4));
}

struct world_queue *world_queue(struct world *w, u32 pasid, u32 priority)
{
	const struct gpu_profile *p = w->profile;
	struct world_queue *q = &w->queue[w->nr_queues];
	u64 total, i;

	if (GP_WARN_ON(w->nr_queues == WORLD_MAX_QUEUES))
		return NULL;
	memset(q, 0, sizeof(*q));
	q->world = w;
	q->pasid = pasid;
	q->doorbell = WORLD_FIRST_DOORBELL + 2 * w->nr_queues++;
	q->nr_packets = RING_PACKETS;
	q->ring = world_alloc(w, pasid, RING_PACKETS * GPU_AQL_PACKET_BYTES, 4096);
	/* The words of amd_queue_t that follow it are there, too. */
	q->rptr_addr = world_alloc(w, pasid, 128, 64);
	q->wptr_addr = world_alloc(w, pasid, 64, 64);
	q->eop = world_alloc(w, pasid, WORLD_EOP_BYTES, 4096);
	q->area_bytes = gpu_profile_cwsr_bytes(p);
	total = (u64)(q->area_bytes + gpu_profile_debug_bytes(p)) * p->nr_xcc;
	q->area = world_alloc(w, pasid, total, 4096);
	q->stride = 4096 + gpu_profile_ctl_stack_bytes(p);
	q->mqd = world_alloc(w, GPU_PASID_GART, q->stride * p->nr_xcc, 4096);
	for (i = 0; i < RING_PACKETS; i++)
		world_packet(q, i)[0] = GPU_AQL_INVALID;
	for (i = 0; i < p->nr_xcc; i++)
		init_mqd(q, (u32)i, priority);
	return q;
}

void world_queue_set_cus(struct world_queue *q, const u32 *mask, u32 nr_bits)
{
	const struct gpu_profile *p = q->world->profile;
	u32 se_mask[GPU_MAX_SE_PER_XCC], x, se;

	for (x = 0; x < p->nr_xcc; x++) {
		gpu_cu_mask_spread(p, mask, nr_bits, x, se_mask);
		for (se = 0; se < gpu_cu_mask_words(p); se++)
			world_set_u32(q->world, GPU_PASID_GART,
				      q->mqd + x * q->stride + gpu_cu_mask_offset(se),
				      se_mask[se]);
	}
}

void world_queue_disable_cwsr(struct world_queue *q)
{
	u32 x;

	for (x = 0; x < q->world->profile->nr_xcc; x++) {
		u64 mqd = q->mqd + x * q->stride;

		world_set_u32(q->world, GPU_PASID_GART, mqd + GPU_MQD_PERSISTENT_STATE, 0);
		world_set_u32(q->world, GPU_PASID_GART, mqd + GPU_MQD_CTX_SAVE_SIZE, 0);
		world_set_u32(q->world, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_SIZE, 0);
		world_set_u32(q->world, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_OFFSET, 0);
		world_set_u32(q->world, GPU_PASID_GART, mqd + GPU_MQD_WG_STATE_OFFSET, 0);
	}
}

u64 world_signal(struct world *w, u32 pasid, s64 value, u32 event_id)
{
	struct gpu_signal s = { .kind = 1, .value = value, .event_id = event_id };
	u64 addr = world_alloc(w, pasid, sizeof(s), 64);

	if (event_id)
		s.event_mailbox = world_alloc(w, pasid, 64, 64);
	memcpy(world_at(w, pasid, addr, sizeof(s)), &s, sizeof(s));
	return addr;
}

s64 world_signal_value(struct world *w, u32 pasid, u64 signal)
{
	return (s64)world_u64(w, pasid, signal + GPU_SIGNAL_VALUE_OFFSET);
}

u8 *world_packet(struct world_queue *q, u64 index)
{
	return world_at(q->world, q->pasid,
			q->ring + (index % q->nr_packets) * GPU_AQL_PACKET_BYTES,
			GPU_AQL_PACKET_BYTES);
}

static u64 write_kernel(struct world_queue *q, const struct world_kernel *k)
{
	struct gpu_kernel_desc desc = {
		.group_segment_bytes = k->lds_bytes,
		.entry_offset = 256,
		.rsrc1 = (k->vgprs ? (k->vgprs + 7) / 8 : 1) - 1,
	};
	struct gpu_program program = {
		.magic = GPU_PROGRAM_MAGIC,
		.flags = k->flags,
		.steps = k->steps ? k->steps : 1,
		.step_ns = k->step_ns ? k->step_ns : 1000,
	};
	u64 addr = world_alloc(q->world, q->pasid, 512, 256);

	memcpy(world_at(q->world, q->pasid, addr, sizeof(desc)), &desc, sizeof(desc));
	memcpy(world_at(q->world, q->pasid, addr + 256, sizeof(program)), &program,
	       sizeof(program));
	return addr;
}

static u64 write_kernarg(struct world_queue *q, const struct world_kernel *k, u32 nr_groups,
			 struct world_dispatch *d)
{
	struct gpu_kernarg arg = { .seed = k->seed };
	u64 addr = world_alloc(q->world, q->pasid, sizeof(arg), 64);

	d->tally = world_alloc(q->world, q->pasid, 16, 64);
	arg.tally = d->tally;
	if (k->has_out) {
		d->out = world_alloc(q->world, q->pasid, 8ull * nr_groups * d->waves, 64);
		d->count = world_alloc(q->world, q->pasid, 8ull * nr_groups, 64);
	}
	arg.out = d->out;
	arg.count = d->count;
	memcpy(world_at(q->world, q->pasid, addr, sizeof(arg)), &arg, sizeof(arg));
	return addr;
}

struct world_dispatch world_dispatch(struct world_queue *q, const struct world_kernel *k)
{
	struct world_dispatch d = { .packet = q->wptr };
	u32 nr_groups = k->nr_groups ? k->nr_groups : 1;
	u32 size = k->group_size ? k->group_size : 64;
	struct gpu_aql_dispatch pkt = {
		.header = GPU_AQL_KERNEL_DISPATCH | (k->has_barrier ? GPU_AQL_HEADER_BARRIER : 0),
		.setup = 1,
		.workgroup_size = { (u16)size, 1, 1 },
		.grid_size = { nr_groups * size, 1, 1 },
		.group_segment_size = k->lds_bytes,
	};

	d.waves = (size + 63) / 64;
	d.kernarg = write_kernarg(q, k, nr_groups, &d);
	if (!k->has_no_signal)
		d.signal = world_signal(q->world, q->pasid, 1, 0);
	pkt.kernel_object = write_kernel(q, k);
	if (q->is_pm4) {
		world_pm4_launch(q, k, pkt.kernel_object + 256, d.kernarg, nr_groups, size);
		if (d.signal)
			world_pm4_release(q, d.signal + GPU_SIGNAL_VALUE_OFFSET, 0,
					  GPU_RELEASE_DATA_64, 0);
		return d;
	}
	pkt.kernarg_address = d.kernarg;
	pkt.completion_signal = d.signal;
	memcpy(world_packet(q, q->wptr++), &pkt, sizeof(pkt));
	return d;
}

void world_dispatch_again(struct world_queue *q, const struct world_dispatch *d)
{
	struct gpu_aql_dispatch pkt;

	memcpy(&pkt, world_packet(q, d->packet), sizeof(pkt));
	pkt.header = GPU_AQL_KERNEL_DISPATCH;
	memcpy(world_packet(q, q->wptr++), &pkt, sizeof(pkt));
}

void world_barrier(struct world_queue *q, enum gpu_aql_type type, bool has_barrier_bit,
		   const u64 *deps, u32 nr_deps, u64 signal)
{
	struct gpu_aql_barrier pkt = {
		.header = (u16)type,
		.completion_signal = signal,
	};
	u32 i;

	if (has_barrier_bit)
		pkt.header |= GPU_AQL_HEADER_BARRIER;
	for (i = 0; i < nr_deps; i++)
		pkt.dep_signal[i] = deps[i];
	memcpy(world_packet(q, q->wptr++), &pkt, sizeof(pkt));
}

void world_ring(struct world_queue *q)
{
	struct world *w = q->world;

	world_set_u64(w, q->pasid, q->wptr_addr, q->wptr);
	w->next_ns = gpu_doorbell(w->gpu, q->doorbell, q->is_pm4 ? q->wptr : q->wptr - 1,
				  w->now_ns);
}
