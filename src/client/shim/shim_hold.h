/* SPDX-License-Identifier: MIT */
/*
 * Which queues are held. The control thread changes the holds under both locks; a thread that
 * has one of them may look.
 */
#ifndef GP_SHIM_HOLD_H
#define GP_SHIM_HOLD_H

#include "client/shim/shim.h"

/**
 * shim_hold_has() - is a queue held?
 * @s: shim
 * @q: queue
 *
 * Return: true for a compute queue that is held.
 */
bool shim_hold_has(const struct shim *s, const struct shim_queue *q);

/**
 * shim_hold_wants() - would a new queue be held?
 * @s: shim
 * @gpu_id: node
 * @type: enum drv_kfd_queue_type
 *
 * Return: true for a compute queue on a node that is held as a whole.
 */
bool shim_hold_wants(const struct shim *s, uint32_t gpu_id, uint32_t type);

#endif
