/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A queue in its slot and what it has in flight: dispatches, their shares of the
 * XCCs, and cohorts of workgroups. Part of struct gpu, see gpu_types.h.
 */
#ifndef GP_GPU_SLOT_TYPES_H
#define GP_GPU_SLOT_TYPES_H

#include "gpu/aql.h"
#include "gpu/cu_mask.h"
#include "gpu/event.h"
#include "gpu/gpu.h"
#include "gpu/mqd.h"

#define GPU_MAX_DISPATCHES 8	/* of one queue in flight */
#define GPU_NR_LEVELS 3		/* pipe priorities */
#define GPU_LANES 64
#define GPU_MAX_WAVES_PER_GROUP 16	/* 1024 work-items */
#define GPU_MAX_SCRATCH_SLOTS 512u	/* 9 bits in the control stack */

struct gpu_dispatch;
struct gpu_slot;

/* One workgroup under the state engine; wave_state.c knows what is in it. */
struct gpu_workgroup;

/* One workgroup of machine code; see wave_isa.h. */
struct gpu_isa_group;

struct gpu_wave_ops;

/* Workgroups of one dispatch that started together on an XCC. */
struct gpu_cohort {
	struct gpu_event event;	/* their common end */
	/* next cohort of the dispatch, on any XCC, that shares @event of the first */
	struct gpu_cohort *twin;
	struct gpu_dispatch *dispatch;	/* whose they are */
	struct gpu_cohort *next;	/* list of the share, resident or pending */
	struct gpu_cohort *prev;	/* the same */
	struct gpu_workgroup *groups;	/* state of each workgroup (state engine) */
	struct gpu_workgroup *groups_end;	/* last of them */
	struct gpu_isa_group *isa;	/* the workgroup (machine code) */
	u64 start_ns;	/* when they last began to run */
	u64 ran_ns;	/* how long they had run before that */
	u32 nr;	/* workgroups */
	u16 xcc;	/* where */
	u16 lo;	/* first CU that has some */
	u16 hi;	/* last CU that has some */
	bool is_frozen;	/* they have stopped; @ran_ns says it all */
	u16 per_cu[];	/* workgroups on each CU */
};

/* The part of a dispatch that one XCC has. */
struct gpu_share {
	u32 nr;	/* workgroups of it */
	u32 next;	/* first that was never launched */
	u32 done;	/* ended */
	struct gpu_cohort *resident;	/* cohorts on CUs, oldest first */
	struct gpu_cohort *resident_end;	/* the youngest */
	struct gpu_cohort *pending;	/* restored cohorts that wait for room */
	struct gpu_cohort *pending_end;	/* the last of them */
};

/* A dispatch of machine code. */
struct gpu_isa_kernel {
	struct gpu_aql_dispatch packet;	/* as it was in the ring */
	u64 entry;	/* first instruction */
	u32 rsrc1;	/* COMPUTE_PGM_RSRC1 */
	u32 rsrc2;	/* COMPUTE_PGM_RSRC2 */
	u32 properties;	/* which user SGPRs it wants */
	u32 private_bytes;	/* scratch memory of a work-item */
	u32 acc_offset;	/* architected VGPRs */
	u32 nr_sgprs;	/* SGPRs of a wave */
	u32 size[3];	/* work-items of a workgroup, by dimension */
	u32 items[3];	/* work-items of the grid */
	u32 groups[3];	/* workgroups of the grid */
};

