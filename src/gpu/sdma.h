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
void gp_sdma_init(struct gp_gpu *gpu);

/* The MAP_QUEUES packet is for a copy engine. */
bool gp_sdma_is_packet(const u32 *pkt);

/**
 * gp_sdma_map() - map a queue; nothing happens if it is mapped or makes no sense
 * @gpu: GPU
 * @pkt: MAP_QUEUES
 * @pasid: its process
 */
void gp_sdma_map(struct gp_gpu *gpu, const u32 *pkt, u32 pasid);

/* Take a queue out and leave its read pointer in the MQD. */
void gp_sdma_unmap(struct gp_gpu *gpu, struct gp_sdma_queue *q);

/**
 * gp_sdma_doorbell() - a doorbell was rung
 * @gpu: GPU
 * @index: doorbell
 * @wptr: write pointer in bytes
 *
 * Return: it was a copy queue's.
 */
bool gp_sdma_doorbell(struct gp_gpu *gpu, u32 index, u64 wptr);

/* The packet at the read pointer has had its time. */
void gp_sdma_event(struct gp_gpu *gpu, struct gp_sdma_queue *q);

#endif
