/* SPDX-License-Identifier: MIT */
/*
 * The dbg mechanism: a tracer process (gpreempt-tracer) beside each target, started
 * by the daemon with one end of a socket pair as descriptor 3.
 *
 * A tracer that does not answer in time is killed: its death ends the debug session,
 * and the kernel resumes the target. One that does not end after its socket was
 * closed is killed as well. A target whose tracer was lost is traced again after a
 * second, later if tracers of it had to be killed, with the attributes it had.
 */
#ifndef GPD_DBG_H
#define GPD_DBG_H

#include "daemon/control/gpd_control.h"

extern const struct gpd_mech_ops gpd_dbg_ops;

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
