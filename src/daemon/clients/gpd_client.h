/* SPDX-License-Identifier: MIT */
/*
 * Clients: connections that speak client/wire.h. What they say is read and checked, and
 * clients that flood or talk nonsense are dropped: a dropped client lets go of everything by
 * itself, so that is always safe.
 */
#ifndef GPD_CLIENT_H
#define GPD_CLIENT_H

#include "daemon/gpreemptd.h"

/* A simulated process may have any number that no real process can have. */
#define GPD_PID_MAX 4194304

/*
 * gpd_client.c: connections
 */

/* Open the client socket: the path of the control socket with a suffix. 0 or -errno. */
int gpd_client_listen(struct gpd *d, const char *path);

/* What clients need of the loop; part of gpd_client_listen(). 0 or -errno. */
int gpd_client_timers(struct gpd *d);

/* Close the client socket and forget all clients: they let go of everything. */
void gpd_client_close_all(struct gpd *d);

/*
 * A connection becomes a client, which owns its socket from now on and has a reference of its
 * own to the user whose budgets it takes from. 0, -EMFILE no place is left for it, -errno.
 */
int gpd_client_add(struct gpd *d, int fd, const struct gpd_cred *cred, struct gpd_user *user,
		   struct gpd_client **out);

/* A client has said HELLO: it can be found by its process. */
void gpd_client_is_known(struct gpd_client *c);

/* The client of a process that has said HELLO, NULL if there is none. */
struct gpd_client *gpd_client_find(const struct gpd *d, pid_t pid);

/* The next in the order of processes, of one process the newest first; NULL after the last. */
struct gpd_client *gpd_client_after(const struct gpd *d, pid_t pid, uint64_t number);

/* Read what a client has said already, without waiting. */
void gpd_client_poll(struct gpd_client *c);

/* The attributes of a client changed; a new group moves its members to another entity. */
void gpd_client_set_attrs(struct gpd_client *c, const struct gpd_attrs *attrs);

/* Begin to look whether the busy queues of all clients are still there, a few at a time. */
void gpd_client_look_at_all(struct gpd *d);

/*
 * gpd_client_send.c: what clients are told
 */

/*
 * Send a WIRE_HOLD, WIRE_RELEASE or WIRE_RENEW; the header is filled in, and the epoch but for
 * RENEW. 0, -EPIPE the client is dead or was marked so now.
 */
int gpd_client_order(struct gpd_client *c, struct wire_order *order, uint16_t type);

/* Answer a HELLO. 0 or -errno. */
int gpd_client_welcome(struct gpd_client *c);

/* Tell a client -errno and why, and let it go; not freed before the loop comes round. */
void gpd_client_drop(struct gpd_client *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Let a client go without a word; not freed before the loop comes round. */
void gpd_client_close(struct gpd_client *c);

/* Remember something about a client, for people; the same twice in a row is kept once. */
void gpd_client_note(struct gpd_client *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * gpd_client_msg.c: what clients say, and what follows from it
 */

/* Handle one packet of at most WIRE_MAX bytes; one that makes no sense drops the client. */
void gpd_client_message(struct gpd_client *c, const void *buf, size_t len);

/* A queue that a client told, NULL if it did not. */
struct gpd_queue *gpd_client_queue(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id);

/* Are some of its busy queues still there? Return: others are to be looked at. */
bool gpd_client_look(struct gpd_client *c);

/* gpd.throttle: pass on the edges that clients sent faster than they may. */
int gpd_client_unthrottle(sd_event_source *s, uint64_t usec, void *d);

/* A queue is gone. */
void gpd_client_queue_free(struct gpd_queue *q);

/*
 * gpd_client_ops.c: the ways to get a client
 */

/*
 * Decide what a client is, from its HELLO and its credentials: its ops and pid are set. 0,
 * -EPERM, -EEXIST, -EOPNOTSUPP or -ESRCH with a constant that says why.
 */
int gpd_mech_admit(struct gpd_client *c, const struct wire_hello *m, const char **why);

/* Whether it is a simulated client, or a tracer that the daemon started. */
bool gpd_mech_is_sim(const struct gpd_client *c);
bool gpd_mech_is_dbg(const struct gpd_client *c);

#endif
