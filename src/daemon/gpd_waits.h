/* SPDX-License-Identifier: MIT */
/*
 * How long work waited, from the moment the core knew of it to its first run: for each entity, for
 * each class on a node, and for each user.
 */
#ifndef GPD_WAITS_H
#define GPD_WAITS_H

#include "core/hist.h"

#include <stdint.h>
#include <sys/queue.h>

#include "client/wire.h"

struct gpd;
struct gpd_entity;
struct gpd_node;

/* That of a class on a node. */
struct gpd_class_waits {
	LIST_ENTRY(gpd_class_waits) link; /* in gpd_node.class_waits */
	char klass[WIRE_NAME_LEN];
	struct gp_small_hist waits;
};

/* An entity has waited; for the trace hook of the core. */
void gpd_waits_note(struct gpd_entity *e, uint64_t ns);

/* Free what a node has. */
void gpd_waits_fini(struct gpd_node *n);

#endif
