/* SPDX-License-Identifier: MIT */
/*
 * What the daemon knows, as JSON of the control interface: new references, or NULL out of
 * memory.
 */
#ifndef GPD_LIST_H
#define GPD_LIST_H

#include <jansson.h>
#include "daemon/gpreemptd.h"
#include "daemon/control/gpd_control.h"
#include "driver/list_json.h"

/* The methods GetInfo, ListNodes, GetConfig and GetStatistics. */
void gpd_list_info(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_list_nodes(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_list_settings(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_list_statistics(struct gpd_conn *conn, const struct gpd_request *r);

/*
 * The methods ListProcesses and ListQueues: they reply piece by piece, also with those of the
 * driver that are not under control.
 */
void gpd_list_processes(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_list_queues(struct gpd_conn *conn, const struct gpd_request *r);

/* What runs on the machine is the host's to know: a container sees what it may touch. */
bool gpd_list_may_see(const struct gpd_conn *conn, pid_t pid);

/* A process over all its nodes. */
struct gpd_totals {
	enum gp_entity_state state; /* the one that matters most */
	uint32_t nr_queues;
	uint32_t nr_busy;      /* queues with work, also those held by hand */
	uint64_t nr_preempted; /* as of the core, here and below */
	uint64_t run_ns;
	uint64_t off_ns;
	uint64_t off_max_ns;
	struct gp_small_hist waits;
	uint32_t held; /* GPREEMPT_HELD_* */
};

/* Which of two states of a process matters more. */
bool gpd_list_outweighs(enum gp_entity_state a, enum gp_entity_state b);

/*
 * A Process that is no client's, its totals NULL if none schedules it; then a client's: is_blind:
 * the driver has queues of it that the client never told.
 */
json_t *gpd_list_other(pid_t pid, const char *mechanism, uint32_t nr_queues,
		       const struct gpd_totals *t);
json_t *gpd_list_process(struct gpd_client *c, bool is_blind);

/*
 * A Queue. Addresses in a process are for connections that may touch it, as the module has it:
 * they are null for others.
 */
json_t *gpd_list_queue(struct gpreempt_queue *q, bool may_touch, const char *mechanism,
		       const char *state, uint32_t source);

/* How long work waited, into an object. */
void gpd_list_add_waits(json_t *out, const struct gp_small_hist *waits);

/* Attributes. */
json_t *gpd_list_attributes(const struct gpd_attrs *attrs);

/*
 * Events for connections that monitor. Costs next to nothing while none does.
 */

/*
 * Something happened, of a kind of the interface ("client", "note", …) that concerns a process,
 * a node, a queue: 0, 0, WIRE_QUEUE_ALL = none.
 */
void gpd_monitor_event(struct gpd *d, const char *kind, pid_t pid, uint32_t gpu_id,
		       uint32_t queue_id, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* The same at another time, with data whose reference is taken, NULL = none. */
void gpd_monitor_at(struct gpd *d, uint64_t time_ns, const char *kind, pid_t pid,
		    uint32_t gpu_id, uint32_t queue_id, const char *text, json_t *data);

/* The attributes of a process were changed. */
void gpd_monitor_attrs(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs);

/* A queue became busy or idle. */
void gpd_monitor_edge(const struct gpd_queue *q);

/* A switch began, and ended. */
void gpd_monitor_switch(struct gpd_node *n, const struct gp_switch *sw);
void gpd_monitor_done(struct gpd *d, uint64_t time_ns, uint32_t gpu_id, uint64_t seq,
		      uint64_t took_ns);

/* The core reports. */
void gpd_monitor_report(struct gpd_node *n, enum gp_report report, u64 id);

/* A record of the daemon's core, or of the module's. */
void gpd_monitor_trace(struct gpd *d, const struct gp_trace *t);
void gpd_monitor_record(struct gpd *d, const struct gp_trace *t, pid_t pid, uint32_t gpu_id);

#endif
