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
#include "daemon/gpreemptd.h"

struct gpreempt_ioc_queue;

/* Begin to look for the module; after the engine. 0 or -errno. */
int gpd_module_init(struct gpd *d);

/* What was held goes on. */
void gpd_module_fini(struct gpd *d);

/* The configuration was read again. */
void gpd_module_update(struct gpd *d);

/* Whether the module schedules. */
bool gpd_module_is_used(const struct gpd *d);

/**
 * gpd_module_fd() - the device for this turn of the loop
 * @d: daemon
 *
 * Return: a descriptor that is not the caller's, -ENOENT there is no module any more, or
 * it is not to be used; -errno.
 */
int gpd_module_fd(struct gpd *d);

/* A Module of the control interface, or null. */
json_t *gpd_module_json(struct gpd *d);

/* What was read of it in this turn of the loop is not true any more. */
void gpd_module_forget(struct gpd *d);

/*
 * module_node.c
 */

/**
 * gpd_module_refresh() - statistics, policy and switch of a node, as they are now
 * @n: node of the module; read at most once a turn of the loop
 *
 * Return: 0 or -errno.
 */
int gpd_module_refresh(struct gpd_node *n);

/* Parts of that; NULL if it cannot be read. Valid for this turn of the loop. */
const struct gp_node_stats *gpd_module_stats(struct gpd_node *n);
const struct gp_hist *gpd_module_detect(struct gpd_node *n);
const char *gpd_module_policy(struct gpd_node *n);

/**
 * struct gpd_module_counts - what only the module counts on a node
 * @nr_wakeups: times its thread ran
 * @nr_timer_wakeups: of these, by a timer
 * @nr_faults: armed doorbells that told of work
 */
struct gpd_module_counts {
	uint64_t nr_wakeups;
	uint64_t nr_timer_wakeups;
	uint64_t nr_faults;
};

/* 0 or -errno. */
int gpd_module_counts(struct gpd_node *n, struct gpd_module_counts *counts);

/* As those of the engine, in the module. 0 or -errno. */
int gpd_module_set_policy(struct gpd_node *n, const char *name);
int gpd_module_set_param(struct gpd_node *n, const char *name, uint64_t value);
int gpd_module_set_enabled(struct gpd_node *n, bool enabled);
int gpd_module_get_param(struct gpd_node *n, const char *name, u64 *value);

/*
 * module_list.c
 */

/* All queues of the module, valid for this turn of the loop; NULL and 0 if there are none. */
const struct gpreempt_ioc_queue *gpd_module_queues(struct gpd *d, size_t *nr);

/* Whether it schedules a queue of a process; queue_id WIRE_QUEUE_ALL = any. */
bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id);

/* Queues and of these the busy ones on a node. */
void gpd_module_count(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy);

/* Appended to arrays of Process and Queue; of one process, or all if 0. */
void gpd_module_list_processes(struct gpd *d, json_t *processes, pid_t pid);
void gpd_module_list_queues(struct gpd *d, json_t *queues, pid_t pid);

/*
 * module_set.c
 */

/* SetAttributes of a process, whether it has queues yet or not. */
void gpd_module_set_attributes(struct gpd_conn *conn, const struct gpd_request *r);

/* Attach: everybody is under control already. */
void gpd_module_attach(struct gpd_conn *conn, const struct gpd_request *r);

/*
 * module_attr.c
 */

/* A client said what it is: its attributes are the module's. */
void gpd_module_client(struct gpd_client *c);

/**
 * gpd_module_attrs() - attributes of a process
 * @d: daemon
 * @pid: process
 * @attrs: output: numbers of the module, names of the daemon
 *
 * Return: 0 or -errno.
 */
int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_attrs *attrs);

/* A module that was loaded anew hears what was said before. */
void gpd_module_tell_all(struct gpd *d);

/* Appended to the processes of the state file. */
void gpd_module_save(struct gpd *d, json_t *processes);
void gpd_module_forget_all(struct gpd *d);

/*
 * module_event.c
 */

/* Follow the module's events while a client monitors, and only then. */
void gpd_module_monitor(struct gpd *d);

/* A node has come while the daemon runs: leave it to the module if that has it. */
void gpd_module_take_node(struct gpd_node *n);

#endif
