/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A look into the queue slots of a GPU, and the driver's last resort for one:
 * what registers give that no packet gives.
 */
#ifndef GP_GPU_INSPECT_H
#define GP_GPU_INSPECT_H

#include "gpu/gpu.h"

/**
 * struct gpu_slot_content - a queue in its slot
 * @pasid: its process
 * @vmid: its VMID
 * @doorbell: dword index of its doorbell in the BAR
 * @ring: address of its ring, in its process
 * @mqd: GART address of its MQD
 */
struct gpu_slot_content {
	u32 pasid;
	u32 vmid;
	u32 doorbell;
	u64 ring;
	u64 mqd;
};

/**
 * gpu_slot_info() - what is in a slot
 * @gpu: GPU
 * @slot: slot index
 * @info: output
 *
 * Return: false if the slot is empty or does not exist.
 */
bool gpu_slot_info(const struct gpu *gpu, u32 slot, struct gpu_slot_content *info);

/**
 * gpu_dispatches() - kernel dispatches of a mapped queue that have not ended
 * @gpu: GPU
 * @doorbell: queue
 *
 * Consumed, whether they have waves on a CU yet or wait for room.
 *
 * Return: how many; 0 if the queue is not mapped.
 */
u32 gpu_dispatches(const struct gpu *gpu, u32 doorbell);

/**
 * gpu_slot_reset() - kill the waves of a slot and empty it, however it was mapped
 * @gpu: GPU
 * @slot: slot index
 * @now_ns: time
 *
 * The register SPI_COMPUTE_QUEUE_RESET: works on a queue that refuses preemption.
 *
 * Return: 0, -ENOENT slot empty.
 */
int gpu_slot_reset(struct gpu *gpu, u32 slot, u64 now_ns);

#endif
