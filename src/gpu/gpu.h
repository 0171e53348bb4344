/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: The simulated GPU
 *
 * What contains what:
 *
 * 1. struct gp_gpu is one KFD node. It has XCCs, an XCC has CUs and queue slots.
 * 2. The scheduler firmware (HWS) reads PM4 packets from the HIQ and maps
 *    processes and queues into slots; one queue occupies the same slot on every
 *    XCC. Workgroup i of a dispatch belongs to XCC i modulo the number of XCCs.
 * 3. A mapped queue consumes AQL packets; a dispatch launches workgroups on CUs
 *    that have room for them; a workgroup is made of waves with state.
 * 4. A preempted queue's waves are serialised into the control stack (behind its
 *    MQD) and the client's save area, per XCC, and rebuilt from those bytes only.
 *
 * The model has no clock and never waits: it is told the time and says when it
 * wants to be called next. It has no locks: the caller serialises. All memory it
 * does not own is reached through struct gp_gpu_host_ops.
 *
 * Context, for every function here: any, if the host's functions can be called
 * there; the caller serialises all calls for one GPU; none may be called from
 * inside a host function.
 *
 * A stronger GPU than AMD documents in one respect: pipe priority is strict over
 * all slots of the GPU, so work of a lower one launches only what the higher ones
 * leave.
 */
#ifndef GP_GPU_GPU_H
#define GP_GPU_GPU_H

#include "gp_port.h"
#include "gpu/profile.h"

struct gp_gpu;

/* Address space 0 is the GART (kernel memory: HIQ, MQDs, runlists, fences). */
#define GP_PASID_GART 0

/*
 * A queue that an error has stopped stays stopped, in its slot and when it is
 * mapped again, until the driver resets it: see GP_MQD_ERROR. What it had in
 * flight is gone.
 */
enum gp_gpu_irq_source {
	GP_IRQ_EOP,		/* a packet with an event signal ended */
	GP_IRQ_MEM_FAULT,	/* access outside any mapping; the queue is stopped */
	GP_IRQ_BAD_OPCODE,	/* illegal AQL packet, PM4 packet or program; the same */
	GP_IRQ_SDMA_TRAP,	/* a TRAP packet of a copy engine */
	GP_IRQ_NO_MEMORY,	/* @alloc of the host gave none: no program's fault; the same */
};

/**
 * struct gp_gpu_irq - an interrupt, as the IH ring would carry it
 * @source: what happened
 * @pasid: process
 * @vmid: VMID the process had
 * @context: event id of the signal, or 0
 * @doorbell: queue
 */
struct gp_gpu_irq {
	enum gp_gpu_irq_source source;
	u32 pasid;
	u32 vmid;
	u32 context;
	u32 doorbell;
};

/* X(NAME, "text"): what the trace hook sees. arg meanings in the comments. */
#define GP_GPU_TRACES(X)                                                       \
	X(MAP, "map")			/* queue got a slot; arg0 slot */      \
	X(UNMAP, "unmap")		/* queue left its slot */              \
	X(SAVE_BEGIN, "save")		/* waves stop; arg0 bytes, arg1 of largest XCC */ \
	X(SAVE_END, "saved")		/* slots and CUs are free */           \
	X(RESTORE_BEGIN, "restore")	/* arg0 bytes */                       \
	X(RESTORE_END, "restored")	/* waves go on */                      \
	X(DISPATCH_BEGIN, "dispatch")	/* first wave on a CU; arg0 packet index */ \
	X(DISPATCH_END, "dispatched")	/* last wave ended; arg0 packet index */ \
	X(BARRIER, "barrier")		/* barrier packet passed; arg0 packet index */ \
	X(IDLE, "idle")			/* queue empty and no waves left */    \
	X(HIQ, "hiq")			/* HIQ packet done; arg0 opcode */     \
	X(ROTATE, "rotate")		/* oversubscribed: next processes */   \
	X(RESET, "reset")		/* waves killed; arg0 workgroups killed */ \
	X(FAULT, "fault")		/* injected fault took effect; arg0 enum gp_gpu_fault */

