/* SPDX-License-Identifier: MIT */
/*
 * A queue as ROCr shows it to the application: with it come a doorbell whose rings are seen,
 * and the right to put in a barrier packet if it has several producers anyway.
 *
 * The packet is safe beside producers that take their places with the atomic calls, as HSA
 * asks of such queues. A producer with a lock of its own that loads the write index, writes and
 * stores the index may share a place with the packet: one of the two is lost. So no packet
 * is put in any more once the program calls hsa_queue_store_write_index_*() on such a
 * queue, once a packet is seen ahead of the write index, or once a barrier packet was written
 * over; the pointers must do then.
 */
#ifndef GP_SHIM_HSA_QUEUE_H
#define GP_SHIM_HSA_QUEUE_H

#include <hsa/hsa.h>

#include "client/shim/shim.h"

/**
 * struct shim_hsa_calls - the functions of ROCr that the shim calls
 * @cas_write_index: hsa_queue_cas_write_index_scacq_screl
 * @signal_create: hsa_signal_create
 * @signal_destroy: hsa_signal_destroy
 * @store: hsa_signal_store_screlease
 */
struct shim_hsa_calls {
	uint64_t (*cas_write_index)(const hsa_queue_t *queue, uint64_t expected, uint64_t value);
	hsa_status_t (*signal_create)(hsa_signal_value_t initial, uint32_t nr_consumers,
				      const hsa_agent_t *consumers, hsa_signal_t *out);
	hsa_status_t (*signal_destroy)(hsa_signal_t signal);
	void (*store)(hsa_signal_t signal, hsa_signal_value_t value);
};

enum shim_hsa_send {
	SHIM_HSA_SENT,
	SHIM_HSA_NOT_NOW,	/* the last one is on its way, or others write a lot */
	SHIM_HSA_NEVER,		/* not in this queue */
};

enum shim_hsa_check {
	SHIM_HSA_WAITS,		/* for packets before it */
	SHIM_HSA_DONE,
	SHIM_HSA_LOST,		/* another producer has written over it */
};

/**
 * shim_hsa_queue_attach() - ROCr made a queue for the application
 * @s: shim; no lock is held
 * @queue: queue
 * @agent: its GPU
 * @calls: functions of ROCr; must live as long as the queue
 */
void shim_hsa_queue_attach(struct shim *s, hsa_queue_t *queue, hsa_agent_t agent,
			   const struct shim_hsa_calls *calls);

/**
 * shim_hsa_queue_detach() - it will be destroyed: put nothing in any more
 * @s: shim; no lock is held
 * @queue: queue
 *
 * Return: for shim_hsa_queue_free() after the queue is gone, or NULL.
 */
struct shim_hsa_queue *shim_hsa_queue_detach(struct shim *s, const hsa_queue_t *queue);

/**
 * shim_hsa_queue_free() - the GPU cannot write to the signal any more
 * @h: of shim_hsa_queue_detach()
 */
void shim_hsa_queue_free(struct shim_hsa_queue *h);

/**
 * shim_hsa_queue_detach_all() - ROCr shuts down; its signals go with it
 * @s: shim; no lock is held
 */
void shim_hsa_queue_detach_all(struct shim *s);

/**
 * shim_hsa_barrier_is_used() - may barrier packets be put in?
 * @q: queue; lock is held
 *
 * Return: false also if they were given up.
 */
bool shim_hsa_barrier_is_used(const struct shim_queue *q);

/**
 * shim_hsa_barrier_send() - put a barrier packet in that waits for all before it
 * @s: shim
 * @q: queue; lock is held
 * @wptr: output if sent: write index right behind the packet
 *
 * Return: what became of it.
 */
enum shim_hsa_send shim_hsa_barrier_send(struct shim *s, struct shim_queue *q, uint64_t *wptr);

/**
 * shim_hsa_barrier_check() - what became of the packet?
 * @q: queue; lock is held
 *
 * Return: SHIM_HSA_LOST also if none was ever sent; after it none is sent any more.
 */
enum shim_hsa_check shim_hsa_barrier_check(struct shim_queue *q);

#endif
