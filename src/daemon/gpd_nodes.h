/* SPDX-License-Identifier: MIT */
/*
 * The nodes: GPUs that amdkfd lists, and simulated ones.
 */
#ifndef GPD_NODES_H
#define GPD_NODES_H

#include "daemon/gpd_ops.h"

/**
 * gpd_nodes_init() - find the nodes there are
 * @d: daemon with its configuration, before its scheduler
 */
void gpd_nodes_init(struct gpd *d);

/* A node that the core has: its configuration, what was saved of it, and its resets. */
void gpd_nodes_begin(struct gpd_node *n);

/* Hear of no more resets. */
void gpd_nodes_fini(struct gpd *d);

/**
 * gpd_nodes_find() - a node by gpu_id
 * @d: daemon
 * @gpu_id: gpu_id; if it is not known, the driver is asked, once a second at most
 *
 * Return: the node, NULL if there is none.
 */
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
