/* SPDX-License-Identifier: MIT */
/*
 * The table of queues.
 */
#ifndef GP_SHIM_QUEUE_H
#define GP_SHIM_QUEUE_H

#include "client/shim/shim.h"

/**
 * shim_queue_find() - a queue by id
 * @s: shim
 * @id: any number
 *
 * Return: the queue or NULL.
 */
struct shim_queue *shim_queue_find(struct shim *s, uint32_t id);

struct shim_view;

/**
 * shim_queue_add_locked() - a queue was made
 * @s: shim; both locks are held
 * @args: of CREATE_QUEUE, as the driver left them
 * @percentage: as the application gave it; @args has what the driver got
 * @first: its indices; NULL = they cannot be read
 *
 * Return: the queue, or NULL: its id has no place.
 */
struct shim_queue *shim_queue_add_locked(struct shim *s,
					 const struct drv_kfd_create_queue *args,
					 uint32_t percentage,
					 const struct shim_view *first);

/**
 * shim_queue_remove_locked() - a queue is gone
 * @s: shim; both locks are held
 * @q: queue
 */
void shim_queue_remove_locked(struct shim *s, struct shim_queue *q);

/**
 * shim_queue_is_compute() - can it be held?
 * @q: queue
 *
 * Return: false for SDMA.
 */
bool shim_queue_is_compute(const struct shim_queue *q);

/**
 * shim_queue_is_busy() - has it work?
 * @q: queue
 *
 * Context: any; a wrapped store may change it at any time without the lock.
 *
 * Return: true if it has, or is not known to have none.
 */
static inline bool shim_queue_is_busy(const struct shim_queue *q)
{
	return __atomic_load_n(&q->is_busy, __ATOMIC_RELAXED);
}

/**
 * shim_queue_set_busy_locked() - publish its state for the wrapped stores
 * @s: shim
 * @q: queue
 * @busy: has work
 */
void shim_queue_set_busy_locked(struct shim *s, struct shim_queue *q, bool busy);

/**
 * shim_queue_set_slice_locked() - it is known where its doorbell is mapped
 * @q: queue
 * @addr: of the doorbell
 */
void shim_queue_set_slice_locked(struct shim_queue *q, uintptr_t addr);

/**
 * struct shim_view - a look at the indices of a queue
 * @q: queue; NULL after shim_queue_view_locked() if it is gone
 * @made: number of the queue
 * @rptr: read index
 * @wptr: write index
 */
struct shim_view {
	struct shim_queue *q;
	uint64_t made;
	uint64_t rptr;
	uint64_t wptr;
};

/* Most views of one call. */
#define SHIM_VIEWS 32

/**
 * shim_queue_view_locked() - read the indices of some queues
 * @s: shim; the lock is released meanwhile unless all queues are ROCr's
 * @views: @q is input; a queue whose indices cannot be read is not readable any more
 * @nr: how many, at most SHIM_VIEWS
 */
void shim_queue_view_locked(struct shim *s, struct shim_view *views, uint32_t nr);

/**
 * shim_queue_wptr() - write index of a queue of ROCr, whose memory goes after the queue
 * @q: queue, not watched
 *
 * Return: index.
 */
static inline uint64_t shim_queue_wptr(const struct shim_queue *q)
{
	return __atomic_load_n((const uint64_t *)(uintptr_t)q->wptr_addr, __ATOMIC_ACQUIRE);
}

/**
 * shim_queue_rptr() - read index of a queue of ROCr
 * @q: queue, not watched
 *
 * Return: index.
 */
static inline uint64_t shim_queue_rptr(const struct shim_queue *q)
{
	return __atomic_load_n((const uint64_t *)(uintptr_t)q->rptr_addr, __ATOMIC_ACQUIRE);
}

/**
 * shim_queue_try() - read the indices of a queue that was just made
 * @s: shim; no lock but call_lock
 * @args: of CREATE_QUEUE
 * @first: output: @rptr and @wptr
 *
 * Return: false: the application has put them where only the GPU can read.
 */
bool shim_queue_try(const struct shim *s, const struct drv_kfd_create_queue *args,
		    struct shim_view *first);

/* The queues there are. */
#define shim_queue_each(s, q)                                                               \
	for ((q) = (s)->queues; (q) < (s)->queues + (s)->nr_queues; (q)++)              \
		if ((q)->used)

#endif
