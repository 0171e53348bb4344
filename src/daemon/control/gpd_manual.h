/* SPDX-License-Identifier: MIT */
/*
 * Holds by hand (rules/hold.h). Each is on one queue, or on all compute queues, of one client
 * on one node; it ends with a Resume, with its lease, or with the connection that made it
 * unless it was to be kept. Two holders are two holds: the target goes on with the last of
 * them. A queue that is held by hand counts as idle for the core: nothing waits for it, and
 * no room is made for it.
 */
#ifndef GPD_MANUAL_H
#define GPD_MANUAL_H

#include "daemon/gpreemptd.h"

/**
 * gpd_manual_owner() - the owner of a hold, as rules/hold.h wants it
 * @conn: connection
 * @keep: the hold is its user's, else the connection's
 *
 * Return: a number.
 */
uint64_t gpd_manual_owner(const struct gpd_conn *conn, bool keep);

/* Whether a connection may end a hold of this owner. */
bool gpd_manual_may_end(const struct gpd_conn *conn, uint64_t owner);

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
 * @queue_id: queue or WIRE_QUEUE_ALL
 * @conn: connection that asks; its user has a budget
 * @keep: the hold is its user's and stays when the connection ends
 * @lease_ns: it ends after this, 0 = only with @conn or a Resume
 * @epoch: output: epoch of the order
 *
 * Return: 0, -EPIPE the client is gone, -EDQUOT the user has too many, -ENOMEM.
 */
int gpd_manual_hold(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		    struct gpd_conn *conn, bool keep, uint64_t lease_ns, uint64_t *epoch);

/**
 * gpd_manual_release() - undo it
 * @c: client
 * @gpu_id: node
 * @queue_id: queue, or WIRE_QUEUE_ALL: also every single queue that is held
 * @conn: connection that asks: its own holds end, and the kept ones of its user; all if it
 *	is privileged
 * @epoch: output: epoch of the last order, 0 = nothing goes on
 *
 * Return: 0, -EPIPE.
 */
int gpd_manual_release(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
		       const struct gpd_conn *conn, uint64_t *epoch);

/* Whether a queue is held by hand, alone or with all others. */
bool gpd_manual_covers(const struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id);

/* A client or a connection is gone. */
void gpd_manual_forget_client(struct gpd_client *c);
void gpd_manual_forget_conn(struct gpd *d, struct gpd_conn *conn);

#endif
