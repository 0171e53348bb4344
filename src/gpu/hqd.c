// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/hqd.h"

#include "gpu/cwsr.h"
#include "gpu/fault.h"
#include "gpu/firmware.h"
#include "gpu/gpu_loop.h"
#include "gpu/gpu_slot.h"

static u32 read_doorbell(struct gp_gpu *gpu, u64 mqd)
{
	u32 control = 0;

	if (gp_host_read(gpu, GP_PASID_GART, mqd + GP_MQD_DOORBELL_CONTROL, &control,
			 sizeof(control)))
		return 0;
	return control >> 2 & 0x3ffffff;
}

static void set_busy(struct gp_gpu *gpu, struct gp_slot *slot, u64 bytes_ns)
{
	u64 ns = gp_firmware_ns(gpu, gpu->profile->hqd_ns) + bytes_ns;

	slot->is_hand_busy = true;
	gp_gpu_heap_add(&gpu->heap, &slot->hqd_event, gpu->now_ns + ns);
}

int gp_gpu_hqd_load(struct gp_gpu *gpu, u32 index, u32 pasid, u32 vmid, u64 mqd, u64 now_ns)
{
	struct gp_map_entry entry = { .pasid = pasid, .mqd = mqd };
	struct gp_slot *slot;
	int err;

	if (index >= gpu->nr_slots)
		return -EINVAL;
	gp_gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state != GP_SLOT_FREE)
		return -EBUSY;
	entry.doorbell = read_doorbell(gpu, mqd);
	if (gp_slot_find(gpu, entry.doorbell))
		return -EBUSY;
	gp_slot_claim(gpu, slot, &entry, vmid);
	err = gp_slot_load(gpu, slot, 0);
	if (err) {
		gp_slot_forget(gpu, slot);
		return err;
	}
	slot->is_by_hand = true;
	set_busy(gpu, slot, gp_slot_restore_ns(gpu, slot));
	if (gp_slot_has_saved_waves(gpu, slot))
		gp_gpu_trace(gpu, GP_GPU_TRACE_RESTORE_BEGIN, slot,
			     gp_slot_saved_total(gpu, slot), 0);
	return 0;
}

static void begin_dequeue(struct gp_gpu *gpu, struct gp_slot *slot)
{
	u64 largest = 0;

	if (slot->how == GP_DEQUEUE_DRAIN && !gp_slot_is_drained(slot))
		return;
	if (slot->how == GP_DEQUEUE_SAVE)
		gp_gpu_context_bytes(gpu, slot->doorbell, &largest);
	gp_slot_stop(gpu, slot);
	set_busy(gpu, slot, gp_profile_save_ns(gpu->profile, largest));
}

/* A reset comes through whatever way the queue was mapped, and while it drains. */
static bool can_dequeue(const struct gp_slot *slot, enum gp_dequeue how)
{
	if (how != GP_DEQUEUE_RESET)
		return slot->is_by_hand && !slot->is_hand_busy;
	if (slot->state == GP_SLOT_FROZEN)
		return !slot->is_by_hand;
	return slot->state != GP_SLOT_LOADING;
}

int gp_gpu_hqd_dequeue(struct gp_gpu *gpu, u32 index, enum gp_dequeue how, u64 now_ns)
{
	struct gp_slot *slot;

	if (index >= gpu->nr_slots || how < GP_DEQUEUE_DRAIN || how > GP_DEQUEUE_SAVE)
		return -EINVAL;
	gp_gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state == GP_SLOT_FREE)
		return -ENOENT;
	if (!can_dequeue(slot, how))
		return -EBUSY;
	/* A queue that refuses takes no notice; it stays active and is not busy. */
	if (gp_fault_refuses(gpu, slot, how == GP_DEQUEUE_RESET))
		return 0;
	gp_firmware_lose(gpu, slot);
	slot->is_by_hand = true;
	gp_slot_leave(gpu, slot, how);
	slot->is_hand_busy = true;
	begin_dequeue(gpu, slot);
	gp_gpu_settle(gpu);
	return 0;
}

void gp_hqd_settle(struct gp_gpu *gpu)
{
	u32 left;

	for (left = gpu->mapped; left; left &= left - 1) {
		struct gp_slot *slot = &gpu->slot[gp_next_bit(left, 0)];

		if (slot->is_by_hand && slot->state == GP_SLOT_QUIET)
			begin_dequeue(gpu, slot);
	}
}

void gp_hqd_event(struct gp_gpu *gpu, struct gp_slot *slot)
{
	slot->is_hand_busy = false;
	if (slot->state == GP_SLOT_LOADING)
		gp_slot_activate(gpu, slot);
	else
		gp_slot_free(gpu, slot);
}

bool gp_gpu_hqd_is_active(const struct gp_gpu *gpu, u32 index)
{
	return index < gpu->nr_slots && gpu->slot[index].state != GP_SLOT_FREE;
}

bool gp_gpu_hqd_is_busy(const struct gp_gpu *gpu, u32 index)
{
	return index < gpu->nr_slots && gpu->slot[index].is_hand_busy;
}
