/* SPDX-License-Identifier: MIT */
/*
 * What is behind module.h; for module*.c alone.
 */
#ifndef GPD_MODULE_TYPES_H
#define GPD_MODULE_TYPES_H

#include "driver/module.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_util.h"

struct gpd_module_process;

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
	struct gpd_module_counts counts;
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
	LIST_HEAD(, gpd_module_process) processes;
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

/* Attributes of a process with the names; 0 or -errno. */
int gpd_module_get(struct gpd *d, pid_t pid, int pidfd, const struct gpd_proc *proc,
		   struct gpd_attrs *attrs);

/**
 * gpd_module_set() - change them, and remember what was said
 * @d: daemon
 * @pid: process
 * @pidfd: same
 * @proc: what /proc says of it
 * @new: attributes; all of them count
 * @keep_group: but for the group
 *
 * Return: 0, -EPERM, -errno.
 */
int gpd_module_set(struct gpd *d, pid_t pid, int pidfd, const struct gpd_proc *proc,
		   const struct gpd_attrs *new, bool keep_group);

/* The others of its group get the same. */
void gpd_module_set_group(struct gpd_conn *conn, pid_t pid, uid_t uid, const struct gpd_attrs *new);

#endif
