// SPDX-License-Identifier: MIT
#include "client/shim/shim_queue.h"

#include <string.h>

uint32_t gp_shim_slots[GP_SHIM_NR_SLOTS];

struct gp_shim_queue *gp_shim_queue_find(struct gp_shim *s, uint32_t id)
{
	if (id >= s->nr_queues || !s->queues[id].used)
		return NULL;
	return &s->queues[id];
}

bool gp_shim_queue_is_compute(const struct gp_shim_queue *q)
{
	return q->type == GP_KFD_QUEUE_PM4 || q->type == GP_KFD_QUEUE_AQL;
}

/* Adds to the slots of its doorbell: one, or all it may be if the slice is not known. */
static void add_to_slots(const struct gp_shim_queue *q, uint32_t value)
{
	uint32_t slice, slot;

	for (slice = 0; slice < GP_SHIM_NR_SLICES; slice++) {
		if (q->slice >= 0 && (uint32_t)q->slice != slice)
			continue;
		slot = slice * GP_SHIM_NR_DOORBELLS + q->doorbell;
		__atomic_fetch_add(&gp_shim_slots[slot], value, __ATOMIC_RELAXED);
	}
}

void gp_shim_queue_set_busy_locked(struct gp_shim *s, struct gp_shim_queue *q, bool busy)
{
	if (q->is_busy == busy)
		return;
	__atomic_store_n(&q->is_busy, busy, __ATOMIC_RELAXED);
	if (busy)
		q->busy_since_ns = s->sys->now_ns();
	add_to_slots(q, busy ? -1 : 1);
}

void gp_shim_queue_set_slice_locked(struct gp_shim_queue *q, uintptr_t addr)
{
	int slice = (int)(gp_shim_slot(addr) / GP_SHIM_NR_DOORBELLS);

	if (q->slice == slice)
		return;
	if (!q->is_busy)
		add_to_slots(q, -1);
	q->slice = slice;
	if (!q->is_busy)
		add_to_slots(q, 1);
}

/* ROCr's memory goes after its queue. Others may unmap theirs before, the GPU has its own. */
static uint64_t index_at(struct gp_shim_queue *q, uint64_t addr)
{
	uint64_t value;

	if (!q->is_watched) {
		value = __atomic_load_n((const uint64_t *)(uintptr_t)addr, __ATOMIC_ACQUIRE);
	} else if (q->sys->read_memory(addr, &value, sizeof(value))) {
		q->is_readable = false;
		return q->wptr;
	}
	/* PM4: dwords, and the read pointer in memory stays inside the ring. */
	if (q->type == GP_KFD_QUEUE_PM4)
		return value & (q->wish.ring_bytes / 4 - 1);
	return value;
}

uint64_t gp_shim_queue_wptr(struct gp_shim_queue *q)
{
	return index_at(q, q->wptr_addr);
}

uint64_t gp_shim_queue_rptr(struct gp_shim_queue *q)
{
	return index_at(q, q->rptr_addr);
}

/* The application may have put them where only the GPU can read. */
static bool can_read(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	uint64_t value;

	if (q->wptr_addr % sizeof(value) || q->rptr_addr % sizeof(value))
		return false;
	return !s->sys->read_memory(q->wptr_addr, &value, sizeof(value)) &&
	       !s->sys->read_memory(q->rptr_addr, &value, sizeof(value));
}

struct gp_shim_queue *gp_shim_queue_add_locked(struct gp_shim *s,
					  const struct gp_kfd_create_queue *args,
					  uint32_t percentage)
{
	struct gp_shim_queue *q;

	if (args->queue_id >= GP_SHIM_MAX_QUEUES)
		return NULL;
	q = &s->queues[args->queue_id];
	if (q->used)
		gp_shim_queue_remove_locked(s, q);
	memset(q, 0, sizeof(*q));
	q->sys = s->sys;
	q->queue_id = args->queue_id;
	q->gpu_id = args->gpu_id;
	q->type = args->type;
	q->wish.ring_addr = args->ring_addr;
	q->wish.ring_bytes = args->ring_bytes;
	q->wish.percentage = percentage;
	q->wish.prio = args->prio;
	q->has = q->wish;
	q->has.percentage = args->percentage;
	q->wptr_addr = args->wptr_addr;
	q->rptr_addr = args->rptr_addr;
	q->is_readable = can_read(s, q);
	q->doorbell = args->doorbell_offset >> 3 & (GP_SHIM_NR_DOORBELLS - 1);
	q->slice = -1;
	q->is_dbg_new = true;
	q->is_watched = true;
	q->is_busy = true;
	q->look_ns = UINT64_MAX;
	q->used = true;
	if (q->queue_id >= s->nr_queues)
		s->nr_queues = q->queue_id + 1;
	return q;
}

void gp_shim_queue_remove_locked(struct gp_shim *s, struct gp_shim_queue *q)
{
	gp_shim_queue_set_busy_locked(s, q, true);
	q->used = false;
	q->hsa = NULL;
}
