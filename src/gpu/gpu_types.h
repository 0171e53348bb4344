/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The inside of the simulated GPU: private to this folder.
 *
 * Nothing here calls in circles. What happened is noted in masks (queues to look
 * at, XCCs to fill, waiting barriers, the firmware), and gpu_settle() works
 * the masks off until they are empty.
 */
#ifndef GP_GPU_TYPES_H
#define GP_GPU_TYPES_H

#include "gpu/firmware_types.h"
#include "gpu/slot_types.h"

#define GPU_MAX_REFUSING 8	/* queues that refuse preemption at a time */
#define GPU_NR_VMIDS 16
#define GPU_CLOCK_NS 10 /* 100 MHz, as the driver's counter */

struct gpu_isa;

/**
 * struct gpu_xcc - one compute die
 * @ready: slots that have workgroups to launch here
 * @last_slot: the slot that was served last, per level
 * @cursor: CU where the search for room begins
 * @waves: free wave slots of each CU
 * @vgpr_bytes: free registers of each CU
 * @lds_bytes: free LDS of each CU
 */
struct gpu_xcc {
	u32 ready;
	u32 last_slot[GPU_NR_LEVELS];
	u32 cursor;
	u32 waves[GPU_MAX_CU_PER_XCC];
	u32 vgpr_bytes[GPU_MAX_CU_PER_XCC];
	u32 lds_bytes[GPU_MAX_CU_PER_XCC];
};

/**
 * struct gpu_faults - what was injected
 * @refusing: doorbells
 * @nr_refusing: how many
 * @lose_fences: fences still to lose
 * @is_hung: the firmware reads no more
 * @is_corrupting: the next save is damaged
 * @corrupt_byte: where
 * @slow: factor on firmware costs
 */
struct gpu_faults {
	u32 refusing[GPU_MAX_REFUSING];
	u32 nr_refusing;
	u64 lose_fences;
	bool is_hung;
	bool is_corrupting;
	u64 corrupt_byte;
	u64 slow;
};

#define GPU_MAX_SDMA_QUEUES 16	/* 2 engines x 8 queues: kfd_device.c */

/**
 * struct gpu_sdma_queue - a queue of a copy engine
 * @is_mapped: it is one
 * @has_failed: it stopped at a packet that it cannot do
 * @pasid: process
 * @doorbell: dword index in the BAR
 * @mqd: GART address of its MQD
 * @ring: address
 * @ring_bytes: size, a power of two
 * @rptr_addr: where the read pointer is reported
 * @rptr: bytes, never wraps
 * @wptr: bytes, never wraps
 * @event: GPU_EVENT_SDMA, the end of the packet at @rptr
 */
struct gpu_sdma_queue {
	bool is_mapped;
	bool has_failed;
	u32 pasid;
	u32 doorbell;
	u64 mqd;
	u64 ring;
	u64 ring_bytes;
	u64 rptr_addr;
	u64 rptr;
	u64 wptr;
	struct gpu_event event;
};

#define GPU_CHUNK_COHORTS 64

/* A piece of the cohort pool. */
struct gpu_chunk {
	struct gpu_chunk *next;
};

/**
 * struct gpu - one KFD node
 * @host: the world
 * @profile: what it is
 * @waves: wave engine of programs that are not machine code
 * @isa: of machine code, NULL until there is some
 * @handler: how that is saved
 * @max_wave_bytes: memory of its waves
 * @slice: instructions of a wave at a time
 * @vmid: registers of each VMID
 * @now_ns: time
 * @nr_slots: slots
 * @nr_vmids: VMIDs the firmware may use at a time
 * @grace_reg: offset of the grace register
 * @heap: what will happen
 * @mapped: slots that are not free
 * @active: slots in GPU_SLOT_ACTIVE that have not failed
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
 * @sdma: queues of the copy engines
 */
struct gpu {
	struct gpu_host *host;
	const struct gpu_profile *profile;
	const struct gpu_wave_ops *waves;
	struct gpu_isa *isa;
	enum gpu_handler handler;
	u64 max_wave_bytes;
	u32 slice;
	struct gpu_vmid vmid[GPU_NR_VMIDS];
	u64 now_ns;
	u32 nr_slots;
	u32 nr_vmids;
	u32 grace_reg;
	struct gpu_heap heap;
	u32 mapped;
	u32 active;
	u32 level[GPU_NR_LEVELS];
	u32 kick;
	u32 waiting;
	u32 failed;
	u32 fill;
	bool is_signalled;
	bool is_firmware_kicked;
	u32 nr_busy_cus;
	u64 busy_since_ns;
	size_t cohort_bytes;
	struct gpu_cohort *free_cohorts;
	struct gpu_chunk *chunks;
	u8 *scratch;
	u32 scratch_bytes;
	struct gpu_stats stats;
	struct gpu_faults faults;
	struct gpu_firmware firmware;
	struct gpu_runlist runlist;
	struct gpu_xcc xcc[GPU_MAX_XCC];
	struct gpu_slot slot[GPU_MAX_SLOTS];
	struct gpu_sdma_queue sdma[GPU_MAX_SDMA_QUEUES];
};

#define GPU_BIT(n) (1u << (n))

static inline int gpu_host_read(struct gpu *gpu, u32 pasid, u64 addr, void *dst, u32 len)
{
	return gpu->host->ops->read(gpu->host, pasid, addr, dst, len);
}

static inline int gpu_host_write(struct gpu *gpu, u32 pasid, u64 addr, const void *src, u32 len)
{
	return gpu->host->ops->write(gpu->host, pasid, addr, src, len);
}

static inline int gpu_host_add64(struct gpu *gpu, u32 pasid, u64 addr, s64 delta)
{
	s64 value;

	return gpu->host->ops->add64(gpu->host, pasid, addr, delta, &value);
}

/* Costs that the SLOW fault multiplies. */
static inline u64 gpu_firmware_ns(const struct gpu *gpu, u64 ns)
{
	return ns * gpu->faults.slow;
}

/* The first bit set at or after @from, going round; @mask is not 0. */
static inline u32 gpu_next_bit(u32 mask, u32 from)
{
	u32 high = from < 32 ? mask & (~0u << from) : 0;

	return (u32)__builtin_ctz(high ? high : mask);
}

/* A loop, as the compiler's builtin may want a library. */
static inline u32 gpu_count_bits(u32 mask)
{
	u32 nr = 0;

	for (; mask; mask &= mask - 1)
		nr++;
	return nr;
}

/* What to tell the driver about an error. */
static inline enum gpu_irq_source gpu_irq_of(int err)
{
	switch (err) {
	case -EFAULT:
		return GPU_IRQ_MEM_FAULT;
	case -ENOMEM:
		return GPU_IRQ_NO_MEMORY;
	default:
		return GPU_IRQ_BAD_OPCODE;
	}
}

/**
 * gpu_trace() - tell the trace hook, if there is one
 * @gpu: GPU
 * @kind: what happened
 * @slot: its receiver, or NULL
 * @arg0: see GPU_TRACES
 * @arg1: the same
 */
void gpu_trace(struct gpu *gpu, enum gpu_trace_kind kind, const struct gpu_slot *slot,
	       u64 arg0, u64 arg1);

/**
 * gpu_irq() - raise an interrupt
 * @gpu: GPU
 * @source: what happened
 * @slot: its receiver; NULL = the HIQ
 * @context: event id or 0
 */
void gpu_irq(struct gpu *gpu, enum gpu_irq_source source, const struct gpu_slot *slot,
	     u32 context);

#endif
