/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The inside of the simulated GPU: private to this folder.
 *
 * Nothing here calls in circles. What happened is noted in masks (queues to look
 * at, XCCs to fill, waiting barriers, the firmware), and gp_gpu_settle() works
 * the masks off until they are empty.
 */
#ifndef GP_GPU_TYPES_H
#define GP_GPU_TYPES_H

#include "aql.h"
#include "event.h"
#include "gpu.h"
#include "mqd.h"

#define GP_MAX_DISPATCHES 8	/* of one queue in flight */
#define GP_MAX_REFUSING 8	/* queues that refuse preemption at a time */
#define GP_NR_LEVELS 3		/* pipe priorities */
#define GP_LANES 64
#define GP_MAX_WAVES_PER_GROUP 16	/* 1024 work-items */

struct gp_dispatch;
struct gp_slot;
struct gp_wave_ops;

/* One workgroup under the state engine; wave_state.c knows what is in it. */
struct gp_workgroup;

/**
 * struct gp_cohort - workgroups of one dispatch that started together on an XCC
 * @event: their common end
 * @twin: next cohort of the dispatch, on any XCC, that shares @event of the first
 * @dispatch: whose they are
 * @next: list of the share, resident or pending
 * @prev: the same
 * @groups: state of each workgroup (state engine)
 * @groups_end: last of them
 * @start_ns: when they last began to run
 * @ran_ns: how long they had run before that
 * @nr: workgroups
 * @xcc: where
 * @lo: first CU that has some
 * @hi: last CU that has some
 * @is_frozen: they have stopped; @ran_ns says it all
 * @per_cu: workgroups on each CU
 */
struct gp_cohort {
	struct gp_event event;
	struct gp_cohort *twin;
	struct gp_dispatch *dispatch;
	struct gp_cohort *next;
	struct gp_cohort *prev;
	struct gp_workgroup *groups;
	struct gp_workgroup *groups_end;
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
 * struct gp_share - the part of a dispatch that one XCC has
 * @nr: workgroups of it
 * @next: first that was never launched
 * @done: ended
 * @resident: cohorts on CUs, oldest first
 * @resident_end: the youngest
 * @pending: restored cohorts that wait for room
 * @pending_end: the last of them
 */
struct gp_share {
	u32 nr;
	u32 next;
	u32 done;
	struct gp_cohort *resident;
	struct gp_cohort *resident_end;
	struct gp_cohort *pending;
	struct gp_cohort *pending_end;
};

/**
 * struct gp_dispatch - a kernel dispatch packet that was consumed
 * @slot: its queue
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
 * @share: per XCC
 */
struct gp_dispatch {
	struct gp_slot *slot;
	bool is_used;
	bool has_begun;
	struct gp_cohort *leader;
	u64 packet;
	u64 signal;
	struct gp_kernarg arg;
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
	struct gp_share share[GP_GPU_MAX_XCC];
};

enum gp_slot_state {
	GP_SLOT_FREE,
	GP_SLOT_LOADING,	/* owned, not yet active */
	GP_SLOT_ACTIVE,
	GP_SLOT_QUIET,		/* leaving: no new packets, no new workgroups */
	GP_SLOT_FROZEN,		/* leaving: waves have stopped */
};

enum gp_packet_state {
	GP_PACKET_NONE,		/* look into the ring */
	GP_PACKET_HELD,		/* valid, waits for those before it or a free record */
	GP_PACKET_TIMED,	/* being read: the event is scheduled */
	GP_PACKET_DEPS,		/* barrier waits for signals */
	GP_PACKET_STALLED,	/* INVALID header: waits for the doorbell */
};

/**
 * struct gp_save_area - where one XCC of a queue is saved
 * @base: address in the process
 * @bytes: size, control stack included
 * @ctl_bytes: size of the control stack
 * @ctl_offset: start of the saved control stack, == @ctl_bytes: nothing saved
 * @wave_end: end of the saved wave state
 */
struct gp_save_area {
	u64 base;
	u32 bytes;
	u32 ctl_bytes;
	u32 ctl_offset;
	u32 wave_end;
};

/**
 * struct gp_slot - a hardware queue descriptor, the same one on all XCCs
 * @index: which
 * @state: what it does
 * @how: if it is leaving: how
 * @is_by_hand: loaded without the firmware
 * @is_static: the firmware does not move it
 * @is_hand_busy: a load or dequeue by hand is under way
 * @can_save: has CWSR
 * @has_failed: stopped by an error; what it ran is gone
 * @is_lost: its saved state could not be read back; leave it alone
 * @was_busy: for the idle trace
 * @pasid: process
 * @vmid: its VMID
 * @doorbell: dword index
 * @level: pipe priority
 * @mqd: GART address
 * @stride: to the next XCC's MQD
 * @ring: address of the packets
 * @ring_mask: packets in the ring minus 1
 * @rptr: next packet to consume
 * @wptr: first packet not written
 * @rptr_addr: where the read pointer is reported
 * @wptr_addr: where the write pointer is
 * @packet: packet at @rptr
 * @packet_state: what is known of it
 * @deps_seen: barrier: signals that were seen satisfied
 * @packet_event: GP_EVENT_PACKET
 * @hqd_event: GP_EVENT_HQD
 * @nr_waves: resident or pending
 * @nr_resident: waves on CUs
 * @area: where it is saved
 * @nr_dispatches: in flight
 * @order: their records, oldest first
 * @dispatch: records
 */
struct gp_slot {
	u32 index;
	enum gp_slot_state state;
	enum gp_dequeue how;
	bool is_by_hand;
	bool is_static;
	bool is_hand_busy;
	bool can_save;
	bool has_failed;
	bool is_lost;
	bool was_busy;
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
		struct gp_aql_dispatch dispatch;
		struct gp_aql_barrier barrier;
		u16 header;
	} packet;
	enum gp_packet_state packet_state;
	u32 deps_seen;
	struct gp_event packet_event;
	struct gp_event hqd_event;
	u32 nr_waves;
	u32 nr_resident;
	struct gp_save_area area[GP_GPU_MAX_XCC];
	u32 nr_dispatches;
	u8 order[GP_MAX_DISPATCHES];
	struct gp_dispatch dispatch[GP_MAX_DISPATCHES];
};

