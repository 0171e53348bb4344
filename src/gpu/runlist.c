// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/runlist.h"

#include "gpu/firmware.h"
#include "gpu/pm4.h"
#include "gpu/sdma.h"
#include "gpu/gpu_slot.h"

#define MAX_ENTRIES 16384

void gpu_runlist_init(struct gpu *gpu)
{
	struct gpu_runlist *rl = &gpu->runlist;

	gpu_heap_remove(&gpu->heap, &rl->quantum_event);
	rl->quantum_event.kind = GPU_EVENT_QUANTUM;
	rl->nr = 0;
	rl->cursor = 0;
	rl->is_rotating = false;
	rl->max_processes = gpu->nr_vmids;
}

/* Addresses have 48 bits; the packet for gfx 9.0 has a flag above those of TBA. */
static u64 shader_address(u32 lo, u32 hi)
{
	return (lo | (u64)(hi & 0xff) << 32) << 8;
}

void gpu_runlist_parse_process(const u32 *pkt, struct gpu_map_entry *process)
{
	memset(process, 0, sizeof(*process));
	process->pasid = gpu_pm4_get(pkt, GPU_MAP_PROCESS_PASID);
	process->quantum = gpu_pm4_get(pkt, GPU_MAP_PROCESS_QUANTUM);
	process->regs.sh_mem_bases = gpu_pm4_get(pkt, GPU_MAP_PROCESS_SH_MEM_BASES);
	process->regs.tba = shader_address(gpu_pm4_get(pkt, GPU_MAP_PROCESS_TBA_LO),
					   gpu_pm4_get(pkt, GPU_MAP_PROCESS_TBA_HI));
	process->regs.tma = shader_address(gpu_pm4_get(pkt, GPU_MAP_PROCESS_TMA_LO),
					   gpu_pm4_get(pkt, GPU_MAP_PROCESS_TMA_HI));
}

bool gpu_runlist_parse_queue(const u32 *pkt, const struct gpu_map_entry *process,
			     struct gpu_map_entry *entry)
{
	u32 type = gpu_pm4_get(pkt, GPU_MAP_QUEUES_QUEUE_TYPE);

	if (gpu_pm4_get(pkt, GPU_MAP_QUEUES_ENGINE_SEL) != GPU_MAP_ENGINE_COMPUTE ||
	    gpu_pm4_get(pkt, GPU_MAP_QUEUES_EXT_ENGINE_SEL))
		return false;
	*entry = *process;
	entry->doorbell = gpu_pm4_get(pkt, GPU_MAP_QUEUES_DOORBELL);
	entry->is_static = type == GPU_MAP_QUEUE_NORMAL_STATIC ||
			   type == GPU_MAP_QUEUE_LOW_LATENCY_STATIC;
	entry->mqd = gpu_pm4_get(pkt, GPU_MAP_QUEUES_MQD_LO) |
		     (u64)gpu_pm4_get(pkt, GPU_MAP_QUEUES_MQD_HI) << 32;
	entry->wptr_addr = gpu_pm4_get(pkt, GPU_MAP_QUEUES_WPTR_LO) |
			   (u64)gpu_pm4_get(pkt, GPU_MAP_QUEUES_WPTR_HI) << 32;
	return true;
}

