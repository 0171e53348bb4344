/* SPDX-License-Identifier: MIT */
/*
 * Clients: connections that speak mechanism/wire.h. Reads and checks what they say,
 * keeps their queues, and drops those that flood or talk nonsense: a dropped client
 * lets go of everything by itself, so that is always safe.
 */
#ifndef GPD_CLIENT_H
#define GPD_CLIENT_H

#include "daemon/gpreemptd.h"

/* A simulated process may have any number that no real process can have. */
#define GPD_PID_MAX 4194304

/**
 * gpd_client_listen() - open the client socket
 * @d: daemon
 * @path: path of the control socket, to which the suffix is added
 *
 * Return: 0 or -errno.
 */
int gpd_client_listen(struct gpd *d, const char *path);

/* What clients need of the loop; part of gpd_client_listen(). 0 or -errno. */
int gpd_client_timers(struct gpd *d);

/* A client has said HELLO: it can be found by its process. */
void gpd_client_is_known(struct gpd_client *c);

/* Close the client socket and forget all clients: they let go of everything. */
void gpd_client_close_all(struct gpd *d);

/**
 * gpd_client_add() - a connection becomes a client
 * @d: daemon
 * @fd: its socket; the client owns it from now on
 * @cred: the other end
 * @user: whose budgets it takes from; the client gets a reference of its own
 * @out: the client
 *
 * Return: 0, -EMFILE no place is left for the user, -errno.
 */
int gpd_client_add(struct gpd *d, int fd, const struct gpd_cred *cred, struct gpd_user *user,
		   struct gpd_client **out);

/**
 * gpd_client_drop() - tell a client why, and let it go
 * @c: client; not freed before the loop comes round
 * @err: -errno for the client
 * @format: reason, as of printf
 */
void gpd_client_drop(struct gpd_client *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * gpd_client_order() - send an order
 * @c: client
 * @order: all but the header; its epoch is filled in for HOLD and RELEASE
 * @type: WIRE_HOLD, WIRE_RELEASE, WIRE_RENEW
 *
 * Return: 0, -EPIPE the client is dead or was marked so now.
 */
int gpd_client_order(struct gpd_client *c, struct wire_order *order, uint16_t type);

/**
 * gpd_client_note() - remember something about a client, for people
 * @c: client
 * @format: as of printf
 *
 * The same note twice in a row is kept once.
 */
void gpd_client_note(struct gpd_client *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * gpd_client_set_attrs() - attributes of a client changed
 * @c: client
 * @attrs: new ones; a new group moves its members to another entity
 */
void gpd_client_set_attrs(struct gpd_client *c, const struct gpd_attrs *attrs);

/**
 * gpd_client_find() - a client by process
 * @d: daemon
 * @pid: process
 *
 * Return: the client that has said HELLO, NULL if there is none.
 */
struct gpd_client *gpd_client_find(struct gpd *d, pid_t pid);

/* Let a client go without a word; not freed before the loop comes round. */
void gpd_client_close(struct gpd_client *c);

/* Read what a client has said already, without waiting. */
void gpd_client_poll(struct gpd_client *c);

/* Pass on the edges that a client sent faster than it may. */
void gpd_client_unthrottle(struct gpd *d);

#endif
