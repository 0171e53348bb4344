/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compute wave save and restore. A queue that leaves its slot becomes bytes: the
 * control stack behind each XCC's MQD, the wave state in each XCC's part of the
 * client's save area, and the words of the MQD that say how much of both. Coming
 * back it is made from these bytes alone, and they are not trusted.
 */
#ifndef GP_GPU_CWSR_H
#define GP_GPU_CWSR_H

#include "gpu/gpu_types.h"

/**
 * gpu_cwsr_bytes() - what saving one XCC of a queue writes, as the hardware would
 * @gpu: GPU
 * @slot: queue
 * @xcc: which XCC
 *
 * Return: bytes of wave state and control stack; 0 if nothing is in flight.
 */
u64 gpu_cwsr_bytes(const struct gpu *gpu, const struct gpu_slot *slot, u32 xcc);

/* Bytes that restoring one XCC of a queue reads, from what its MQD says. */
u64 gpu_cwsr_saved_bytes(const struct gpu_slot *slot, u32 xcc);

/* What is saved is machine code. */
bool gpu_cwsr_is_isa(struct gpu *gpu, const struct gpu_slot *slot);

/**
 * gpu_cwsr_save() - write a stopped queue out
 * @gpu: GPU
 * @slot: queue, frozen or without waves
 *
 * On an error the context is lost: the client gave no usable memory for it. A
 * queue that loses it, or that has failed before, is marked with GPU_MQD_ERROR;
 * one that leaves by GPU_DEQUEUE_RESET never is.
 *
 * Return: 0, -ENOSPC, -EFAULT.
 */
int gpu_cwsr_save(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_cwsr_restore() - read a queue back
 * @gpu: GPU
 * @slot: queue without dispatches, its MQD loaded
 *
 * On an error nothing of it is left but what was read so far: kill it.
 *
 * Return: 0, -EFAULT, -ENOMEM, -EINVAL the bytes make no sense.
 */
int gpu_cwsr_restore(struct gpu *gpu, struct gpu_slot *slot);

#endif
