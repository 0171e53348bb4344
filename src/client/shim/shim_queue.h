/* SPDX-License-Identifier: MIT */
/*
 * The table of queues.
 */
#ifndef GP_SHIM_QUEUE_H
#define GP_SHIM_QUEUE_H

#include "client/shim/shim.h"

/**
 * gp_shim_queue_find() - a queue by id
 * @s: shim
 * @id: any number
 *
 * Return: the queue or NULL.
 */
struct gp_shim_queue *gp_shim_queue_find(struct gp_shim *s, uint32_t id);

/**
 * gp_shim_queue_add_locked() - a queue was made
 * @s: shim; both locks are held
 * @args: of CREATE_QUEUE, as the driver left them
 * @percentage: as the application gave it; @args has what the driver got
 *
 * Return: the queue, or NULL: its id has no place.
 */
struct gp_shim_queue *gp_shim_queue_add_locked(struct gp_shim *s,
					  const struct gp_kfd_create_queue *args,
					  uint32_t percentage);

/**
 * gp_shim_queue_remove_locked() - a queue is gone
 * @s: shim; both locks are held
 * @q: queue
 */
void gp_shim_queue_remove_locked(struct gp_shim *s, struct gp_shim_queue *q);

/**
 * gp_shim_queue_is_compute() - can it be held?
 * @q: queue
 *
 * Return: false for SDMA.
 */
bool gp_shim_queue_is_compute(const struct gp_shim_queue *q);

/**
 * gp_shim_queue_is_busy() - has it work?
 * @q: queue
 *
 * Context: any; a wrapped store may change it at any time without the lock.
 *
 * Return: true if it has, or is not known to have none.
 */
static inline bool gp_shim_queue_is_busy(const struct gp_shim_queue *q)
{
	return __atomic_load_n(&q->is_busy, __ATOMIC_RELAXED);
}

/**
 * gp_shim_queue_set_busy_locked() - publish its state for the wrapped stores
 * @s: shim
 * @q: queue
 * @busy: has work
 */
void gp_shim_queue_set_busy_locked(struct gp_shim *s, struct gp_shim_queue *q, bool busy);

/**
 * gp_shim_queue_set_slice_locked() - it is known where its doorbell is mapped
 * @q: queue
 * @addr: of the doorbell
 */
void gp_shim_queue_set_slice_locked(struct gp_shim_queue *q, uintptr_t addr);

/**
 * gp_shim_queue_wptr() - its write index now
 * @q: queue, readable; not so any more if the application unmapped it
 *
 * Return: index; of PM4 queues modulo the ring.
 */
uint64_t gp_shim_queue_wptr(struct gp_shim_queue *q);

/**
 * gp_shim_queue_rptr() - its read index now
 * @q: queue, readable; not so any more if the application unmapped it
 *
 * Return: index; of PM4 queues modulo the ring.
 */
uint64_t gp_shim_queue_rptr(struct gp_shim_queue *q);

/* The queues there are. */
#define gp_shim_queue_each(s, q)                                                            \
	for ((q) = (s)->queues; (q) < (s)->queues + (s)->nr_queues; (q)++)              \
		if ((q)->used)

#endif
