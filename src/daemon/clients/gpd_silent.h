/* SPDX-License-Identifier: MIT */
/*
 * The timer of a node, and clients that do not answer: see engine.h.
 */
#ifndef GPD_SILENT_H
#define GPD_SILENT_H

#include "daemon/gpreemptd.h"

/**
 * gpd_silent_timer() - the time of a node has come: that of the core, or of a look at
 *	clients that owe an answer
 * @n: node
 */
void gpd_silent_timer(struct gpd_node *n);

/**
 * gpd_silent_heard() - a client carried out an order: one that does not is to blame itself
 * @m: member
 */
void gpd_silent_heard(struct gpd_member *m);

/* Clients that do not answer are left alone, and taken in again when they do. */
void gpd_silent_mute(struct gpd *d);

#endif
