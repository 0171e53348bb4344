/* SPDX-License-Identifier: MIT */
/*
 * What is behind module.h; for module*.c alone.
 */
#ifndef GPD_MODULE_TYPES_H
#define GPD_MODULE_TYPES_H

#include "driver/module.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_ops.h"

/**
 * struct gpd_module_node - a node as the module sees it
 * @turn: when it was read
 * @policy: policy
 * @stats: statistics
 * @detect: from a doorbell's fault to the scheduler
 * @counts: the rest
 */
struct gpd_module_node {
	uint64_t turn;
	char policy[GPREEMPT_ABI_NAME_LEN];
	struct gp_node_stats stats;
	struct gp_hist detect;
	struct gpd_counts counts;
};

/**
 * struct gpd_module - the module
 * @used: it schedules
 * @caps: what it can
 * @watch: on the folder of the device
 * @fd: device for this turn of the loop, -1 = closed
 * @close: closes it when the turn is over
 * @turn: number of turns in which it was used
 * @queues: list of this turn, NULL = not read yet
 * @nr_queues: its length
 * @is_listed: it was read
 * @nr_holds: holds by hand
 * @hold_fd: device they hang on, -1 = none
 * @processes: what was said of processes
 * @groups: the same in the order of user and group
 * @looked_at: of these, up to which process it was looked for those that ended
 * @event_fd: device that gives events, -1 = none are wanted
 * @event_io: in the loop
 * @nr_seen: switches so far
 */
struct gpd_module {
	bool used;
	struct gpreempt_ioc_caps caps;
	sd_event_source *watch;
	int fd;
	sd_event_source *close;
	uint64_t turn;
	struct gpreempt_ioc_queue *queues;
	size_t nr_queues;
	bool is_listed;
	uint32_t nr_holds;
	int hold_fd;
	struct gp_tree processes;
	struct gp_tree groups;
	pid_t looked_at;
	int event_fd;
	sd_event_source *event_io;
	uint64_t nr_seen;
};

/**
 * gpd_module_pidfd() - name a process so that it cannot become another one
 * @pid: process
 * @proc: output: what /proc says of it
 *
 * Return: a pidfd, -ESRCH.
 */
int gpd_module_pidfd(pid_t pid, struct gpd_proc *proc);

/* gpd_module_list.c: for the tables of operations, see gpd_ops.h. */
bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id);
void gpd_module_count(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy);
void gpd_module_list_processes(struct gpd *d, json_t *processes);
void gpd_module_list_queues(struct gpd *d, json_t *queues, pid_t pid);

/* A Process of the control interface. */
json_t *gpd_module_process(struct gpd *d, pid_t pid);

/* Attributes of a process: numbers of the module, names of the daemon. 0 or -errno. */
int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_attrs *attrs);

/* A module that was loaded anew hears what was said before; what was said is forgotten. */
void gpd_module_tell_all(struct gpd *d);
void gpd_module_forget_all(struct gpd *d);

/**
 * gpd_module_fd() - the device for this turn of the loop
 * @d: daemon
 *
 * Return: a descriptor that is not the caller's, -ENOENT there is no module any more, or
 * it is not to be used; -errno.
 */
int gpd_module_fd(struct gpd *d);

/* What was read of it in this turn of the loop is not true any more. */
void gpd_module_forget(struct gpd *d);

#endif