/* Room for the queues an IB of that size can hold. Old entries are lost. */
static int make_room(struct gpu *gpu, u32 nr_dw)
{
	struct gpu_host *host = gpu->host;
	struct gpu_runlist *rl = &gpu->runlist;
	u32 need = min(nr_dw / GPU_PM4_MAP_QUEUES_DW + 1, (u32)MAX_ENTRIES);
	struct gpu_map_entry *entry;

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

static void refuse_packet(struct gpu *gpu, int err)
{
	gpu->stats.nr_faults++;
	gpu_irq(gpu, gpu_irq_of(err), NULL, 0);
}

static bool is_process_length(u32 nr_dw)
{
	return nr_dw == GPU_PM4_MAP_PROCESS_DW || nr_dw == GPU_PM4_MAP_PROCESS_ALDEBARAN_DW;
}

static void add_queue(struct gpu *gpu, const u32 *pkt, const struct gpu_map_entry *process)
{
	struct gpu_runlist *rl = &gpu->runlist;

	if (gpu_sdma_is_packet(pkt))
		gpu_sdma_map(gpu, pkt, process->pasid);
	else if (rl->nr == rl->max)
		refuse_packet(gpu, -EINVAL);
	else if (gpu_runlist_parse_queue(pkt, process, &rl->entry[rl->nr]))
		rl->nr++;
}

/*
 * One packet of the IB. Return: its dwords, 0 = the list ends here: with padding,
 * with what is no packet, or with a RUN_LIST that points to the list itself. That
 * only says that it is to be rotated, which is done whenever not all of it fits.
 */
static u32 read_packet(struct gpu *gpu, const u32 *pkt, u32 left, struct gpu_map_entry *process)
{
	u32 op = gpu_pm4_get(pkt, GPU_PM4_OPCODE);
	u32 nr_dw = gpu_pm4_get(pkt, GPU_PM4_COUNT) + 2;

	if (!pkt[0])
		return 0;
	if (gpu_pm4_get(pkt, GPU_PM4_TYPE) != 3 || nr_dw > left) {
		refuse_packet(gpu, -EINVAL);
		return 0;
	}
	if (op == GPU_PM4_RUN_LIST)
		return 0;
	if (op == GPU_PM4_MAP_PROCESS && is_process_length(nr_dw)) {
		gpu_runlist_parse_process(pkt, process);
	} else if (op == GPU_PM4_MAP_QUEUES && nr_dw == GPU_PM4_MAP_QUEUES_DW) {
		add_queue(gpu, pkt, process);
	} else if (op != GPU_PM4_NOP) {
		refuse_packet(gpu, -EINVAL);
	}
	return nr_dw;
}

/* At most one round for two dwords of the IB, which are less than 2^20. */
static int read_ib(struct gpu *gpu, u64 ib, u32 nr_dw)
{
	u32 pkt[GPU_PM4_MAP_PROCESS_ALDEBARAN_DW];
	struct gpu_map_entry process;
	u32 at = 0, step;

	memset(&process, 0, sizeof(process));
	while (at < nr_dw) {
		u32 len = min((u32)ARRAY_SIZE(pkt), nr_dw - at);

		memset(pkt, 0, sizeof(pkt));
		if (gpu_host_read(gpu, GPU_PASID_GART, ib + at * 4ull, pkt, len * 4))
			return -EFAULT;
		step = read_packet(gpu, pkt, nr_dw - at, &process);
		if (!step)
			break;
		at += step;
	}
	return 0;
}

int gpu_runlist_read(struct gpu *gpu, const u32 *pkt)
{
	struct gpu_runlist *rl = &gpu->runlist;
	u64 ib = (gpu_pm4_get(pkt, GPU_RUN_LIST_IB_LO) & ~3u) |
		 (u64)gpu_pm4_get(pkt, GPU_RUN_LIST_IB_HI) << 32;
	u32 nr_dw = gpu_pm4_get(pkt, GPU_RUN_LIST_IB_SIZE);
	u32 nr_processes = gpu_pm4_get(pkt, GPU_RUN_LIST_PROCESS_CNT);
	int err;

	gpu_runlist_init(gpu);
	gpu->firmware.is_rotation_due = false;
	if (!gpu_pm4_get(pkt, GPU_RUN_LIST_VALID))
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
static u32 count_needed(struct gpu *gpu, u32 at)
{
	const struct gpu_runlist *rl = &gpu->runlist;
	u32 pasid = rl->entry[at].pasid, nr = 0;

	for (; at < rl->nr && rl->entry[at].pasid == pasid; at++)
		if (!rl->entry[at].is_static && !gpu_slot_find(gpu, rl->entry[at].doorbell))
			nr++;
	return nr;
}

static void claim_static(struct gpu *gpu)
{
	const struct gpu_runlist *rl = &gpu->runlist;
	u32 i;

	for (i = 0; i < rl->nr; i++)
		if (rl->entry[i].is_static)
			gpu_firmware_claim(gpu, &rl->entry[i]);
}

/*
 * Processes come whole, as their queues may wait for each other; only one that is
 * first in its turn and still does not fit comes in parts. Return: where the next
 * turn begins, or the number of entries if all are mapped.
 */
static u32 claim_turn(struct gpu *gpu)
{
	struct gpu_runlist *rl = &gpu->runlist;
	struct gpu_firmware *fw = &gpu->firmware;
	u32 walked, at = rl->cursor, first = fw->nr_load;

	for (walked = 0; walked < rl->nr; walked++, at = (at + 1) % rl->nr) {
		const struct gpu_map_entry *e = &rl->entry[at];
		u32 mapped = gpu_count_bits(gpu->mapped);
		u32 room = fw->max_slots - min(mapped, fw->max_slots);
		bool is_first = !walked || e->pasid != rl->entry[at ? at - 1 : rl->nr - 1].pasid;

		if (e->is_static)
			continue;
		if (is_first && fw->nr_load != first && count_needed(gpu, at) > room)
			return at;
		if (gpu_firmware_claim(gpu, e) == -ENOSPC)
			return at;
	}
	return rl->nr;
}

void gpu_runlist_turn(struct gpu *gpu)
{
	struct gpu_runlist *rl = &gpu->runlist;
	u32 next;

	gpu->firmware.nr_load = 0;
	claim_static(gpu);
	next = claim_turn(gpu);
	rl->is_rotating = next < rl->nr;
	rl->cursor = rl->is_rotating ? next : 0;
	gpu_firmware_map(gpu);
}

/* The longest quantum of those mapped. */
static u64 quantum_ns(struct gpu *gpu)
{
	const struct gpu_runlist *rl = &gpu->runlist;
	u32 quantum = 1, i;

	for (i = 0; i < rl->nr; i++)
		if (rl->entry[i].quantum > quantum && gpu_slot_find(gpu, rl->entry[i].doorbell))
			quantum = rl->entry[i].quantum;
	return quantum * gpu->profile->quantum_unit_ns;
}

void gpu_runlist_arm(struct gpu *gpu)
{
	struct gpu_runlist *rl = &gpu->runlist;

	if (rl->is_rotating && rl->nr)
		gpu_heap_add(&gpu->heap, &rl->quantum_event, gpu->now_ns + quantum_ns(gpu));
}

void gpu_runlist_event(struct gpu *gpu)
{
	gpu->firmware.is_rotation_due = true;
	gpu->is_firmware_kicked = true;
}

void gpu_runlist_rotate(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 slots = 0, left;

	fw->is_rotation_due = false;
	if (!gpu->runlist.is_rotating || !gpu->runlist.nr)
		return;
	for (left = gpu_firmware_slots(gpu); left; left &= left - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (!slot->is_static)
			slots |= GPU_BIT(slot->index);
	}
	gpu->stats.nr_rotations++;
	gpu_trace(gpu, GPU_TRACE_ROTATE, NULL, 0, 0);
	fw->is_rotation = true;
	gpu_firmware_unmap(gpu, slots, GPU_DEQUEUE_SAVE);
}
