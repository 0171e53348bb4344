// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/inspect.h"

#include "gpu/fault.h"
#include "gpu/gpu_loop.h"
#include "gpu/gpu_slot.h"

bool gpu_slot_info(const struct gpu *gpu, u32 index, struct gpu_slot_content *info)
{
	const struct gpu_slot *slot;

	if (index >= gpu->nr_slots || gpu->slot[index].state == GPU_SLOT_FREE)
		return false;
	slot = &gpu->slot[index];
	info->pasid = slot->pasid;
	info->vmid = slot->vmid;
	info->doorbell = slot->doorbell;
	info->ring = slot->ring;
	info->mqd = slot->mqd;
	return true;
}

u32 gpu_dispatches(const struct gpu *gpu, u32 doorbell)
{
	int slot = gpu_slot_of(gpu, doorbell);

	return slot < 0 ? 0 : gpu->slot[slot].nr_dispatches;
}

int gpu_slot_reset(struct gpu *gpu, u32 index, u64 now_ns)
{
	struct gpu_slot *slot;

	if (index >= gpu->nr_slots)
		return -ENOENT;
	gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state == GPU_SLOT_FREE)
		return -ENOENT;
	/* A reset ends a refusal. */
	gpu_fault_refuses(gpu, slot, true);
	gpu_slot_leave(gpu, slot, GPU_DEQUEUE_RESET);
	gpu_slot_stop(gpu, slot);
	gpu_slot_free(gpu, slot);
	gpu_settle(gpu);
	return 0;
}
