// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/hqd.h"

#include "gpu/cwsr.h"
#include "gpu/fault.h"
#include "gpu/firmware.h"
#include "gpu/gpu_loop.h"
#include "gpu/gpu_slot.h"

static u32 read_doorbell(struct gpu *gpu, u64 mqd)
{
	u32 control = 0;

	if (gpu_host_read(gpu, GPU_PASID_GART, mqd + GPU_MQD_DOORBELL_CONTROL, &control,
			  sizeof(control)))
		return 0;
	return control >> 2 & 0x3ffffff;
}

static void set_busy(struct gpu *gpu, struct gpu_slot *slot, u64 bytes_ns)
{
	u64 ns = gpu_firmware_ns(gpu, gpu->profile->hqd_ns) + bytes_ns;

	slot->is_hand_busy = true;
	gpu_heap_add(&gpu->heap, &slot->hqd_event, gpu->now_ns + ns);
}

int gpu_hqd_load(struct gpu *gpu, u32 index, u32 pasid, u32 vmid, u64 mqd, u64 now_ns)
{
	struct gpu_map_entry entry = { .pasid = pasid, .mqd = mqd };
	struct gpu_slot *slot;
	int err;

	if (index >= gpu->nr_slots)
		return -EINVAL;
	gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state != GPU_SLOT_FREE)
		return -EBUSY;
	entry.doorbell = read_doorbell(gpu, mqd);
	if (gpu_slot_find(gpu, entry.doorbell))
		return -EBUSY;
	gpu_slot_claim(gpu, slot, &entry, vmid);
	err = gpu_slot_load(gpu, slot, 0);
	if (err) {
		gpu_slot_forget(gpu, slot);
		return err;
	}
	slot->is_by_hand = true;
	set_busy(gpu, slot, gpu_slot_restore_ns(gpu, slot));
	if (gpu_slot_has_saved_waves(gpu, slot))
		gpu_trace(gpu, GPU_TRACE_RESTORE_BEGIN, slot,
			  gpu_slot_saved_total(gpu, slot), 0);
	return 0;
}

/*
 * A queue that has waited in its slot for this one's room finds cold caches: the room comes so
 * much later.
 */
static u64 cold_ns(const struct gpu *gpu, const struct gpu_slot *slot)
{
	return slot->how != GPU_DEQUEUE_DRAIN && slot->nr_waves ? gpu->profile->cold_ns : 0;
}

static void begin_dequeue(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 largest = 0, save_ns;

	if (slot->how == GPU_DEQUEUE_DRAIN && !gpu_slot_is_drained(slot))
		return;
	if (slot->how == GPU_DEQUEUE_SAVE)
		gpu_context_bytes(gpu, slot->doorbell, &largest);
	gpu_slot_stop(gpu, slot);
	save_ns = gpu_cost_ns(gpu, gpu_profile_save_ns(gpu->profile, largest));
	set_busy(gpu, slot, save_ns + gpu_retry_ns(gpu, largest) + cold_ns(gpu, slot));
}

/* A reset comes through whatever way the queue was mapped, and while it drains. */
static bool can_dequeue(const struct gpu_slot *slot, enum gpu_dequeue how)
{
	if (how != GPU_DEQUEUE_RESET)
		return slot->is_by_hand && !slot->is_hand_busy;
	if (slot->state == GPU_SLOT_FROZEN)
		return !slot->is_by_hand || slot->nr_saving;
	return slot->state != GPU_SLOT_LOADING;
}

int gpu_hqd_dequeue(struct gpu *gpu, u32 index, enum gpu_dequeue how, u64 now_ns)
{
	struct gpu_slot *slot;

	if (index >= gpu->nr_slots || how < GPU_DEQUEUE_DRAIN || how > GPU_DEQUEUE_SAVE)
		return -EINVAL;
	gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state == GPU_SLOT_FREE)
		return -ENOENT;
	if (!can_dequeue(slot, how))
		return -EBUSY;
	/* A queue that refuses takes no notice; it stays active and is not busy. */
	if (gpu_fault_refuses(gpu, slot, how == GPU_DEQUEUE_RESET))
		return 0;
	gpu_firmware_lose(gpu, slot);
	slot->is_by_hand = true;
	gpu_slot_leave(gpu, slot, how);
	slot->is_hand_busy = true;
	begin_dequeue(gpu, slot);
	gpu_settle(gpu);
	return 0;
}

void gpu_hqd_settle(struct gpu *gpu)
{
	u32 left;

	for (left = gpu->mapped; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (slot->is_by_hand && slot->state == GPU_SLOT_QUIET)
			begin_dequeue(gpu, slot);
		else if (slot->is_hand_busy && slot->state == GPU_SLOT_FROZEN &&
			 !gpu_event_is_scheduled(&slot->hqd_event))
			gpu_hqd_event(gpu, slot);
	}
}

void gpu_hqd_event(struct gpu *gpu, struct gpu_slot *slot)
{
	/* Its handler is not through: it looks again when that kicks the firmware. */
	if (slot->state == GPU_SLOT_FROZEN && slot->nr_saving)
		return;
	slot->is_hand_busy = false;
	if (slot->state == GPU_SLOT_LOADING)
		gpu_slot_activate(gpu, slot);
	else
		gpu_slot_free(gpu, slot);
}

bool gpu_hqd_is_active(const struct gpu *gpu, u32 index)
{
	return index < gpu->nr_slots && gpu->slot[index].state != GPU_SLOT_FREE;
}

bool gpu_hqd_is_busy(const struct gpu *gpu, u32 index)
{
	return index < gpu->nr_slots && gpu->slot[index].is_hand_busy;
}
