/* SPDX-License-Identifier: MIT */
/*
 * A GPU that is reset: the driver tells every process that may open it. Its queues are lost,
 * and with them what the core knew; those made afterwards are scheduled as if nothing
 * had been.
 */
#ifndef GPD_RESET_H
#define GPD_RESET_H

#include "daemon/gpreemptd.h"

/**
 * gpd_reset_watch() - hear of the resets of a node
 * @n: node
 *
 * Without the permission to open the driver nothing is heard; that is said once in the log.
 */
void gpd_reset_watch(struct gpd_node *n);

/* Hear no more. */
void gpd_reset_fini(struct gpd *d);

#endif
