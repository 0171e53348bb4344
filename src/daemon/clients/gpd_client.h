/* SPDX-License-Identifier: MIT */
/*
 * Clients: connections that speak client/wire.h. What they say is read and checked, and
 * clients that flood or talk nonsense are dropped: a dropped client lets go of everything by
 * itself, so that is always safe.
 */
#ifndef GPD_CLIENT_H
#define GPD_CLIENT_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpreemptd.h"

/* A simulated process may have any number that no real process can have. */
#define GPD_PID_MAX 4194304

/*
 * gpd_client.c: connections, and what clients are told
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

/*
 * What has to reach all clients goes round, a few a turn of the loop. What comes meanwhile
 * does not make it begin again, or clients late in the order would wait for as long as something
 * comes: a copy of the struct says where it came, and it has reached all when it is there again.
 * Clients that have come since know it already. The first lap is 1: what began in lap 0 is over.
 */

/* The next client, after the last the first; NULL = there is none. */
struct gpd_client *gpd_round_next(struct gpd *d, struct gpd_round *r);

/* That client was looked at. */
void gpd_round_step(struct gpd_round *r, const struct gpd_client *c);

/* Has what came at @since reached all? */
bool gpd_round_is_over(const struct gpd_round *since, const struct gpd_round *r);

/* Read what a client has said already, without waiting. */
void gpd_client_poll(struct gpd_client *c);

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

/*
 * The dbg mechanism: a tracer process (gpreempt-tracer) beside each target, started
 * by the daemon with one end of a socket pair as descriptor 3.
 *
 * A tracer that does not answer in time is killed: its death ends the debug session,
 * and the kernel resumes the target. One that does not end after its socket was
 * closed is killed as well. A target whose tracer was lost is traced again after a
 * second, later if tracers of it had to be killed, with the attributes it had.
 */

extern const struct gpd_mech_ops gpd_dbg_ops;
extern const struct gpd_mech_ops gpd_shim_ops;
extern const struct gpd_mech_ops gpd_sim_ops;

/* How an attachment ended; text is for people. */
typedef void (*gpd_dbg_result_fn)(void *data, struct gpd_client *c, int err, const char *text);

/*
 * Start a tracer of a process with these attributes, NULL = the default class. @result is
 * called once, 0 = the queues are under control; NULL = not wanted. 0; -ESRCH no such process,
 * -EBUSY it is under control, -errno: @result is not called then.
 */
int gpd_dbg_start(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs,
		  gpd_dbg_result_fn result, void *data);

/* Ends it, or what would start it again. Return: 0, -ESRCH: that process is not traced. */
int gpd_dbg_end(struct gpd *d, pid_t pid);

/* A tracer of this process is being started, or will be as the last one was lost. */
bool gpd_dbg_is_coming(struct gpd *d, pid_t pid);

/* The result is not waited for any more. */
void gpd_dbg_forget(struct gpd *d, void *data);

/* The attributes of the target instead of those a tracer wishes for. */
void gpd_dbg_attrs(struct gpd_client *c);

/* A note of a tracer that says how the attachment went; true if it was such a one. */
bool gpd_dbg_note(struct gpd_client *c, const struct wire_note *m, const char *text);

/* Trace every process with queues that has no shim, if the configuration says so. */
int gpd_dbg_auto_init(struct gpd *d);
void gpd_dbg_auto_update(struct gpd *d);

/* Attach and Detach of the control interface. */
void gpd_attach_call(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_attach_detach(struct gpd_conn *conn, const struct gpd_request *r);

/* Starts @path for @target with @fd as its descriptor 3. Return: 0 or -errno. */
int gpd_dbg_spawn(const char *path, pid_t target, int fd, pid_t *pid);

/*
 * Kill a child that nothing watches. One that is inside of the driver takes a while to die: it
 * is collected by a later call, of this or of gpd_dbg_spawn().
 */
void gpd_dbg_end_child(pid_t pid);

/* Let go of all tracers: they end by themselves. */
void gpd_dbg_fini(struct gpd *d);

#endif
