/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Faults on command (gpu_inject() is in gpu.h).
 */
#ifndef GP_GPU_FAULT_H
#define GP_GPU_FAULT_H

#include "gpu/gpu_types.h"

/* No fault is left over from before. */
void gpu_fault_init(struct gpu *gpu);

/* A whole-GPU reset ends what a reset ends: refusals and a hung firmware. */
void gpu_fault_reset(struct gpu *gpu);

/**
 * gpu_fault_refuses() - a queue will not leave its slot
 * @gpu: GPU
 * @slot: queue
 * @is_reset: it is to be reset, which ends its refusal
 *
 * Return: it refuses; traced.
 */
bool gpu_fault_refuses(struct gpu *gpu, const struct gpu_slot *slot, bool is_reset);

/* The fence about to be written gets lost. */
bool gpu_fault_loses_fence(struct gpu *gpu);

#endif
