// SPDX-License-Identifier: MIT
#include "client/shim/shim_queue.h"

#include <string.h>

uint32_t shim_slots[SHIM_NR_SLOTS];

struct shim_queue *shim_queue_find(struct shim *s, uint32_t id)
{
	if (id >= s->nr_queues || !s->queues[id].used)
		return NULL;
	return &s->queues[id];
}

bool shim_queue_is_compute(const struct shim_queue *q)
{
	return q->type == DRV_KFD_QUEUE_PM4 || q->type == DRV_KFD_QUEUE_AQL;
}

/* Adds to the slots of its doorbell: one, or all it may be if the slice is not known. */
static void add_to_slots(const struct shim_queue *q, uint32_t value)
{
	uint32_t slice, slot;

	for (slice = 0; slice < SHIM_NR_SLICES; slice++) {
		if (q->slice >= 0 && (uint32_t)q->slice != slice)
			continue;
		slot = slice * SHIM_NR_DOORBELLS + q->doorbell;
		__atomic_fetch_add(&shim_slots[slot], value, __ATOMIC_RELAXED);
	}
}

void shim_queue_set_busy_locked(struct shim *s, struct shim_queue *q, bool busy)
{
	if (q->is_busy == busy)
		return;
	__atomic_store_n(&q->is_busy, busy, __ATOMIC_RELAXED);
	if (busy)
		q->busy_since_ns = s->sys->now_ns();
	add_to_slots(q, busy ? -1 : 1);
}

void shim_queue_set_slice_locked(struct shim_queue *q, uintptr_t addr)
{
	int slice = (int)(shim_slot(addr) / SHIM_NR_DOORBELLS);

	if (q->slice == slice)
		return;
	if (!q->is_busy)
		add_to_slots(q, -1);
	q->slice = slice;
	if (!q->is_busy)
		add_to_slots(q, 1);
}

static void ask_for(const struct shim_queue *q, struct shim_view *v,
		    struct shim_piece *pieces)
{
	pieces[0] = (struct shim_piece){ q->rptr_addr, &v->rptr, sizeof(v->rptr), 0 };
	pieces[1] = (struct shim_piece){ q->wptr_addr, &v->wptr, sizeof(v->wptr), 0 };
}

static bool is_same(const struct shim_view *v)
{
	return v->q->used && v->q->made == v->made;
}

/* ROCr's memory goes after its queue. Others may unmap theirs before, the GPU has its own. */
void shim_queue_view_locked(struct shim *s, struct shim_view *views, uint32_t nr)
{
	struct shim_piece pieces[2 * SHIM_VIEWS] = {};
	struct shim_view *watched[SHIM_VIEWS];
	uint32_t i, nr_watched = 0;

	for (i = 0; i < nr; i++) {
		struct shim_view *v = &views[i];

		v->made = v->q->made;
		if (v->q->is_watched) {
			ask_for(v->q, v, &pieces[2 * nr_watched]);
			watched[nr_watched++] = v;
		} else {
			v->rptr = shim_queue_rptr(v->q);
			v->wptr = shim_queue_wptr(v->q);
		}
	}
	if (!nr_watched)
		return;
	pthread_mutex_unlock(&s->lock);
	s->sys->read_memory(pieces, 2 * nr_watched);
	pthread_mutex_lock(&s->lock);
	for (i = 0; i < nr_watched; i++)
		if (is_same(watched[i]) && (pieces[2 * i].error || pieces[2 * i + 1].error))
			watched[i]->q->is_readable = false;
	for (i = 0; i < nr; i++)
		if (!is_same(&views[i]))
			views[i].q = NULL;
}

bool shim_queue_try(const struct shim *s, const struct drv_kfd_create_queue *args,
		    struct shim_view *first)
{
	struct shim_queue q = { .rptr_addr = args->rptr_addr, .wptr_addr = args->wptr_addr };
	struct shim_piece pieces[2];

	if (q.wptr_addr % sizeof(uint64_t) || q.rptr_addr % sizeof(uint64_t))
		return false;
	ask_for(&q, first, pieces);
	s->sys->read_memory(pieces, 2);
	return !pieces[0].error && !pieces[1].error;
}

struct shim_queue *shim_queue_add_locked(struct shim *s,
					 const struct drv_kfd_create_queue *args,
					 uint32_t percentage,
					 const struct shim_view *first)
{
	struct shim_queue *q;

	if (args->queue_id >= SHIM_MAX_QUEUES)
		return NULL;
	q = &s->queues[args->queue_id];
	if (q->used)
		shim_queue_remove_locked(s, q);
	memset(q, 0, sizeof(*q));
	q->made = ++s->nr_made;
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
	q->is_readable = first;
	if (first) {
		q->idle.rptr = first->rptr;
		q->idle.wptr = first->wptr;
	}
	q->doorbell = args->doorbell_offset >> 3 & (SHIM_NR_DOORBELLS - 1);
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

void shim_queue_remove_locked(struct shim *s, struct shim_queue *q)
{
	shim_queue_set_busy_locked(s, q, true);
	q->used = false;
	q->hsa = NULL;
}
