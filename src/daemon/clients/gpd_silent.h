/* SPDX-License-Identifier: MIT */
/*
 * The timer of a node, and clients that do not answer: see engine.h.
 */
#ifndef GPD_SILENT_H
#define GPD_SILENT_H

#include "daemon/gpreemptd.h"

/* gpd_node.timer: the time of the core, or of a look at clients that owe an answer. */
int gpd_silent_timer(sd_event_source *s, uint64_t usec, void *node);

/**
 * gpd_silent_done() - a client has answered
 * @c: client
 * @done: answer
 * @is_awaited: it was the answer to an order of the switch in flight
 *
 * A client that fails all the time is left alone, one that was silent is taken in again.
 */
void gpd_silent_done(struct gpd_client *c, const struct wire_done *done, bool is_awaited);

#endif
