// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/firmware.h"

#include "gpu/cwsr.h"
#include "gpu/fault.h"
#include "gpu/hiq.h"
#include "gpu/pm4.h"
#include "gpu/runlist.h"
#include "gpu/gpu_slot.h"

static void set_timer(struct gpu *gpu, enum gpu_firmware_state state, u64 ns)
{
	struct gpu_firmware *fw = &gpu->firmware;

	fw->state = state;
	gpu_heap_add(&gpu->heap, &fw->event, ns == U64_MAX ? ns : gpu->now_ns + ns);
}

static void set_idle(struct gpu *gpu)
{
	gpu->firmware.state = GPU_FIRMWARE_IDLE;
	gpu->firmware.is_rotation = false;
	gpu->is_firmware_kicked = true;
}

void gpu_firmware_init(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 nr_vmids = gpu->nr_vmids;

	gpu_heap_remove(&gpu->heap, &fw->event);
	memset(fw, 0, sizeof(*fw));
	fw->event.kind = GPU_EVENT_FIRMWARE;
	fw->vmid_mask = (GPU_BIT(nr_vmids) - 1) << (GPU_NR_VMIDS - nr_vmids);
	fw->max_slots = gpu->nr_slots;
	fw->wait_time2 = gpu->profile->grace_default << GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT;
}

u32 gpu_firmware_slots(const struct gpu *gpu)
{
	u32 slots = 0, left;

	for (left = gpu->mapped; left; left &= left - 1) {
		u32 i = gpu_next_bit(left, 0);

		if (!gpu->slot[i].is_by_hand)
			slots |= GPU_BIT(i);
	}
	return slots;
}

void gpu_firmware_delay(struct gpu *gpu, u64 ns)
{
	set_timer(gpu, GPU_FIRMWARE_PACKET, gpu_firmware_ns(gpu, ns));
}

/* CP_IQ_WAIT_TIME2.SCH_WAVE: 1024 clocks each, 0 = wait for ever. */
static u64 grace_ns(const struct gpu *gpu)
{
	u32 units = (gpu->firmware.wait_time2 & GPU_IQ_WAIT_TIME2_SCH_WAVE_MASK) >>
		    GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT;

	return units ? units * 1024ull * 1000000 / gpu->profile->clock_khz : U64_MAX;
}

/* Where the driver looks: the HIQ's MQD of every XCC. */
static void report_refusal(struct gpu *gpu, const struct gpu_slot *slot)
{
	const struct gpu_firmware *fw = &gpu->firmware;
	u32 x;

	if (!fw->is_loaded)
		return;
	for (x = 0; x < gpu->profile->nr_xcc; x++)
		gpu_host_write(gpu, GPU_PASID_GART,
			       fw->mqd + (u64)x * fw->stride + GPU_MQD_REFUSED_DOORBELL,
			       &slot->doorbell, sizeof(slot->doorbell));
}

/* All XCCs save at once; the one that has most decides. */
static u64 save_ns(struct gpu *gpu, u32 slots)
{
	u64 largest = 0;
	u32 x, left;

	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		u64 bytes = 0;

		for (left = slots; left; left &= left - 1)
			bytes += gpu_cwsr_bytes(gpu, &gpu->slot[gpu_next_bit(left, 0)], x);
		largest = max(largest, bytes);
	}
	return gpu_cost_ns(gpu, gpu_profile_save_ns(gpu->profile, largest));
}

static void begin_save(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 saved = 0, left;

	for (left = fw->leaving; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (slot->how == GPU_DEQUEUE_DRAIN)
			continue;
		gpu_slot_stop(gpu, slot);
		/* The handler takes its own time; what stands in for it takes that of its bytes. */
		if (slot->how == GPU_DEQUEUE_SAVE &&
		    (!slot->nr_saving || gpu->handler == GPU_HANDLER_SHORTCUT))
			saved |= GPU_BIT(slot->index);
	}
	set_timer(gpu, GPU_FIRMWARE_SAVE,
		  gpu_firmware_ns(gpu, gpu->profile->unmap_ns) + save_ns(gpu, saved) +
			  gpu_retry_ns(gpu, saved));
}

static bool has_resident_waves(const struct gpu *gpu, u32 slots)
{
	u32 left;

	for (left = slots; left; left &= left - 1)
		if (gpu->slot[gpu_next_bit(left, 0)].nr_resident)
			return true;
	return false;
}

void gpu_firmware_unmap(struct gpu *gpu, u32 slots, enum gpu_dequeue how)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 left;

	fw->leaving = 0;
	for (left = slots; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (gpu_fault_refuses(gpu, slot, how == GPU_DEQUEUE_RESET)) {
			report_refusal(gpu, slot);
			continue;
		}
		gpu_slot_leave(gpu, slot, how);
		fw->leaving |= GPU_BIT(slot->index);
	}
	if (how == GPU_DEQUEUE_RESET || !has_resident_waves(gpu, fw->leaving))
		begin_save(gpu);
	else
		set_timer(gpu, GPU_FIRMWARE_GRACE, grace_ns(gpu));
}

/* What was unmapped is gone: the packet is done, or the next turn begins. */
static void unmap_done(struct gpu *gpu)
{
	if (gpu->firmware.is_rotation)
		gpu_runlist_turn(gpu);
	else
		gpu_hiq_done(gpu);
}

