/* SPDX-License-Identifier: MIT */
/*
 * Attacks on gpreemptd: what an ordinary process can send to its two sockets without an end.
 * A process that sends what only a client may send has a queue in the driver and says so.
 */
#ifndef GT_FLOOD_H
#define GT_FLOOD_H

#include "client/wire.h"
#include "gt/gt_attack.h"

/* The last one has no name. */
extern const struct gt_attack_plan gt_floods[];

/**
 * struct gt_client - a client by hand, with a queue in the driver
 */
struct gt_client {
	struct gt_gpu gpu;
	struct gt_queue queue;
	int sock;
};

/* A queue, and the rest; ends the case if the daemon refuses. */
void gt_client_open(struct gt_client *c, bool busy);
/* HELLO, WELCOME, QUEUE_ADD. */
void gt_client_connect(struct gt_client *c, bool busy);
/* Sends if there is room. */
void gt_client_send(struct gt_client *c, void *message, uint16_t type, size_t size);
void gt_client_edge(struct gt_client *c, uint16_t type);
void gt_client_queue(struct gt_client *c, bool busy);
void gt_client_note(struct gt_client *c, uint32_t code);
/* The next order, if one has come. Return: its type, 0 = none; -EPIPE the daemon closed. */
int gt_client_order(struct gt_client *c, struct wire_order *order);
void gt_client_done(struct gt_client *c, const struct wire_order *order);

/* Sends a request for @method, without waiting. Return: whether it was sent. */
bool gt_flood_ask(int fd, const char *method, const char *parameters, const char *more);

#endif
