/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The scheduler firmware: one thing at a time, each takes time. What it is asked
 * comes from the HIQ (hiq.c) or from the end of a process quantum (runlist.c).
 */
#ifndef GP_GPU_FIRMWARE_H
#define GP_GPU_FIRMWARE_H

#include "gpu/gpu_types.h"

/* As after power-on. */
void gpu_firmware_init(struct gpu *gpu);

/* Its timer. */
void gpu_firmware_event(struct gpu *gpu);

/* Waves have ended, the HIQ was written, or a fault was cleared: look again. */
void gpu_firmware_kick(struct gpu *gpu);

/* A short packet: nothing but time. */
void gpu_firmware_delay(struct gpu *gpu, u64 ns);

/**
 * gpu_firmware_unmap() - take queues out of their slots
 * @gpu: GPU
 * @slots: which
 * @how: GPU_DEQUEUE_SAVE or GPU_DEQUEUE_RESET
 */
void gpu_firmware_unmap(struct gpu *gpu, u32 slots, enum gpu_dequeue how);

/**
 * gpu_firmware_claim() - find slot and VMID for a queue and note it for loading
 * @gpu: GPU
 * @entry: queue
 *
 * Return: 0, -ENOSPC no slot or no VMID is free, -EEXIST it is mapped.
 */
int gpu_firmware_claim(struct gpu *gpu, const struct gpu_map_entry *entry);

/* A slot the firmware may be busy with is taken from it: it must not wait for it. */
void gpu_firmware_lose(struct gpu *gpu, struct gpu_slot *slot);

/* Load what was claimed. */
void gpu_firmware_map(struct gpu *gpu);

/* Slots that the firmware has loaded. */
u32 gpu_firmware_slots(const struct gpu *gpu);

#endif
