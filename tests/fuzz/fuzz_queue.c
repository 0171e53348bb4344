// SPDX-License-Identifier: MIT
/*
 * Hostile memory around one queue: its packets, AQL or PM4, kernels and signals, the MQD, the
 * control stack and the save area, changed between mapping, running, preempting and loading by
 * hand. The input is a byte that says what the queue is (bit 0: state engine, 1: mapped, 2:
 * PM4, 3: waves cost each other time) and a list of operations, each [what][offset]
 * [length][bytes]. Whatever is written, the model must stay inside its memory and come to an
 * end, and a queue of another process must finish its work.
 */
#include "../unit/gpu/world.c"
#include "../unit/gpu/world_hiq.c"
#include "../unit/gpu/world_pm4.c"

#include "gpu/inspect.h"

#define STATE_LIMIT_NS 100000
#define TIMED_LIMIT_NS 1000000
#define MAX_PREEMPTIONS 8
#define PREEMPT_NS 200000
#define BUFFER_BYTES 1024
#define OTHER_LIMIT_NS 10000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum op {
	OP_RING,	/* write into the ring */
	OP_MQD,		/* write into the MQD, from the first word the model reads */
	OP_CTL,		/* write into the control stack, from its lowest saved byte */
	OP_STATE,	/* write into the saved wave state */
	OP_DATA,	/* write into kernels, arguments and signals */
	OP_RUN,		/* let offset x 16 ns pass */
	OP_PREEMPT,	/* unmap with save and map again */
	OP_DOORBELL,	/* ring with offset as value */
	OP_RESET,	/* unmap with reset and map again */
	OP_HAND,	/* load, dequeue or reset a slot by hand */
	OP_PACKET,	/* append a PM4 packet whose header is right and ring */
	OP_BUFFER,	/* write into the indirect buffer */
	OP_REGS,	/* write into the MQD, from its first word */
	OP_COUNT
};

struct rig {
	struct world w;
	struct world_queue *q;
	struct world_queue *other;
	struct world_dispatch work;	/* of the other queue */
	u64 data;	/* begin of kernels, arguments and signals */
	u64 buffer;	/* of PM4 packets */
	u64 limit_ns;
	u32 nr_preemptions;
	bool is_rough;	/* a slot was emptied by force */
};

static const struct world_kernel kernel = {
	.steps = 8, .step_ns = 1000, .vgprs = 16, .nr_groups = 10, .group_size = 128,
	.lds_bytes = 512, .has_out = true,
};

static void write_aql(struct rig *r)
{
	u64 dep = world_dispatch(r->q, &kernel).signal;

	world_barrier(r->q, GPU_AQL_BARRIER_AND, true, &dep, 1,
		      world_signal(&r->w, r->q->pasid, 1, 5));
	world_dispatch(r->q, &kernel);
	world_barrier(r->q, GPU_AQL_BARRIER_OR, false, &dep, 1, 0);
}

static void write_pm4(struct rig *r)
{
	u64 word = world_alloc(&r->w, r->q->pasid, 64, 64);

	world_queue_make_pm4(r->q);
	world_dispatch(r->q, &kernel);
	world_pm4_begin_buffer(r->q, BUFFER_BYTES);
	r->buffer = r->q->ib;
	world_pm4_acquire(r->q);
	world_dispatch(r->q, &kernel);
	world_pm4_write(r->q, word, 1, GPU_WRITE_DATA_DST_MEMORY);
	world_pm4_wait(r->q, word, GPU_WAIT_EQUAL, 1);
	world_pm4_end_buffer(r->q);
	world_pm4_release(r->q, word + 8, 1, GPU_RELEASE_DATA_64, 5);
}

/* The neighbour comes first and does not depend on what the queue is. */
static void build(struct rig *r, bool is_state, bool is_pm4, bool has_contention)
{
	struct world_options o = { .profile = "tiny", .engine = is_state ? "state" : "timed",
				   .proc_bytes = 64 << 20, .has_contention = has_contention };

	memset(r, 0, sizeof(*r));
	if (world_init(&r->w, &o))
		abort();
	r->limit_ns = is_state ? STATE_LIMIT_NS : TIMED_LIMIT_NS;
	r->other = world_queue(&r->w, WORLD_FIRST_PASID + 1, 7);
	r->work = world_dispatch(r->other, &kernel);
	r->q = world_queue(&r->w, WORLD_FIRST_PASID, 7);
	r->data = WORLD_PROC_BASE + r->w.proc[0].used;
	if (is_pm4)
		write_pm4(r);
	else
		write_aql(r);
}

static void put(struct rig *r, u32 pasid, u64 addr, const uint8_t *bytes, size_t len)
{
	void *at = world_at(&r->w, pasid, addr, len);

	if (at)
		memcpy(at, bytes, len);
}

static void run(struct rig *r, u64 ns)
{
	ns = min(ns, r->limit_ns);
	r->limit_ns -= ns;
	world_run_for(&r->w, ns);
}

static void preempt(struct rig *r, enum gpu_unmap_action action)
{
	if (r->nr_preemptions++ >= MAX_PREEMPTIONS)
		return;
	world_unmap(&r->w, GPU_UNMAP_ALL, action, NULL, 0);
	world_fence(&r->w);
	world_hiq_ring(&r->w);
	run(r, PREEMPT_NS);
	world_runlist_all(&r->w);
	world_hiq_ring(&r->w);
}

