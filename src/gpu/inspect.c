// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/inspect.h"

#include "gpu/fault.h"
#include "gpu/gpu_loop.h"
#include "gpu/gpu_slot.h"

bool gp_gpu_slot_info(const struct gp_gpu *gpu, u32 index, struct gp_slot_info *info)
{
	const struct gp_slot *slot;

	if (index >= gpu->nr_slots || gpu->slot[index].state == GP_SLOT_FREE)
		return false;
	slot = &gpu->slot[index];
	info->pasid = slot->pasid;
	info->vmid = slot->vmid;
	info->doorbell = slot->doorbell;
	info->ring = slot->ring;
	info->mqd = slot->mqd;
	return true;
}

u32 gp_gpu_dispatches(const struct gp_gpu *gpu, u32 doorbell)
{
	int slot = gp_gpu_slot_of(gpu, doorbell);

	return slot < 0 ? 0 : gpu->slot[slot].nr_dispatches;
}

int gp_gpu_slot_reset(struct gp_gpu *gpu, u32 index, u64 now_ns)
{
	struct gp_slot *slot;

	if (index >= gpu->nr_slots)
		return -ENOENT;
	gp_gpu_advance(gpu, now_ns);
	slot = &gpu->slot[index];
	if (slot->state == GP_SLOT_FREE)
		return -ENOENT;
	/* A reset ends a refusal. */
	gp_fault_refuses(gpu, slot, true);
	gp_slot_leave(gpu, slot, GP_DEQUEUE_RESET);
	gp_slot_stop(gpu, slot);
	gp_slot_free(gpu, slot);
	gp_gpu_settle(gpu);
	return 0;
}
