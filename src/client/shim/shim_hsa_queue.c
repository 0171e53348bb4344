// SPDX-License-Identifier: MIT
#include "client/shim/shim_hsa.h"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/shim/shim_queue.h"

/* The side of ROCr. */
struct shim_hsa_queue {
	hsa_queue_t *queue; /* as the application knows it */
	const struct shim_hsa_calls *calls; /* functions of ROCr */
	hsa_signal_t signal; /* of the barrier packet: 1 = on its way, 0 = done or never sent */
	uint64_t index; /* of the last barrier packet */
	bool is_given_up; /* no more barrier packets */
};

static volatile int64_t *value_of(const struct shim_hsa_queue *h)
{
	return &((amd_signal_t *)(uintptr_t)h->signal.handle)->value;
}

/*
 * A signal with a consumer that is a GPU has no event: no thread is woken, and the
 * process does not lose one of its 4096 events. NULL: do without.
 */
static struct shim_hsa_queue *make(hsa_queue_t *queue, hsa_agent_t agent,
				   const struct shim_hsa_calls *calls)
{
	struct shim_hsa_queue *h;

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

void shim_hsa_queue_attach(struct shim *s, hsa_queue_t *queue, hsa_agent_t agent,
			   const struct shim_hsa_calls *calls)
{
	const amd_signal_t *doorbell =
		(amd_signal_t *)(uintptr_t)queue->doorbell_signal.handle;
	const amd_queue_t *aq = (amd_queue_t *)queue;
	struct shim_hsa_queue *h;
	struct shim_queue *q;
	struct shim_guard guard;

	/* A tool between ROCr and the shim shows a queue of its own, which the GPU does not see. */
	if (doorbell->kind >= 0) {
		shim_guard_lock(s, &guard);
		s->sees |= WIRE_SEES_NOT_PROXY;
		shim_guard_unlock(s, &guard);
		return;
	}
	h = make(queue, agent, calls);
	shim_guard_lock(s, &guard);
	shim_queue_each(s, q) {
		if (q->wptr_addr != (uintptr_t)&aq->write_dispatch_id || q->hsa)
			continue;
		q->is_watched = false;
		q->hsa = h;
		h = NULL;
		shim_queue_set_slice_locked(q, (uintptr_t)doorbell->hardware_doorbell_ptr);
		if (!q->is_busy)
			q->look_ns = UINT64_MAX;
	}
	shim_guard_unlock(s, &guard);
	if (h)
		shim_hsa_queue_free(h);
}

/* Its memory goes whether the driver lets the queue go or not: it is watched from now on. */
static struct shim_hsa_queue *detach_locked(struct shim_queue *q)
{
	struct shim_hsa_queue *h = q->hsa;

	q->hsa = NULL;
	q->proof = SHIM_QUIET;
	q->is_watched = true;
	return h;
}

struct shim_hsa_queue *shim_hsa_queue_detach(struct shim *s, const hsa_queue_t *queue)
{
	struct shim_hsa_queue *h = NULL;
	struct shim_queue *q;
	struct shim_guard guard;

	shim_guard_lock(s, &guard);
	shim_queue_each(s, q)
		if (q->hsa && q->hsa->queue == queue)
			h = detach_locked(q);
	shim_guard_unlock(s, &guard);
	return h;
}

void shim_hsa_queue_free(struct shim_hsa_queue *h)
{
	h->calls->signal_destroy(h->signal);
	free(h);
}

void shim_hsa_queue_detach_all(struct shim *s)
{
	struct shim_queue *q;
	struct shim_guard guard;

	shim_guard_lock(s, &guard);
	shim_queue_each(s, q)
		free(detach_locked(q));
	shim_guard_unlock(s, &guard);
}

static hsa_barrier_and_packet_t *packet_at(const hsa_queue_t *queue, uint64_t index)
{
	return (hsa_barrier_and_packet_t *)queue->base_address + (index & (queue->size - 1));
}

/* No fence scopes: no cache is written back for it. */
static void write_packet(hsa_queue_t *queue, uint64_t index, hsa_signal_t done)
{
	hsa_barrier_and_packet_t *p = packet_at(queue, index);
	uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER;

	memset((uint8_t *)p + sizeof(p->header), 0, sizeof(*p) - sizeof(p->header));
	p->completion_signal = done;
	__atomic_store_n(&p->header, header, __ATOMIC_RELEASE);
}

/* A barrier packet that is not waited for must not look like work that runs. */
static enum shim_hsa_send give_up(struct shim_queue *q, const char *why)
{
	q->hsa->is_given_up = true;
	*value_of(q->hsa) = 0;
	shim_debug("queue %u: %s: no barrier packets", q->queue_id, why);
	return SHIM_HSA_NEVER;
}

/*
 * A producer that takes its place atomically has moved the index before it writes. In the
 * place behind the last, the packet processor has left INVALID (HSA System Architecture:
 * the format is set before the read index is incremented).
 */
static bool is_written_ahead(struct shim_queue *q, uint64_t index)
{
	const hsa_barrier_and_packet_t *p = packet_at(q->hsa->queue, index);
	uint16_t header = __atomic_load_n(&p->header, __ATOMIC_ACQUIRE);

	return (header >> HSA_PACKET_HEADER_TYPE & 0xff) != HSA_PACKET_TYPE_INVALID &&
	       shim_queue_wptr(q) == index;
}

bool shim_hsa_barrier_is_used(const struct shim_queue *q)
{
	return q->hsa && !q->hsa->is_given_up;
}

enum shim_hsa_send shim_hsa_barrier_send(struct shim *s, struct shim_queue *q, uint64_t *wptr)
{
	struct shim_hsa_queue *h = q->hsa;
	uint64_t index;

	if (!shim_hsa_barrier_is_used(q))
		return SHIM_HSA_NEVER;
	if (__atomic_load_n(&s->stores_index, __ATOMIC_RELAXED))
		return give_up(q, "the program stores write indices");
	if (shim_hsa_barrier_check(q) == SHIM_HSA_LOST)
		return SHIM_HSA_NEVER;
	index = shim_queue_wptr(q);
	if (*value_of(h) || index - shim_queue_rptr(q) > h->queue->size / 2)
		return SHIM_HSA_NOT_NOW;
	if (is_written_ahead(q, index))
		return give_up(q, "a packet ahead of its index");
	/* The place that was found free or none: a producer of one more waits for room. */
	if (h->calls->cas_write_index(h->queue, index, index + 1) != index)
		return SHIM_HSA_NOT_NOW;
	*value_of(h) = 1;
	h->index = index;
	write_packet(h->queue, index, h->signal);
	h->calls->store(h->queue->doorbell_signal, (hsa_signal_value_t)index);
	*wptr = index + 1;
	return SHIM_HSA_SENT;
}

enum shim_hsa_check shim_hsa_barrier_check(struct shim_queue *q)
{
	struct shim_hsa_queue *h = q->hsa;
	uint64_t signal;

	if (!shim_hsa_barrier_is_used(q))
		return SHIM_HSA_LOST;
	/* The place first: it is used again only after the signal was counted down. */
	signal = __atomic_load_n(&packet_at(h->queue, h->index)->completion_signal.handle,
				 __ATOMIC_ACQUIRE);
	if (!__atomic_load_n(value_of(h), __ATOMIC_ACQUIRE))
		return SHIM_HSA_DONE;
	if (signal == h->signal.handle)
		return SHIM_HSA_WAITS;
	give_up(q, "the packet was overwritten");
	return SHIM_HSA_LOST;
}
