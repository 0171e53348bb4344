// SPDX-License-Identifier: MIT
#include "client/shim/shim_queue.h"

#include <errno.h>
#include <string.h>

/* Packets that are read with one call. */
#define WINDOW_BYTES 2048

uint32_t shim_slots[SHIM_NR_SLOTS];

struct shim_queue *shim_queue_find(struct shim *s, uint32_t id)
{
	if (id >= s->nr_queues || !s->queues[id].used)
		return NULL;
	return &s->queues[id];
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

bool shim_queue_try(const struct shim *s, const struct kfd_ioctl_create_queue_args *args,
		    struct shim_view *first)
{
	struct shim_queue q = { .rptr_addr = args->read_pointer_address,
				.wptr_addr = args->write_pointer_address };
	struct shim_piece pieces[2];

	if (q.wptr_addr % sizeof(uint64_t) || q.rptr_addr % sizeof(uint64_t))
		return false;
	ask_for(&q, first, pieces);
	s->sys->read_memory(pieces, 2);
	return !pieces[0].error && !pieces[1].error;
}

/* Packets that were read at once. */
struct window {
	const struct shim_sys *sys; /* the world */
	uint64_t ring; /* address of the ring, and where it ends */
	uint64_t end; /* see @ring */
	uint64_t addr; /* where the bytes are from */
	size_t nr; /* how many */
	uint8_t bytes[WINDOW_BYTES]; /* of the ring */
};

static int read_one(const struct shim_sys *sys, uint64_t addr, void *to, size_t bytes)
{
	struct shim_piece piece = { addr, to, bytes, 0 };

	sys->read_memory(&piece, 1);
	return piece.error;
}

/* Packets are asked for in the order of the ring: those behind the first come with it. */
static int read_packet(void *data, uint64_t addr, void *to, size_t bytes)
{
	struct window *w = data;
	uint64_t left = w->end - addr;

	if (addr < w->ring || addr >= w->end || bytes > left)
		return read_one(w->sys, addr, to, bytes);
	if (addr < w->addr || addr + bytes > w->addr + w->nr) {
		w->addr = addr;
		w->nr = left < sizeof(w->bytes) ? left : sizeof(w->bytes);
		if (read_one(w->sys, addr, w->bytes, w->nr)) {
			w->nr = 0;
			return -EFAULT;
		}
	}
	memcpy(to, w->bytes + (addr - w->addr), bytes);
	return 0;
}

enum gp_aql_end shim_queue_end(const struct shim *s,
			       const struct kfd_ioctl_update_queue_args *ring,
			       struct gp_aql_mark *mark, uint64_t wptr)
{
	struct window w = { .sys = s->sys, .ring = ring->ring_base_address,
			    .end = ring->ring_base_address + ring->ring_size };
	struct gp_aql_ring r = { read_packet, &w, ring->ring_base_address, ring->ring_size };

	return gp_aql_end(&r, mark, wptr);
}

struct shim_queue *shim_queue_add_locked(struct shim *s,
					 const struct kfd_ioctl_create_queue_args *args,
					 uint32_t percentage, const struct shim_view *first)
{
	struct shim_queue *q;

	if (args->queue_id >= SHIM_MAX_QUEUES)
		return NULL;
	q = &s->queues[args->queue_id];
	if (q->used)
		shim_queue_remove_locked(s, q);
	*q = (struct shim_queue){
		.used = true,
		.queue_id = args->queue_id,
		.gpu_id = args->gpu_id,
		.type = args->queue_type,
		.wish = { .ring_base_address = args->ring_base_address,
			  .queue_id = args->queue_id,
			  .ring_size = args->ring_size,
			  .queue_percentage = percentage,
			  .queue_priority = args->queue_priority },
		.rptr_addr = args->read_pointer_address,
		.wptr_addr = args->write_pointer_address,
		.is_readable = first,
		.made = ++s->nr_made,
		.doorbell = args->doorbell_offset >> 3 & (SHIM_NR_DOORBELLS - 1),
		.slice = -1,
		.is_dbg_new = true,
		.is_watched = true,
		.is_busy = true,
		.idle.rptr = first ? first->rptr : 0,
		.idle.wptr = first ? first->wptr : 0,
		.look_ns = UINT64_MAX,
	};
	q->has = q->wish;
	q->has.queue_percentage = args->queue_percentage;
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