/* A kernel dispatch packet that was consumed. */
struct gpu_dispatch {
	struct gpu_slot *slot;	/* its queue */
	const struct gpu_wave_ops *engine;	/* what its waves are made of */
	bool is_used;	/* this record is in use */
	bool has_begun;	/* a wave of it has been on a CU */
	/* the cohort scheduled last; others that end when it does become its twins */
	struct gpu_cohort *leader;
	u64 packet;	/* packet index */
	u64 signal;	/* completion signal or 0 */
	struct gpu_kernarg arg;	/* the kernel's arguments */
	u64 step_ns;	/* time of a step */
	u64 run_ns;	/* time of a workgroup, U64_MAX = endless */
	u32 steps;	/* steps of a workgroup */
	u32 flags;	/* program flags */
	u32 nr_groups;	/* workgroups */
	u32 nr_left;	/* of these, not ended */
	u32 waves;	/* waves of a workgroup */
	u32 vgprs;	/* registers a lane has, allocated */
	u32 lds_bytes;	/* LDS of a workgroup, allocated */
	u32 wave_bytes;	/* saved bytes of a wave */
	u32 group_bytes;	/* saved bytes of a workgroup */
	u32 cu_ppm;	/* how much of a CU a workgroup fills */
	u32 pace_ppm;	/* time its workgroups take now to what they take alone */
	u32 vgpr_charge;	/* what a workgroup takes of a CU's register file */
	struct gpu_isa_kernel kernel;	/* machine code only */
	struct gpu_share share[GPU_MAX_XCC];	/* per XCC */
};

enum gpu_slot_state {
	GPU_SLOT_FREE,
	GPU_SLOT_LOADING,	/* owned, not yet active */
	GPU_SLOT_ACTIVE,
	GPU_SLOT_QUIET,		/* leaving: no new packets, no new workgroups */
	GPU_SLOT_FROZEN,	/* leaving: waves have stopped */
};

enum gpu_packet_state {
	GPU_PACKET_NONE,	/* look into the ring */
	GPU_PACKET_HELD,	/* valid, waits for those before it or a free record */
	GPU_PACKET_TIMED,	/* being read: the event is scheduled */
	GPU_PACKET_DEPS,	/* barrier waits for signals */
	GPU_PACKET_STALLED,	/* INVALID header: waits for the doorbell */
};

/* Where one XCC of a queue is saved. */
struct gpu_save_area {
	u64 base;	/* address in the process */
	u32 bytes;	/* size, control stack included */
	u32 ctl_bytes;	/* size of the control stack */
	u32 ctl_offset;	/* start of the saved control stack, == @ctl_bytes: nothing saved */
	u32 wave_end;	/* end of the saved wave state */
};

/* Scratch memory of a queue, of its waves of machine code. */
struct gpu_scratch {
	u32 descriptor[4];	/* buffer descriptor that kernels get */
	u64 base;	/* address */
	u64 xcc_bytes;	/* part of each XCC */
	u32 wave_bytes;	/* place of a wave */
	u32 nr;	/* places on an XCC */
	u32 used[GPU_MAX_XCC][GPU_MAX_SCRATCH_SLOTS / 32];	/* by a wave, a bit a place */
};

#define GPU_PM4_HEAD_DW 8	/* of a packet, without the data of WRITE_DATA and SET_SH_REG */

/* What PM4 packets leave for those after them; the words are in the MQD too. */
enum gpu_pm4_reg {
	GPU_PM4_NUM_THREAD_X,
	GPU_PM4_NUM_THREAD_Y,
	GPU_PM4_NUM_THREAD_Z,
	GPU_PM4_PGM_LO,
	GPU_PM4_PGM_HI,
	GPU_PM4_PGM_RSRC1,
	GPU_PM4_PGM_RSRC2,
	GPU_PM4_USER_DATA_0,
	GPU_PM4_USER_DATA_1,
	GPU_PM4_IB_RPTR,
	GPU_PM4_REG_COUNT,
};

/* State of a queue of PM4 packets. */
struct gpu_pm4_regs {
	u64 ib;	/* address of the indirect buffer that is worked off */
	u32 ib_dw;	/* its dwords, 0 = packets come from the ring */
	/* registers; GPU_PM4_IB_RPTR is the next dword of the indirect buffer at @rptr */
	u32 reg[GPU_PM4_REG_COUNT];
};

