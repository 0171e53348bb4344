/* SPDX-License-Identifier: MIT */
/*
 * The control socket: varlink over a unix stream socket. One request at a time a
 * connection; a request that has to wait (Suspend, Resume, Attach) keeps the ones
 * behind it waiting. Who does not read what he asked for is let go.
 */
#ifndef GPD_CONTROL_H
#define GPD_CONTROL_H

#include "daemon/control/gpd_control_decode.h"
#include "daemon/gpreemptd.h"

#include <jansson.h>

/**
 * struct gpd_conn - a control connection
 * @link: in gpd_control.conns
 * @d: daemon
 * @fd: socket
 * @io: in the loop
 * @turn: handles one request; on only while there is one
 * @cred: who is at the other end
 * @in: what was read and not handled
 * @in_len: its length
 * @out: what is to be sent
 * @out_len: its length
 * @out_sent: how much of it was sent
 * @out_size: size of @out
 * @since_ns: since when nothing could be sent, 0 = all is sent
 * @waiting: a request is not answered yet
 * @oneway: the request in hand wants no reply
 * @monitor: gets events
 * @trace: gets records of the core too
 * @nr_lost: events that found no room
 * @dead: waits to be freed
 * @job: the request that waits, NULL = none
 */
struct gpd_conn {
	LIST_ENTRY(gpd_conn) link;
	struct gpd *d;
	int fd;
	sd_event_source *io;
	sd_event_source *turn;
	struct gpd_cred cred;
	char *in;
	size_t in_len;
	char *out;
	size_t out_len;
	size_t out_sent;
	size_t out_size;
	uint64_t since_ns;
	bool waiting;
	bool oneway;
	bool monitor;
	bool trace;
	uint64_t nr_lost;
	bool dead;
	struct gpd_job *job;
};

/* Open the control socket and listen. 0 or -errno. */
int gpd_control_listen(struct gpd *d, const char *path);

/* Close it and all connections; with them go the holds they made. */
void gpd_control_close(struct gpd *d);

/* Talk to it no more; it is freed at the end of the turn. */
void gpd_control_dead(struct gpd_conn *conn);

/* Wait for what it may say and for what it has to read. */
void gpd_control_watch(struct gpd_conn *conn);

/* Send as much as it takes. */
void gpd_control_flush(struct gpd_conn *conn);

/* Refuse the request in hand; @error with its interface. */
void gpd_control_refuse(struct gpd_conn *conn, const char *error, const char *key,
			const char *value);

/**
 * gpd_control_reply() - answer the request in hand
 * @conn: connection
 * @parameters: of the reply; the reference is taken; NULL = out of memory
 */
void gpd_control_reply(struct gpd_conn *conn, json_t *parameters);

/**
 * gpd_control_error() - refuse the request in hand
 * @conn: connection
 * @error: name without the interface: "NotFound"
 * @key: key of its parameter: "what", "reason"
 * @format: value of it, as of printf
 */
void gpd_control_error(struct gpd_conn *conn, const char *error, const char *key,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * gpd_control_failed() - the request in hand failed, or asks for what cannot be
 * @conn: connection
 * @err: -errno, for programs
 * @format: reason, as of printf
 */
void gpd_control_failed(struct gpd_conn *conn, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * gpd_control_event() - send an event to a connection that monitors
 * @conn: connection
 * @event: event; the reference is not taken
 *
 * If there is no room it is counted, and said once there is.
 */
void gpd_control_event(struct gpd_conn *conn, json_t *event);

/* The request in hand is answered: go on with the next. */
void gpd_control_next(struct gpd_conn *conn);

/* The first connection; the others follow in its list. */
struct gpd_conn *gpd_control_first(struct gpd *d);

/* Walk the connections that monitor. */
struct gpd_conn *gpd_control_first_monitor(struct gpd *d);
struct gpd_conn *gpd_control_next_monitor(struct gpd_conn *conn);

#endif
