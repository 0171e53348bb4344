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

/*
 * The next item of a reply that is made piece by piece; null (of JSON) = this step gave none,
 * NULL after the last.
 */
typedef json_t *(*gpd_stream_next)(struct gpd_conn *conn, void *cursor);

/* A reply that is made piece by piece. */
struct gpd_stream {
	gpd_stream_next next;	   /* makes an item, NULL = there is no such reply */
	void (*end)(void *cursor); /* frees the cursor */
	void *cursor;		   /* argument of both */
	uint64_t nr;		   /* items so far */
	bool is_rest;		   /* the items are steps of a request, and not sent */
	json_t *reply;		   /* what is sent after these, NULL = nothing */
};

/* A control connection. */
struct gpd_conn {
	LIST_ENTRY(gpd_conn) link;	/* in gpd_control.conns */
	LIST_ENTRY(gpd_conn) of_monitors; /* in gpd_control.monitors, if it gets events */
	TAILQ_ENTRY(gpd_conn) of_dead;	  /* in gpd_control.dead, if it is dead */
	TAILQ_ENTRY(gpd_conn) of_turns;	/* in gpd_user.turns, if @has_turn */
	struct gpd_user *user; /* its budgets are used */
	struct gpd *d;
	int fd;
	sd_event_source *io;
	struct gpd_cred cred;  /* the other end */
	char *in;	       /* what was read and not handled */
	size_t in_len;
	char *out; /* what is to be sent */
	size_t out_len;
	size_t out_sent;	  /* how much of it was sent */
	size_t out_size;	  /* size of @out */
	uint64_t since_ns;	  /* since when nothing could be sent, 0 = all is sent */
	bool waiting;		  /* a request is not answered yet */
	bool oneway;		  /* the request in hand wants no reply */
	bool monitor;		  /* gets events */
	bool trace;		  /* gets records of the core too */
	uint64_t event_next;	  /* number of the next event it gets, see gpd_event.c */
	uint64_t nr_plain;	  /* events before that one that are no traces */
	bool has_turn;			/* there is a request, or a part of one, to handle */
	bool dead;		  /* waits to be freed */
	struct gpd_job *job;	  /* the Suspend or Resume in hand, NULL = none */
	struct gpd_stream stream; /* the reply in hand */
};

/* Open the control socket and listen. 0 or -errno. */
int gpd_control_listen(struct gpd *d, const char *path);

/* Close it and all connections; with them go the holds they made. */
void gpd_control_close(struct gpd *d);

/* Talk to it no more; it is freed later. */
void gpd_control_dead(struct gpd_conn *conn);

/* Wait for what it may say and for what it has to read. */
void gpd_control_watch(struct gpd_conn *conn);

/* Send as much as it takes. */
void gpd_control_flush(struct gpd_conn *conn);

/* Add a message to what is to be sent when it is the connection's turn. */
void gpd_control_put(struct gpd_conn *conn, const char *text);

/* Answer the request in hand; takes the reference, NULL = out of memory. */
void gpd_control_reply(struct gpd_conn *conn, json_t *parameters);

/* The same with a reply that is text already. */
void gpd_control_send(struct gpd_conn *conn, const char *reply);

/* Refuse the request in hand; @error with its interface. */
void gpd_control_refuse(struct gpd_conn *conn, const char *error, const char *key,
			const char *value);

/*
 * Refuse the request in hand: the name of the error without the interface ("NotFound"), the
 * key of its parameter ("what", "reason"), and its value as of printf.
 */
void gpd_control_error(struct gpd_conn *conn, const char *error, const char *key,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The request in hand failed, or asks for what cannot be: with -errno for programs. */
void gpd_control_failed(struct gpd_conn *conn, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Reply with a list called @key, a few items a turn: @next makes them, as long as the
 * connection is there and reads, @end frees the cursor in the end.
 */
void gpd_control_stream(struct gpd_conn *conn, const char *key, gpd_stream_next next,
			void (*end)(void *cursor), void *cursor);

/*
 * Carry out the rest of the request in hand in such steps: @next does one and returns null (of
 * JSON), or NULL after the last. The reply that is given meanwhile is sent after that. What is left
 * when the connection ends is not done.
 */
void gpd_control_rest(struct gpd_conn *conn, gpd_stream_next next, void (*end)(void *cursor),
		      void *cursor);

/* The next items. */
void gpd_control_stream_step(struct gpd_conn *conn);

/* The connection ends in the middle of it. */
void gpd_control_stream_stop(struct gpd_conn *conn);

/* Steps of a request in one turn: few for a user, whose turns come between others'. */
int gpd_control_steps(const struct gpd_conn *conn);

/* It gets events from now on, and records of the core; false if its user has too many. */
bool gpd_control_monitor(struct gpd_conn *conn, bool trace);

/* The first connection that monitors; the others follow by @of_monitors. */
struct gpd_conn *gpd_control_first_monitor(struct gpd *d);

/* The turn of a user: one of its connections handles a request, or a part of one. Always 0. */
int gpd_control_turn(sd_event_source *s, int fd, uint32_t events, void *user);

/* The request in hand is answered: go on with the next. */
void gpd_control_next(struct gpd_conn *conn);

/*
 * The methods of the control interface. Each answers by gpd_control_reply() or
 * gpd_control_error(), once, or sets gpd_conn.waiting and does so later.
 */

/* Carry out a request. */
void gpd_methods_call(struct gpd_conn *conn, const struct gpd_request *r);

/*
 * Change attributes of a process as SetAttributes or Attach asks: from @old to @new, which after
 * a dry run it would have. False after an error was sent.
 */
bool gpd_methods_change(struct gpd_conn *conn, const struct gpd_request *r, struct gpd_attrs *old,
			struct gpd_attrs *new);

/*
 * Change attributes as was asked, if the connection may; false after an error was sent. @grant
 * is that of the process, @old are those until now, which it is no raising to keep; NULL = none.
 */
bool gpd_methods_apply(struct gpd_conn *conn, const struct gpd_attr_change *change,
		       const struct gpd_grant *grant, const struct gpd_attrs *old,
		       struct gpd_attrs *attrs);

/* A process is not there (-ESRCH), or not to be touched: send that. Return: false. */
bool gpd_methods_refuse(struct gpd_conn *conn, uint64_t pid, int err);

#endif
