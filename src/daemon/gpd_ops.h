/* SPDX-License-Identifier: MIT */
/*
 * What schedules: the daemon's core over its clients (clients/gpd_client_ops.c), or the kernel
 * module (module/). Each node has a struct gpd_node_ops, the daemon a struct gpd_process_ops;
 * nothing else asks which of them it is. The module's implementation calls that of the clients
 * for what it does not have itself.
 */
#ifndef GPD_OPS_H
#define GPD_OPS_H

#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_util.h"

/* What only the module counts on a node. */
struct gpd_counts {
	uint64_t nr_wakeups;	   /* times its thread ran */
	uint64_t nr_timer_wakeups; /* of these, by a timer */
	uint64_t nr_faults;	   /* armed doorbells that told of work */
};

/* What schedules a node; functions return 0 or -errno. */
struct gpd_node_ops {
	const char *scheduler; /* for people */
	bool is_core;	       /* the daemon's core is on */
	int (*set_policy)(struct gpd_node *n, const char *name);
	int (*set_param)(struct gpd_node *n, const char *name, uint64_t value);
	int (*set_enabled)(struct gpd_node *n, bool enabled);
	int (*get_param)(struct gpd_node *n, const char *name, u64 *value);
	const char *(*policy)(struct gpd_node *n);
	/* gpd_node.enabled may have been changed from outside: read it. NULL = it cannot be. */
	void (*refresh)(struct gpd_node *n);
	/* Both valid for this turn of the loop; the second: from the sign of work to here. */
	const struct gp_node_stats *(*stats)(struct gpd_node *n);
	const struct gp_hist *(*detect)(struct gpd_node *n);
	/* NULL = it counts nothing of the kind. */
	int (*counts)(struct gpd_node *n, struct gpd_counts *counts);
	/* Compute queues, and how many are busy. */
	void (*count_queues)(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy);
};

/* A process whose attributes are asked for. */
struct gpd_subject {
	pid_t pid;
	struct gpd_client *client; /* its client, NULL = none */
	int pidfd;		   /* of the module: the process, -1 = none */
	struct gpd_proc proc;	   /* of the module: what /proc says of it */
};

/* What schedules processes. */
struct gpd_process_ops {
	const char *scheduler;		      /* for people */
	const char *mechanism;		      /* for people */
	const struct gpd_hold_ops *hold;      /* how they are held by hand */
	bool is_traced;			      /* processes without a shim may have a tracer */
	/* A client has said what it is; NULL = its first queue says enough. */
	void (*hello)(struct gpd_client *c);
	/* A process that a connection may change: 0, -ESRCH, -EPERM. NULL = no need to put it. */
	int (*find)(struct gpd_conn *conn, uint64_t pid, struct gpd_subject *s);
	void (*put)(struct gpd_subject *s);
	/* Its attributes; to change them, and those of its group. 0 or -errno. */
	int (*get)(struct gpd *d, struct gpd_subject *s, struct gpd_attrs *attrs);
	int (*set)(struct gpd_conn *conn, struct gpd_subject *s, const struct gpd_attrs *attrs,
		   bool keep_group);
	/* The methods, see gpd_control.h. */
	void (*attach)(struct gpd_conn *conn, const struct gpd_request *r);
	void (*detach)(struct gpd_conn *conn, const struct gpd_request *r);
	/* Append what was set at run time to processes of the state file. */
	void (*save)(struct gpd *d, json_t *processes);
};

extern const struct gpd_node_ops gpd_client_node_ops;
extern const struct gpd_process_ops gpd_client_ops;
extern const struct gpd_node_ops gpd_module_node_ops;
extern const struct gpd_process_ops gpd_module_ops;

/* What schedules the process of a client, or a process that has none. */
static inline const struct gpd_process_ops *gpd_ops_of(const struct gpd *d,
						       const struct gpd_client *c)
{
	return c && gpd_mech_is_sim(c) ? &gpd_client_ops : d->ops;
}

#endif
