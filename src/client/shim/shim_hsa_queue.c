// SPDX-License-Identifier: MIT
#include "client/shim/shim_hsa_queue.h"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/shim/shim_detect.h"
#include "client/shim/shim_guard.h"
#include "client/shim/shim_queue.h"

/**
 * struct gp_shim_hsa_queue - the side of ROCr
 * @queue: as the application knows it
 * @calls: functions below us
 * @signal: of the barrier packet: 1 = on its way, 0 = done or never sent
 */
struct gp_shim_hsa_queue {
	hsa_queue_t *queue;
	const struct gp_hsa_calls *calls;
	hsa_signal_t signal;
};

static volatile int64_t *value_of(const struct gp_shim_hsa_queue *h)
{
	return &((amd_signal_t *)(uintptr_t)h->signal.handle)->value;
}

/*
 * A signal with a consumer that is a GPU has no event: nobody is woken, and the
 * process does not lose one of its 4096 events. NULL: do without.
 */
static struct gp_shim_hsa_queue *make(hsa_queue_t *queue, hsa_agent_t agent,
				      const struct gp_hsa_calls *calls)
{
	struct gp_shim_hsa_queue *h;

	/* A single producer does not expect others to write. */
	if (queue->type != HSA_QUEUE_TYPE_MULTI)
		return NULL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->queue = queue;
	h->calls = calls;
	if (calls->signal_create(0, 1, &agent, &h->signal) == HSA_STATUS_SUCCESS)
		return h;
	free(h);
	return NULL;
}

void gp_hsa_queue_attach(struct gp_shim *s, hsa_queue_t *queue, hsa_agent_t agent,
			 const struct gp_hsa_calls *calls)
{
	const amd_signal_t *doorbell =
		(amd_signal_t *)(uintptr_t)queue->doorbell_signal.handle;
	const amd_queue_t *aq = (amd_queue_t *)queue;
	struct gp_shim_hsa_queue *h;
	struct gp_shim_queue *q;
	struct gp_guard guard;

	/* Somebody between ROCr and us shows a queue of its own; its rings are not the GPU's. */
	if (doorbell->kind >= 0) {
		gp_guard_lock(s, &guard);
		s->sees |= GP_WIRE_SEES_NOT_PROXY;
		gp_guard_unlock(s, &guard);
		return;
	}
	h = make(queue, agent, calls);
	gp_guard_lock(s, &guard);
	gp_shim_queue_each(s, q) {
		if (q->wptr_addr != (uintptr_t)&aq->write_dispatch_id || q->hsa)
			continue;
		q->is_watched = false;
		q->hsa = h;
		h = NULL;
		gp_shim_queue_set_slice_locked(q, (uintptr_t)doorbell->hardware_doorbell_ptr);
		if (!q->is_busy)
			q->look_ns = UINT64_MAX;
	}
	gp_guard_unlock(s, &guard);
	if (h)
		gp_hsa_queue_free(h);
}

struct gp_shim_hsa_queue *gp_hsa_queue_detach(struct gp_shim *s, const hsa_queue_t *queue)
{
	struct gp_shim_hsa_queue *h = NULL;
	struct gp_shim_queue *q;
	struct gp_guard guard;

	gp_guard_lock(s, &guard);
	gp_shim_queue_each(s, q) {
		if (!q->hsa || q->hsa->queue != queue)
			continue;
		h = q->hsa;
		q->hsa = NULL;
		q->proof = GP_SHIM_QUIET;
		/* Its memory goes whether the driver lets it go or not. */
		q->is_watched = true;
	}
	gp_guard_unlock(s, &guard);
	return h;
}

void gp_hsa_queue_free(struct gp_shim_hsa_queue *h)
{
	h->calls->signal_destroy(h->signal);
	free(h);
}

void gp_hsa_queue_detach_all(struct gp_shim *s)
{
	struct gp_shim_queue *q;
	struct gp_guard guard;

	gp_guard_lock(s, &guard);
	gp_shim_queue_each(s, q) {
		free(q->hsa);
		q->hsa = NULL;
		q->proof = GP_SHIM_QUIET;
		q->is_watched = true;
	}
	gp_guard_unlock(s, &guard);
}

/* No fence scopes: no cache is written back for it. */
static void write_packet(hsa_queue_t *queue, uint64_t index, hsa_signal_t done)
{
	hsa_barrier_and_packet_t *p =
		(hsa_barrier_and_packet_t *)queue->base_address + (index & (queue->size - 1));
	uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER;

	memset((uint8_t *)p + sizeof(p->header), 0, sizeof(*p) - sizeof(p->header));
	p->completion_signal = done;
	__atomic_store_n(&p->header, header, __ATOMIC_RELEASE);
}

enum gp_hsa_send gp_hsa_barrier_send(struct gp_shim_queue *q, uint64_t *wptr)
{
	struct gp_shim_hsa_queue *h = q->hsa;
	uint64_t index;

	if (!h)
		return GP_HSA_NEVER;
	index = gp_shim_queue_wptr(q);
	if (*value_of(h) || index - gp_shim_queue_rptr(q) > h->queue->size / 2)
		return GP_HSA_NOT_NOW;
	/* The place that was found free or none: whoever takes one more has to wait for room. */
	if (h->calls->cas_write_index(h->queue, index, index + 1) != index)
		return GP_HSA_NOT_NOW;
	*value_of(h) = 1;
	write_packet(h->queue, index, h->signal);
	h->calls->store(h->queue->doorbell_signal, (hsa_signal_value_t)index);
	*wptr = index + 1;
	return GP_HSA_SENT;
}

bool gp_hsa_barrier_is_done(const struct gp_shim_queue *q)
{
	return q->hsa && !__atomic_load_n(value_of(q->hsa), __ATOMIC_ACQUIRE);
}
