/* SPDX-License-Identifier: MIT */
/*
 * A world for the simulated GPU: kernel memory (GART), memory of processes, and a
 * small driver that writes MQDs, rings, runlists and HIQ packets byte for byte as
 * amdkfd does. Shared by unit tests, proofs, fuzzers and the benchmark.
 */
#ifndef GP_TEST_WORLD_H
#define GP_TEST_WORLD_H

#include "gpu/aql.h"
#include "gpu/cu_mask.h"
#include "gpu/gpu.h"
#include "gpu/mqd.h"
#include "gpu/pm4.h"

#define WORLD_MAX_PROCS 32
#define WORLD_MAX_QUEUES 128
#define WORLD_FIRST_PASID 0x8001
#define WORLD_GART_BASE 0x400000000ull
#define WORLD_PROC_BASE 0x7f0000000000ull
#define WORLD_SH_MEM_BASES 0x00010002u /* as kfd_flat_memory.c */
#define WORLD_EOP_BYTES 4096u
#define WORLD_HIQ_DOORBELL 0x800
#define WORLD_FIRST_DOORBELL 0x1000

/* One address space: a single mapping that is filled from its start. */
struct world_space {
	u8 *mem;
	u64 base;
	u64 bytes;
	u64 used;
};

struct world_queue {
	struct world *world;
	u32 pasid;
	u32 doorbell;
	u32 nr_packets;
	u32 area_bytes;		/* of one XCC */
	u64 mqd;
	u64 stride;
	u64 ring;
	u64 rptr_addr;
	u64 wptr_addr;
	u64 area;
	u64 eop;
	u64 wptr;		/* in packets, of a PM4 queue in dwords */
	u64 ib;			/* PM4: where packets go instead of the ring, or 0 */
	u32 ib_dw;		/* how many are there */
	bool is_static;
	bool is_pm4;
};

struct world {
	struct gpu_host host;
	struct gpu *gpu;
	const struct gpu_profile *profile;
	u64 now_ns;
	u64 next_ns;
	struct world_space gart;
	struct world_space proc[WORLD_MAX_PROCS];
	u64 proc_bytes;
	struct world_queue queue[WORLD_MAX_QUEUES];
	u32 nr_queues;
	u64 hiq_mqd;
	u64 hiq_ring;
	u32 hiq_dwords;
	u64 hiq_wptr;
	u64 hiq_rptr_addr;
	u64 hiq_wptr_addr;
	u64 fence_addr;
	u64 fence;		/* last value asked for */
	u64 ib;
	u32 quantum;		/* of every process, in units */
	u64 tba;		/* of every process, 0 = no trap handler */
	u64 tma;
	u32 generation; /* of page pointers */
	u64 nr_pages;	/* asked for */
	u32 nr_irqs[GPU_IRQ_WAVE + 1];
	struct gpu_irq last_irq;
	u64 nr_traces[GPU_TRACE_COUNT];
	u64 last_trace_ns[GPU_TRACE_COUNT];
	u64 last_trace_arg[GPU_TRACE_COUNT][2];
	s64 allocs;		/* not freed */
	s64 alloc_budget;	/* < 0: no limit; else allocations until they fail */
};

/* Kernel resources and shape of a dispatch; zero members get small defaults. */
struct world_kernel {
	u32 steps;
	u64 step_ns;
	u32 vgprs;
	u32 lds_bytes;
	u32 flags;
	u32 nr_groups;
	u32 group_size;
	u64 seed;
	bool has_barrier;
	bool has_out;		/* results and counts, for the state engine */
	bool has_no_signal;
};

/* A dispatch that was written, and where its traces in memory are. */
struct world_dispatch {
	u64 signal;
	u64 tally;
	u64 out;
	u64 count;
	u64 kernarg;
	u64 packet;
	u32 waves;
};

struct world_options {
	const char *profile;
	const struct gpu_profile *own; /* instead of @profile */
	u64 seed;		       /* of costs that vary */
	const char *engine;
	u32 nr_slots;
	u32 nr_vmids;
	u64 proc_bytes;		/* 0 = 1 GiB, not reserved */
	bool has_machine_code;	/* the host gives page pointers */
	enum gpu_handler handler;
	u64 max_wave_bytes;
	u32 slice;
	u32 max_instructions;
	bool has_contention;
};

int world_init(struct world *w, const struct world_options *o);
void world_fini(struct world *w);