/* What is free on a CU. */
struct gp_cu {
	u32 waves;
	u32 vgpr_bytes;
	u32 lds_bytes;
};

/**
 * struct gp_xcc - one compute die
 * @ready: slots that have workgroups to launch here
 * @last_slot: who was served last, per level
 * @cursor: CU where the search for room begins
 * @cu: room
 */
struct gp_xcc {
	u32 ready;
	u32 last_slot[GP_NR_LEVELS];
	u32 cursor;
	struct gp_cu cu[GP_GPU_MAX_CU_PER_XCC];
};

/**
 * struct gp_map_entry - a queue the firmware knows of
 * @pasid: process
 * @quantum: of the process, in profile units
 * @doorbell: queue
 * @is_static: not moved by rotation, not unmapped by the dynamic selector
 * @mqd: GART address
 * @wptr_addr: from the packet, used if the MQD has none
 */
struct gp_map_entry {
	u32 pasid;
	u32 quantum;
	u32 doorbell;
	bool is_static;
	u64 mqd;
	u64 wptr_addr;
};

/**
 * struct gp_runlist - what the last RUN_LIST asked for
 * @entry: queues in order of the list, those of a process together
 * @nr: how many
 * @max: room in @entry
 * @cursor: where the next turn begins
 * @max_processes: mapped at a time
 * @is_rotating: not all of it fits
 * @quantum_event: GP_EVENT_QUANTUM
 */
struct gp_runlist {
	struct gp_map_entry *entry;
	u32 nr;
	u32 max;
	u32 cursor;
	u32 max_processes;
	bool is_rotating;
	struct gp_event quantum_event;
};

enum gp_firmware_state {
	GP_FIRMWARE_IDLE,
	GP_FIRMWARE_PACKET,	/* a short packet */
	GP_FIRMWARE_GRACE,	/* queues leave, waves may still end */
	GP_FIRMWARE_SAVE,	/* waves are written out */
	GP_FIRMWARE_DRAIN,	/* some queues cannot be saved and run out */
	GP_FIRMWARE_MAP,	/* queues come */
	GP_FIRMWARE_RESTORE,	/* their waves are read back, one queue after the other */
};

/**
 * struct gp_firmware - the scheduler firmware and its queue, the HIQ
 * @state: what it does
 * @is_loaded: it has a HIQ
 * @is_rotation: what it does is a turn of the runlist
 * @is_rotation_due: the quantum ended while it was busy
 * @mqd: of the HIQ
 * @stride: to the next XCC's HIQ MQD
 * @doorbell: of the HIQ
 * @ring: GART address
 * @ring_mask: dwords minus 1
 * @rptr: next dword, modulo ring
 * @wptr: end of what was written, modulo ring
 * @rptr_addr: where @rptr is reported
 * @packet: packet under way
 * @event: GP_EVENT_FIRMWARE
 * @leaving: slots the unmap under way takes out
 * @load: queues the map under way brings in
 * @load_slot: and their slots
 * @nr_load: how many
 * @load_at: restore: the one under way
 * @vmid_mask: VMIDs the firmware may use
 * @max_slots: slots it may use
 * @wait_time2: the grace register
 * @pasid: process of MAP_QUEUES outside a runlist
 * @quantum: its quantum
 */
struct gp_firmware {
	enum gp_firmware_state state;
	bool is_loaded;
	bool is_rotation;
	bool is_rotation_due;
	u64 mqd;
	u32 stride;
	u32 doorbell;
	u64 ring;
	u32 ring_mask;
	u32 rptr;
	u32 wptr;
	u64 rptr_addr;
	u32 packet[8];
	struct gp_event event;
	u32 leaving;
	struct gp_map_entry load[GP_GPU_MAX_SLOTS];
	u8 load_slot[GP_GPU_MAX_SLOTS];
	u32 nr_load;
	u32 load_at;
	u32 vmid_mask;
	u32 max_slots;
	u32 wait_time2;
	u32 pasid;
	u32 quantum;
};

