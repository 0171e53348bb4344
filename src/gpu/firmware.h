/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The scheduler firmware: one thing at a time, each takes time. What it is asked
 * comes from the HIQ (hiq.c) or from the end of a process quantum (runlist.c).
 */
#ifndef GP_GPU_FIRMWARE_H
#define GP_GPU_FIRMWARE_H

#include "gpu/gpu_types.h"

/* As after power-on. */
void gp_firmware_init(struct gp_gpu *gpu);

/* Its timer. */
void gp_firmware_event(struct gp_gpu *gpu);

/* Waves have ended, the HIQ was written, or a fault was cleared: look again. */
void gp_firmware_kick(struct gp_gpu *gpu);

/* A short packet: nothing but time. */
void gp_firmware_delay(struct gp_gpu *gpu, u64 ns);

/**
 * gp_firmware_unmap() - take queues out of their slots
 * @gpu: GPU
 * @slots: which
 * @how: GP_DEQUEUE_SAVE or GP_DEQUEUE_RESET
 */
void gp_firmware_unmap(struct gp_gpu *gpu, u32 slots, enum gp_dequeue how);

/**
 * gp_firmware_claim() - find slot and VMID for a queue and note it for loading
 * @gpu: GPU
 * @entry: queue
 *
 * Return: 0, -ENOSPC no slot or no VMID is free, -EEXIST it is mapped.
 */
int gp_firmware_claim(struct gp_gpu *gpu, const struct gp_map_entry *entry);

/* A slot the firmware may be busy with is taken from it: it must not wait for it. */
void gp_firmware_lose(struct gp_gpu *gpu, struct gp_slot *slot);

/* Load what was claimed. */
void gp_firmware_map(struct gp_gpu *gpu);

/* Slots that the firmware has loaded. */
u32 gp_firmware_slots(const struct gp_gpu *gpu);

#endif
