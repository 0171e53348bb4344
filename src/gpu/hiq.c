// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/hiq.h"

#include "gpu/fault.h"
#include "gpu/firmware.h"
#include "gpu/pm4.h"
#include "gpu/runlist.h"
#include "gpu/sdma.h"
#include "gpu/gpu_slot.h"

#define MAX_HIQ_ORDER 20	/* 2 << 20 dwords; amdkfd uses 4096 bytes */
#define NOP_ONE_DWORD 0x3fff	/* count of a NOP that is its header only */

static int read_words(struct gpu *gpu, u64 addr, u32 *words, u32 nr)
{
	return gpu_host_read(gpu, GPU_PASID_GART, addr, words, nr * (u32)sizeof(u32));
}

static int read_pair(struct gpu *gpu, u64 addr, u64 *value)
{
	return gpu_host_read(gpu, GPU_PASID_GART, addr, value, sizeof(*value));
}

int gpu_hiq_load(struct gpu *gpu, u64 mqd, u64 now_ns)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 control, doorbell, rptr, stride;
	u64 base, rptr_addr;

	gpu_advance(gpu, now_ns);
	if (read_pair(gpu, mqd + GPU_MQD_PQ_BASE_LO, &base) ||
	    read_pair(gpu, mqd + GPU_MQD_RPTR_REPORT_LO, &rptr_addr) ||
	    read_words(gpu, mqd + GPU_MQD_PQ_CONTROL, &control, 1) ||
	    read_words(gpu, mqd + GPU_MQD_DOORBELL_CONTROL, &doorbell, 1) ||
	    read_words(gpu, mqd + GPU_MQD_PQ_RPTR, &rptr, 1) ||
	    read_words(gpu, mqd + GPU_MQD_STRIDE, &stride, 1))
		return -EFAULT;
	if (!base || (control & 0x3f) > MAX_HIQ_ORDER)
		return -EINVAL;
	/* A driver that restarts gives a new one; not in the middle of a packet. */
	if (fw->state != GPU_FIRMWARE_IDLE)
		return -EBUSY;
	fw->is_loaded = true;
	fw->mqd = mqd;
	fw->stride = stride;
	fw->doorbell = doorbell >> 2 & 0x3ffffff;
	fw->ring = base << 8;
	fw->ring_mask = (2u << (control & 0x3f)) - 1;
	fw->rptr = rptr & fw->ring_mask;
	fw->wptr = fw->rptr;
	fw->rptr_addr = rptr_addr;
	return 0;
}

/* The driver counts on or wraps, as it likes: only the place in the ring matters. */
void gpu_hiq_doorbell(struct gpu *gpu, u64 value)
{
	gpu->firmware.wptr = (u32)value & gpu->firmware.ring_mask;
	gpu->is_firmware_kicked = true;
}

static void report_rptr(struct gpu *gpu)
{
	const struct gpu_firmware *fw = &gpu->firmware;

	if (fw->rptr_addr)
		gpu_host_write(gpu, GPU_PASID_GART, fw->rptr_addr, &fw->rptr, sizeof(fw->rptr));
}

static void write_fence(struct gpu *gpu)
{
	const u32 *pkt = gpu->firmware.packet;
	u64 addr = gpu_pm4_get(pkt, GPU_QUERY_STATUS_ADDR_LO) |
		   (u64)gpu_pm4_get(pkt, GPU_QUERY_STATUS_ADDR_HI) << 32;
	u64 data = gpu_pm4_get(pkt, GPU_QUERY_STATUS_DATA_LO) |
		   (u64)gpu_pm4_get(pkt, GPU_QUERY_STATUS_DATA_HI) << 32;

	if (gpu_fault_loses_fence(gpu))
		return;
	if (gpu_host_write(gpu, GPU_PASID_GART, addr, &data, sizeof(data))) {
		gpu->stats.nr_faults++;
		gpu_irq(gpu, GPU_IRQ_MEM_FAULT, NULL, 0);
	}
}

void gpu_hiq_done(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 op = gpu_pm4_get(fw->packet, GPU_PM4_OPCODE);

	if (op == GPU_PM4_QUERY_STATUS)
		write_fence(gpu);
	report_rptr(gpu);
	gpu->stats.nr_hiq_packets++;
	gpu_trace(gpu, GPU_TRACE_HIQ, NULL, op, 0);
	fw->state = GPU_FIRMWARE_IDLE;
	gpu->is_firmware_kicked = true;
}

