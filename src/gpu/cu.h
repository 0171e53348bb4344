/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Room on compute units: wave slots, vector registers, LDS. A CU counts what is
 * free; a cohort remembers how many of its workgroups sit on which CU.
 */
#ifndef GP_GPU_CU_H
#define GP_GPU_CU_H

#include "gpu/gpu_types.h"

/* All CUs empty. */
void gpu_cu_init(struct gpu *gpu);

/**
 * gpu_cu_vgpr_charge() - what a wave takes of a CU's register file
 * @p: profile
 * @vgprs: registers of a lane, allocated
 *
 * Registers belong to a SIMD. What is left over on a SIMD when it is full of such
 * waves is charged to them, so counting per CU gives the SIMDs' answer.
 *
 * Return: bytes, 0 if a SIMD cannot hold such a wave.
 */
u32 gpu_cu_vgpr_charge(const struct gpu_profile *p, u32 vgprs);

/* An empty CU could take a workgroup of that dispatch. */
bool gpu_cu_could_take(const struct gpu_profile *p, const struct gpu_dispatch *d);

/**
 * gpu_cu_place() - put workgroups on CUs, one CU after the other
 * @gpu: GPU
 * @cohort: theirs; its dispatch and XCC are set
 * @nr: how many at most
 * @is_one_round: at most one on each CU
 *
 * Return: how many found room.
 */
u32 gpu_cu_place(struct gpu *gpu, struct gpu_cohort *cohort, u32 nr, bool is_one_round);

/* Give back all room of a cohort. */
void gpu_cu_release(struct gpu *gpu, struct gpu_cohort *cohort);

/* Bring stats.busy_cu_ns up to now. */
void gpu_cu_account(struct gpu *gpu);

#endif