enum gp_gpu_trace_kind {
#define X(name, text) GP_GPU_TRACE_##name,
	GP_GPU_TRACES(X)
#undef X
	GP_GPU_TRACE_COUNT
};

/**
 * struct gp_gpu_trace - one record for the trace hook
 * @now_ns: time
 * @kind: what
 * @pasid: process, or 0
 * @doorbell: queue (dword index of its doorbell), or 0
 * @arg: see GP_GPU_TRACES
 */
struct gp_gpu_trace {
	u64 now_ns;
	enum gp_gpu_trace_kind kind;
	u32 pasid;
	u32 doorbell;
	u64 arg[2];
};

/**
 * struct gp_gpu_host - base of what the caller embeds; ops come back with it
 * @ops: the caller's functions
 */
struct gp_gpu_host {
	const struct gp_gpu_host_ops *ops;
};

/**
 * struct gp_gpu_host_ops - the world around the GPU
 * @read: copy @len bytes at @addr of address space @pasid; -EFAULT outside any mapping.
 *	Any alignment. At most a control stack or a workgroup's registers and LDS: less
 *	than 1 MiB with the built-in profiles.
 * @write: the same the other way
 * @add64: atomically add to a 64-bit word and give its new value
 * @irq: raise an interrupt
 * @alloc: zeroed memory for model state, aligned to 8; NULL when there is none. At
 *	creation, for a longer runlist, for more waves; less than 1 MiB a piece.
 * @free: give it back
 * @trace: every struct gp_gpu_trace; NULL = no trace
 *
 * They are called from inside the calls below, so under the caller's lock, at most
 * one at a time. The model itself does not sleep and does not care if they do: a
 * caller that holds a spinlock must give some that do not. They must not call back
 * into the GPU.
 */
struct gp_gpu_host_ops {
	int (*read)(struct gp_gpu_host *host, u32 pasid, u64 addr, void *dst, u32 len);
	int (*write)(struct gp_gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len);
	int (*add64)(struct gp_gpu_host *host, u32 pasid, u64 addr, s64 delta, s64 *value);
	void (*irq)(struct gp_gpu_host *host, const struct gp_gpu_irq *irq);
	void *(*alloc)(struct gp_gpu_host *host, size_t bytes);
	void (*free)(struct gp_gpu_host *host, void *mem);
	void (*trace)(struct gp_gpu_host *host, const struct gp_gpu_trace *t);
};

/**
 * struct gp_gpu_config - choices at creation
 * @profile: what GPU
 * @engine: wave engine: "timed" or "state"
 * @nr_slots: queue slots per XCC; 0 = the profile's
 * @nr_vmids: VMIDs; 0 = the profile's
 * @grace_reg: what WRITE_DATA carries in its register field to set the grace period;
 *	0 = GP_REG_CP_IQ_WAIT_TIME2. amdkfd puts SOC15_REG_OFFSET() there, which is that
 *	plus the base of the GC block on the part: give the sum. Writes to any other
 *	register are counted (nr_lost_writes) and have no effect.
 */
struct gp_gpu_config {
	const struct gp_profile *profile;
	const char *engine;
	u32 nr_slots;
	u32 nr_vmids;
	u32 grace_reg;
};

/**
 * gp_gpu_create() - make a GPU, powered on, without a HIQ
 * @config: copied; the profile must outlive the GPU
 * @host: the world; must outlive the GPU
 * @out: the GPU
 *
 * Return: 0, -EINVAL, -ENOENT no such engine, -ENOMEM.
 */
int gp_gpu_create(const struct gp_gpu_config *config, struct gp_gpu_host *host,
		  struct gp_gpu **out);
void gp_gpu_destroy(struct gp_gpu *gpu);

/**
 * gp_gpu_advance() - let the GPU live up to a time
 * @gpu: GPU
 * @now_ns: time; one before that of an earlier call counts as that
 *
 * The work in a call grows with the events up to @now_ns: a caller that is called
 * when it asked to be has one moment's to do.
 *
 * Return: when to call again at the latest; U64_MAX = only when something is done to it.
 */
u64 gp_gpu_advance(struct gp_gpu *gpu, u64 now_ns);