static void by_hand(struct rig *r, u32 how)
{
	if (how & 64)
		gpu_slot_reset(r->w.gpu, how >> 3 & 7, r->w.now_ns);
	else if (how & 4)
		gpu_hqd_load(r->w.gpu, how >> 3 & 7, r->q->pasid, 3, r->q->mqd, r->w.now_ns);
	else
		gpu_hqd_dequeue(r->w.gpu, how >> 3 & 7, (enum gpu_dequeue)(how & 3), r->w.now_ns);
	run(r, 5000);
}

/* @how: which packet, and whether its length is that of the bytes */
static void put_packet(struct rig *r, u32 how, const uint8_t *bytes, size_t len)
{
	static const u32 opcode[] = {
		GPU_PM4_NOP, GPU_PM4_DISPATCH_DIRECT, GPU_PM4_WRITE_DATA, GPU_PM4_WAIT_REG_MEM,
		GPU_PM4_INDIRECT_BUFFER, GPU_PM4_RELEASE_MEM, GPU_PM4_ACQUIRE_MEM,
		GPU_PM4_SET_SH_REG,
	};
	u32 pkt[1 + 64] = { 0 };
	u32 nr = 1 + (u32)(len + 3) / 4;

	memcpy(&pkt[1], bytes, len);
	gpu_pm4_set(pkt, GPU_PM4_TYPE, 3);
	gpu_pm4_set(pkt, GPU_PM4_OPCODE, opcode[how % ARRAY_SIZE(opcode)]);
	gpu_pm4_set(pkt, GPU_PM4_COUNT, how & 0x100 ? how >> 9 : nr - 2);
	if (r->q->is_pm4)
		world_pm4_put(r->q, pkt, nr);
	world_ring(r->q);
}

/* Return: the operation takes bytes. */
static bool has_bytes(enum op op)
{
	return op < OP_RUN || op >= OP_PACKET;
}

static void do_op(struct rig *r, enum op op, u32 offset, const uint8_t *bytes, size_t len)
{
	u64 mqd = r->q->mqd;
	u32 ctl_bytes = gpu_profile_ctl_stack_bytes(r->w.profile);

	switch (op) {
	case OP_RING:
		put(r, r->q->pasid, r->q->ring + offset, bytes, len);
		break;
	case OP_MQD:
		put(r, GPU_PASID_GART, mqd + GPU_MQD_BASE_LO + offset % 0x190, bytes, len);
		break;
	case OP_CTL:
		put(r, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK + offset +
		    world_u32(&r->w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_OFFSET) % ctl_bytes,
		    bytes, len);
		break;
	case OP_STATE:
		put(r, r->q->pasid, r->q->area + ctl_bytes + offset, bytes, len);
		break;
	case OP_DATA:
		put(r, r->q->pasid, r->data + offset, bytes, len);
		break;
	case OP_RUN:
		run(r, offset * 16ull);
		break;
	case OP_PREEMPT:
		preempt(r, GPU_UNMAP_PREEMPT);
		break;
	case OP_RESET:
		preempt(r, GPU_UNMAP_RESET);
		break;
	case OP_DOORBELL:
		gpu_doorbell(r->w.gpu, r->q->doorbell, offset, r->w.now_ns);
		break;
	case OP_PACKET:
		put_packet(r, offset, bytes, len);
		break;
	case OP_BUFFER:
		if (r->buffer)
			put(r, r->q->pasid, r->buffer + offset % BUFFER_BYTES, bytes, len);
		break;
	case OP_REGS:
		put(r, GPU_PASID_GART, mqd + offset % GPU_MQD_BASE_LO, bytes, len);
		break;
	default:
		by_hand(r, offset);
		break;
	}
}

/*
 * The neighbour has done its work exactly once. The hostile queue may hold the CUs for
 * ever: it is reset first. One that is being drained without an end cannot be, and
 * a wave that was taken out by force may have lost something.
 */
static void check_other(struct rig *r)
{
	u64 tally = r->work.tally;
	u32 nr;

	world_unmap(&r->w, GPU_UNMAP_SPECIFIED, GPU_UNMAP_RESET, &r->q->doorbell, 1);
	world_unmap(&r->w, GPU_UNMAP_ALL, GPU_UNMAP_PREEMPT, NULL, 0);
	world_runlist(&r->w, &r->other, 1);
	world_fence(&r->w);
	world_hiq_ring(&r->w);
	if (world_run_fence(&r->w, OTHER_LIMIT_NS) && !r->is_rough) {
		world_run_for(&r->w, OTHER_LIMIT_NS);
		if (world_signal_value(&r->w, r->other->pasid, r->work.signal))
			abort();
	}
	nr = (u32)world_u64(&r->w, r->other->pasid, tally);
	if (nr > kernel.nr_groups)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rig r;
	size_t at = 1;

	if (!size)
		return 0;
	build(&r, data[0] & 1, data[0] & 4, data[0] & 8);
	if (data[0] & 2)
		world_runlist_all(&r.w);
	world_ring(r.other);
	world_ring(r.q);
	world_hiq_ring(&r.w);
	while (at + 4 <= size) {
		enum op op = (enum op)(data[at] % OP_COUNT);
		u32 offset = data[at + 1] | (u32)data[at + 2] << 8;
		size_t len = min((size_t)data[at + 3], size - at - 4);

		if (!has_bytes(op))
			len = 0;
		r.is_rough |= op == OP_RESET || op == OP_HAND;
		do_op(&r, op, offset, data + at + 4, len);
		at += 4 + len;
	}
	run(&r, r.limit_ns);
	check_other(&r);
	world_fini(&r.w);
	return 0;
}
