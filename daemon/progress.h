/* SPDX-License-Identifier: MIT */
/*
 * Does a process go on after it was released? Clients look at read pointers; the
 * driver's cu_occupancy tells a long kernel from a queue that stands still.
 */
#ifndef GPD_PROGRESS_H
#define GPD_PROGRESS_H

#include "gpreemptd.h"

/**
 * gpd_progress_note() - a client says whether something moved after a release
 * @c: client
 * @gpu_id: node
 * @moved: it did
 */
void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved);

#endif
