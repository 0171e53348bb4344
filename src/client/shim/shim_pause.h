/* SPDX-License-Identifier: MIT */
/*
 * Stopping and continuing queues at the least number of runlist cycles. Every
 * UPDATE_QUEUE that reaches the driver costs one on the whole node, so what the driver
 * has already is not said again. Callers hold call_lock.
 */
#ifndef GP_SHIM_PAUSE_H
#define GP_SHIM_PAUSE_H

#include "client/shim/shim.h"

/**
 * struct shim_pause_result - what became of the queues
 * @error: 0, or errno of the worst
 * @nr_queues: whose state changed
 * @nr_cycles: calls that cost a runlist cycle each
 */
struct shim_pause_result {
	int error;
	uint32_t nr_queues;
	uint32_t nr_cycles;
};

/**
 * shim_pause_apply() - make the driver have what holds and wishes say
 * @s: shim
 * @gpu_id: node, 0 = all
 * @grace: for DBG_TRAP, 0 = the default
 * @out: what became of it
 *
 * Held queues without work are left alone: they cost nothing until they ring.
 */
void shim_pause_apply(struct shim *s, uint32_t gpu_id, uint32_t grace,
		      struct shim_pause_result *out);

/**
 * shim_pause_is_needed() - is there something to apply?
 * @s: shim
 *
 * Return: true if a queue runs that should not or the other way round.
 */
bool shim_pause_is_needed(struct shim *s);

/**
 * shim_pause_wish() - UPDATE_QUEUE of the application
 * @s: shim
 * @q: queue
 * @fd: of the application
 * @wish: what it wants
 *
 * Return: 0, or -1 and errno of the driver.
 */
int shim_pause_wish(struct shim *s, struct shim_queue *q, int fd,
		    const struct shim_props *wish);

/**
 * shim_pause_is_stopped() - does the driver keep it from running for the shim?
 * @q: queue
 *
 * Return: true if it is stopped and the application does not want it to be.
 */
bool shim_pause_is_stopped(const struct shim_queue *q);

/**
 * shim_pause_is_lost() - was a queue of this process reset on a node?
 * @s: shim
 * @gpu_id: node
 *
 * Return: true if nothing can be stopped or continued there any more.
 */
bool shim_pause_is_lost(const struct shim *s, uint32_t gpu_id);

/**
 * shim_pause_before_destroy() - let go of a queue that will be destroyed
 * @s: shim
 * @q: queue
 */
void shim_pause_before_destroy(struct shim *s, struct shim_queue *q);

/**
 * shim_pause_end_dbg() - close the own debug session for good
 * @s: shim; call_lock is not held
 *
 * Context: before the process ends or closes its runtime: the driver waits for a
 * debugger that it cannot find any more otherwise.
 */
void shim_pause_end_dbg(struct shim *s);

#endif