/**
 * gp_gpu_next_ns() - when to call gp_gpu_advance() at the latest
 * @gpu: GPU
 *
 * Cheap. For use after calls that do not return it: each of gp_gpu_hiq_load(),
 * gp_gpu_hqd_load(), gp_gpu_hqd_dequeue(), gp_gpu_slot_reset(), gp_gpu_reset() and
 * gp_gpu_inject() may bring the time forward.
 *
 * Return: the time, not later than now = at once; U64_MAX = only when something is
 * done to it.
 */
u64 gp_gpu_next_ns(const struct gp_gpu *gpu);

/**
 * gp_gpu_doorbell() - a doorbell was rung
 * @gpu: GPU
 * @index: dword index in the doorbell BAR
 * @value: HIQ and PM4 queue: write pointer in dwords. AQL queue: index of the last packet written.
 *	Queue of a copy engine: write pointer in bytes.
 * @now_ns: time
 *
 * A doorbell of a queue that is not mapped is dropped; mapping reads the write
 * pointer from memory, so nothing is lost.
 *
 * Return: as gp_gpu_advance().
 */
u64 gp_gpu_doorbell(struct gp_gpu *gpu, u32 index, u64 value, u64 now_ns);

/**
 * gp_gpu_hiq_load() - give the firmware its queue
 * @gpu: GPU
 * @mqd: GART address of the HIQ's MQD (of XCC 0)
 * @now_ns: time
 *
 * Return: 0, -EFAULT the MQD cannot be read, -EINVAL it makes no sense, -EBUSY the
 * firmware is in the middle of something it was given before.
 */
int gp_gpu_hiq_load(struct gp_gpu *gpu, u64 mqd, u64 now_ns);

/* How a queue leaves its slot: the values of CP_HQD_DEQUEUE_REQUEST. */
enum gp_dequeue {
	GP_DEQUEUE_DRAIN = 1,	/* no new workgroups; ends when the resident ones have */
	GP_DEQUEUE_RESET = 2,	/* waves are killed; dispatches start anew when mapped again, but
				 * those of a queue that an error has stopped are dropped
				 */
	GP_DEQUEUE_SAVE = 3,	/* waves are saved */
};

/*
 * Slots by hand, as the driver does without HWS. A slot is loaded or dequeued
 * on all XCCs together. Both take time: they begin now, gp_gpu_hqd_is_busy()
 * tells when they are over.
 */

/**
 * gp_gpu_hqd_load() - map one queue into a slot
 * @gpu: GPU
 * @slot: slot index, 0..nr_slots-1
 * @pasid: its process
 * @vmid: its VMID
 * @mqd: GART address of its MQD
 * @now_ns: time
 *
 * Return: 0, -EBUSY the slot is in use or the queue is in another one, -EINVAL no such
 * slot or the MQD makes no sense, -EFAULT it cannot be read.
 */
int gp_gpu_hqd_load(struct gp_gpu *gpu, u32 slot, u32 pasid, u32 vmid, u64 mqd, u64 now_ns);

/**
 * gp_gpu_hqd_dequeue() - take the queue out of a slot
 * @gpu: GPU
 * @slot: slot index
 * @how: drain, reset or save
 * @now_ns: time
 *
 * A reset is also possible while a drain is under way, and in a slot that the
 * firmware has mapped: this is how a driver gets rid of one queue that does not
 * leave (reset_queues_on_hws_hang() of amdkfd). inspect.h tells what is in a slot
 * and has a reset that takes no time.
 *
 * Return: 0, -EINVAL no such slot or no such way, -ENOENT slot empty, -EBUSY a load
 * or dequeue is under way there or the firmware has the slot. 0 also if the queue
 * refuses (GP_GPU_FAULT_REFUSE): then it is not busy and stays active.
 */
int gp_gpu_hqd_dequeue(struct gp_gpu *gpu, u32 slot, enum gp_dequeue how, u64 now_ns);

/* The queue in a slot is still mapped: being loaded, active, or not yet dequeued. */
bool gp_gpu_hqd_is_active(const struct gp_gpu *gpu, u32 slot);
/* A load or dequeue of that slot is under way. */
bool gp_gpu_hqd_is_busy(const struct gp_gpu *gpu, u32 slot);

