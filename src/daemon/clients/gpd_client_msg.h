/* SPDX-License-Identifier: MIT */
/*
 * What a client says, and what follows from it.
 */
#ifndef GPD_CLIENT_MSG_H
#define GPD_CLIENT_MSG_H

#include "daemon/gpreemptd.h"

/**
 * gpd_client_message() - handle one packet
 * @c: client; dropped if the packet makes no sense
 * @buf: packet
 * @len: its length, at most WIRE_MAX
 */
void gpd_client_message(struct gpd_client *c, const void *buf, size_t len);

/* Answer a HELLO. 0 or -errno. */
int gpd_client_welcome(struct gpd_client *c);

/* A queue that a client told, NULL if it did not. */
struct gpd_queue *gpd_client_queue(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id);

/* Are the busy queues of a client still there? Asks the driver at most once a second. */
void gpd_client_look(struct gpd_client *c);

/* A queue is gone. */
void gpd_client_queue_free(struct gpd_queue *q);

#endif