void *world_at(struct world *w, u32 pasid, u64 addr, u64 len);
u64 world_alloc(struct world *w, u32 pasid, u64 bytes, u64 align);
u64 world_u64(struct world *w, u32 pasid, u64 addr);
u32 world_u32(struct world *w, u32 pasid, u64 addr);
void world_set_u64(struct world *w, u32 pasid, u64 addr, u64 value);
void world_set_u32(struct world *w, u32 pasid, u64 addr, u32 value);

/* Memory of a process: how much is in use and where. */
const u8 *world_image(struct world *w, u32 pasid, u64 *bytes);

/* A compute queue with ring, pointers, MQD per XCC, control stack, save area. */
struct world_queue *world_queue(struct world *w, u32 pasid, u32 priority);
/* SET_CU_MASK: takes effect when the queue is mapped. */
void world_queue_set_cus(struct world_queue *q, const u32 *mask, u32 nr_bits);
void world_queue_disable_cwsr(struct world_queue *q);
/* Before anything is written into it: its packets are PM4. */
void world_queue_make_pm4(struct world_queue *q);

u64 world_signal(struct world *w, u32 pasid, s64 value, u32 event_id);
s64 world_signal_value(struct world *w, u32 pasid, u64 signal);

/*
 * Write packets; nothing happens until world_ring(). On a PM4 queue a dispatch is
 * registers, DISPATCH_DIRECT and, if it has a signal, a RELEASE_MEM that clears it.
 */
struct world_dispatch world_dispatch(struct world_queue *q, const struct world_kernel *k);
/* The same dispatch again, into the same memory. */
void world_dispatch_again(struct world_queue *q, const struct world_dispatch *d);
void world_barrier(struct world_queue *q, enum gpu_aql_type type, bool has_barrier_bit,
		   const u64 *deps, u32 nr_deps, u64 signal);
u8 *world_packet(struct world_queue *q, u64 index);
void world_ring(struct world_queue *q);

/* Packets of a PM4 queue; the registers are those of SET_SH_REG. */
void world_pm4_put(struct world_queue *q, const u32 *pkt, u32 nr);
void world_pm4_nop(struct world_queue *q, u32 nr);
void world_pm4_write(struct world_queue *q, u64 addr, u32 value, u32 dst_sel);
/* @context: of the interrupt, 0 = none */
void world_pm4_release(struct world_queue *q, u64 addr, u64 value, enum gpu_release_data data,
		       u32 context);
void world_pm4_acquire(struct world_queue *q);
/* Waits for the lowest byte. */
void world_pm4_wait(struct world_queue *q, u64 addr, enum gpu_wait_function function,
		    u32 reference);
void world_pm4_set_sh(struct world_queue *q, u32 reg, const u32 *value, u32 nr);
void world_pm4_dispatch(struct world_queue *q, u32 x, u32 y, u32 z);
void world_pm4_buffer(struct world_queue *q, u64 addr, u32 nr);
/* Registers and dispatch of @nr_groups workgroups of @size. @code: the program */
void world_pm4_launch(struct world_queue *q, const struct world_kernel *k, u64 code, u64 args,
		      u32 nr_groups, u32 size);
/* Between these two packets go into a buffer of @bytes that the second then calls. */
void world_pm4_begin_buffer(struct world_queue *q, u32 bytes);
void world_pm4_end_buffer(struct world_queue *q);

/* HIQ packets as pm_*_v9() of amdkfd writes them. */
void world_hiq_emit(struct world *w, const u32 *pkt, u32 nr_dw);
void world_hiq_ring(struct world *w);
void world_set_resources(struct world *w, u32 vmid_mask, u64 queue_mask);
void world_runlist(struct world *w, struct world_queue **queues, u32 nr);
void world_runlist_all(struct world *w);
void world_unmap(struct world *w, enum gpu_unmap_sel sel, enum gpu_unmap_action action,
		 const u32 *param, u32 nr);
void world_fence(struct world *w);
void world_grace(struct world *w, u32 units);
u32 world_build_ib(struct world *w, u32 *ib, struct world_queue **queues, u32 nr);

/* Let time pass. */
void world_run_for(struct world *w, u64 ns);
/* Until nothing is scheduled or @limit_ns have passed. Return: nothing is scheduled. */
bool world_run_idle(struct world *w, u64 limit_ns);
/* Until the fence has the value asked for. Return: false if not within the limit. */
bool world_run_fence(struct world *w, u64 limit_ns);

/* What a driver does: unmap all dynamic queues, fence, wait. Then map @queues. */
bool world_preempt(struct world *w);

#endif
