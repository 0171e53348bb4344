/* SPDX-License-Identifier: MIT */
/*
 * What the core wants is carried out: switches, timers, reports. How a switch goes is
 * told in engine.h.
 */
#ifndef GPD_FANOUT_H
#define GPD_FANOUT_H

#include "daemon/gpreemptd.h"

/* The core has a node: begin to carry out what it wants there. */
void gpd_fanout_init(struct gpd_node *n);

/**
 * gpd_fanout_settle() - carry out what the core wants until nothing is left to do at once
 * @n: node; the core was called, its actions are in gpd_node.act
 */
void gpd_fanout_settle(struct gpd_node *n);

/**
 * gpd_fanout_answered() - a member owes no answer any more
 * @m: member; nothing happens if it owed none
 * @result: what became of the order
 */
void gpd_fanout_answered(struct gpd_member *m, enum gp_result result);

/**
 * gpd_fanout_done() - an answer of a client
 * @c: client
 * @done: answer
 *
 * Return: true if the switch in flight waited for it.
 */
bool gpd_fanout_done(struct gpd_client *c, const struct wire_done *done);

/* The switch that is under way is lost with its node. */
void gpd_fanout_forget(struct gpd_node *n);

#endif