/* A hardware queue descriptor, the same one on all XCCs. */
struct gpu_slot {
	u32 index;	/* which */
	enum gpu_slot_state state;	/* what it does */
	enum gpu_dequeue how;	/* if it is leaving: how */
	bool is_by_hand;	/* loaded without the firmware */
	bool is_static;	/* the firmware does not move it */
	bool is_hand_busy;	/* a load or dequeue by hand is under way */
	bool is_aql;	/* its packets are AQL, else PM4 */
	bool can_save;	/* has CWSR */
	bool has_cu_mask;	/* there are CUs that it may not use */
	/* stopped by an error, now or before it was mapped; what it ran is gone */
	bool has_failed;
	bool is_current;	/* it has been active, so it is newer than its MQD */
	bool is_lost;	/* what is saved was not or could not be read back; leave it alone */
	bool was_busy;	/* for the idle trace */
	bool is_cold;	/* nothing of it has run since it was mapped */
	bool has_asked_scratch;	/* its packet waits for more scratch memory */
	/* its packet waits until nothing of another engine is in flight */
	bool must_empty;
	u32 pasid;	/* process */
	u32 vmid;	/* its VMID */
	u32 doorbell;	/* dword index */
	u32 level;	/* pipe priority */
	u64 mqd;	/* GART address */
	u32 stride;	/* to the next XCC's MQD */
	u64 ring;	/* address of the packets */
	u64 ring_mask;	/* packets in the ring minus 1; PM4: dwords */
	u64 rptr;	/* next packet to consume; PM4: its dword */
	u64 wptr;	/* first packet not written; PM4: dword */
	u64 rptr_addr;	/* where the read pointer is reported */
	u64 wptr_addr;	/* where the write pointer is */
	union {
		struct gpu_aql_dispatch dispatch;
		struct gpu_aql_barrier barrier;
		struct gpu_aql_pm4_ib pm4_ib;
		u16 header;
		u32 pm4[GPU_PM4_HEAD_DW];
	} packet;	/* packet at @rptr */
	struct gpu_pm4_regs pm4;	/* what PM4 packets have set */
	enum gpu_packet_state packet_state;	/* what is known of it */
	u32 deps_seen;	/* barrier: signals that were seen satisfied */
	struct gpu_event packet_event;	/* GPU_EVENT_PACKET */
	struct gpu_event hqd_event;	/* GPU_EVENT_HQD */
	u32 nr_waves;	/* resident or pending */
	u32 nr_resident;	/* waves on CUs */
	struct gpu_save_area area[GPU_MAX_XCC];	/* where it is saved */
	struct gpu_cus cus[GPU_MAX_XCC];	/* CUs that it may use */
	u64 eop;	/* address of its end-of-pipe buffer, 0 = none */
	u32 eop_bytes;	/* size */
	/* enum gpu_error of what is about to stop it, 0 = by the kind of interrupt */
	u32 error_code;
	u64 error_address;	/* see struct gpu_irq */
	struct gpu_scratch scratch;	/* see there */
	u32 isa_generation;	/* of what machine code of this queue has looked up */
	u32 host_generation;	/* of the host's page pointers */
	u32 nr_restoring;	/* workgroups that have not all of their waves back */
	u32 nr_saving;	/* workgroups whose waves are on their way into the save area */
	/* of these, on each XCC, those that have not all sent SAVEWAVE */
	u32 nr_unasked[GPU_MAX_XCC];
	u32 granted;	/* XCCs whose control stack is written */
	int save_err;	/* what went wrong there */
	/* workgroups that wait in the save area of an XCC, by address */
	struct gpu_isa_group *saved[GPU_MAX_XCC];
	u32 nr_dispatches;	/* in flight */
	u8 order[GPU_MAX_DISPATCHES];	/* their records, oldest first */
	struct gpu_dispatch dispatch[GPU_MAX_DISPATCHES];	/* records */
};

/* Dwords that the read and write pointers count by. */
static inline u32 gpu_slot_unit(const struct gpu_slot *slot)
{
	return slot->is_aql ? GPU_AQL_PACKET_BYTES / 4 : 1;
}

#endif
