/* SPDX-License-Identifier: MIT */
/*
 * Gangs: groups whose name begins with GP_GROUP_GANG are one over all nodes, and leave the
 * GPUs and come back as a whole (rules/gang.h). News of nodes are noted as they come and heard
 * by the loop right after, so that nothing is decided inside of a call to the core. A gang
 * connects GPUs of others: it takes privilege, or a grant with the group. Without these the name
 * is that of a group on each node.
 */
#ifndef GPD_GANG_H
#define GPD_GANG_H

#include "daemon/gpreemptd.h"

/* After the scheduler. 0, -ENOMEM. */
int gpd_gang_init(struct gpd *d);
void gpd_gang_fini(struct gpd *d);

/* A node has news. */
void gpd_gang_news(struct gpd_node *n);

/* An entity has another key, or is new. @name: of its group. */
void gpd_gang_join(struct gpd_entity *e, const char *name);

/* What a process in it is granted may have changed; NULL is fine. */
void gpd_gang_ask_again(struct gpd_entity *e);

/* An entity has another key, or is gone from the core. */
void gpd_gang_leave(struct gpd_entity *e);

#endif
