/* SPDX-License-Identifier: MIT */
/*
 * The table of queues, and their memory. A queue that is not watched is one of ROCr, whose memory
 * goes after the queue; others may unmap theirs before, the GPU has its own.
 */
#ifndef GP_SHIM_QUEUE_H
#define GP_SHIM_QUEUE_H

#include "client/shim/shim.h"

/* A look at the indices of a queue. */
struct shim_view {
	struct shim_queue *q; /* NULL after shim_queue_view_locked() if it is gone */
	uint64_t made; /* number of the queue */
	uint64_t rptr; /* read index */
	uint64_t wptr; /* write index */
};

/* Most views of one call. */
#define SHIM_VIEWS 32

/* The queues there are. */
#define shim_queue_each(s, q)                                                               \
	for ((q) = (s)->queues; (q) < (s)->queues + (s)->nr_queues; (q)++)              \
		if ((q)->used)

/* A queue by any number that may be its id, or NULL. */
struct shim_queue *shim_queue_find(struct shim *s, uint32_t id);

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
					 const struct kfd_ioctl_create_queue_args *args,
					 uint32_t percentage, const struct shim_view *first);

/* A queue is gone. Both locks are held. */
void shim_queue_remove_locked(struct shim *s, struct shim_queue *q);

/* Has it work, or is not known to have none? A wrapped store may change it at any time. */
static inline bool shim_queue_is_busy(const struct shim_queue *q)
{
	return __atomic_load_n(&q->is_busy, __ATOMIC_RELAXED);
}

/* Publishes its state for the wrapped stores. */
void shim_queue_set_busy_locked(struct shim *s, struct shim_queue *q, bool busy);

/* It is known at which address its doorbell is mapped. */
void shim_queue_set_slice_locked(struct shim_queue *q, uintptr_t addr);

/**
 * shim_queue_view_locked() - read the indices of some queues
 * @s: shim; the lock is released meanwhile unless all queues are ROCr's
 * @views: @q is input; a queue whose indices cannot be read is not readable any more
 * @nr: how many, at most SHIM_VIEWS
 */
void shim_queue_view_locked(struct shim *s, struct shim_view *views, uint32_t nr);

/* Indices of a queue that is not watched. */
static inline uint64_t shim_queue_wptr(const struct shim_queue *q)
{
	return __atomic_load_n((const uint64_t *)(uintptr_t)q->wptr_addr, __ATOMIC_ACQUIRE);
}

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
bool shim_queue_try(const struct shim *s, const struct kfd_ioctl_create_queue_args *args,
		    struct shim_view *first);

/**
 * shim_queue_end() - have the packets of an AQL queue ended? See rules/aql_end.h
 * @s: shim; no lock, as memory of the application is read
 * @ring: where they are
 * @mark: how far they were followed; moved over those that have ended
 * @wptr: write index; the read index is the same
 *
 * Return: what is known.
 */
enum gp_aql_end shim_queue_end(const struct shim *s,
			       const struct kfd_ioctl_update_queue_args *ring,
			       struct gp_aql_mark *mark, uint64_t wptr);

#endif
