/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queue slots: how a queue comes into one and leaves it. Used by the firmware and
 * by the calls that load slots by hand; which queue waits how long is their business.
 */
#ifndef GP_GPU_SLOT_H
#define GP_GPU_SLOT_H

#include "gpu/gpu_types.h"

/* Own a free slot for a queue. */
void gpu_slot_claim(struct gpu *gpu, struct gpu_slot *slot, const struct gpu_map_entry *entry,
		    u32 vmid);

/**
 * gpu_slot_load() - read the MQD of a claimed slot
 * @gpu: GPU
 * @slot: slot
 * @wptr_addr: used if the MQD has none
 *
 * Return: 0, -EFAULT, -EINVAL.
 */
int gpu_slot_load(struct gpu *gpu, struct gpu_slot *slot, u64 wptr_addr);

/* The MQD says that waves were saved. */
bool gpu_slot_has_saved_waves(const struct gpu *gpu, const struct gpu_slot *slot);

/* The MQD says that something was saved: waves or dispatches without any. */
bool gpu_slot_has_saved(const struct gpu *gpu, const struct gpu_slot *slot);

/* Bytes of it over all XCCs. */
u64 gpu_slot_saved_total(const struct gpu *gpu, const struct gpu_slot *slot);

/* How long reading it back takes, if it is not left to the trap handler. */
u64 gpu_slot_restore_ns(struct gpu *gpu, const struct gpu_slot *slot);

/* Restore what was saved and let the queue run, unless its MQD says GPU_MQD_ERROR. */
void gpu_slot_activate(struct gpu *gpu, struct gpu_slot *slot);

/**
 * gpu_slot_leave() - the queue is to leave
 * @gpu: GPU
 * @slot: slot, active
 * @how: GPU_DEQUEUE_SAVE becomes GPU_DEQUEUE_DRAIN for a queue without CWSR, or with
 *	machine code in flight and no trap handler
 *
 * No packets and no workgroups from now on; waves still run.
 */
void gpu_slot_leave(struct gpu *gpu, struct gpu_slot *slot, enum gpu_dequeue how);

/* A queue that leaves has nothing left on CUs that must end by itself. */
bool gpu_slot_is_drained(const struct gpu_slot *slot);

/*
 * Waves stop, or go into their trap handler until nr_saving is 0; traces the begin of
 * the save.
 */
void gpu_slot_stop(struct gpu *gpu, struct gpu_slot *slot);

/*
 * Save or kill, write the MQD, free the slot. A queue that has failed leaves an
 * empty context and a mark; one that has not been active leaves what it found.
 */
void gpu_slot_free(struct gpu *gpu, struct gpu_slot *slot);

/* Forget everything, write nothing. */
void gpu_slot_forget(struct gpu *gpu, struct gpu_slot *slot);

/* The mapped slot of a doorbell, or NULL. */
struct gpu_slot *gpu_slot_find(struct gpu *gpu, u32 doorbell);

#endif
