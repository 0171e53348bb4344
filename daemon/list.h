/* SPDX-License-Identifier: MIT */
/*
 * What the daemon knows, as JSON of the control interface. Each returns a new
 * reference, or NULL out of memory.
 */
#ifndef GPD_LIST_H
#define GPD_LIST_H

#include "gpreemptd.h"

#include <jansson.h>

/* The reply of GetInfo. */
json_t *gpd_list_info(struct gpd *d, const struct gpd_cred *cred);

/* Arrays of Node, Process, Queue (of one process, or 0), Setting. */
json_t *gpd_list_nodes(struct gpd *d);
json_t *gpd_list_processes(struct gpd *d);
json_t *gpd_list_queues(struct gpd *d, pid_t pid);
json_t *gpd_list_settings(struct gpd *d);

/* Array of NodeStatistics, of one node or 0. */
json_t *gpd_list_statistics(struct gpd *d, uint32_t gpu_id);

/* A Process, Attributes. */
json_t *gpd_list_process(struct gpd_client *c);
json_t *gpd_list_attributes(const struct gpd_attrs *attrs);

#endif
