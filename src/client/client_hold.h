/* SPDX-License-Identifier: MIT */
/*
 * The holds of one client, as the daemon orders them: memory for the set of rules/hold.h. The
 * owner of a hold is the kind of its holder, its target a queue or all queues of a node.
 */
#ifndef GP_CLIENT_HOLD_H
#define GP_CLIENT_HOLD_H

#include "client/wire.h"
#include "rules/hold.h"

#define CLIENT_HOLDS 256

/**
 * struct client_hold - an order to hold
 * @hold: in the set
 * @epoch: of the order; 0 = this place is free
 * @grace: of the order
 */
struct client_hold {
	struct gp_hold hold;
	uint64_t epoch;
	uint32_t grace;
};

/**
 * struct client_holds - all of them
 * @set: those that there are
 * @nr_places: places that were ever used; memory beyond is not touched
 * @places: places
 */
struct client_holds {
	struct gp_holds set;
	uint32_t nr_places;
	struct client_hold places[CLIENT_HOLDS];
};

/**
 * client_holds_init() - nothing is held
 * @hs: output
 */
void client_holds_init(struct client_holds *hs);

/**
 * client_holds_set() - HOLD: hold, or hold longer
 * @hs: holds
 * @o: order
 * @until_ns: end of the lease
 *
 * Return: 0, -ENOSPC.
 */
int client_holds_set(struct client_holds *hs, const struct wire_order *o,
		     uint64_t until_ns);

/**
 * client_holds_clear() - RELEASE
 * @hs: holds
 * @o: order; for all queues of the node it ends every hold of that holder there
 *
 * Return: 0; -EINVAL one queue named, of a node that is held as a whole.
 */
int client_holds_clear(struct client_holds *hs, const struct wire_order *o);

/**
 * client_holds_renew() - RENEW
 * @hs: holds
 * @epoch: of the HOLD
 * @until_ns: new end
 */
void client_holds_renew(struct client_holds *hs, uint64_t epoch, uint64_t until_ns);

/**
 * client_holds_expire() - take out one hold whose lease is over
 * @hs: holds
 * @now_ns: time
 * @out: the hold
 *
 * Return: true if there was one.
 */
bool client_holds_expire(struct client_holds *hs, uint64_t now_ns,
			 struct client_hold *out);

/**
 * client_holds_covers() - is a queue held?
 * @hs: holds
 * @gpu_id: node
 * @queue_id: queue; WIRE_QUEUE_ALL: is the node held as a whole?
 *
 * Return: true if it is, by whichever holder.
 */
bool client_holds_covers(const struct client_holds *hs, uint32_t gpu_id, uint32_t queue_id);

/**
 * client_holds_grace() - the longest grace of the holds of a node
 * @hs: holds
 * @gpu_id: node
 *
 * Return: grace; 0 = none was asked for.
 */
uint32_t client_holds_grace(const struct client_holds *hs, uint32_t gpu_id);

#endif
