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
 * What it schedules; nothing if it does not. Whether it lists a queue, or any if
 * WIRE_QUEUE_ALL, of a node, or any if 0; Processes and Queues, of one process, or all if 0,
 * appended to an array.
 */
bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id);
void gpd_module_list_processes(struct gpd *d, json_t *processes);
void gpd_module_list_queues(struct gpd_conn *conn, json_t *queues, pid_t pid);

/* Follow the module's events while a client monitors, and only then. */
void gpd_module_monitor(struct gpd *d);

#endif