/**
 * gp_gpu_slot_of() - where a queue is mapped
 * @gpu: GPU
 * @doorbell: its doorbell
 *
 * Return: slot index or -ENOENT.
 */
int gp_gpu_slot_of(const struct gp_gpu *gpu, u32 doorbell);

/**
 * gp_gpu_reset() - whole-GPU reset: every wave, slot and the HIQ are gone
 * @gpu: GPU
 * @now_ns: time
 */
void gp_gpu_reset(struct gp_gpu *gpu, u64 now_ns);

/* Faults on command. */
enum gp_gpu_fault {
	GP_GPU_FAULT_REFUSE,	/* queue @arg0 (doorbell) refuses preemption until cleared */
	GP_GPU_FAULT_LOSE_FENCE, /* the next @arg0 QUERY_STATUS write nothing */
	GP_GPU_FAULT_HANG,	/* the firmware stops reading the HIQ; @arg0 0 clears */
	GP_GPU_FAULT_CORRUPT,	/* flip bit 0 of byte @arg0 (modulo size) of the next save */
	GP_GPU_FAULT_SLOW,	/* firmware costs times @arg0 (1 = normal) */
	GP_GPU_FAULT_CLEAR,	/* none of these any more */
	GP_GPU_FAULT_COUNT
};

/**
 * gp_gpu_inject() - make something go wrong
 * @gpu: GPU
 * @fault: what
 * @arg: its argument
 *
 * Has no time: what follows, such as a firmware that hung and goes on, follows at
 * the next gp_gpu_advance(), and gp_gpu_next_ns() asks for one.
 *
 * Return: 0, -EINVAL no such fault or argument, -ENOSPC too many queues refuse.
 */
int gp_gpu_inject(struct gp_gpu *gpu, enum gp_gpu_fault fault, u64 arg);

/**
 * struct gp_gpu_stats - counters since creation
 * @nr_hiq_packets: HIQ packets done
 * @nr_runlists: RUN_LIST packets
 * @nr_unmaps: UNMAP_QUEUES packets
 * @nr_rotations: times an oversubscribed runlist moved on
 * @nr_saves: queue contexts saved that had waves
 * @nr_restores: queue contexts restored
 * @save_bytes: bytes of these saves, as the hardware would write them
 * @restore_bytes: bytes of these restores
 * @nr_packets: AQL packets completed
 * @nr_dispatches: of these, kernel dispatches
 * @nr_workgroups: workgroups completed
 * @nr_killed: workgroups killed by resets
 * @nr_faults: memory faults and illegal packets
 * @max_slots_used: most slots in use at a time
 * @busy_cu_ns: sum over CUs of the time each had at least one wave
 * @nr_lost_writes: WRITE_DATA packets to what the model does not have
 */
struct gp_gpu_stats {
	u64 nr_hiq_packets;
	u64 nr_runlists;
	u64 nr_unmaps;
	u64 nr_rotations;
	u64 nr_saves;
	u64 nr_restores;
	u64 save_bytes;
	u64 restore_bytes;
	u64 nr_packets;
	u64 nr_dispatches;
	u64 nr_workgroups;
	u64 nr_killed;
	u64 nr_faults;
	u32 max_slots_used;
	u64 busy_cu_ns;
	u64 nr_lost_writes;
};

/* The live counters. */
const struct gp_gpu_stats *gp_gpu_stats(const struct gp_gpu *gpu);

/**
 * gp_gpu_waves() - resident waves of a queue, over all XCCs
 * @gpu: GPU
 * @doorbell: queue, or 0 for all
 */
u32 gp_gpu_waves(const struct gp_gpu *gpu, u32 doorbell);

/**
 * gp_gpu_context_bytes() - what saving a mapped queue now would write
 * @gpu: GPU
 * @doorbell: queue
 * @largest: output, if not NULL: bytes of the XCC that has most
 *
 * Return: bytes over all XCCs; 0 if it has no waves or is not mapped.
 */
u64 gp_gpu_context_bytes(const struct gp_gpu *gpu, u32 doorbell, u64 *largest);

#endif
