/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packet processor of a mapped queue whose packets are PM4. Reading a packet
 * takes packet_ns; its effect and the move of the read pointer come together, so
 * a queue that leaves its slot is always between two packets.
 *
 * The read pointer stays at an INDIRECT_BUFFER packet until the buffer has been
 * worked off. How far it is, and the registers, are words of the MQD: a queue
 * keeps them without CWSR too.
 */
#ifndef GP_GPU_PM4_QUEUE_H
#define GP_GPU_PM4_QUEUE_H

#include "gpu/gpu_types.h"

/* Look for the next packet. */
void gp_pm4_kick(struct gp_gpu *gpu, struct gp_slot *slot);

/* The packet has been read, or a waiting one must look again. */
void gp_pm4_event(struct gp_gpu *gpu, struct gp_slot *slot);

/**
 * gp_pm4_parse() - registers from an MQD
 * @slot: gets them
 * @mqd: its words up to GP_MQD_IB_RPTR at least
 */
void gp_pm4_parse(struct gp_slot *slot, const u32 *mqd);

/**
 * gp_pm4_save() - registers into an MQD
 * @gpu: GPU
 * @slot: has them
 * @mqd: GART address
 *
 * Return: 0, -EFAULT.
 */
int gp_pm4_save(struct gp_gpu *gpu, const struct gp_slot *slot, u64 mqd);

#endif
