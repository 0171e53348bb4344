// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/runlist.h"

#include "gpu/firmware.h"
#include "gpu/pm4.h"
#include "gpu/sdma.h"
#include "gpu/gpu_slot.h"

#define MAX_ENTRIES 16384

void gp_runlist_init(struct gp_gpu *gpu)
{
	struct gp_runlist *rl = &gpu->runlist;

	gp_gpu_heap_remove(&gpu->heap, &rl->quantum_event);
	rl->quantum_event.kind = GP_EVENT_QUANTUM;
	rl->nr = 0;
	rl->cursor = 0;
	rl->is_rotating = false;
	rl->max_processes = gpu->nr_vmids;
}

bool gp_runlist_parse_queue(const u32 *pkt, u32 pasid, u32 quantum, struct gp_map_entry *entry)
{
	u32 type = gp_pm4_get(pkt, GP_MAP_QUEUES_QUEUE_TYPE);

	if (gp_pm4_get(pkt, GP_MAP_QUEUES_ENGINE_SEL) != GP_MAP_ENGINE_COMPUTE ||
	    gp_pm4_get(pkt, GP_MAP_QUEUES_EXT_ENGINE_SEL))
		return false;
	memset(entry, 0, sizeof(*entry));
	entry->pasid = pasid;
	entry->quantum = quantum;
	entry->doorbell = gp_pm4_get(pkt, GP_MAP_QUEUES_DOORBELL);
	entry->is_static = type == GP_MAP_QUEUE_NORMAL_STATIC ||
			   type == GP_MAP_QUEUE_LOW_LATENCY_STATIC;
	entry->mqd = gp_pm4_get(pkt, GP_MAP_QUEUES_MQD_LO) |
		     (u64)gp_pm4_get(pkt, GP_MAP_QUEUES_MQD_HI) << 32;
	entry->wptr_addr = gp_pm4_get(pkt, GP_MAP_QUEUES_WPTR_LO) |
			   (u64)gp_pm4_get(pkt, GP_MAP_QUEUES_WPTR_HI) << 32;
	return true;
}