static void set_resources(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 vmids = gpu_pm4_get(fw->packet, GPU_SET_RESOURCES_VMID_MASK);
	u32 slots = gpu_count_bits(gpu_pm4_get(fw->packet, GPU_SET_RESOURCES_QUEUE_MASK_LO)) +
		    gpu_count_bits(gpu_pm4_get(fw->packet, GPU_SET_RESOURCES_QUEUE_MASK_HI));

	if (vmids)
		fw->vmid_mask = vmids;
	if (slots)
		fw->max_slots = min(gpu->nr_slots, slots);
	gpu_firmware_delay(gpu, gpu->profile->map_queue_ns);
}

static void write_data(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	if (!gpu_pm4_get(fw->packet, GPU_WRITE_DATA_DST_SEL) &&
	    gpu_pm4_get(fw->packet, GPU_WRITE_DATA_REG) == gpu->grace_reg)
		fw->wait_time2 = gpu_pm4_get(fw->packet, GPU_WRITE_DATA_VALUE);
	else
		gpu->stats.nr_lost_writes++;
	gpu_firmware_delay(gpu, gpu->profile->map_queue_ns);
}

static bool is_specified(const u32 *pkt, u32 doorbell)
{
	static const struct gpu_pm4_field *const field[] = {
		&GPU_UNMAP_QUEUES_DOORBELL0, &GPU_UNMAP_QUEUES_DOORBELL1,
		&GPU_UNMAP_QUEUES_DOORBELL2, &GPU_UNMAP_QUEUES_DOORBELL3,
	};
	u32 nr = min(gpu_pm4_get(pkt, GPU_UNMAP_QUEUES_NUM_QUEUES), (u32)ARRAY_SIZE(field));
	u32 i;

	for (i = 0; i < nr; i++)
		if (gpu_pm4_get(pkt, *field[i]) == doorbell)
			return true;
	return false;
}

static bool is_selected(const u32 *pkt, u32 pasid, u32 doorbell, bool is_static)
{
	switch (gpu_pm4_get(pkt, GPU_UNMAP_QUEUES_QUEUE_SEL)) {
	case GPU_UNMAP_SPECIFIED:
		return is_specified(pkt, doorbell);
	case GPU_UNMAP_BY_PASID:
		return pasid == gpu_pm4_get(pkt, GPU_UNMAP_QUEUES_PASID);
	case GPU_UNMAP_ALL_NON_STATIC:
		return !is_static;
	default:
		return true;
	}
}

/* Queues that are unmapped must not come back with the next turn. */
static void forget_selected(struct gpu *gpu)
{
	struct gpu_runlist *rl = &gpu->runlist;
	u32 i, kept = 0;

	for (i = 0; i < rl->nr; i++) {
		const struct gpu_map_entry *e = &rl->entry[i];

		if (!is_selected(gpu->firmware.packet, e->pasid, e->doorbell, e->is_static))
			rl->entry[kept++] = *e;
	}
	if (kept != rl->nr)
		rl->cursor = 0;
	rl->nr = kept;
}

static void unmap_sdma(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < GPU_MAX_SDMA_QUEUES; i++) {
		struct gpu_sdma_queue *q = &gpu->sdma[i];

		if (q->is_mapped &&
		    is_selected(gpu->firmware.packet, q->pasid, q->doorbell, false))
			gpu_sdma_unmap(gpu, q);
	}
}

static void unmap_queues(struct gpu *gpu)
{
	const u32 *pkt = gpu->firmware.packet;
	u32 slots = 0, left;

	gpu->stats.nr_unmaps++;
	if (gpu_pm4_get(pkt, GPU_UNMAP_QUEUES_ENGINE_SEL) != GPU_MAP_ENGINE_COMPUTE) {
		gpu_firmware_delay(gpu, gpu->profile->map_queue_ns);
		return;
	}
	for (left = gpu_firmware_slots(gpu); left; left &= left - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (is_selected(pkt, slot->pasid, slot->doorbell, slot->is_static))
			slots |= GPU_BIT(slot->index);
	}
	forget_selected(gpu);
	unmap_sdma(gpu);
	gpu_firmware_unmap(gpu, slots,
			   gpu_pm4_get(pkt, GPU_UNMAP_QUEUES_ACTION) == GPU_UNMAP_RESET ?
			   GPU_DEQUEUE_RESET : GPU_DEQUEUE_SAVE);
}

static void map_process(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	gpu_runlist_parse_process(fw->packet, &fw->process);
	gpu_firmware_delay(gpu, gpu->profile->map_queue_ns);
}

static void map_queues(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;
	struct gpu_map_entry entry;

	if (gpu_runlist_parse_queue(fw->packet, &fw->process, &entry))
		gpu_firmware_claim(gpu, &entry);
	gpu_firmware_map(gpu);
}

