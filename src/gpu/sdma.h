/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The copy engines: user queues whose packets move memory, write fences and raise
 * interrupts. A queue works off its packets one after the other, and all queues
 * work at once; they share nothing with the CUs and are not rotated. There is no
 * context to save: an unmap comes between two packets.
 *
 * Packets are those of SDMA 4 (vega10_sdma_pkt_open.h).
 */
#ifndef GP_GPU_SDMA_H
#define GP_GPU_SDMA_H

#include "gpu/gpu_types.h"

/* No queue is mapped. */
void gpu_sdma_init(struct gpu *gpu);

/* The MAP_QUEUES packet is for a copy engine. */
bool gpu_sdma_is_packet(const u32 *pkt);

/**
 * gpu_sdma_map() - map a queue; nothing happens if it is mapped or makes no sense
 * @gpu: GPU
 * @pkt: MAP_QUEUES
 * @pasid: its process
 */
void gpu_sdma_map(struct gpu *gpu, const u32 *pkt, u32 pasid);

/* Take a queue out and leave its read pointer in the MQD. */
void gpu_sdma_unmap(struct gpu *gpu, struct gpu_sdma_queue *q);

/**
 * gpu_sdma_doorbell() - a doorbell was rung
 * @gpu: GPU
 * @index: doorbell
 * @wptr: write pointer in bytes
 *
 * Return: it was a copy queue's.
 */
bool gpu_sdma_doorbell(struct gpu *gpu, u32 index, u64 wptr);

/* The packet at the read pointer has had its time. */
void gpu_sdma_event(struct gpu *gpu, struct gpu_sdma_queue *q);

#endif
