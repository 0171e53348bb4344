// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sources of the figures:
 *
 * - CUs, XCCs, shader engines: AMD's data sheets; for MI308X the KFD topology
 *   of a real machine (4 XCCs, 16 arrays, 320 SIMDs, num_cp_queues 120).
 * - 4 SIMDs x 8 waves and 512 KiB of VGPRs in a CU: CDNA2 and CDNA3 ISA manuals.
 *   SGPR, LDS and HWREG bytes: kfd_queue.c, WG_CONTEXT_DATA_SIZE_PER_CU.
 * - Slots of an XCC: MEC1 has 4 pipes x 8 queues. MI210, MI300X: 24, as amdgpu
 *   keeps 8 for kernel rings (amdgpu_gfx_compute_queue_acquire()). MI308X: 30,
 *   which is the 120 num_cp_queues of that machine over its 4 XCCs: its driver
 *   kept 2. How many a driver keeps is a choice of its version.
 *   13 VMIDs: 3..15 on parts without graphics (gmc_v9_0.c, first_kfd_vmid).
 * - Bandwidth: 80 % of the HBM peak (1.6384 TB/s on MI210, 5.3 TB/s on MI300X
 *   and MI308X).
 * - Firmware costs: none are published. They are assumptions, the same for
 *   all parts, chosen so that a full MI300X needs about 75 us, inside the 50 to
 *   150 us one budgets for hardware and firmware.
 * - L2: 8 MB on an MI210, 4 MB in each XCC of the others (data sheets).
 * - Spread: no part of AMD's has a published tail. XSched's level 3 on a GV100, the
 *   only mid-kernel preemption with one, has 26 us on average and 34 to 41 at p99:
 *   1.3 to 1.6 times, which is what a share of 12 % that varies gives.
 * - Cold caches, barriers and retries are 0 here: a caller that wants them makes a
 *   profile of its own.
 * - Contention: no part of AMD's has published figures. Beside others on 10, 20, 80 and 90 %
 *   of a GPU by another vendor DenseNet-121 takes 1.07, 1.14, 1.51 and 1.48 times as
 *   long, which is 0.5 to 0.7 of their share (forums.developer.nvidia.com, 326201: MPS,
 *   no CU belongs to one side only): memory_ppm. issue_ppm is an assumption.
 * - Machine code: 64 lanes on a SIMD of 16 take 4 clocks; what an access to memory
 *   adds, when other waves hide most of it, is an assumption.
 * - Grace at power-on: 1, which amdkfd itself sets on MI300A; the reset value of
 *   the other parts is not public.
 */
#include "gpu/profile.h"

#define FIRMWARE_COSTS                                                             \
	.unmap_ns = 20000, .map_ns = 8000, .map_queue_ns = 500, .packet_ns = 2000, \
	.hqd_ns = 10000, .quantum_unit_ns = 1000000, .spread_ppm = 120000

#define GFX9_CU                                                                \
	.simd_per_cu = 4, .waves_per_simd = 8, .vgpr_bytes_per_cu = 512 << 10, \
	.sgpr_bytes_per_cu = 16 << 10, .lds_bytes_per_cu = 64 << 10,           \
	.hwreg_bytes_per_cu = 4 << 10, .inst_clocks = 4, .memory_clocks = 60, \
	.issue_ppm = 250000, .memory_ppm = 600000

