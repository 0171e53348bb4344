// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/gpu_slot.h"

#include "gpu/aql_queue.h"
#include "gpu/cwsr.h"
#include "gpu/dispatch.h"
#include "gpu/firmware.h"
#include "gpu/pm4_queue.h"
#include "gpu/wave_isa.h"

/* The part of an MQD that the model reads. */
#define MQD_FIRST GPU_MQD_HEADER
#define MQD_LAST GPU_MQD_STRIDE

struct mqd {
	u32 word[(MQD_LAST - MQD_FIRST) / 4 + 1];
};

/* bits 0-5 of PQ_CONTROL: 2 << n dwords; 16 dwords are an AQL packet, 1 GiB is plenty. */
#define MIN_RING_ORDER 3
#define MAX_RING_ORDER 27
#define MAX_EOP_ORDER 10

static u32 word(const struct mqd *mqd, u32 offset)
{
	return mqd->word[(offset - MQD_FIRST) / 4];
}

static u64 word64(const struct mqd *mqd, u32 lo, u32 hi)
{
	return word(mqd, lo) | (u64)word(mqd, hi) << 32;
}

struct gpu_slot *gpu_slot_find(struct gpu *gpu, u32 doorbell)
{
	u32 left;

	for (left = gpu->mapped; left; left &= left - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(left, 0)];

		if (slot->doorbell == doorbell)
			return slot;
	}
	return NULL;
}

/* A slot is large; its dispatch records are cleared one by one when used. */
static void clear_slot(struct gpu_slot *slot)
{
	u32 index = slot->index, i;

	memset(slot, 0, offsetof(struct gpu_slot, dispatch));
	slot->index = index;
	slot->packet_event.kind = GPU_EVENT_PACKET;
	slot->hqd_event.kind = GPU_EVENT_HQD;
	for (i = 0; i < GPU_MAX_DISPATCHES; i++)
		slot->dispatch[i].is_used = false;
}

void gpu_slot_claim(struct gpu *gpu, struct gpu_slot *slot, const struct gpu_map_entry *entry,
		    u32 vmid)
{
	clear_slot(slot);
	slot->state = GPU_SLOT_LOADING;
	slot->pasid = entry->pasid;
	slot->vmid = vmid;
	slot->mqd = entry->mqd;
	slot->doorbell = entry->doorbell;
	slot->is_static = entry->is_static;
	gpu->mapped |= GPU_BIT(slot->index);
	gpu->stats.max_slots_used = max(gpu->stats.max_slots_used, gpu_count_bits(gpu->mapped));
}

static void parse_area(struct gpu_save_area *a, const struct mqd *mqd)
{
	a->base = word64(mqd, GPU_MQD_CTX_SAVE_BASE_LO, GPU_MQD_CTX_SAVE_BASE_HI);
	a->bytes = word(mqd, GPU_MQD_CTX_SAVE_SIZE);
	a->ctl_bytes = word(mqd, GPU_MQD_CTL_STACK_SIZE);
	a->ctl_offset = word(mqd, GPU_MQD_CTL_STACK_OFFSET);
	a->wave_end = word(mqd, GPU_MQD_WG_STATE_OFFSET);
}

static void parse_cus(const struct gpu *gpu, struct gpu_slot *slot, u32 xcc,
		      const struct mqd *mqd)
{
	u32 se_mask[GPU_MAX_SE_PER_XCC], se;

	for (se = 0; se < gpu_cu_mask_words(gpu->profile); se++)
		se_mask[se] = word(mqd, gpu_cu_mask_offset(se));
	slot->has_cu_mask |= gpu_cu_mask_read(gpu->profile, se_mask, &slot->cus[xcc]);
}

/*
 * The read pointer is kept modulo the ring; the write pointer saved with it is
 * less than a ring ahead and gives the upper bits.
 */
static void parse_pointers(struct gpu_slot *slot, const struct mqd *mqd)
{
	u32 unit = gpu_slot_unit(slot);
	u64 anchor = word64(mqd, GPU_MQD_PQ_WPTR_LO, GPU_MQD_PQ_WPTR_HI) / unit;
	u64 rptr = word(mqd, GPU_MQD_PQ_RPTR) / unit;

	slot->rptr = anchor - ((anchor - rptr) & slot->ring_mask);
	slot->wptr = slot->rptr;
}

