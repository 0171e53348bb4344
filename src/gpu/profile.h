/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a simulated GPU is made of and what its firmware costs. Profiles are
 * constant tables; every figure has its source in a comment in profile.c.
 */
#ifndef GP_GPU_PROFILE_H
#define GP_GPU_PROFILE_H

#include "gp_port.h"

#define GPU_MAX_XCC 8
#define GPU_MAX_CU_PER_XCC 128
#define GPU_MAX_SLOTS 32	/* per XCC: 4 pipes x 8 queues */

/**
 * struct gpu_profile - one kind of GPU (one KFD node)
 * @name: what the user types
 * @gfx_version: KFD gfx_target_version: 90010 = gfx90a (GC 9.4.2), 90402 = gfx942
 *	(GC 9.4.3 and 9.4.4)
 * @nr_xcc: XCCs in the node
 * @se_per_xcc: shader engines in an XCC
 * @cu_per_xcc: compute units in an XCC
 * @simd_per_cu: SIMDs in a CU
 * @waves_per_simd: wave slots of a SIMD
 * @vgpr_bytes_per_cu: vector register file of a CU
 * @sgpr_bytes_per_cu: scalar registers of a CU, as KFD sizes the save area
 * @lds_bytes_per_cu: local data share of a CU
 * @hwreg_bytes_per_cu: hardware registers in the save area, per CU
 * @nr_slots: queue slots an XCC gives to KFD, over all pipes
 * @nr_vmids: VMIDs for KFD, so processes mapped at a time
 * @cwsr_bytes_per_us: save and restore bandwidth of the whole node
 * @unmap_ns: fixed firmware cost of one UNMAP_QUEUES
 * @map_ns: fixed firmware cost of one RUN_LIST
 * @map_queue_ns: added cost for each queue mapped
 * @packet_ns: cost of one AQL packet, read to first wave
 * @hqd_ns: fixed cost of loading or saving one queue slot without HWS
 * @quantum_unit_ns: unit of MAP_PROCESS.process_quantum
 * @l2_bytes: second-level caches of the node
 * @spread_ppm: which share of a firmware cost, and of the time of a save or restore,
 *	varies, of 10^6: see vary.h. Only if the GPU has a seed
 * @cold_ns: what the caches of a queue cost that comes back to the GPU: its first packet, or
 *	its restored waves, take so much longer
 * @barrier_ns: added to a packet that waits for those before it
 * @retry_ns: sleep of the firmware before it asks a queue to leave once more
 * @retry_ppm: how often an unmap has one, of 10^6
 * @issue_ppm: what a CU that is full, where it would be empty, adds to the time of a workgroup,
 *	of 10^6: see contention.h. Only if the GPU has contention
 * @memory_ppm: what a GPU adds that is full of others
 * @clock_khz: shader clock; grace periods count 1024 of its ticks
 * @grace_default: CP_IQ_WAIT_TIME2.SCH_WAVE at power-on
 * @inst_clocks: of machine code: what an instruction of a wave takes
 * @memory_clocks: and one that reaches memory or LDS, on top of that
 */
struct gpu_profile {
	const char *name;
	u32 gfx_version;
	u32 nr_xcc;
	u32 se_per_xcc;
	u32 cu_per_xcc;
	u32 simd_per_cu;
	u32 waves_per_simd;
	u32 vgpr_bytes_per_cu;
	u32 sgpr_bytes_per_cu;
	u32 lds_bytes_per_cu;
	u32 hwreg_bytes_per_cu;
	u32 nr_slots;
	u32 nr_vmids;
	u64 cwsr_bytes_per_us;
	u64 unmap_ns;
	u64 map_ns;
	u64 map_queue_ns;
	u64 packet_ns;
	u64 hqd_ns;
	u64 quantum_unit_ns;
	u32 l2_bytes;
	u32 spread_ppm;
	u64 cold_ns;
	u64 barrier_ns;
	u64 retry_ns;
	u32 retry_ppm;
	u32 issue_ppm;
	u32 memory_ppm;
	u32 clock_khz;
	u32 grace_default;
	u32 inst_clocks;
	u32 memory_clocks;
};

/**
 * gpu_profile_find() - look up a profile: "tiny", "mi210", "mi300x", "mi308x"
 * @name: name
 *
 * Return: the profile or NULL.
 */
const struct gpu_profile *gpu_profile_find(const char *name);

/**
 * gpu_profile_at() - walk the profiles
 * @index: 0, 1, …
 *
 * Return: the profile or NULL past the end.
 */
const struct gpu_profile *gpu_profile_at(u32 index);

/* CUs of a shader engine: where they do not come out even, the first have one more. */
static inline u32 gpu_profile_se_cus(const struct gpu_profile *p, u32 se)
{
	return p->cu_per_xcc / p->se_per_xcc + (se < p->cu_per_xcc % p->se_per_xcc);
}

/* The shader engine of a CU of an XCC. */
u32 gpu_profile_se_of(const struct gpu_profile *p, u32 cu);

/* Sizes of the save area, by the formulas of kfd_queue.c. All per XCC. */
u32 gpu_profile_ctl_stack_bytes(const struct gpu_profile *p);
u32 gpu_profile_cwsr_bytes(const struct gpu_profile *p);
u32 gpu_profile_debug_bytes(const struct gpu_profile *p);

/**
 * gpu_profile_save_ns() - time to move a context one way
 * @p: profile
 * @bytes: bytes of the XCC that has most
 *
 * All XCCs move at once and share the bandwidth evenly.
 *
 * Return: nanoseconds, without the fixed cost.
 */
u64 gpu_profile_save_ns(const struct gpu_profile *p, u64 bytes);

/**
 * gpu_profile_floor_ns() - the model's bound for a preemption
 * @p: profile
 * @bytes: context of the victim on the XCC that has most
 *
 * From the unmap packet to the first wave of another queue: the grace period as
 * at power-on, fixed cost of unmap and map, the save, one AQL packet, cold caches, with
 * costs that vary at their mean. In this model
 * no software can be quicker that preempts the whole node by way of the firmware
 * and leaves the grace period alone. One slot by hand (@hqd_ns) can be.
 *
 * Return: nanoseconds.
 */
u64 gpu_profile_floor_ns(const struct gpu_profile *p, u64 bytes);

#endif