static const struct gpu_profile profiles[] = {
	{
		/* Not a product: gfx90a, small and with quick firmware. */
		.name = "tiny",
		.gfx_version = 90010,
		.nr_xcc = 1,
		.se_per_xcc = 2,
		.cu_per_xcc = 8,
		GFX9_CU,
		.nr_slots = 8,
		.nr_vmids = 8,
		.cwsr_bytes_per_us = 65536,
		.unmap_ns = 2000,
		.map_ns = 1000,
		.map_queue_ns = 100,
		.packet_ns = 200,
		.hqd_ns = 1000,
		.quantum_unit_ns = 1000000,
		.clock_khz = 1024000,
		.grace_default = 1,
	},
	{
		.name = "mi210",
		.gfx_version = 90010,
		.nr_xcc = 1,
		.se_per_xcc = 8,
		.cu_per_xcc = 104,
		GFX9_CU,
		.nr_slots = 24,
		.nr_vmids = 13,
		.cwsr_bytes_per_us = 1310720,
		FIRMWARE_COSTS,
		.l2_bytes = 8 << 20,
		.clock_khz = 1700000,
		.grace_default = 1,
	},
	{
		.name = "mi300x",
		.gfx_version = 90402,
		.nr_xcc = 8,
		.se_per_xcc = 4,
		.cu_per_xcc = 38,
		GFX9_CU,
		.nr_slots = 24,
		.nr_vmids = 13,
		.cwsr_bytes_per_us = 4240000,
		FIRMWARE_COSTS,
		.l2_bytes = 32 << 20,
		.clock_khz = 2100000,
		.grace_default = 1,
	},
	{
		.name = "mi308x",
		.gfx_version = 90402,
		.nr_xcc = 4,
		.se_per_xcc = 4,
		.cu_per_xcc = 20,
		GFX9_CU,
		.nr_slots = 30,
		.nr_vmids = 13,
		.cwsr_bytes_per_us = 4240000,
		FIRMWARE_COSTS,
		.l2_bytes = 16 << 20,
		.clock_khz = 2100000,
		.grace_default = 1,
	},
};

/* kfd_queue.c: SIZEOF_HSA_USER_CONTEXT_SAVE_AREA_HEADER and friends. */
#define SAVE_AREA_HEADER_BYTES 40
#define CTL_STACK_BYTES_PER_WAVE 8
#define DEBUG_BYTES_PER_WAVE 32
#define FORMULA_WAVES_PER_CU 40
#define FORMULA_WAVES_PER_SE 512
#define PAGE_BYTES 4096

static u32 align_up(u32 value, u32 to)
{
	return (value + to - 1) / to * to;
}

/* KFD counts the shader engines of the whole node here, and so do we. */
static u32 formula_waves(const struct gpu_profile *p)
{
	return min(p->cu_per_xcc * FORMULA_WAVES_PER_CU,
		   p->nr_xcc * p->se_per_xcc * FORMULA_WAVES_PER_SE);
}

const struct gpu_profile *gpu_profile_at(u32 index)
{
	return index < ARRAY_SIZE(profiles) ? &profiles[index] : NULL;
}

const struct gpu_profile *gpu_profile_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

u32 gpu_profile_se_of(const struct gpu_profile *p, u32 cu)
{
	u32 se;

	for (se = 0; se + 1 < p->se_per_xcc && cu >= gpu_profile_se_cus(p, se); se++)
		cu -= gpu_profile_se_cus(p, se);
	return se;
}

u32 gpu_profile_ctl_stack_bytes(const struct gpu_profile *p)
{
	u32 bytes = formula_waves(p) * CTL_STACK_BYTES_PER_WAVE + 8;

	return align_up(SAVE_AREA_HEADER_BYTES + bytes, PAGE_BYTES);
}

u32 gpu_profile_cwsr_bytes(const struct gpu_profile *p)
{
	u32 per_cu = p->vgpr_bytes_per_cu + p->sgpr_bytes_per_cu + p->lds_bytes_per_cu +
		     p->hwreg_bytes_per_cu;

	return gpu_profile_ctl_stack_bytes(p) + align_up(p->cu_per_xcc * per_cu, PAGE_BYTES);
}

u32 gpu_profile_debug_bytes(const struct gpu_profile *p)
{
	return align_up(formula_waves(p) * DEBUG_BYTES_PER_WAVE, 64);
}

u64 gpu_profile_save_ns(const struct gpu_profile *p, u64 bytes)
{
	return bytes * p->nr_xcc * 1000 / p->cwsr_bytes_per_us;
}

u64 gpu_profile_floor_ns(const struct gpu_profile *p, u64 bytes)
{
	u64 grace_ns = p->grace_default * 1024ull * 1000000 / p->clock_khz;

	return grace_ns + p->unmap_ns + gpu_profile_save_ns(p, bytes) + p->map_ns +
	       p->map_queue_ns + p->packet_ns + p->cold_ns;
}
