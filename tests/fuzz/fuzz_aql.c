// SPDX-License-Identifier: MIT
/*
 * Hostile memory around one queue: AQL packets, kernels and signals, the MQD, the
 * control stack and the save area, changed between mapping, running, preempting and
 * loading by hand. The input is a list of operations, each [what][offset][length]
 * [bytes]. Whatever is written, the model must stay inside its memory and come to
 * an end.
 */
#include "../unit/gpu/world.c"
#include "../unit/gpu/world_hiq.c"

#include "inspect.h"

#define STATE_LIMIT_NS 100000
#define TIMED_LIMIT_NS 1000000
#define MAX_PREEMPTIONS 8
#define PREEMPT_NS 200000

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
	OP_COUNT
};

struct rig {
	struct world w;
	struct world_queue *q;
	u64 data;	/* begin of kernels, arguments and signals */
	u64 limit_ns;
	u32 nr_preemptions;
};

static void build(struct rig *r, bool is_state)
{
	struct world_options o = { .profile = "tiny", .engine = is_state ? "state" : "timed",
				   .proc_bytes = 64 << 20 };
	struct world_kernel k = { .steps = 8, .step_ns = 1000, .vgprs = 16, .nr_groups = 10,
				  .group_size = 128, .lds_bytes = 512, .has_out = true };
	u64 dep;

	memset(r, 0, sizeof(*r));
	if (world_init(&r->w, &o))
		abort();
	r->limit_ns = is_state ? STATE_LIMIT_NS : TIMED_LIMIT_NS;
	r->q = world_queue(&r->w, WORLD_FIRST_PASID, 7);
	r->data = WORLD_PROC_BASE + r->w.proc[0].used;
	dep = world_dispatch(r->q, &k).signal;
	world_barrier(r->q, GP_AQL_BARRIER_AND, true, &dep, 1,
		      world_signal(&r->w, r->q->pasid, 1, 5));
	world_dispatch(r->q, &k);
	world_barrier(r->q, GP_AQL_BARRIER_OR, false, &dep, 1, 0);
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

static void preempt(struct rig *r, enum gp_unmap_action action)
{
	if (r->nr_preemptions++ >= MAX_PREEMPTIONS)
		return;
	world_unmap(&r->w, GP_UNMAP_ALL, action, NULL, 0);
	world_fence(&r->w);
	world_hiq_ring(&r->w);
	run(r, PREEMPT_NS);
	world_runlist_all(&r->w);
	world_hiq_ring(&r->w);
}

static void by_hand(struct rig *r, u32 how)
{
	if (how & 64)
		gp_gpu_slot_reset(r->w.gpu, how >> 3 & 7, r->w.now_ns);
	else if (how & 4)
		gp_gpu_hqd_load(r->w.gpu, how >> 3 & 7, r->q->pasid, 3, r->q->mqd, r->w.now_ns);
	else
		gp_gpu_hqd_dequeue(r->w.gpu, how >> 3 & 7, (enum gp_dequeue)(how & 3), r->w.now_ns);
	run(r, 5000);
}

static void do_op(struct rig *r, enum op op, u32 offset, const uint8_t *bytes, size_t len)
{
	u64 mqd = r->q->mqd;
	u32 ctl_bytes = gp_profile_ctl_stack_bytes(r->w.profile);

	switch (op) {
	case OP_RING:
		put(r, r->q->pasid, r->q->ring + offset, bytes, len);
		break;
	case OP_MQD:
		put(r, GP_PASID_GART, mqd + GP_MQD_BASE_LO + offset % 0x190, bytes, len);
		break;
	case OP_CTL:
		put(r, GP_PASID_GART, mqd + GP_MQD_CTL_STACK + offset +
		    world_u32(&r->w, GP_PASID_GART, mqd + GP_MQD_CTL_STACK_OFFSET) % ctl_bytes,
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
		preempt(r, GP_UNMAP_PREEMPT);
		break;
	case OP_RESET:
		preempt(r, GP_UNMAP_RESET);
		break;
	case OP_DOORBELL:
		gp_gpu_doorbell(r->w.gpu, r->q->doorbell, offset, r->w.now_ns);
		break;
	default:
		by_hand(r, offset);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rig r;
	size_t at = 1;

	if (!size)
		return 0;
	build(&r, data[0] & 1);
	if (data[0] & 2)
		world_runlist_all(&r.w);
	world_ring(r.q);
	world_hiq_ring(&r.w);
	while (at + 4 <= size) {
		enum op op = (enum op)(data[at] % OP_COUNT);
		u32 offset = data[at + 1] | (u32)data[at + 2] << 8;
		size_t len = min((size_t)data[at + 3], size - at - 4);

		if (op >= OP_RUN)
			len = 0;
		do_op(&r, op, offset, data + at + 4, len);
		at += 4 + len;
	}
	run(&r, r.limit_ns);
	world_fini(&r.w);
	return 0;
}
