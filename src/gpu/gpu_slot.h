/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queue slots: how a queue comes into one and leaves it. Used by the firmware and
 * by the calls that load slots by hand; which queue waits how long is their business.
 */
#ifndef GP_GPU_SLOT_H
#define GP_GPU_SLOT_H

#include "gpu/gpu_types.h"

/* Own a free slot for a queue. */
void gp_slot_claim(struct gp_gpu *gpu, struct gp_slot *slot, const struct gp_map_entry *entry,
		   u32 vmid);

/**
 * gp_slot_load() - read the MQD of a claimed slot
 * @gpu: GPU
 * @slot: slot
 * @wptr_addr: used if the MQD has none
 *
 * Return: 0, -EFAULT, -EINVAL.
 */
int gp_slot_load(struct gp_gpu *gpu, struct gp_slot *slot, u64 wptr_addr);

/* The MQD says that waves were saved. */
bool gp_slot_has_saved_waves(const struct gp_gpu *gpu, const struct gp_slot *slot);

/* The MQD says that something was saved: waves or dispatches without any. */
bool gp_slot_has_saved(const struct gp_gpu *gpu, const struct gp_slot *slot);

/* Bytes of it over all XCCs. */
u64 gp_slot_saved_total(const struct gp_gpu *gpu, const struct gp_slot *slot);

/* How long reading it back takes. */
u64 gp_slot_restore_ns(const struct gp_gpu *gpu, const struct gp_slot *slot);

/* Restore what was saved and let the queue run, unless its MQD says GP_MQD_ERROR. */
void gp_slot_activate(struct gp_gpu *gpu, struct gp_slot *slot);

/**
 * gp_slot_leave() - the queue is to leave
 * @gpu: GPU
 * @slot: slot, active
 * @how: GP_DEQUEUE_SAVE becomes GP_DEQUEUE_DRAIN for a queue without CWSR
 *
 * No packets and no workgroups from now on; waves still run.
 */
void gp_slot_leave(struct gp_gpu *gpu, struct gp_slot *slot, enum gp_dequeue how);

/* A queue that leaves has nothing left on CUs that must end by itself. */
bool gp_slot_is_drained(const struct gp_slot *slot);

/* Waves stop; traces the begin of the save. */
void gp_slot_stop(struct gp_gpu *gpu, struct gp_slot *slot);

/*
 * Save or kill, write the MQD, free the slot. A queue that has failed leaves an
 * empty context and a mark; one that has not been active leaves what it found.
 */
void gp_slot_free(struct gp_gpu *gpu, struct gp_slot *slot);

/* Forget everything, write nothing. */
void gp_slot_forget(struct gp_gpu *gpu, struct gp_slot *slot);

/* The mapped slot of a doorbell, or NULL. */
struct gp_slot *gp_slot_find(struct gp_gpu *gpu, u32 doorbell);

#endif
