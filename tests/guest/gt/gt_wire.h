/* SPDX-License-Identifier: MIT */
/*
 * The daemon's side of mechanism/wire.h, by hand: one client, every message as it
 * comes. For tests of what a client does, message by message.
 */
#ifndef GT_WIRE_H
#define GT_WIRE_H

#include "gt/gt.h"
#include "client/wire.h"

#define GT_SHIM "/usr/local/lib/gpreempt/libgpreempt-shim.so"
#define GT_WIRE_MS 5000

/**
 * struct gt_wire - a socket and the client on it
 * @listener: socket
 * @sock: the client
 * @epoch: last one used
 * @lease_ns: for orders
 */
struct gt_wire {
	int listener;
	int sock;
	uint64_t epoch;
	uint64_t lease_ns;
};

/* Listens; programs started from now on are preloaded and find it. */
void gt_wire_open(struct gt_wire *w);
/* Waits for a client and its HELLO. Return: 0 or -ETIMEDOUT */
int gt_wire_accept(struct gt_wire *w, struct wire_hello *hello, unsigned int ms);
/* WELCOME with these flags. */
void gt_wire_welcome(struct gt_wire *w, uint32_t flags);
/* Accept and welcome; ends the case if no client comes. */
void gt_wire_meet(struct gt_wire *w, uint32_t flags);
/* Waits until so many queues were told of and have work. Ends the case if they do not. */
void gt_wire_wait_busy(struct gt_wire *w, unsigned int nr);
/* The next message of a type, others are passed over. Return: 0 or -ETIMEDOUT, -EPIPE */
int gt_wire_get(struct gt_wire *w, uint16_t type, void *out, size_t bytes, unsigned int ms);
/* Everything that is there is thrown away. */
void gt_wire_drain(struct gt_wire *w);
/* HOLD or RELEASE of every queue; waits for the answer, ends the case if it is not OK. */
struct wire_done gt_wire_order(struct gt_wire *w, uint16_t type, uint32_t gpu_id);

#endif