static void run_list(struct gpu *gpu)
{
	gpu->stats.nr_runlists++;
	if (gpu_runlist_read(gpu, gpu->firmware.packet))
		gpu_firmware_delay(gpu, gpu->profile->map_ns);
	else
		gpu_runlist_turn(gpu);
}

struct hiq_packet {
	u32 op;
	u32 nr_dw;
	void (*run)(struct gpu *gpu);
};

static const struct hiq_packet packets[] = {
	{ GPU_PM4_SET_RESOURCES, GPU_PM4_SET_RESOURCES_DW, set_resources },
	{ GPU_PM4_RUN_LIST, GPU_PM4_RUN_LIST_DW, run_list },
	{ GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_DW, map_process },
	{ GPU_PM4_MAP_QUEUES, GPU_PM4_MAP_QUEUES_DW, map_queues },
	{ GPU_PM4_UNMAP_QUEUES, GPU_PM4_UNMAP_QUEUES_DW, unmap_queues },
	{ GPU_PM4_QUERY_STATUS, GPU_PM4_QUERY_STATUS_DW, NULL },
	{ GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW, write_data },
};

static const struct hiq_packet *find_packet(const u32 *pkt, u32 nr_dw)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(packets); i++)
		if (packets[i].op == gpu_pm4_get(pkt, GPU_PM4_OPCODE))
			return nr_dw >= packets[i].nr_dw ? &packets[i] : NULL;
	return NULL;
}

static void refuse_packet(struct gpu *gpu)
{
	gpu->stats.nr_faults++;
	gpu_irq(gpu, GPU_IRQ_BAD_OPCODE, NULL, 0);
	report_rptr(gpu);
}

/* Copy the begin of the packet at the read pointer; the ring may wrap inside. */
static int fetch_packet(struct gpu *gpu, u32 nr_dw)
{
	struct gpu_firmware *fw = &gpu->firmware;
	u32 i;

	memset(fw->packet, 0, sizeof(fw->packet));
	for (i = 0; i < min(nr_dw, (u32)ARRAY_SIZE(fw->packet)); i++) {
		u64 addr = fw->ring + (u64)((fw->rptr + i) & fw->ring_mask) * sizeof(u32);

		if (read_words(gpu, addr, &fw->packet[i], 1))
			return -EFAULT;
	}
	return 0;
}

/* Dwords of the packet whose header was fetched; 1 for what is not a type 3 packet. */
static u32 packet_length(const u32 *pkt)
{
	u32 count = gpu_pm4_get(pkt, GPU_PM4_COUNT);

	if (gpu_pm4_get(pkt, GPU_PM4_TYPE) != 3)
		return 1;
	if (gpu_pm4_get(pkt, GPU_PM4_OPCODE) == GPU_PM4_NOP && count == NOP_ONE_DWORD)
		return 1;
	return count + 2;
}

static void run_packet(struct gpu *gpu, u32 nr_dw)
{
	const u32 *pkt = gpu->firmware.packet;
	const struct hiq_packet *p = find_packet(pkt, nr_dw);

	if (gpu_pm4_get(pkt, GPU_PM4_TYPE) != 3)
		refuse_packet(gpu);
	else if (gpu_pm4_get(pkt, GPU_PM4_OPCODE) == GPU_PM4_NOP)
		gpu_hiq_done(gpu);
	else if (!p)
		refuse_packet(gpu);
	else if (p->run)
		p->run(gpu);
	else
		gpu_firmware_delay(gpu, gpu->profile->map_queue_ns);
}

/* Bounded by the ring: every round moves the read pointer towards @wptr. */
void gpu_hiq_run(struct gpu *gpu)
{
	struct gpu_firmware *fw = &gpu->firmware;

	while (fw->state == GPU_FIRMWARE_IDLE && fw->rptr != fw->wptr) {
		u32 left = (fw->wptr - fw->rptr) & fw->ring_mask;
		u32 nr_dw;

		if (fetch_packet(gpu, 1)) {
			fw->rptr = fw->wptr;
			refuse_packet(gpu);
			break;
		}
		nr_dw = packet_length(fw->packet);
		/* The driver rings after whole packets: this one is not one. */
		if (nr_dw > left || fetch_packet(gpu, nr_dw)) {
			fw->rptr = fw->wptr;
			refuse_packet(gpu);
			break;
		}
		fw->rptr = (fw->rptr + nr_dw) & fw->ring_mask;
		run_packet(gpu, nr_dw);
	}
	if (fw->state == GPU_FIRMWARE_IDLE && fw->is_rotation_due)
		gpu_runlist_rotate(gpu);
}
