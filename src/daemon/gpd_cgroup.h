/* SPDX-License-Identifier: MIT */
/*
 * DOC: GPU time by cgroup
 *
 * A cgroup of the unified hierarchy of which something is said is a share of each node
 * (core/sched_share.h) for the processes in it and below it. It is said, from the weakest to
 * the strongest, by
 *
 *   1. sections [cgroup PATTERN] of the configuration, in their order,
 *   2. extended attributes user.gpu.* of its folder,
 *   3. SetCgroup of a privileged connection, kept in the state file.
 *
 * Those of a folder that is root's are the word of root. Those of another owner only lower
 * (rules/cgroup.h).
 *
 * Cgroups of which nothing is said are not there: what is in them counts for the next one
 * above, or for none. A process is looked up when it becomes a client, and again when the
 * configuration is read or a SetCgroup comes, a few clients a turn; and when what holds for it has
 * changed with what an attribute says.
 *
 * Where the kernel module schedules, it finds out by itself which processes are in which
 * cgroup (module/gpd_module_cgroup.c). It is told what is said of each, and asked what they use.
 *
 * A cgroup without clients is kept for ten minutes, so that its totals outlive a job. Each takes
 * from a budget: that of root, if only root can have made its folder, else that of the user of
 * its first client. Where that is used up the one that has been empty for the longest time goes.
 */
#ifndef GPD_CGROUP_H
#define GPD_CGROUP_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpreemptd.h"
#include "rules/cgroup.h"
#include "rules/pressure.h"

#include <jansson.h>

/* Cgroups with a share at a time, fewer if shares do not last for all nodes, and of one user. */
#define GPD_CGROUPS_MAX 4096
#define GPD_USER_CGROUPS_MAX 256
/* Cgroups of which SetCgroup has said something. */
#define GPD_CGROUPS_SAID_MAX 1024

/* A cgroup with a share. */
struct gpd_cgroup {
	struct gp_tree_node by_path; /* in gpd_cgroups.tree */
	struct gpd *d;
	struct gpd_cgroup *above;   /* the next one above, NULL = none */
	struct gpd_user *user;	    /* whose budget it takes from */
	struct gp_cgroup_attr said; /* what is said of it */
	struct gp_cgroup_attr all;  /* what holds for its processes: inherited too */
	uint64_t number;	    /* of it, for gp_group_key.share; never 0 */
	uint32_t nr_clients;	    /* clients in it, not in those below */
	uint32_t nr_below;	    /* cgroups with it as @above */
	uint32_t nr_listed;	    /* processes in it that the kernel module lists */
	uint32_t nr_counted;	    /* of these, those that this pass has come to */
	uint64_t left_ns;	    /* without these since then, 0 = it has some */
	struct gpd_round changed;   /* when something else held for its processes, or it retired */
	uint64_t retired;	    /* its number, if another has taken its place; else 0 */
	u64 share[GPD_NODES_MAX];   /* by gpd_node.index, GP_ID_NONE = there is none yet */
	struct gp_pressure some;    /* of all nodes together */
	struct gp_pressure full;
	char path[GPD_CGROUP_LEN];
};

/* What its shares of all nodes have used together. */
struct gpd_cgroup_use {
	struct gp_share_info info; /* sums */
	uint32_t nr_throttled;	   /* nodes on which its budget is used up now */
};

int gpd_cgroup_init(struct gpd *d);
void gpd_cgroup_free(struct gpd *d);

/* A client is known now, or may be in another cgroup: its entities do not change yet. */
void gpd_cgroup_join(struct gpd_client *c);

/* A client is gone. */
void gpd_cgroup_leave(struct gpd_client *c);

/* Something else is said: shares have it at once, all clients are looked up again. */
void gpd_cgroup_changed(struct gpd *d);

/* The share of a cgroup on a node, made if it was not there; GP_ID_NONE of none. */
u64 gpd_cgroup_share(struct gpd_cgroup *g, struct gpd_node *n);

/*
 * Where the module schedules, the daemon comes by all processes again and again: one of a user, in
 * this cgroup or none above it; and all of them were counted.
 */
void gpd_cgroup_list(struct gpd_user *u, const char *path);
void gpd_cgroup_listed(struct gpd *d);

/* The module was loaded anew. */
void gpd_cgroup_tell_all(struct gpd *d);

/* In the order of their paths; NULL = the first, and after the last. */
struct gpd_cgroup *gpd_cgroup_next(const struct gpd *d, const struct gpd_cgroup *g);

/* A place in that order, also when its cgroup is gone; all zero = before the first. */
struct gpd_cgroup_place {
	char path[GPD_CGROUP_LEN];
	uint64_t retired;
};

/* The next one after a place, which becomes its place; NULL after the last. */
struct gpd_cgroup *gpd_cgroup_step(const struct gpd *d, struct gpd_cgroup_place *at);

void gpd_cgroup_count(const struct gpd_cgroup *g, struct gpd_cgroup_use *use);

/* For the state file, and out of it. */
json_t *gpd_cgroup_save(struct gpd *d);
void gpd_cgroup_load(struct gpd *d, const json_t *cgroups);

/* The methods (control/gpd_cgroup_list.c). */
void gpd_cgroup_call_set(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_cgroup_call_list(struct gpd_conn *conn, const struct gpd_request *r);

/* Say more of a path, and take back what @clear names (enum gp_cgroup_bit). 0, -ENOSPC, -ENOMEM. */
int gpd_cgroup_say(struct gpd *d, const char *path, const struct gp_cgroup_attr *attr,
		   uint32_t clear);

/* All that is said of a path, read now. */
void gpd_cgroup_said(const struct gpd *d, const char *path, struct gp_cgroup_attr *attr);

/* The same if gpd_cgroup_say() said this. */
void gpd_cgroup_would(const struct gpd *d, const char *path, const struct gp_cgroup_attr *more,
		      uint32_t clear, struct gp_cgroup_attr *attr);

/*
 * gpd_cgroup_read.c: what the kernel says
 */

enum gpd_hierarchy {
	GPD_HIERARCHY_UNIFIED,
	GPD_HIERARCHY_FREEZER, /* that of version 1 */
	GPD_HIERARCHY_COUNT
};

/*
 * Where a process is in each hierarchy, "" = nowhere; one too long is cut after the last name
 * that fits. 0 or -errno.
 */
int gpd_cgroup_paths(pid_t pid, char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN]);

/* Where a hierarchy is mounted, "" = it is not; looked up once. */
const char *gpd_cgroup_mount(enum gpd_hierarchy which);

/* Its folder itself, and nothing that a name in it leads to: a descriptor, or -1. */
int gpd_cgroup_open(const char *path);

/* Can only root have made its folder? */
bool gpd_cgroup_is_roots(const char *path);

/* Add what extended attributes of a cgroup's folder say; what is wrong in them says nothing. */
void gpd_cgroup_xattrs(const char *path, struct gp_cgroup_attr *attr);

#endif
