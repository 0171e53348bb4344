/* SPDX-License-Identifier: MIT */
/*
 * Holds by hand. Each is a level on one queue, or on all compute queues, of one
 * client on one node; it ends with a Resume, with its lease, or with the connection
 * that made it unless it was to be kept. A queue that is held by hand counts as
 * idle for the core: nobody waits for it, and nobody makes room for it.
 */
#ifndef GPD_MANUAL_H
#define GPD_MANUAL_H

#include "daemon/gpreemptd.h"

/* Make and free the set of holds. */
int gpd_manual_init(struct gpd *d);
void gpd_manual_fini(struct gpd *d);

/* How many holds there are. */
uint32_t gpd_manual_nr(const struct gpd *d);

/* Renew the leases of all. */
void gpd_manual_renew(struct gpd *d);

/**
 * gpd_manual_hold() - hold by hand
 * @c: client
 * @gpu_id: node
 * @queue_id: queue or GP_WIRE_QUEUE_ALL
 * @owner: connection that made it; NULL = it stays when the connection ends
 * @lease_ns: it ends after this, 0 = only with @owner or a Resume
 * @epoch: output: epoch of the order
 *
 * Return: 0, -EPIPE the client is gone, -ENOMEM.
 */
int gpd_manual_hold(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		    struct gpd_conn *owner, uint64_t lease_ns, uint64_t *epoch);

/**
 * gpd_manual_release() - undo it
 * @c: client
 * @gpu_id: node
 * @queue_id: queue, or GP_WIRE_QUEUE_ALL: also every single queue that is held
 * @epoch: output: epoch of the last order, 0 = nothing was held
 *
 * Return: 0, -EPIPE.
 */
int gpd_manual_release(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		       uint64_t *epoch);

/* Whether a queue is held by hand, alone or with all others. */
bool gpd_manual_covers(const struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id);

/**
 * gpd_manual_done() - an answer of a client
 * @c: client
 * @done: answer
 *
 * Return: true if somebody waited for it here.
 */
bool gpd_manual_done(struct gpd_client *c, const struct gp_wire_done *done);

/* A client or a connection is gone. */
void gpd_manual_forget_client(struct gpd_client *c);
void gpd_manual_forget_conn(struct gpd *d, struct gpd_conn *conn);

#endif
