/* SPDX-License-Identifier: MIT */
/*
 * The scheduler in the kernel (gpreempt.ko, /dev/gpreempt) in place of the daemon's own.
 *
 * Nodes that the module schedules are left alone by the daemon's core: it is switched
 * off on them, and what is asked on the control socket is asked of the module. Without
 * the module the core takes over with the same policy.
 *
 * The device is open only while it is used: for a turn of the loop, while something is
 * held by hand, while a client monitors. Otherwise the module could not be unloaded.
 * A watch on its folder says when it comes and goes.
 */
#ifndef GPD_MODULE_H
#define GPD_MODULE_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpd_util.h"
#include "rules/cgroup.h"

/* Begin to look for the module; after the engine. 0 or -errno. */
int gpd_module_init(struct gpd *d);

/* What was held goes on. */
void gpd_module_fini(struct gpd *d);

/* The configuration was read again, or the module may have come: look. */
void gpd_module_update(struct gpd *d);

/* A Module of the control interface, or null. */
json_t *gpd_module_json(struct gpd *d);

/* A node has come while the daemon runs: leave it to the module if that has it. */
void gpd_module_take_node(struct gpd_node *n);

/*
 * Whether the module lists a queue, or any if WIRE_QUEUE_ALL, of a node, or any if 0; nothing
 * if it does not schedule.
 */
bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id);

/* The way from a process up to the nearest one of which something was said: it has its names. */
struct gpd_module_way {
	pid_t from;		 /* 0 = there is none yet */
	uint64_t start_time;	 /* of that process */
	pid_t at;		 /* looked at next */
	struct gpd_proc proc;	 /* what /proc says of that */
	uint32_t nr;		 /* parents so far */
	bool is_over;		 /* no more are looked at */
	bool has_names;		 /* there is such a process */
	struct gpd_attrs found;	 /* what was said of it */
};

/* What it listed once, for a reply that is made an item at a time. */
struct gpd_module_list {
	struct gpreempt_ioc_queue *queues; /* by process and node */
	size_t nr;
	size_t at;	/* the next one */
	size_t end;	/* after the last one that is asked for */
	pid_t pid;	/* process of the last one */
	bool may_touch; /* the connection may touch that process */
	struct gpd_module_way way; /* of the next process */
};

/* Read it; the queues of one process, or all if 0, are to come. */
void gpd_module_list_begin(struct gpd *d, pid_t pid, struct gpd_module_list *l);
void gpd_module_list_end(struct gpd_module_list *l);

/* As gpd_module_has(), then. */
bool gpd_module_list_has(const struct gpd_module_list *l, pid_t pid, uint32_t gpu_id,
			 uint32_t queue_id);

/* The next Process, the next Queue; NULL after the last, null (of JSON) = not yet. */
json_t *gpd_module_next_process(struct gpd *d, struct gpd_module_list *l);
json_t *gpd_module_next_queue(struct gpd_conn *conn, struct gpd_module_list *l);

/* Follow the module's events while a client monitors, and only then. */
void gpd_module_monitor(struct gpd *d);

/*
 * gpd_module_cgroup.c: GPU time by cgroup
 */

/* Does the module schedule, and know of cgroups? */
bool gpd_module_has_cgroups(const struct gpd *d);

/* All that is said of one whose folder is there; nothing, if its mask is 0. */
void gpd_module_cgroup_tell(struct gpd *d, const char *path, const struct gp_cgroup_attr *said);

/* What its processes have used, and on how many nodes its quota is used up; false if not known. */
bool gpd_module_cgroup_use(struct gpd *d, const char *path, struct gp_share_info *use,
			   uint32_t *nr_throttled);

#endif
