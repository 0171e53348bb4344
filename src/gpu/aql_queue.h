/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packet processor of a mapped queue. Reading a packet takes packet_ns, and
 * begins when nothing stands before it: neither a barrier bit nor a lack of
 * records for dispatches in flight. A packet is consumed (header INVALID, read
 * pointer moved) when its dispatch begins or its barrier has passed; but what is
 * reported of the read pointer does not pass machine code that has not ended.
 */
#ifndef GP_GPU_AQL_QUEUE_H
#define GP_GPU_AQL_QUEUE_H

#include "gpu/gpu_types.h"

#define GPU_BARRIER_POLL_NS 10000	/* the host may change signals too */

/* Look for the next packet. */
void gpu_aql_kick(struct gpu *gpu, struct gpu_slot *slot);

/* The packet has been read, or a waiting barrier must look again. */
void gpu_aql_event(struct gpu *gpu, struct gpu_slot *slot);

/* Move the write pointer forward to @wptr, never more than a ring ahead. */
void gpu_aql_set_wptr(struct gpu_slot *slot, u64 wptr);

/* Forget what was read but not consumed. */
void gpu_aql_stop(struct gpu *gpu, struct gpu_slot *slot);

/* Tell the owner how far packets may be overwritten. Return: 0, -EFAULT. */
int gpu_aql_report(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_aql_fill() - a dispatch from its packet
 * @gpu: GPU
 * @d: record, its number in the queue is set
 * @pkt: packet
 *
 * Return: 0, -EFAULT, -ENOSPC: not enough scratch memory, -ENOMEM, -EINVAL (the slot's
 * error_code says why).
 */
int gpu_aql_fill(struct gpu *gpu, struct gpu_dispatch *d, const struct gpu_aql_dispatch *pkt);

/* For packets of either format: what is known of the packet at the read pointer. */
void gpu_packet_set_state(struct gpu *gpu, struct gpu_slot *slot, enum gpu_packet_state state);

/* For packets of either format: there is none. */
void gpu_packet_note_idle(struct gpu *gpu, struct gpu_slot *slot);

#endif