static int parse_mqd(struct gpu_slot *slot, const struct mqd *mqd)
{
	u32 order = word(mqd, GPU_MQD_PQ_CONTROL) & 0x3f;

	if (order < MIN_RING_ORDER || order > MAX_RING_ORDER)
		return -EINVAL;
	slot->is_aql = word(mqd, GPU_MQD_AQL_CONTROL) & GPU_MQD_AQL_CONTROL_MASK;
	slot->ring_mask = (2ull << order) / gpu_slot_unit(slot) - 1;
	slot->ring = word64(mqd, GPU_MQD_PQ_BASE_LO, GPU_MQD_PQ_BASE_HI) << 8;
	slot->rptr_addr = word64(mqd, GPU_MQD_RPTR_REPORT_LO, GPU_MQD_RPTR_REPORT_HI);
	slot->wptr_addr = word64(mqd, GPU_MQD_WPTR_POLL_LO, GPU_MQD_WPTR_POLL_HI);
	slot->level = min(word(mqd, GPU_MQD_PIPE_PRIORITY), (u32)GPU_NR_LEVELS - 1);
	slot->stride = word(mqd, GPU_MQD_STRIDE);
	slot->can_save = word(mqd, GPU_MQD_PERSISTENT_STATE) & GPU_MQD_PERSISTENT_QSWITCH;
	slot->has_failed = word(mqd, GPU_MQD_ERROR) != 0;
	slot->eop = word64(mqd, GPU_MQD_EOP_BASE_LO, GPU_MQD_EOP_BASE_HI) << 8;
	slot->eop_bytes = 8u << min(word(mqd, GPU_MQD_EOP_CONTROL) & 0x3f, (u32)MAX_EOP_ORDER);
	parse_pointers(slot, mqd);
	if (!slot->is_aql)
		gpu_pm4_parse(slot, mqd->word);
	return 0;
}

static int read_mqd(struct gpu *gpu, const struct gpu_slot *slot, u32 xcc, struct mqd *mqd)
{
	u64 addr = slot->mqd + (u64)xcc * slot->stride + MQD_FIRST;

	return gpu_host_read(gpu, GPU_PASID_GART, addr, mqd, sizeof(*mqd));
}

int gpu_slot_load(struct gpu *gpu, struct gpu_slot *slot, u64 wptr_addr)
{
	struct mqd mqd;
	u32 x;
	int err;

	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		err = read_mqd(gpu, slot, x, &mqd);
		if (!err && !x)
			err = parse_mqd(slot, &mqd);
		if (err)
			return err;
		if (gpu->profile->nr_xcc > 1 && slot->stride < GPU_MQD_BYTES)
			return -EINVAL;
		parse_area(&slot->area[x], &mqd);
		parse_cus(gpu, slot, x, &mqd);
		if (!slot->area[x].base || !slot->area[x].bytes)
			slot->can_save = false;
	}
	if (!slot->wptr_addr)
		slot->wptr_addr = wptr_addr;
	gpu->level[slot->level] |= GPU_BIT(slot->index);
	gpu_trace(gpu, GPU_TRACE_MAP, slot, slot->index, 0);
	return 0;
}

bool gpu_slot_has_saved(const struct gpu *gpu, const struct gpu_slot *slot)
{
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++)
		if (gpu_cwsr_saved_bytes(slot, x))
			return true;
	return false;
}

bool gpu_slot_has_saved_waves(const struct gpu *gpu, const struct gpu_slot *slot)
{
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		const struct gpu_save_area *a = &slot->area[x];

		if (gpu_cwsr_saved_bytes(slot, x) && a->wave_end > a->ctl_bytes)
			return true;
	}
	return false;
}

static u64 largest_saved(const struct gpu *gpu, const struct gpu_slot *slot, u64 *sum)
{
	u64 largest = 0;
	u32 x;

	*sum = 0;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		u64 bytes = gpu_cwsr_saved_bytes(slot, x);

		*sum += bytes;
		largest = max(largest, bytes);
	}
	return largest;
}

u64 gpu_slot_saved_total(const struct gpu *gpu, const struct gpu_slot *slot)
{
	u64 sum;

	largest_saved(gpu, slot, &sum);
	return sum;
}

u64 gpu_slot_restore_ns(struct gpu *gpu, const struct gpu_slot *slot)
{
	u64 sum;

	if (gpu->handler == GPU_HANDLER_RUN && gpu_cwsr_is_isa(gpu, slot))
		return 0;
	return gpu_cost_ns(gpu, gpu_profile_save_ns(gpu->profile, largest_saved(gpu, slot, &sum))) +
	       (gpu_slot_has_saved_waves(gpu, slot) ? gpu->profile->cold_ns : 0);
}

static void restore_slot(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 sum = gpu_slot_saved_total(gpu, slot);
	u32 i;
	int err;

	err = gpu_cwsr_restore(gpu, slot);
	if (err) {
		slot->is_lost = true;
		gpu_slot_fail(gpu, slot, gpu_irq_of(err));
		return;
	}
	slot->was_busy = true;
	if (slot->nr_waves) {
		gpu->stats.nr_restores++;
		gpu->stats.restore_bytes += sum;
		if (!slot->nr_restoring)
			gpu_trace(gpu, GPU_TRACE_RESTORE_END, slot, sum, 0);
	}
	for (i = 0; i < slot->nr_dispatches; i++)
		gpu_dispatch_offer(gpu, &slot->dispatch[slot->order[i]]);
}

static void read_wptr(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 wptr;

	if (!slot->wptr_addr)
		return;
	if (gpu_host_read(gpu, slot->pasid, slot->wptr_addr, &wptr, sizeof(wptr)))
		gpu_slot_fail(gpu, slot, GPU_IRQ_MEM_FAULT);
	else
		gpu_aql_set_wptr(slot, wptr);
}

