/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: The simulated GPU
 *
 * What contains what:
 *
 * 1. struct gpu is one KFD node. It has XCCs, an XCC has CUs and queue slots.
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
 * does not own is reached through struct gpu_host_ops.
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

struct gpu;

/* Address space 0 is the GART (kernel memory: HIQ, MQDs, runlists, fences). */
#define GPU_PASID_GART 0

/*
 * A queue that an error has stopped stays stopped, in its slot and when it is
 * mapped again, until the driver resets it: see GPU_MQD_ERROR. What it had in
 * flight is gone.
 */
enum gpu_irq_source {
	GPU_IRQ_EOP,	    /* a packet with an event signal ended */
	GPU_IRQ_MEM_FAULT,  /* access outside any mapping; the queue is stopped */
	GPU_IRQ_BAD_OPCODE, /* illegal AQL packet, PM4 packet or program; the same */
	GPU_IRQ_SDMA_TRAP,  /* a TRAP packet of a copy engine */
	GPU_IRQ_NO_MEMORY,  /* @alloc of the host gave none: no program's fault; the same */
	GPU_IRQ_WAVE,	    /* a trap handler sent one; context: M0 [23:0] */
};

/* Why a queue stopped: kfd_ioctl.h, enum kfd_dbg_trap_exception_code. */
enum gpu_error {
	GPU_ERROR_ILLEGAL = 4, /* instruction, or no program */
	GPU_ERROR_MEMORY = 5,
	GPU_ERROR_DIMENSIONS = 16,
	GPU_ERROR_GROUP_SEGMENT = 17, /* more LDS than a CU has */
	GPU_ERROR_CODE = 18,	      /* no kernel descriptor, or a bad one */
	GPU_ERROR_PACKET = 20,	      /* nothing that is known */
	GPU_ERROR_GROUP_SIZE = 21,
	GPU_ERROR_REGISTERS = 22,
	GPU_ERROR_VENDOR = 23, /* a vendor packet of another format */
};

/**
 * struct gpu_irq - an interrupt, as the IH ring would carry it
 * @source: what happened
 * @pasid: process
 * @vmid: VMID the process had
 * @context: event id of the signal, or 0
 * @doorbell: queue
 * @code: enum gpu_error, for what stops a queue
 * @address: of a memory fault or of an illegal instruction, if a wave did it
 */
struct gpu_irq {
	enum gpu_irq_source source;
	u32 pasid;
	u32 vmid;
	u32 context;
	u32 doorbell;
	u32 code;
	u64 address;
};

/* X(NAME, "text"): what the trace hook sees. arg meanings in the comments. */
#define GPU_TRACES(X)                                                          \
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
	X(FAULT, "fault")		/* injected fault took effect; arg0 enum gpu_fault */

enum gpu_trace_kind {
#define X(name, text) GPU_TRACE_##name,
	GPU_TRACES(X)
#undef X
	GPU_TRACE_COUNT
};

/**
 * struct gpu_trace - one record for the trace hook
 * @now_ns: time
 * @kind: what
 * @pasid: process, or 0
 * @doorbell: queue (dword index of its doorbell), or 0
 * @arg: see GPU_TRACES
 */
struct gpu_trace {
	u64 now_ns;
	enum gpu_trace_kind kind;
	u32 pasid;
	u32 doorbell;
	u64 arg[2];
};

/**
 * struct gpu_host - base of what the caller embeds; ops come back with it
 * @ops: the caller's functions
 */
struct gpu_host {
	const struct gpu_host_ops *ops;
};

/**
 * struct gpu_host_ops - the world around the GPU
 * @read: copy @len bytes at @addr of address space @pasid; -EFAULT outside any mapping.
 *	Any alignment. At most a control stack or a workgroup's registers and LDS: less
 *	than 1 MiB with the built-in profiles.
 * @write: the same the other way
 * @add64: atomically add to a 64-bit word and give its new value
 * @irq: raise an interrupt
 * @alloc: zeroed memory for model state, aligned to 8; NULL when there is none. At
 *	creation, for a longer runlist, for more waves; less than 1 MiB a piece.
 * @free: give it back
 * @trace: every struct gpu_trace; NULL = no trace
 * @page: the page of 4096 bytes at an address, for machine code. can_write: in: a store
 *	wants it; out: stores may have it. 0, -EFAULT, -EAGAIN: not there yet, ask again.
 *	NULL: machine code is an illegal instruction.
 * @generation: changes whenever a pointer that @page gave for @pasid is no longer good;
 *	asked before waves run, and must not change while they do
 *
 * They are called from inside the calls below, so under the caller's lock, at most
 * one at a time. The model itself does not sleep and does not care if they do: a
 * caller that holds a spinlock must give some that do not. They must not call back
 * into the GPU.
 */
