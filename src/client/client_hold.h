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

/* An order to hold. */
struct client_hold {
	struct gp_hold hold; /* in the set */
	uint64_t epoch; /* of the order; 0 = this place is free */
	uint32_t grace; /* of the order */
};

/* All of them. */
struct client_holds {
	uint64_t epoch; /* largest of an order so far */
	struct gp_holds set; /* those that there are */
	uint32_t nr_places; /* places that were ever used; memory beyond is not touched */
	struct client_hold places[CLIENT_HOLDS]; /* places */
};

/* Nothing is held, and no order was seen. */
void client_holds_init(struct client_holds *hs);

/* Is it to be carried out, and later ones only if their epoch is larger? */
bool client_holds_is_new(struct client_holds *hs, const struct wire_order *o);

/* HOLD: hold, or hold longer; no lease is longer than a minute. 0, -ENOSPC. */
int client_holds_set(struct client_holds *hs, const struct wire_order *o, uint64_t now_ns);

/**
 * client_holds_clear() - RELEASE
 * @hs: holds
 * @o: order; for all queues of the node it ends every hold of that holder there
 *
 * Return: 0; -EINVAL one queue named, of a node that is held as a whole.
 */
int client_holds_clear(struct client_holds *hs, const struct wire_order *o);

/* RENEW: the holds of that epoch end later. */
void client_holds_renew(struct client_holds *hs, const struct wire_order *o, uint64_t now_ns);

/* Take out one hold whose lease is over, if there is one. */
bool client_holds_expire(struct client_holds *hs, uint64_t now_ns, struct client_hold *out);

/* Is a queue held, by whichever holder? WIRE_QUEUE_ALL: is the node held as a whole? */
bool client_holds_covers(const struct client_holds *hs, uint32_t gpu_id, uint32_t queue_id);

/* The longest grace of the holds of a node; 0 = none was asked for. */
uint32_t client_holds_grace(const struct client_holds *hs, uint32_t gpu_id);

#endif