void gpu_slot_activate(struct gpu *gpu, struct gpu_slot *slot)
{
	slot->state = GPU_SLOT_ACTIVE;
	slot->is_current = true;
	/* Stopped before it was mapped: it sits there. */
	if (slot->has_failed) {
		slot->is_lost = true;
		return;
	}
	gpu->active |= GPU_BIT(slot->index);
	/* Waves that come back have paid for it. */
	slot->is_cold = gpu->has_run && !gpu_slot_has_saved_waves(gpu, slot);
	if (gpu_slot_has_saved(gpu, slot))
		restore_slot(gpu, slot);
	if (!slot->has_failed)
		read_wptr(gpu, slot);
	gpu->kick |= GPU_BIT(slot->index);
}

/* Waves of machine code are saved by their handler, if there is one. */
static bool can_save(const struct gpu *gpu, const struct gpu_slot *slot)
{
	if (!gpu_slot_is_isa(slot) || gpu->handler == GPU_HANDLER_SHORTCUT)
		return slot->can_save;
	return slot->can_save && gpu->vmid[slot->vmid % GPU_NR_VMIDS].tba;
}

void gpu_slot_leave(struct gpu *gpu, struct gpu_slot *slot, enum gpu_dequeue how)
{
	slot->how = how == GPU_DEQUEUE_SAVE && !can_save(gpu, slot) ? GPU_DEQUEUE_DRAIN : how;
	slot->state = GPU_SLOT_QUIET;
	gpu_aql_stop(gpu, slot);
	/*
	 * Workgroups not yet launched are kept in the control stack. A queue that has
	 * none must finish the dispatches it has begun.
	 */
	if (slot->how == GPU_DEQUEUE_DRAIN && !slot->area[0].ctl_bytes)
		return;
	gpu->active &= ~GPU_BIT(slot->index);
}

bool gpu_slot_is_drained(const struct gpu_slot *slot)
{
	if (slot->has_failed)
		return true;
	return !slot->nr_resident && (slot->area[0].ctl_bytes || !slot->nr_dispatches);
}

void gpu_slot_stop(struct gpu *gpu, struct gpu_slot *slot)
{
	u64 bytes, largest;

	slot->state = GPU_SLOT_FROZEN;
	gpu->active &= ~GPU_BIT(slot->index);
	gpu_slot_freeze(gpu, slot);
	if (slot->how != GPU_DEQUEUE_SAVE || !slot->nr_waves)
		return;
	/* How much it is cannot change any more until gpu_slot_free(). */
	bytes = gpu_context_bytes(gpu, slot->doorbell, &largest);
	gpu_trace(gpu, GPU_TRACE_SAVE_BEGIN, slot, bytes, largest);
}

static void save_slot(struct gpu *gpu, struct gpu_slot *slot)
{
	bool has_waves = slot->nr_waves != 0;
	u64 bytes = 0;
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++)
		bytes += gpu_cwsr_bytes(gpu, slot, x);
	if (gpu_cwsr_save(gpu, slot)) {
		gpu->stats.nr_faults++;
		gpu->stats.nr_killed += gpu_slot_drop_waves(gpu, slot);
		gpu_irq(gpu, GPU_IRQ_MEM_FAULT, slot, 0);
	} else if (has_waves) {
		gpu->stats.nr_saves++;
		gpu->stats.save_bytes += bytes;
	}
	gpu_slot_drop_waves(gpu, slot);
	if (has_waves)
		gpu_trace(gpu, GPU_TRACE_SAVE_END, slot, bytes, 0);
}

/* What a queue had in flight when it failed must not run again. */
static void discard(struct gpu *gpu, struct gpu_slot *slot)
{
	if (slot->nr_waves)
		gpu_slot_kill(gpu, slot);
	while (slot->nr_dispatches)
		gpu_dispatch_put(&slot->dispatch[slot->order[0]]);
}

void gpu_slot_free(struct gpu *gpu, struct gpu_slot *slot)
{
	bool is_reset = slot->how == GPU_DEQUEUE_RESET;

	if (slot->has_failed)
		discard(gpu, slot);
	else if (is_reset)
		gpu_slot_kill(gpu, slot);
	if (slot->is_current && (is_reset || !slot->is_lost))
		save_slot(gpu, slot);
	gpu_trace(gpu, GPU_TRACE_UNMAP, slot, slot->index, 0);
	gpu_firmware_lose(gpu, slot);
	gpu_slot_forget(gpu, slot);
}

void gpu_slot_forget(struct gpu *gpu, struct gpu_slot *slot)
{
	u32 keep = ~GPU_BIT(slot->index), i;

	gpu_slot_drop_waves(gpu, slot);
	gpu_aql_stop(gpu, slot);
	gpu_heap_remove(&gpu->heap, &slot->hqd_event);
	gpu->mapped &= keep;
	gpu->active &= keep;
	gpu->failed &= keep;
	for (i = 0; i < GPU_NR_LEVELS; i++)
		gpu->level[i] &= keep;
	for (i = 0; i < gpu->profile->nr_xcc; i++)
		gpu->xcc[i].ready &= keep;
	clear_slot(slot);
}