struct gpu_host_ops {
	int (*read)(struct gpu_host *host, u32 pasid, u64 addr, void *dst, u32 len);
	int (*write)(struct gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len);
	int (*add64)(struct gpu_host *host, u32 pasid, u64 addr, s64 delta, s64 *value);
	void (*irq)(struct gpu_host *host, const struct gpu_irq *irq);
	void *(*alloc)(struct gpu_host *host, size_t bytes);
	void (*free)(struct gpu_host *host, void *mem);
	void (*trace)(struct gpu_host *host, const struct gpu_trace *t);
	int (*page)(struct gpu_host *host, u32 pasid, u64 addr, bool *can_write, void **at);
	u32 (*generation)(struct gpu_host *host, u32 pasid);
};

/* How waves of machine code are saved and restored. */
enum gpu_handler {
	GPU_HANDLER_RUN,      /* by the trap handler of their process */
	GPU_HANDLER_SHORTCUT, /* the same bytes, written by the model */
};

/**
 * struct gpu_config - choices at creation
 * @profile: what GPU
 * @engine: wave engine of programs that are a struct gpu_program: "timed" or "state".
 *	Any other program is machine code.
 * @nr_slots: queue slots per XCC; 0 = the profile's
 * @nr_vmids: VMIDs; 0 = the profile's
 * @grace_reg: what WRITE_DATA carries in its register field to set the grace period;
 *	0 = GPU_REG_CP_IQ_WAIT_TIME2. amdkfd puts SOC15_REG_OFFSET() there, which is that
 *	plus the base of the GC block on the part: give the sum. Writes to any other
 *	register are counted (nr_lost_writes) and have no effect.
 * @handler: for machine code
 * @max_wave_bytes: memory for registers and LDS of machine code, 0 = no limit: workgroups
 *	beyond it wait, but one always runs
 * @slice: instructions of a wave between two looks at its queue, so the grain of a
 *	preemption; 0 = 256
 * @seed: of the costs that vary; 0 = none does
 * @max_instructions: of all waves in one call of gpu_advance(), 0 = no limit. What is left
 *	to do then waits for the next call, and the GPU's time with it. One slice may
 *	go beyond.
 * @has_contention: waves of several queues, and those on fewer CUs, cost each other time:
 *	see contention.h
 */
struct gpu_config {
	const struct gpu_profile *profile;
	const char *engine;
	u32 nr_slots;
	u32 nr_vmids;
	u32 grace_reg;
	enum gpu_handler handler;
	u64 max_wave_bytes;
	u32 slice;
	u64 seed;
	u32 max_instructions;
	bool has_contention;
};

/**
 * gpu_create() - make a GPU, powered on, without a HIQ
 * @config: copied; the profile must outlive the GPU
 * @host: the world; must outlive the GPU
 * @out: the GPU
 *
 * Return: 0, -EINVAL, -ENOENT no such engine, -ENOMEM.
 */
int gpu_create(const struct gpu_config *config, struct gpu_host *host,
	       struct gpu **out);
void gpu_destroy(struct gpu *gpu);

/**
 * gpu_advance() - let the GPU live up to a time
 * @gpu: GPU
 * @now_ns: time; one before that of an earlier call counts as that
 *
 * The work in a call grows with the events up to @now_ns: a caller that is called
 * when it asked to be has one moment's to do. With config.max_instructions the GPU may
 * not get as far as @now_ns; so in every call below that has a @now_ns.
 *
 * Return: when to call again at the latest; U64_MAX = only when something is done to it.
 */
u64 gpu_advance(struct gpu *gpu, u64 now_ns);

/* The time up to which the GPU has lived. */
u64 gpu_now_ns(const struct gpu *gpu);

/**
 * gpu_next_ns() - when to call gpu_advance() at the latest
 * @gpu: GPU
 *
 * Cheap. For use after calls that do not return it: each of gpu_hiq_load(),
 * gpu_hqd_load(), gpu_hqd_dequeue(), gpu_slot_reset(), gpu_reset() and
 * gpu_inject() may bring the time forward.
 *
 * Return: the time, not later than now = at once; U64_MAX = only when something is
 * done to it.
 */
u64 gpu_next_ns(const struct gpu *gpu);

/**
 * gpu_doorbell() - a doorbell was rung
 * @gpu: GPU
 * @index: dword index in the doorbell BAR
 * @value: HIQ and PM4 queue: write pointer in dwords. AQL queue: index of the last packet written.
 *	Queue of a copy engine: write pointer in bytes.
 * @now_ns: time
 *
 * A doorbell of a queue that is not mapped is dropped; mapping reads the write
 * pointer from memory, so nothing is lost.
 *
 * Return: as gpu_advance().
 */
u64 gpu_doorbell(struct gpu *gpu, u32 index, u64 value, u64 now_ns);

/**
 * gpu_hiq_load() - give the firmware its queue
 * @gpu: GPU
 * @mqd: GART address of the HIQ's MQD (of XCC 0)
 * @now_ns: time
 *
 * Return: 0, -EFAULT the MQD cannot be read, -EINVAL it makes no sense, -EBUSY the
 * firmware is in the middle of something it was given before.
 */
