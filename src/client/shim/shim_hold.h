/* SPDX-License-Identifier: MIT */
/*
 * What is held, by whom and until when. Changed under both locks by the control
 * thread; whoever has one of them may look.
 */
#ifndef GP_SHIM_HOLD_H
#define GP_SHIM_HOLD_H

#include "client/shim/shim.h"

/**
 * gp_hold_set() - hold, or hold longer
 * @s: shim
 * @order: HOLD
 * @until_ns: end of the lease
 *
 * Return: 0, -ENOSPC.
 */
int gp_hold_set(struct gp_shim *s, const struct gp_wire_order *order, uint64_t until_ns);

/**
 * gp_hold_clear() - release
 * @s: shim
 * @order: RELEASE; for all queues of the node it ends every hold of that holder there
 *
 * Return: 0; -EINVAL one queue named, of a node that is held as a whole.
 */
int gp_hold_clear(struct gp_shim *s, const struct gp_wire_order *order);

/**
 * gp_hold_renew() - lengthen the lease of a hold
 * @s: shim
 * @epoch: of the HOLD
 * @until_ns: new end
 */
void gp_hold_renew(struct gp_shim *s, uint64_t epoch, uint64_t until_ns);

/**
 * gp_hold_expire() - take out one hold whose lease is over
 * @s: shim
 * @now_ns: time
 * @out: the hold
 *
 * Return: true if there was one.
 */
bool gp_hold_expire(struct gp_shim *s, uint64_t now_ns, struct gp_shim_hold *out);

/**
 * gp_hold_next_ns() - when the next lease ends
 * @s: shim
 *
 * Return: time, UINT64_MAX = none.
 */
uint64_t gp_hold_next_ns(const struct gp_shim *s);

/**
 * gp_hold_drop_all() - nothing is held any more
 * @s: shim
 */
void gp_hold_drop_all(struct gp_shim *s);

/**
 * gp_hold_has() - is a queue held?
 * @s: shim
 * @q: queue
 *
 * Return: true for a compute queue that somebody holds.
 */
bool gp_hold_has(const struct gp_shim *s, const struct gp_shim_queue *q);

/**
 * gp_hold_wants() - would a new queue be held?
 * @s: shim
 * @gpu_id: node
 * @type: enum gp_kfd_queue_type
 *
 * Return: true for a compute queue on a node that is held as a whole.
 */
bool gp_hold_wants(const struct gp_shim *s, uint32_t gpu_id, uint32_t type);

#endif
