/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A queue in its slot and what it has in flight: dispatches, their shares of the
 * XCCs, and cohorts of workgroups. Part of struct gpu, see gpu_types.h.
 */
#ifndef GP_GPU_SLOT_TYPES_H
#define GP_GPU_SLOT_TYPES_H

#include "gpu/aql.h"
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

/**
 * struct gpu_cohort - workgroups of one dispatch that started together on an XCC
 * @event: their common end
 * @twin: next cohort of the dispatch, on any XCC, that shares @event of the first
 * @dispatch: whose they are
 * @next: list of the share, resident or pending
 * @prev: the same
 * @groups: state of each workgroup (state engine)
 * @groups_end: last of them
 * @isa: the workgroup (machine code)
 * @start_ns: when they last began to run
 * @ran_ns: how long they had run before that
 * @nr: workgroups
 * @xcc: where
 * @lo: first CU that has some
 * @hi: last CU that has some
 * @is_frozen: they have stopped; @ran_ns says it all
 * @per_cu: workgroups on each CU
 */
struct gpu_cohort {
	struct gpu_event event;
	struct gpu_cohort *twin;
	struct gpu_dispatch *dispatch;
	struct gpu_cohort *next;
	struct gpu_cohort *prev;
	struct gpu_workgroup *groups;
	struct gpu_workgroup *groups_end;
	struct gpu_isa_group *isa;
	u64 start_ns;
	u64 ran_ns;
	u32 nr;
	u16 xcc;
	u16 lo;
	u16 hi;
	bool is_frozen;
	u16 per_cu[];
};

/**
 * struct gpu_share - the part of a dispatch that one XCC has
 * @nr: workgroups of it
 * @next: first that was never launched
 * @done: ended
 * @resident: cohorts on CUs, oldest first
 * @resident_end: the youngest
 * @pending: restored cohorts that wait for room
 * @pending_end: the last of them
 */
struct gpu_share {
	u32 nr;
	u32 next;
	u32 done;
	struct gpu_cohort *resident;
	struct gpu_cohort *resident_end;
	struct gpu_cohort *pending;
	struct gpu_cohort *pending_end;
};

/**
 * struct gpu_isa_kernel - a dispatch of machine code
 * @packet: as it was in the ring
 * @entry: first instruction
 * @rsrc1: COMPUTE_PGM_RSRC1
 * @rsrc2: COMPUTE_PGM_RSRC2
 * @properties: which user SGPRs it wants
 * @private_bytes: scratch memory of a work-item
 * @acc_offset: architected VGPRs
 * @nr_sgprs: SGPRs of a wave
 * @size: work-items of a workgroup, by dimension
 * @items: work-items of the grid
 * @groups: workgroups of the grid
 */
struct gpu_isa_kernel {
	struct gpu_aql_dispatch packet;
	u64 entry;
	u32 rsrc1;
	u32 rsrc2;
	u32 properties;
	u32 private_bytes;
	u32 acc_offset;
	u32 nr_sgprs;
	u32 size[3];
	u32 items[3];
	u32 groups[3];
};

/**
 * struct gpu_dispatch - a kernel dispatch packet that was consumed
 * @slot: its queue
 * @engine: what its waves are made of
 * @is_used: this record is in use
 * @has_begun: a wave of it has been on a CU
 * @leader: the cohort scheduled last; others that end when it does become its twins
 * @packet: packet index
 * @signal: completion signal or 0
 * @arg: the kernel's arguments
 * @step_ns: time of a step
 * @run_ns: time of a workgroup, U64_MAX = endless
 * @steps: steps of a workgroup
 * @flags: program flags
 * @nr_groups: workgroups
 * @nr_left: of these, not ended
 * @waves: waves of a workgroup
 * @vgprs: registers a lane has, allocated
 * @lds_bytes: LDS of a workgroup, allocated
 * @wave_bytes: saved bytes of a wave
 * @group_bytes: saved bytes of a workgroup
 * @vgpr_charge: what a workgroup takes of a CU's register file
 * @kernel: machine code only
 * @share: per XCC
 */
