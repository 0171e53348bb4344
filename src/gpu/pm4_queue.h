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
void gpu_pm4_kick(struct gpu *gpu, struct gpu_slot *slot);

/* The packet has been read, or a waiting one must look again. */
void gpu_pm4_event(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_pm4_parse() - registers from an MQD
 * @slot: gets them
 * @mqd: its words up to GPU_MQD_IB_RPTR at least
 */
void gpu_pm4_parse(struct gpu_slot *slot, const u32 *mqd);

/**
 * gpu_pm4_save() - registers into an MQD
 * @gpu: GPU
 * @slot: has them
 * @mqd: GART address
 *
 * Return: 0, -EFAULT.
 */
int gpu_pm4_save(struct gpu *gpu, const struct gpu_slot *slot, u64 mqd);

/**
 * gpu_pm4_run_buffer() - packets of an indirect buffer that an AQL packet names
 * @gpu: GPU
 * @slot: AQL queue; its packet is overwritten
 * @pkt: the INDIRECT_BUFFER packet
 *
 * All at once, from the first on: a packet that must wait is met again, with those
 * before it.
 *
 * Return: 1 = done, 0 = a packet in it must wait, -EINVAL, -EFAULT.
 */
int gpu_pm4_run_buffer(struct gpu *gpu, struct gpu_slot *slot, const u32 *pkt);

#endif
