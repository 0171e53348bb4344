// SPDX-License-Identifier: MIT
/*
 * A client's queue in memory: what ROCr and amdkfd would have set up together.
 * The MQD words are those of kfd_mqd_manager_v9.c:init_mqd and init_mqd_v9_4_3.
 */
#include "sim/sim.h"
#include "gpu/cu_mask.h"
#include "gpu/mqd.h"
#include "gpu/pm4.h"

#include <stdlib.h>

#define PAGE 4096ull

static u64 page_align(u64 bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* Distance between the MQDs of two XCCs: MQD page and control stack. */
static u64 mqd_stride(const struct gpu_profile *p)
{
	return page_align(GPU_MQD_BYTES) + page_align(gpu_profile_ctl_stack_bytes(p));
}

/* A ring holds a few requests; what does not fit waits in the client. */
static u32 ring_packets(const struct sim_class_spec *spec)
{
	u64 want = (u64)spec->nr_kernels * max(spec->arrival.concurrency, 2u);
	u32 n = 64;

	while (n < want && n < 16384)
		n *= 2;
	return n;
}

static u64 save_area_bytes(const struct gpu_profile *p)
{
	u64 bytes = gpu_profile_cwsr_bytes(p) + gpu_profile_debug_bytes(p);

	return page_align(bytes * p->nr_xcc);
}

u64 sim_queue_bytes(const struct sim *sim, const struct sim_class_spec *spec)
{
	u64 per_packet = GPU_AQL_PACKET_BYTES + sizeof(struct gpu_signal) +
			 sizeof(struct gpu_kernarg) + 2 * sizeof(u64);

	if (spec->is_gang)
		per_packet += sizeof(struct gpu_signal);

	return ring_packets(spec) * per_packet + save_area_bytes(sim->profile) + 8 * PAGE;
}

static void *take(struct sim_space *s, u64 bytes, u64 align, u64 *va)
{
	*va = sim_space_alloc(s, bytes, align);
	return *va ? sim_space_ptr(s, *va, bytes) : NULL;
}

static int alloc_client(struct sim_queue *q)
{
	struct sim_space *s = &q->proc->space;
	u64 n = q->nr_packets;

	q->ring = take(s, n * GPU_AQL_PACKET_BYTES, PAGE, &q->ring_va);
	q->pointers = take(s, 2 * sizeof(u64), PAGE, &q->rptr_va);
	q->signals = take(s, n * sizeof(*q->signals), PAGE, &q->signals_va);
	q->kernargs = take(s, n * sizeof(*q->kernargs), 64, &q->kernargs_va);
	q->tally = take(s, n * sizeof(*q->tally), 64, &q->tally_va);
	if (q->proc->spec->is_gang)
		q->meets = take(s, n * sizeof(*q->meets), PAGE, &q->meets_va);
	q->save_va = sim_space_alloc(s, save_area_bytes(q->proc->sim->profile), PAGE);
	q->image = calloc(n, sizeof(*q->image));
	if (!q->ring || !q->pointers || !q->signals || !q->kernargs || !q->tally || !q->save_va ||
	    !q->image || (q->proc->spec->is_gang && !q->meets))
		return -ENOMEM;
	for (u64 i = 0; i < n; i++)
		q->ring[i].header = GPU_AQL_INVALID;
	return 0;
}

/* kfd_mqd_manager.c:pipe_priority_map: 0-6 low, 7-10 medium, 11-15 high. */
static u32 pipe_priority(u32 prio)
{
	return prio < 7 ? 0 : prio < 11 ? 1 : 2;
}

static void fill_mqd(const struct sim_queue *q, u8 *mqd, u32 xcc)
{
	const struct sim *sim = q->proc->sim;
	const struct gpu_profile *p = sim->profile;
	u32 ctl = gpu_profile_ctl_stack_bytes(p), area = gpu_profile_cwsr_bytes(p);
	/* ROCr asks for normal priority unless told otherwise. */
	u32 prio = sim->sc->mechanism == SIM_MECH_HWPRIO ? q->proc->spec->attr.prio : 7;
	u32 ring_dw_log2 = 0;

	while ((2u << ring_dw_log2) < q->nr_packets * (GPU_AQL_PACKET_BYTES / 4))
		ring_dw_log2++;
	sim_put32(mqd, GPU_MQD_HEADER, 0xC0310800);
	sim_put64(mqd, GPU_MQD_BASE_LO, q->mqd + xcc * mqd_stride(p));
	sim_put32(mqd, GPU_MQD_PERSISTENT_STATE, GPU_MQD_PERSISTENT_QSWITCH);
	sim_put32(mqd, GPU_MQD_PIPE_PRIORITY, pipe_priority(prio));
	sim_put32(mqd, GPU_MQD_QUEUE_PRIORITY, prio);
	sim_put64(mqd, GPU_MQD_PQ_BASE_LO, q->ring_va >> 8);
	sim_put64(mqd, GPU_MQD_RPTR_REPORT_LO, q->rptr_va);
	sim_put64(mqd, GPU_MQD_WPTR_POLL_LO, q->rptr_va + 8);
	sim_put32(mqd, GPU_MQD_DOORBELL_CONTROL, SIM_DOORBELL(q->index) << 2);
	sim_put32(mqd, GPU_MQD_PQ_CONTROL, ring_dw_log2);
	sim_put32(mqd, GPU_MQD_AQL_CONTROL, GPU_MQD_AQL_CONTROL_AQL);
	sim_put64(mqd, GPU_MQD_CTX_SAVE_BASE_LO, q->save_va + (u64)xcc * area);
	sim_put32(mqd, GPU_MQD_CTX_SAVE_SIZE, area);
	sim_put32(mqd, GPU_MQD_CTL_STACK_SIZE, ctl);
	sim_put32(mqd, GPU_MQD_CTL_STACK_OFFSET, ctl);
	sim_put32(mqd, GPU_MQD_WG_STATE_OFFSET, ctl);
	sim_put32(mqd, GPU_MQD_STRIDE, (u32)mqd_stride(p));
	for (u32 se = 0; se < gpu_cu_mask_words(p); se++)
		sim_put32(mqd, gpu_cu_mask_offset(se), ~0u);
}

static int alloc_mqd(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;
	u64 stride = mqd_stride(sim->profile);
	u8 *mqd = take(&sim->gart, stride * sim->profile->nr_xcc, PAGE, &q->mqd);

	if (!mqd)
		return -ENOMEM;
	for (u32 xcc = 0; xcc < sim->profile->nr_xcc; xcc++)
		fill_mqd(q, mqd + xcc * stride, xcc);
	return 0;
}

/**
 * sim_queue_set_cus() - a CU mask for the next time a queue is mapped
 * @q: queue that is not mapped
 * @mask: a bit for each CU of the GPU
 */
void sim_queue_set_cus(struct sim_queue *q, const u32 *mask)
{
	const struct gpu_profile *p = q->proc->sim->profile;
	u32 se_mask[GPU_MAX_SE_PER_XCC];

	for (u32 xcc = 0; xcc < p->nr_xcc; xcc++) {
		u8 *mqd = sim_space_ptr(&q->proc->sim->gart, q->mqd + xcc * mqd_stride(p),
					GPU_MQD_BYTES);

		gpu_cu_mask_spread(p, mask, p->nr_xcc * p->cu_per_xcc, xcc, se_mask);
		for (u32 se = 0; se < gpu_cu_mask_words(p); se++)
			sim_put32(mqd, gpu_cu_mask_offset(se), se_mask[se]);
	}
}

int sim_queue_init(struct sim_queue *q, struct sim_proc *proc, u32 index)
{
	*q = (struct sim_queue){
		.proc = proc,
		.index = index,
		.nr_packets = ring_packets(proc->spec),
		.slot = -1,
		.victim = -1,
		.want_on = true,
	};
	if (alloc_client(q))
		return -ENOMEM;
	return alloc_mqd(q);
}

void sim_queue_fini(struct sim_queue *q)
{
	free(q->requests);
	free(q->image);
}

/* A packet that waits until all ranks of the gang have come to it. */
static void write_barrier(struct sim_queue *q, u64 slot)
{
	q->meets[slot] = (struct gpu_signal){ .kind = 1, .value = 1 };
	*(struct gpu_aql_barrier *)&q->ring[slot] = (struct gpu_aql_barrier){
		.header = GPU_AQL_BARRIER_AND | GPU_AQL_HEADER_BARRIER,
		.dep_signal = { q->meets_va + slot * sizeof(*q->meets) },
		.completion_signal = q->signals_va + slot * sizeof(*q->signals),
	};
}

/**
 * sim_queue_write() - write the next packet; the doorbell comes later
 * @q: queue with room in its ring
 * @k: kernel
 * @event: raise an interrupt when it ends
 *
 * Every packet has the barrier bit: kernels of a stream run one after another.
 */
void sim_queue_write(struct sim_queue *q, const struct sim_kernel_image *k, bool event)
{
	u64 slot = sim_queue_written(q) & (q->nr_packets - 1);
	struct gpu_aql_dispatch *pkt = &q->ring[slot];

	q->image[slot] = k;
	q->tally[slot][0] = 0;
	q->tally[slot][1] = 0;
	q->kernargs[slot] = (struct gpu_kernarg){
		.tally = q->tally_va + slot * sizeof(*q->tally),
		.seed = slot,
	};
	q->signals[slot] = (struct gpu_signal){
		.kind = 1,
		.value = 1,
		/* The mailbox only has to be somewhere; its own padding will do. */
		.event_mailbox = event ? q->signals_va + slot * sizeof(*q->signals) + 48 : 0,
		.event_id = (u32)slot + 1,
	};
	q->pointers[1]++;
	if (k->spec->is_barrier) {
		write_barrier(q, slot);
		return;
	}
	*pkt = (struct gpu_aql_dispatch){
		.header = GPU_AQL_KERNEL_DISPATCH | GPU_AQL_HEADER_BARRIER,
		.setup = 1,
		.workgroup_size = { (u16)k->spec->workgroup_size, 1, 1 },
		.grid_size = { (u32)(k->nr_workgroups * k->spec->workgroup_size), 1, 1 },
		.group_segment_size = k->spec->lds_bytes,
		.kernel_object = k->object_va,
		.kernarg_address = q->kernargs_va + slot * sizeof(*q->kernargs),
		.completion_signal = q->signals_va + slot * sizeof(*q->signals),
	};
}

/**
 * sim_queue_ring() - ring the doorbell for everything written
 * @q: queue
 *
 * The first store after idleness may fault, if the doorbell is armed; it is
 * then made a little later.
 */
void sim_queue_ring(struct sim_queue *q)
{
	if (q->rung == q->done) {
		gp_ending_busy(&q->ending, q->proc->sim->now_ns);
		if (!q->waiting)
			sim_watch_wait(q);
	}
	q->rung = sim_queue_written(q);
	q->nr_rings++;
	sim_detect_doorbell(q);
}
