/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: What waves cost each other
 *
 * Of a kernel by itself the duration is given; it says how long a workgroup takes with all the
 * others of its kernel on the GPU, dealt evenly to all CUs. Two things make it longer:
 *
 * 1. Issue slots: its CUs are fuller than that, because others are there or because a CU
 *    mask leaves it fewer CUs. A CU that is full where it would be empty costs
 *    profile.issue_ppm.
 * 2. L2 and HBM: so much of the GPU is taken by others. A GPU full of others would cost
 *    profile.memory_ppm.
 *
 * Both add up, and both are linear, which silicon need not be. A kernel by itself runs at
 * its own pace whatever the factors. Machine code has a clock of its own and no contention.
 *
 * How full a CU is: the largest share of its wave slots, registers and LDS that a workgroup
 * takes, added up.
 */
#ifndef GP_GPU_CONTENTION_H
#define GP_GPU_CONTENTION_H

#include "gpu/gpu_types.h"

/**
 * gpu_contention_update() - waves have come or gone: set the pace of each dispatch
 * @gpu: GPU with contention
 *
 * Costs what looking at each CU of each cohort costs.
 */
void gpu_contention_update(struct gpu *gpu);

/* What a workgroup takes of a CU, in millionths. */
u32 gpu_contention_cu_ppm(const struct gpu_profile *p, const struct gpu_dispatch *d);

/* Time that work takes at the pace of a dispatch, rounded up. */
static inline u64 gpu_paced_ns(const struct gpu_dispatch *d, u64 work_ns)
{
	return work_ns / GPU_PPM_ONE * d->pace_ppm +
	       (work_ns % GPU_PPM_ONE * d->pace_ppm + GPU_PPM_ONE - 1) / GPU_PPM_ONE;
}

/* Work that is done in a time; never more than gpu_paced_ns() would take so long for. */
static inline u64 gpu_worked_ns(const struct gpu_dispatch *d, u64 ns)
{
	return ns / d->pace_ppm * GPU_PPM_ONE + ns % d->pace_ppm * GPU_PPM_ONE / d->pace_ppm;
}

#endif
