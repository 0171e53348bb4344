/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Faults on command (gp_gpu_inject() is in gpu.h).
 */
#ifndef GP_GPU_FAULT_H
#define GP_GPU_FAULT_H

#include "gpu/gpu_types.h"

/* No fault is left over from before. */
void gp_fault_init(struct gp_gpu *gpu);

/* A whole-GPU reset ends what a reset ends: refusals and a hung firmware. */
void gp_fault_reset(struct gp_gpu *gpu);

/**
 * gp_fault_refuses() - a queue will not leave its slot
 * @gpu: GPU
 * @slot: queue
 * @is_reset: it is to be reset, which ends its refusal
 *
 * Return: it refuses; traced.
 */
bool gp_fault_refuses(struct gp_gpu *gpu, const struct gp_slot *slot, bool is_reset);

/* The fence about to be written gets lost. */
bool gp_fault_loses_fence(struct gp_gpu *gpu);

#endif
