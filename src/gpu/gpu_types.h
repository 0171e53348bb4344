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
#include "gpu/vary.h"

#define GPU_MAX_REFUSING 8	/* queues that refuse preemption at a time */
#define GPU_NR_VMIDS 16
#define GPU_CLOCK_NS 10 /* 100 MHz, as the driver's counter */

struct gpu_isa;

/* One compute die. */
struct gpu_xcc {
	u32 ready;	/* slots that have workgroups to launch here */
	u32 last_slot[GPU_NR_LEVELS];	/* the slot that was served last, per level */
	struct gpu_cus kept;	/* CUs on which only a higher level may launch, for now */
	bool has_kept;	/* there are some */
	u32 cursor;	/* CU where the search for room begins */
	u32 waves[GPU_MAX_CU_PER_XCC];	/* free wave slots of each CU */
	u32 vgpr_bytes[GPU_MAX_CU_PER_XCC];	/* free registers of each CU */
	u32 lds_bytes[GPU_MAX_CU_PER_XCC];	/* free LDS of each CU */
	u32 taken_ppm[GPU_MAX_CU_PER_XCC];	/* how full each CU is, see contention.h */
};

/* What was injected. */
struct gpu_faults {
	u32 refusing[GPU_MAX_REFUSING];	/* doorbells */
	u32 nr_refusing;	/* how many */
	u64 lose_fences;	/* fences still to lose */
	bool is_hung;	/* the firmware reads no more */
	bool is_corrupting;	/* the next save is damaged */
	u64 corrupt_byte;	/* where */
	bool is_shifting;	/* a part of the next save is taken from the wrong place */
	u64 shift_byte;	/* which */
	u64 slow;	/* factor on firmware costs */
	bool is_dead;	/* waves of machine code end at once */
};

#define GPU_MAX_SDMA_QUEUES 16	/* 2 engines x 8 queues: kfd_device.c */

/* A queue of a copy engine. */
struct gpu_sdma_queue {
	bool is_mapped;	/* it is one */
	bool has_failed;	/* it stopped at a packet that it cannot do */
	u32 pasid;	/* process */
	u32 doorbell;	/* dword index in the BAR */
	u64 mqd;	/* GART address of its MQD */
	u64 ring;	/* address */
	u64 ring_bytes;	/* size, a power of two */
	u64 rptr_addr;	/* where the read pointer is reported */
	u64 rptr;	/* bytes, never wraps */
	u64 wptr;	/* bytes, never wraps */
	struct gpu_event event;	/* GPU_EVENT_SDMA, the end of the packet at @rptr */
};

#define GPU_CHUNK_COHORTS 64

/* A piece of the cohort pool. */
struct gpu_chunk {
	struct gpu_chunk *next;
};

/* One KFD node. */
struct gpu {
	struct gpu_host *host;	/* the world */
	const struct gpu_profile *profile;	/* what it is */
	/* wave engine of programs that are not machine code */
	const struct gpu_wave_ops *waves;
	struct gpu_isa *isa;	/* of machine code, NULL until there is some */
	enum gpu_handler handler;	/* how that is saved */
	u64 max_wave_bytes;	/* memory of its waves */
	u32 slice;	/* instructions of a wave at a time */
	u32 max_instructions;	/* of a call, 0 = no limit */
	u64 last_instruction;	/* of the call at hand, by stats.nr_instructions */
	struct gpu_vmid vmid[GPU_NR_VMIDS];	/* registers of each VMID */
	u64 now_ns;	/* time */
	u32 nr_slots;	/* slots */
	u32 nr_vmids;	/* VMIDs the firmware may use at a time */
	u32 grace_reg;	/* offset of the grace register */
	struct gpu_heap heap;	/* what will happen */
	u32 mapped;	/* slots that are not free */
	u32 active;	/* slots in GPU_SLOT_ACTIVE that have not failed */
	u32 level[GPU_NR_LEVELS];	/* slots of each pipe priority */
	u32 kick;	/* slots whose packet processor must look again */
	u32 waiting;	/* slots whose barrier waits for signals */
	u32 failed;	/* slots whose waves must be killed */
	u32 fill;	/* XCCs with new room or new work */
	bool has_contention;	/* waves cost each other time */
	bool is_crowd_new;	/* waves have come or gone since that was looked at */
	bool is_signalled;	/* the model changed a signal */
	bool is_firmware_kicked;	/* the firmware must look again */
	u32 nr_busy_cus;	/* CUs with a wave */
	u64 busy_since_ns;	/* since when that many */
	size_t cohort_bytes;	/* size of a cohort */
	struct gpu_cohort *free_cohorts;	/* pool */
	struct gpu_chunk *chunks;	/* memory of the pool */
	u8 *scratch;	/* for control stacks */
	u32 scratch_bytes;	/* its size */
	struct gpu_stats stats;	/* counters */
	u64 random;		/* state of the generator */
	u32 spread_ppm;		/* share of costs that varies */
	bool has_run;		/* there has been a wave, so caches hold something */
	struct gpu_faults faults;	/* injected */
	struct gpu_firmware firmware;	/* scheduler */
	struct gpu_runlist runlist;	/* what it schedules */
	struct gpu_xcc xcc[GPU_MAX_XCC];	/* dies */
	struct gpu_slot slot[GPU_MAX_SLOTS];	/* queue slots */
	struct gpu_sdma_queue sdma[GPU_MAX_SDMA_QUEUES];	/* queues of the copy engines */
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

/* A cost as it is this time. */
static inline u64 gpu_cost_ns(struct gpu *gpu, u64 mean_ns)
{
	return gpu_vary(&gpu->random, mean_ns, gpu->spread_ppm);
}

/* The same of those that the SLOW fault multiplies. */
static inline u64 gpu_firmware_ns(struct gpu *gpu, u64 mean_ns)
{
	return gpu_cost_ns(gpu, mean_ns) * gpu->faults.slow;
}

/*
 * A queue that has not left is asked again after a sleep: CP_IQ_WAIT_TIME2.QUE_SLEEP, 64 us as
 * Linux 6.12 leaves it, 1 us in later ones.
 */
static inline u64 gpu_retry_ns(struct gpu *gpu, bool has_waves)
{
	const struct gpu_profile *p = gpu->profile;

	return has_waves && gpu_chance(&gpu->random, p->retry_ppm) ? p->retry_ns : 0;
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