/* Room for the queues an IB of that size can hold. Old entries are lost. */
static int make_room(struct gp_gpu *gpu, u32 nr_dw)
{
	struct gp_gpu_host *host = gpu->host;
	struct gp_runlist *rl = &gpu->runlist;
	u32 need = min(nr_dw / GP_PM4_MAP_QUEUES_DW + 1, (u32)MAX_ENTRIES);
	struct gp_map_entry *entry;

	if (need <= rl->max)
		return 0;
	entry = host->ops->alloc(host, need * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	if (rl->entry)
		host->ops->free(host, rl->entry);
	rl->entry = entry;
	rl->max = need;
	return 0;
}

static void refuse_packet(struct gp_gpu *gpu, int err)
{
	gpu->stats.nr_faults++;
	gp_gpu_irq(gpu, gp_irq_of(err), NULL, 0);
}

static bool is_process_length(u32 nr_dw)
{
	return nr_dw == GP_PM4_MAP_PROCESS_DW || nr_dw == GP_PM4_MAP_PROCESS_ALDEBARAN_DW;
}

static void add_queue(struct gp_gpu *gpu, const u32 *pkt, u32 pasid, u32 quantum)
{
	struct gp_runlist *rl = &gpu->runlist;

	if (gp_sdma_is_packet(pkt))
		gp_sdma_map(gpu, pkt, pasid);
	else if (rl->nr == rl->max)
		refuse_packet(gpu, -EINVAL);
	else if (gp_runlist_parse_queue(pkt, pasid, quantum, &rl->entry[rl->nr]))
		rl->nr++;
}

/*
 * One packet of the IB. Return: its dwords, 0 = the list ends here: with padding,
 * with what is no packet, or with a RUN_LIST that points to the list itself. That
 * only says that it is to be rotated, which is done whenever not all of it fits.
 */
static u32 read_packet(struct gp_gpu *gpu, const u32 *pkt, u32 left, u32 *pasid, u32 *quantum)
{
	u32 op = gp_pm4_get(pkt, GP_PM4_OPCODE);
	u32 nr_dw = gp_pm4_get(pkt, GP_PM4_COUNT) + 2;

	if (!pkt[0])
		return 0;
	if (gp_pm4_get(pkt, GP_PM4_TYPE) != 3 || nr_dw > left) {
		refuse_packet(gpu, -EINVAL);
		return 0;
	}
	if (op == GP_PM4_RUN_LIST)
		return 0;
	if (op == GP_PM4_MAP_PROCESS && is_process_length(nr_dw)) {
		*pasid = gp_pm4_get(pkt, GP_MAP_PROCESS_PASID);
		*quantum = gp_pm4_get(pkt, GP_MAP_PROCESS_QUANTUM);
	} else if (op == GP_PM4_MAP_QUEUES && nr_dw == GP_PM4_MAP_QUEUES_DW) {
		add_queue(gpu, pkt, *pasid, *quantum);
	} else if (op != GP_PM4_NOP) {
		refuse_packet(gpu, -EINVAL);
	}
	return nr_dw;
}

/* At most one round for two dwords of the IB, which are less than 2^20. */
static int read_ib(struct gp_gpu *gpu, u64 ib, u32 nr_dw)
{
	u32 pkt[GP_PM4_MAP_PROCESS_ALDEBARAN_DW];
	u32 at = 0, step, pasid = 0, quantum = 0;

	while (at < nr_dw) {
		u32 len = min((u32)ARRAY_SIZE(pkt), nr_dw - at);

		memset(pkt, 0, sizeof(pkt));
		if (gp_host_read(gpu, GP_PASID_GART, ib + at * 4ull, pkt, len * 4))
			return -EFAULT;
		step = read_packet(gpu, pkt, nr_dw - at, &pasid, &quantum);
		if (!step)
			break;
		at += step;
	}
	return 0;
}

int gp_runlist_read(struct gp_gpu *gpu, const u32 *pkt)
{
	struct gp_runlist *rl = &gpu->runlist;
	u64 ib = (gp_pm4_get(pkt, GP_RUN_LIST_IB_LO) & ~3u) |
		 (u64)gp_pm4_get(pkt, GP_RUN_LIST_IB_HI) << 32;
	u32 nr_dw = gp_pm4_get(pkt, GP_RUN_LIST_IB_SIZE);
	u32 nr_processes = gp_pm4_get(pkt, GP_RUN_LIST_PROCESS_CNT);
	int err;

	gp_runlist_init(gpu);
	gpu->firmware.is_rotation_due = false;
	if (!gp_pm4_get(pkt, GP_RUN_LIST_VALID))
		err = -EINVAL;
	else
		err = make_room(gpu, nr_dw);
	if (!err)
		err = read_ib(gpu, ib, nr_dw);
	if (err) {
		rl->nr = 0;
		refuse_packet(gpu, err);
		return err;
	}
	if (nr_processes)
		rl->max_processes = min(nr_processes, gpu->nr_vmids);
	return 0;
}

/* Dynamic queues of the process at @at that come after each other and need a slot. */
static u32 count_needed(struct gp_gpu *gpu, u32 at)
{
	const struct gp_runlist *rl = &gpu->runlist;
	u32 pasid = rl->entry[at].pasid, nr = 0;

	for (; at < rl->nr && rl->entry[at].pasid == pasid; at++)
		if (!rl->entry[at].is_static && !gp_slot_find(gpu, rl->entry[at].doorbell))
			nr++;
	return nr;
}

static void claim_static(struct gp_gpu *gpu)
{
	const struct gp_runlist *rl = &gpu->runlist;
	u32 i;

	for (i = 0; i < rl->nr; i++)
		if (rl->entry[i].is_static)
			gp_firmware_claim(gpu, &rl->entry[i]);
}

/*
 * Processes come whole, as their queues may wait for each other; only one that is
 * first in its turn and still does not fit comes in parts. Return: where the next
 * turn begins, or the number of entries if all are mapped.
 */
static u32 claim_turn(struct gp_gpu *gpu)
{
	struct gp_runlist *rl = &gpu->runlist;
	struct gp_firmware *fw = &gpu->firmware;
	u32 walked, at = rl->cursor, first = fw->nr_load;

	for (walked = 0; walked < rl->nr; walked++, at = (at + 1) % rl->nr) {
		const struct gp_map_entry *e = &rl->entry[at];
		u32 mapped = gp_count_bits(gpu->mapped);
		u32 room = fw->max_slots - min(mapped, fw->max_slots);
		bool is_first = !walked || e->pasid != rl->entry[at ? at - 1 : rl->nr - 1].pasid;

		if (e->is_static)
			continue;
		if (is_first && fw->nr_load != first && count_needed(gpu, at) > room)
			return at;
		if (gp_firmware_claim(gpu, e) == -ENOSPC)
			return at;
	}
	return rl->nr;
}

void gp_runlist_turn(struct gp_gpu *gpu)
{
	struct gp_runlist *rl = &gpu->runlist;
	u32 next;

	gpu->firmware.nr_load = 0;
	claim_static(gpu);
	next = claim_turn(gpu);
	rl->is_rotating = next < rl->nr;
	rl->cursor = rl->is_rotating ? next : 0;
	gp_firmware_map(gpu);
}

/* The longest quantum of those mapped. */
static u64 quantum_ns(struct gp_gpu *gpu)
{
	const struct gp_runlist *rl = &gpu->runlist;
	u32 quantum = 1, i;

	for (i = 0; i < rl->nr; i++)
		if (rl->entry[i].quantum > quantum && gp_slot_find(gpu, rl->entry[i].doorbell))
			quantum = rl->entry[i].quantum;
	return quantum * gpu->profile->quantum_unit_ns;
}

void gp_runlist_arm(struct gp_gpu *gpu)
{
	struct gp_runlist *rl = &gpu->runlist;

	if (rl->is_rotating && rl->nr)
		gp_gpu_heap_add(&gpu->heap, &rl->quantum_event, gpu->now_ns + quantum_ns(gpu));
}

void gp_runlist_event(struct gp_gpu *gpu)
{
	gpu->firmware.is_rotation_due = true;
	gpu->is_firmware_kicked = true;
}

void gp_runlist_rotate(struct gp_gpu *gpu)
{
	struct gp_firmware *fw = &gpu->firmware;
	u32 slots = 0, left;

	fw->is_rotation_due = false;
	if (!gpu->runlist.is_rotating || !gpu->runlist.nr)
		return;
	for (left = gp_firmware_slots(gpu); left; left &= left - 1) {
		const struct gp_slot *slot = &gpu->slot[gp_next_bit(left, 0)];

		if (!slot->is_static)
			slots |= GP_BIT(slot->index);
	}
	gpu->stats.nr_rotations++;
	gp_gpu_trace(gpu, GP_GPU_TRACE_ROTATE, NULL, 0, 0);
	fw->is_rotation = true;
	gp_firmware_unmap(gpu, slots, GP_DEQUEUE_SAVE);
}