int gpu_hiq_load(struct gpu *gpu, u64 mqd, u64 now_ns);

/* How a queue leaves its slot: the values of CP_HQD_DEQUEUE_REQUEST. */
enum gpu_dequeue {
	GPU_DEQUEUE_DRAIN = 1,	/* no new workgroups; ends when the resident ones have */
	GPU_DEQUEUE_RESET = 2,	/* waves are killed; dispatches start anew when mapped again, but
				 * those of a queue that an error has stopped are dropped
				 */
	GPU_DEQUEUE_SAVE = 3,	/* waves are saved */
};

/* What the registers of a VMID hold: trap handler, its memory, apertures of flat addresses. */
struct gpu_vmid {
	u64 tba;
	u64 tma;
	u32 sh_mem_bases; /* [15:0] private, [31:16] shared: bits 63-48 of an address */
};

/**
 * gpu_vmid_set() - program a VMID by hand, as the driver does without HWS
 * @gpu: GPU
 * @vmid: which, below 16
 * @regs: what waves that start from now on find there
 */
void gpu_vmid_set(struct gpu *gpu, u32 vmid, const struct gpu_vmid *regs);

/*
 * Slots by hand, as the driver does without HWS. A slot is loaded or dequeued
 * on all XCCs together. Both take time: they begin now, gpu_hqd_is_busy()
 * tells when they are over.
 */

/**
 * gpu_hqd_load() - map one queue into a slot
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
int gpu_hqd_load(struct gpu *gpu, u32 slot, u32 pasid, u32 vmid, u64 mqd, u64 now_ns);

/**
 * gpu_hqd_dequeue() - take the queue out of a slot
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
 * refuses (GPU_FAULT_REFUSE): then it is not busy and stays active.
 */
int gpu_hqd_dequeue(struct gpu *gpu, u32 slot, enum gpu_dequeue how, u64 now_ns);

/* The queue in a slot is still mapped: being loaded, active, or not yet dequeued. */
bool gpu_hqd_is_active(const struct gpu *gpu, u32 slot);
/* A load or dequeue of that slot is under way. */
bool gpu_hqd_is_busy(const struct gpu *gpu, u32 slot);

/**
 * gpu_slot_of() - where a queue is mapped
 * @gpu: GPU
 * @doorbell: its doorbell
 *
 * Return: slot index or -ENOENT.
 */
int gpu_slot_of(const struct gpu *gpu, u32 doorbell);

/**
 * gpu_reset() - whole-GPU reset: every wave, slot and the HIQ are gone
 * @gpu: GPU
 * @now_ns: time
 */
void gpu_reset(struct gpu *gpu, u64 now_ns);

/* Faults on command. */
enum gpu_fault {
	GPU_FAULT_REFUSE,     /* queue @arg0 (doorbell) refuses preemption until cleared */
	GPU_FAULT_LOSE_FENCE, /* the next @arg0 QUERY_STATUS write nothing */
	GPU_FAULT_HANG,	      /* the firmware stops reading the HIQ; @arg0 0 clears */
	GPU_FAULT_CORRUPT,    /* flip bit 0 of byte @arg0 (modulo size) of the next save */
	GPU_FAULT_SHIFT,      /* bytes from @arg0 of the next save on are 1 KiB too far along */
	GPU_FAULT_SLOW,	      /* firmware costs times @arg0 (1 = normal) */
	GPU_FAULT_DEAD,	      /* waves of machine code end at once, unexecuted; @arg0 0 clears */
	GPU_FAULT_CLEAR,      /* none of these any more */
	GPU_FAULT_COUNT
};

/**
 * gpu_inject() - make something go wrong
 * @gpu: GPU
 * @fault: what
 * @arg: its argument
 *
 * Has no time: what follows, such as a firmware that hung and goes on, follows at
 * the next gpu_advance(), and gpu_next_ns() asks for one.
 *
 * Return: 0, -EINVAL no such fault or argument, -ENOSPC too many queues refuse.
 */
int gpu_inject(struct gpu *gpu, enum gpu_fault fault, u64 arg);

/**
 * struct gpu_stats - counters since creation
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
 * @nr_instructions: instructions of waves of machine code
 */
struct gpu_stats {
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
	u64 nr_instructions;
};

/* The live counters. */
const struct gpu_stats *gpu_stats(const struct gpu *gpu);

/**
 * gpu_waves() - resident waves of a queue, over all XCCs
 * @gpu: GPU
 * @doorbell: queue, or 0 for all
 */
u32 gpu_waves(const struct gpu *gpu, u32 doorbell);

/**
 * gpu_context_bytes() - what saving a mapped queue now would write
 * @gpu: GPU
 * @doorbell: queue
 * @largest: output, if not NULL: bytes of the XCC that has most
 *
 * Return: bytes over all XCCs; 0 if it has no waves or is not mapped.
 */
u64 gpu_context_bytes(const struct gpu *gpu, u32 doorbell, u64 *largest);

#endif
