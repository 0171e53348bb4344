/* SPDX-License-Identifier: MIT */
/*
 * The holds of one client, as the daemon orders them: memory for the set of rules/hold.h. The
 * owner of a hold is the kind of its holder, its target a queue or all queues of a node.
 */
#ifndef GP_CLIENT_HOLD_H
#define GP_CLIENT_HOLD_H

#include "client/wire.h"
#include "rules/hold.h"

#define GP_CLIENT_HOLDS 256

/**
 * struct gp_client_hold - an order to hold
 * @hold: in the set
 * @epoch: of the order; 0 = this place is free
 * @grace: of the order
 */
struct gp_client_hold {
	struct gp_hold hold;
	uint64_t epoch;
	uint32_t grace;
};

/**
 * struct gp_client_holds - all of them
 * @set: those that there are
 * @nr_places: places that were ever used; memory beyond is not touched
 * @places: places
 */
struct gp_client_holds {
	struct gp_holds set;
	uint32_t nr_places;
	struct gp_client_hold places[GP_CLIENT_HOLDS];
};

/**
 * gp_client_holds_init() - nothing is held
 * @hs: output
 */
void gp_client_holds_init(struct gp_client_holds *hs);

/**
 * gp_client_holds_set() - HOLD: hold, or hold longer
 * @hs: holds
 * @o: order
 * @until_ns: end of the lease
 *
 * Return: 0, -ENOSPC.
 */
int gp_client_holds_set(struct gp_client_holds *hs, const struct gp_wire_order *o,
			uint64_t until_ns);

/**
 * gp_client_holds_clear() - RELEASE
 * @hs: holds
 * @o: order; for all queues of the node it ends every hold of that holder there
 *
 * Return: 0; -EINVAL one queue named, of a node that is held as a whole.
 */
int gp_client_holds_clear(struct gp_client_holds *hs, const struct gp_wire_order *o);

/**
 * gp_client_holds_renew() - RENEW
 * @hs: holds
 * @epoch: of the HOLD
 * @until_ns: new end
 */
void gp_client_holds_renew(struct gp_client_holds *hs, uint64_t epoch, uint64_t until_ns);

/**
 * gp_client_holds_expire() - take out one hold whose lease is over
 * @hs: holds
 * @now_ns: time
 * @out: the hold
 *
 * Return: true if there was one.
 */
bool gp_client_holds_expire(struct gp_client_holds *hs, uint64_t now_ns,
			    struct gp_client_hold *out);

/**
 * gp_client_holds_covers() - is a queue held?
 * @hs: holds
 * @gpu_id: node
 * @queue_id: queue; GP_WIRE_QUEUE_ALL: is the node held as a whole?
 *
 * Return: true if it is, by whichever holder.
 */
bool gp_client_holds_covers(const struct gp_client_holds *hs, uint32_t gpu_id, uint32_t queue_id);

/**
 * gp_client_holds_grace() - the longest grace of the holds of a node
 * @hs: holds
 * @gpu_id: node
 *
 * Return: grace; 0 = none was asked for.
 */
uint32_t gp_client_holds_grace(const struct gp_client_holds *hs, uint32_t gpu_id);

#endif
