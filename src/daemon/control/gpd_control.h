/* SPDX-License-Identifier: MIT */
/*
 * The control socket: varlink over a unix stream socket. One request at a time a
 * connection; a request that has to wait (Suspend, Resume, Attach) keeps the ones
 * behind it waiting. A peer that does not read what it asked for is let go.
 */
#ifndef GPD_CONTROL_H
#define GPD_CONTROL_H

#include "daemon/control/gpd_control_decode.h"
#include "daemon/gpreemptd.h"

#include <jansson.h>

/**
 * typedef gpd_stream_next - the next item of a reply that is made piece by piece
 * @conn: connection
 * @cursor: where the last call ended
 *
 * Return: the item, NULL after the last.
 */
typedef json_t *(*gpd_stream_next)(struct gpd_conn *conn, void *cursor);

/**
 * struct gpd_stream - a reply that is made piece by piece
 * @next: makes an item, NULL = there is no such reply
 * @end: frees the cursor
 * @cursor: argument of both
 * @nr: items so far
 */
struct gpd_stream {
	gpd_stream_next next;
	void (*end)(void *cursor);
	void *cursor;
	uint64_t nr;
};

/**
 * struct gpd_conn - a control connection
 * @link: in gpd_control.conns
 * @of_user: in gpd_user.conns
 * @of_monitors: in gpd_control.monitors, if it gets events
 * @user: whose budgets it takes from
 * @d: daemon
 * @fd: socket
 * @io: in the loop
 * @turn: handles one request, or a part of one; on only while there is one
 * @cred: the other end
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
 * @is_paused: its turn comes when its user has rested
 * @dead: waits to be freed
 * @job: the Suspend or Resume in hand, NULL = none
 * @stream: the reply in hand
 */
struct gpd_conn {
	LIST_ENTRY(gpd_conn) link;
	LIST_ENTRY(gpd_conn)
	of_user;
	LIST_ENTRY(gpd_conn)
	of_monitors;
	struct gpd_user *user;
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
	bool is_paused;
	bool dead;
	struct gpd_job *job;
	struct gpd_stream stream;
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
 * @text: the message, from gpd_control_event_text()
 *
 * If there is no room it is counted, and said once there is.
 */
void gpd_control_event(struct gpd_conn *conn, const char *text);

/**
 * gpd_control_event_text() - an event as a message
 * @event: event; the reference is taken
 *
 * Return: for free(), NULL without memory.
 */
char *gpd_control_event_text(json_t *event);

/* Whether an event would only be counted. */
bool gpd_control_is_slow(const struct gpd_conn *conn);

/**
 * gpd_control_stream() - reply with a list, a few items a turn
 * @conn: connection
 * @key: name of the list
 * @next: makes the items, as long as the connection is there and reads
 * @end: frees the cursor in the end
 * @cursor: argument of both
 */
void gpd_control_stream(struct gpd_conn *conn, const char *key, gpd_stream_next next,
			void (*end)(void *cursor), void *cursor);

/* The next items. */
void gpd_control_stream_step(struct gpd_conn *conn);

/* The connection ends in the middle of it. */
void gpd_control_stream_stop(struct gpd_conn *conn);

/* Steps of a request in one turn: few for a user, whose turns come between others'. */
int gpd_control_steps(const struct gpd_conn *conn);

/**
 * gpd_control_monitor() - a connection gets events from now on
 * @conn: connection
 * @trace: and records of the core
 *
 * Return: false if its user has too many already.
 */
bool gpd_control_monitor(struct gpd_conn *conn, bool trace);

/* Its user has rested: go on. */
void gpd_control_resume(struct gpd_conn *conn);

/* The request in hand is answered: go on with the next. */
void gpd_control_next(struct gpd_conn *conn);

/* The first connection; the others follow in its list. */
struct gpd_conn *gpd_control_first(struct gpd *d);

/* Walk the connections that monitor. */
struct gpd_conn *gpd_control_first_monitor(struct gpd *d);
struct gpd_conn *gpd_control_next_monitor(struct gpd_conn *conn);

#endif