/* Queues that ran out or are saved leave; the others stay in @leaving. */
static void free_drained(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 left;

	for (left = fw->leaving; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (slot->nr_saving ||
		    (slot->state == GPU_SLOT_QUIET && !gpu_slot_is_drained(slot)))
			continue;
		fw->leaving &= ~GPU_BIT(slot->index);
		if (slot->state == GPU_SLOT_QUIET)
			gpu_slot_stop(gpu, slot);
		gpu_slot_free(gpu, slot);
	}
	if (fw->leaving)
		set_timer(gpu, GPU_FIRMWARE_DRAIN, U64_MAX);
	else
		unmap_done(gpu);
}

void gpu_firmware_lose(struct gpu *gpu, struct gpu_slot *slot)
{
	if (!(gpu->firmware.leaving & GPU_BIT(slot->index)))
		return;
	gpu->firmware.leaving &= ~GPU_BIT(slot->index);
	gpu->is_firmware_kicked = true;
}

/* A VMID of the process, or a free one; 0 = none. */
static u32 find_vmid(const struct gpu *gpu, u32 pasid)
{
	const struct gpu_firmware *fw = &gpu->firmware;
	u32 used = 0, left;

	for (left = gpu->mapped; left; left &= left - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (slot->pasid == pasid)
			return slot->vmid;
		used |= GPU_BIT(slot->vmid % GPU_NR_VMIDS);
	}
	if (gpu_count_bits(used & fw->vmid_mask) >= gpu->runlist.max_processes)
		return 0;
	left = fw->vmid_mask & ~used;
	return left ? gpu_next_bit(left, 0) : 0;
}

int gpu_firmware_claim(struct gpu *gpu, const struct gpu_map_entry *entry)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 vmid, free;

	if (gpu_slot_find(gpu, entry->doorbell))
		return -EEXIST;
	free = ~gpu->mapped & (u32)(GPU_BIT(gpu->nr_slots - 1) * 2ull - 1);
	if (!free || gpu_count_bits(gpu->mapped) >= fw->max_slots)
		return -ENOSPC;
	vmid = find_vmid(gpu, entry->pasid);
	if (!vmid && entry->pasid)
		return -ENOSPC;
	gpu->vmid[vmid] = entry->regs;
	fw->load_slot[fw->nr_load] = (u8)gpu_next_bit(free, 0);
	fw->load[fw->nr_load] = *entry;
	gpu_slot_claim(gpu, &gpu->slot[fw->load_slot[fw->nr_load]], entry, vmid);
	fw->nr_load++;
	return 0;
}

void gpu_firmware_map(struct gpu *gpu)
{
	const struct gpu_profile *p = gpu->profile;
	u64 ns = p->map_ns + gpu->firmware.nr_load * p->map_queue_ns;

	set_timer(gpu, GPU_FIRMWARE_MAP, gpu_firmware_ns(gpu, ns));
}

static void map_done(struct gpu *gpu)
{
	gpu->firmware.nr_load = 0;
	gpu_runlist_arm(gpu);
	if (gpu->firmware.is_rotation)
		set_idle(gpu);
	else
		gpu_hiq_done(gpu);
}

/* The driver may have reset the slot since it was claimed. */
static bool is_loading(const struct gpu_slot *slot)
{
	return slot->state == GPU_SLOT_LOADING && !slot->is_by_hand;
}

/* Begin to read back the next queue that has something saved. */
static void next_restore(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	for (; fw->load_at < fw->nr_load; fw->load_at++) {
		struct gpu_slot *slot = &gpu->slot[fw->load_slot[fw->load_at]];

		if (!is_loading(slot))
			continue;
		if (gpu_slot_has_saved_waves(gpu, slot))
			gpu_trace(gpu, GPU_TRACE_RESTORE_BEGIN, slot,
				  gpu_slot_saved_total(gpu, slot), 0);
		set_timer(gpu, GPU_FIRMWARE_RESTORE, gpu_slot_restore_ns(gpu, slot));
		return;
	}
	map_done(gpu);
}

static void load_all(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 i;

	for (i = 0; i < fw->nr_load; i++) {
		struct gpu_slot *slot = &gpu->slot[fw->load_slot[i]];
		int err;

		if (!is_loading(slot))
			continue;
		err = gpu_slot_load(gpu, slot, fw->load[i].wptr_addr);
		if (err) {
			gpu->stats.nr_faults++;
			gpu_irq(gpu, gpu_irq_of(err), slot, 0);
			gpu_slot_forget(gpu, slot);
		} else if (!gpu_slot_has_saved(gpu, slot)) {
			gpu_slot_activate(gpu, slot);
		}
	}
	fw->load_at = 0;
	next_restore(gpu);
}

static void restore_done(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	struct gpu_slot *slot = &gpu->slot[fw->load_slot[fw->load_at++]];

	if (is_loading(slot))
		gpu_slot_activate(gpu, slot);
	next_restore(gpu);
}

void gpu_firmware_event(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	switch (fw->state) {
	case GPU_FIRMWARE_PACKET:
		gpu_hiq_done(gpu);
		break;
	case GPU_FIRMWARE_GRACE:
		begin_save(gpu);
		break;
	case GPU_FIRMWARE_SAVE:
		free_drained(gpu);
		break;
	case GPU_FIRMWARE_MAP:
		load_all(gpu);
		break;
	case GPU_FIRMWARE_RESTORE:
		restore_done(gpu);
		break;
	default:
		break;
	}
}

void gpu_firmware_kick(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	if (fw->state == GPU_FIRMWARE_GRACE && !has_resident_waves(gpu, fw->leaving))
		begin_save(gpu);
	else if (fw->state == GPU_FIRMWARE_DRAIN)
		free_drained(gpu);
	else if (fw->state == GPU_FIRMWARE_IDLE && fw->is_loaded && !gpu->faults.is_hung)
		gpu_hiq_run(gpu);
}
