/* SPDX-License-Identifier: MIT */
/*
 * Events for connections that monitor. Costs next to nothing while none does.
 */
#ifndef GPD_MONITOR_H
#define GPD_MONITOR_H

#include "daemon/gpreemptd.h"

#include <jansson.h>

/*
 * Something happened, of a kind of the interface ("client", "note", …) that concerns a process,
 * a node, a queue: 0, 0, WIRE_QUEUE_ALL = none.
 */
void gpd_monitor_event(struct gpd *d, const char *kind, pid_t pid, uint32_t gpu_id,
		       uint32_t queue_id, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * The same at another time, with data whose reference is taken, NULL = none. The kind "trace"
 * goes only to those that want records of the core.
 */
void gpd_monitor_at(struct gpd *d, uint64_t time_ns, const char *kind, pid_t pid,
		    uint32_t gpu_id, uint32_t queue_id, const char *text, json_t *data);

/* The attributes of a process were changed. */
void gpd_monitor_attrs(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs);

/* The first event of a connection that monitors. */
void gpd_monitor_begin(struct gpd_conn *conn);

/* A queue became busy or idle. */
void gpd_monitor_edge(const struct gpd_queue *q);

/* A switch began, and ended. */
void gpd_monitor_switch(struct gpd_node *n, const struct gp_switch *sw);
void gpd_monitor_done(struct gpd *d, uint64_t time_ns, uint32_t gpu_id, uint64_t seq,
		      uint64_t took_ns);

/* The core reports. */
void gpd_monitor_report(struct gpd_node *n, enum gp_report report, u64 id);

/* A record of the core. */
void gpd_monitor_trace(struct gpd *d, const struct gp_trace *t);

#endif