struct gpu_dispatch {
	struct gpu_slot *slot;
	const struct gpu_wave_ops *engine;
	bool is_used;
	bool has_begun;
	struct gpu_cohort *leader;
	u64 packet;
	u64 signal;
	struct gpu_kernarg arg;
	u64 step_ns;
	u64 run_ns;
	u32 steps;
	u32 flags;
	u32 nr_groups;
	u32 nr_left;
	u32 waves;
	u32 vgprs;
	u32 lds_bytes;
	u32 wave_bytes;
	u32 group_bytes;
	u32 vgpr_charge;
	struct gpu_isa_kernel kernel;
	struct gpu_share share[GPU_MAX_XCC];
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

/**
 * struct gpu_save_area - where one XCC of a queue is saved
 * @base: address in the process
 * @bytes: size, control stack included
 * @ctl_bytes: size of the control stack
 * @ctl_offset: start of the saved control stack, == @ctl_bytes: nothing saved
 * @wave_end: end of the saved wave state
 */
struct gpu_save_area {
	u64 base;
	u32 bytes;
	u32 ctl_bytes;
	u32 ctl_offset;
	u32 wave_end;
};

/**
 * struct gpu_scratch - scratch memory of a queue, of its waves of machine code
 * @descriptor: buffer descriptor that kernels get
 * @base: address
 * @xcc_bytes: part of each XCC
 * @wave_bytes: place of a wave
 * @nr: places on an XCC
 * @used: by a wave, a bit a place
 */
struct gpu_scratch {
	u32 descriptor[4];
	u64 base;
	u64 xcc_bytes;
	u32 wave_bytes;
	u32 nr;
	u32 used[GPU_MAX_XCC][GPU_MAX_SCRATCH_SLOTS / 32];
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

/**
 * struct gpu_pm4_regs - state of a queue of PM4 packets
 * @ib: address of the indirect buffer that is worked off
 * @ib_dw: its dwords, 0 = packets come from the ring
 * @reg: registers; GPU_PM4_IB_RPTR is the next dword of the indirect buffer at @rptr
 */
struct gpu_pm4_regs {
	u64 ib;
	u32 ib_dw;
	u32 reg[GPU_PM4_REG_COUNT];
};

/**
 * struct gpu_slot - a hardware queue descriptor, the same one on all XCCs
 * @index: which
 * @state: what it does
 * @how: if it is leaving: how
 * @is_by_hand: loaded without the firmware
 * @is_static: the firmware does not move it
 * @is_hand_busy: a load or dequeue by hand is under way
 * @is_aql: its packets are AQL, else PM4
 * @can_save: has CWSR
 * @has_failed: stopped by an error, now or before it was mapped; what it ran is gone
 * @is_current: it has been active, so it is newer than its MQD
 * @is_lost: what is saved was not or could not be read back; leave it alone
 * @was_busy: for the idle trace
 * @has_asked_scratch: its packet waits for more scratch memory
 * @must_empty: its packet waits until nothing of another engine is in flight
 * @pasid: process
 * @vmid: its VMID
 * @doorbell: dword index
 * @level: pipe priority
 * @mqd: GART address
 * @stride: to the next XCC's MQD
 * @ring: address of the packets
 * @ring_mask: packets in the ring minus 1; PM4: dwords
 * @rptr: next packet to consume; PM4: its dword
 * @wptr: first packet not written; PM4: dword
 * @rptr_addr: where the read pointer is reported
 * @wptr_addr: where the write pointer is
 * @packet: packet at @rptr
 * @pm4: what PM4 packets have set
 * @packet_state: what is known of it
 * @deps_seen: barrier: signals that were seen satisfied
 * @packet_event: GPU_EVENT_PACKET
 * @hqd_event: GPU_EVENT_HQD
 * @nr_waves: resident or pending
 * @nr_resident: waves on CUs
 * @area: where it is saved
 * @eop: address of its end-of-pipe buffer, 0 = none
 * @eop_bytes: size
 * @error_code: enum gpu_error of what is about to stop it, 0 = by the kind of interrupt
 * @error_address: see struct gpu_irq
 * @scratch: see there
 * @isa_generation: of what machine code of this queue has looked up
 * @host_generation: of the host's page pointers
 * @nr_restoring: workgroups that have not all of their waves back
 * @nr_saving: workgroups whose waves are on their way into the save area
 * @nr_unasked: of these, on each XCC, those that have not all sent SAVEWAVE
 * @granted: XCCs whose control stack is written
 * @save_err: what went wrong there
 * @saved: workgroups that wait in the save area of an XCC, by address
 * @nr_dispatches: in flight
 * @order: their records, oldest first
 * @dispatch: records
 */
struct gpu_slot {
	u32 index;
	enum gpu_slot_state state;
	enum gpu_dequeue how;
	bool is_by_hand;
	bool is_static;
	bool is_hand_busy;
	bool is_aql;
	bool can_save;
	bool has_failed;
	bool is_current;
	bool is_lost;
	bool was_busy;
	bool has_asked_scratch;
	bool must_empty;
	u32 pasid;
	u32 vmid;
	u32 doorbell;
	u32 level;
	u64 mqd;
	u32 stride;
	u64 ring;
	u64 ring_mask;
	u64 rptr;
	u64 wptr;
	u64 rptr_addr;
	u64 wptr_addr;
	union {
		struct gpu_aql_dispatch dispatch;
		struct gpu_aql_barrier barrier;
		struct gpu_aql_pm4_ib pm4_ib;
		u16 header;
		u32 pm4[GPU_PM4_HEAD_DW];
	} packet;
	struct gpu_pm4_regs pm4;
	enum gpu_packet_state packet_state;
	u32 deps_seen;
	struct gpu_event packet_event;
	struct gpu_event hqd_event;
	u32 nr_waves;
	u32 nr_resident;
	struct gpu_save_area area[GPU_MAX_XCC];
	u64 eop;
	u32 eop_bytes;
	u32 error_code;
	u64 error_address;
	struct gpu_scratch scratch;
	u32 isa_generation;
	u32 host_generation;
	u32 nr_restoring;
	u32 nr_saving;
	u32 nr_unasked[GPU_MAX_XCC];
	u32 granted;
	int save_err;
	struct gpu_isa_group *saved[GPU_MAX_XCC];
	u32 nr_dispatches;
	u8 order[GPU_MAX_DISPATCHES];
	struct gpu_dispatch dispatch[GPU_MAX_DISPATCHES];
};

/* Dwords that the read and write pointers count by. */
static inline u32 gpu_slot_unit(const struct gpu_slot *slot)
{
	return slot->is_aql ? GPU_AQL_PACKET_BYTES / 4 : 1;
}

#endif
