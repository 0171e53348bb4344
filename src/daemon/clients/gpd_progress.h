/* SPDX-License-Identifier: MIT */
/*
 * Does a process go on after it was released? Clients look at read pointers; the
 * driver's cu_occupancy tells a long kernel from a queue that stands still.
 */
#ifndef GPD_PROGRESS_H
#define GPD_PROGRESS_H

#include "daemon/gpreemptd.h"

/**
 * gpd_progress_note() - a client says whether something moved after a release
 * @c: client
 * @gpu_id: node
 * @moved: it did
 */
void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved);

/**
 * gpd_progress_reset() - a client says that a queue of it was reset
 * @c: client
 * @gpu_id: node
 *
 * After a queue of a process was reset, its next UPDATE_QUEUE takes everybody's queues off
 * the node, fails with EACCES and leaves it so. That process is left alone from then on, and
 * another one is stopped and continued, which maps all again: one of the same user, or one of
 * another user where the driver sees no waves, or where two users say so.
 */
void gpd_progress_reset(struct gpd_client *c, uint32_t gpu_id);

/**
 * gpd_progress_done() - a cycle of a client maps all of the node again
 * @c: client
 * @done: its answer
 */
void gpd_progress_done(struct gpd_client *c, const struct wire_done *done);

/* A user has come to a node: it is scheduled again if another user alone had it put out. */
void gpd_progress_join(struct gpd_node *n, const struct gpd_client *c);

/* A queue has work: if none had before, it is the first that can map all again. */
void gpd_progress_busy(struct gpd_queue *q);

#endif
