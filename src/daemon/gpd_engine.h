/* SPDX-License-Identifier: MIT */
/*
 * Between the core and the clients: events go in, actions come out and are carried out.
 *
 * A switch is all HOLDs, then all RELEASEs, without waiting in between. Each order has an epoch
 * larger than any before. The switch is done when every member of every entity has answered;
 * the worst answer of its members is that of an entity. What happens if an answer does not
 * come, and why it is done so, is in docs/design/protocol.md, "How a switch is carried out".
 */
#ifndef GPD_ENGINE_H
#define GPD_ENGINE_H

#include "daemon/gpd_ops.h"
#include "daemon/gpreemptd.h"

/* Make the scheduler of a daemon that has its nodes, and free it. 0 or -errno. */
int gpd_engine_init(struct gpd *d);
void gpd_engine_fini(struct gpd *d);

/* A node of the daemon goes to the core, where its index is free. 0 or -errno. */
int gpd_engine_node(struct gpd_node *n);

/* A compute queue of a client appeared; its member is found or made. 0, -ENOSPC, -ENOMEM. */
int gpd_engine_queue_add(struct gpd_queue *q, struct gpd_node *n);

/* A queue is gone; its member and entity with it if it was the last. */
void gpd_engine_queue_remove(struct gpd_queue *q);

/* Tell the core whether a queue has work, if that is news to it. */
void gpd_engine_queue_level(struct gpd_queue *q);

/* Tell the core that a queue completed requests; the oldest that is left came then. */
void gpd_engine_queue_progress(struct gpd_queue *q, uint64_t since_ns);

/* A client has other attributes: its members find their entities anew if need be. */
void gpd_engine_attrs(struct gpd_client *c);

/* Hold and release a member once more: it was released, and nothing moves. */
void gpd_engine_nudge(struct gpd_member *m);

/* Schedule a node, or do not. 0 or -errno. */
int gpd_engine_set_enabled(struct gpd_node *n, bool enabled);

/* Leave a node to another scheduler; the core is off where it is not the one. */
void gpd_engine_set_ops(struct gpd_node *n, const struct gpd_node_ops *ops);

/* Take a node out of scheduling, and say why. */
void gpd_engine_put_out(struct gpd_node *n, const char *reason);

/* A node is being reset: every queue on it is lost, nothing is held, clients are told. */
void gpd_engine_lost(struct gpd_node *n);

/* The reset is over: queues made from now on are scheduled. */
void gpd_engine_back(struct gpd_node *n);

/* Release everything that the scheduler holds, without waiting for an answer. */
void gpd_engine_release_all(struct gpd *d);

/*
 * The nodes: GPUs that amdkfd lists, and simulated ones.
 */

/* Find the nodes there are, of a daemon with its configuration, before its scheduler. */
void gpd_nodes_init(struct gpd *d);

/* A node that the core has: its configuration, what was saved of it, and its resets. */
void gpd_nodes_begin(struct gpd_node *n);

/* Hear of no more resets. */
void gpd_nodes_fini(struct gpd *d);

/* A node, NULL if there is none; the driver is asked for one that is new, once a second. */
struct gpd_node *gpd_nodes_find(struct gpd *d, uint32_t gpu_id);

/* Whether a node is scheduled; it may have been switched off from outside. */
static inline bool gpd_nodes_is_enabled(struct gpd_node *n)
{
	n->ops->refresh(n);
	return n->enabled;
}

/*
 * Whether a node is of gfx942. The driver of 6.12 leaves a process that ends with a
 * debug session of its own open there hanging for ever (docs/upstream-bugs.md).
 */
bool gpd_nodes_have_gfx942(const struct gpd *d);

#endif