/**
 * struct gp_faults - what was injected
 * @refusing: doorbells
 * @nr_refusing: how many
 * @lose_fences: fences still to lose
 * @is_hung: the firmware reads no more
 * @is_corrupting: the next save is damaged
 * @corrupt_byte: where
 * @slow: factor on firmware costs
 */
struct gp_faults {
	u32 refusing[GP_MAX_REFUSING];
	u32 nr_refusing;
	u64 lose_fences;
	bool is_hung;
	bool is_corrupting;
	u64 corrupt_byte;
	u64 slow;
};

#define GP_CHUNK_COHORTS 64

/* A piece of the cohort pool. */
struct gp_chunk {
	struct gp_chunk *next;
};

/**
 * struct gp_gpu - one KFD node
 * @host: the world
 * @profile: what it is
 * @waves: wave engine
 * @now_ns: time
 * @nr_slots: slots
 * @nr_vmids: VMIDs the firmware may use at a time
 * @grace_reg: offset of the grace register
 * @heap: what will happen
 * @mapped: slots that are not free
 * @active: slots in GP_SLOT_ACTIVE that have not failed
 * @level: slots of each pipe priority
 * @kick: slots whose packet processor must look again
 * @waiting: slots whose barrier waits for signals
 * @failed: slots whose waves must be killed
 * @fill: XCCs with new room or new work
 * @is_signalled: the model changed a signal
 * @is_firmware_kicked: the firmware must look again
 * @nr_busy_cus: CUs with a wave
 * @busy_since_ns: since when that many
 * @cohort_bytes: size of a cohort
 * @free_cohorts: pool
 * @chunks: memory of the pool
 * @scratch: for control stacks
 * @scratch_bytes: its size
 * @stats: counters
 * @faults: injected
 * @firmware: scheduler
 * @runlist: what it schedules
 * @xcc: dies
 * @slot: queue slots
 */
struct gp_gpu {
	struct gp_gpu_host *host;
	const struct gp_profile *profile;
	const struct gp_wave_ops *waves;
	u64 now_ns;
	u32 nr_slots;
	u32 nr_vmids;
	u32 grace_reg;
	struct gp_gpu_heap heap;
	u32 mapped;
	u32 active;
	u32 level[GP_NR_LEVELS];
	u32 kick;
	u32 waiting;
	u32 failed;
	u32 fill;
	bool is_signalled;
	bool is_firmware_kicked;
	u32 nr_busy_cus;
	u64 busy_since_ns;
	size_t cohort_bytes;
	struct gp_cohort *free_cohorts;
	struct gp_chunk *chunks;
	u8 *scratch;
	u32 scratch_bytes;
	struct gp_gpu_stats stats;
	struct gp_faults faults;
	struct gp_firmware firmware;
	struct gp_runlist runlist;
	struct gp_xcc xcc[GP_GPU_MAX_XCC];
	struct gp_slot slot[GP_GPU_MAX_SLOTS];
};

#define GP_BIT(n) (1u << (n))

static inline int gp_host_read(struct gp_gpu *gpu, u32 pasid, u64 addr, void *dst, u32 len)
{
	return gpu->host->ops->read(gpu->host, pasid, addr, dst, len);
}

static inline int gp_host_write(struct gp_gpu *gpu, u32 pasid, u64 addr, const void *src, u32 len)
{
	return gpu->host->ops->write(gpu->host, pasid, addr, src, len);
}

static inline int gp_host_add64(struct gp_gpu *gpu, u32 pasid, u64 addr, s64 delta)
{
	s64 value;

	return gpu->host->ops->add64(gpu->host, pasid, addr, delta, &value);
}

/* Costs that the SLOW fault multiplies. */
static inline u64 gp_firmware_ns(const struct gp_gpu *gpu, u64 ns)
{
	return ns * gpu->faults.slow;
}

/* The first bit set at or after @from, going round; @mask is not 0. */
static inline u32 gp_next_bit(u32 mask, u32 from)
{
	u32 high = from < 32 ? mask & (~0u << from) : 0;

	return (u32)__builtin_ctz(high ? high : mask);
}

/* A loop, as the compiler's builtin may want a library. */
static inline u32 gp_count_bits(u32 mask)
{
	u32 nr = 0;

	for (; mask; mask &= mask - 1)
		nr++;
	return nr;
}

void gp_gpu_trace(struct gp_gpu *gpu, enum gp_gpu_trace_kind kind, const struct gp_slot *slot,
		  u64 arg0, u64 arg1);
void gp_gpu_irq(struct gp_gpu *gpu, enum gp_gpu_irq_source source, const struct gp_slot *slot,
		u32 context);

#endif
