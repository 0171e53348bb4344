/* SPDX-License-Identifier: MIT */
/*
 * Processes with queues that are not under control, as the driver lists them.
 */
#ifndef GPD_LIST_OTHER_H
#define GPD_LIST_OTHER_H

#include "daemon/gpreemptd.h"

#include <jansson.h>

/* Add a Process of mechanism "none" for each. */
void gpd_list_other_processes(struct gpd *d, json_t *processes);

/* Add their queues, of one process or 0. */
void gpd_list_other_queues(struct gpd *d, json_t *queues, pid_t pid);

/**
 * gpd_list_compare() - find out which clients see less than the driver
 * @d: daemon
 *
 * Sets gpd_client.is_blind of every client of the shim.
 */
void gpd_list_compare(struct gpd *d);

#endif
