/* SPDX-License-Identifier: MIT */
/*
 * A handle without the daemon where the kernel module schedules: what the module knows
 * and does. The device is open for the time of a call, or for as long as the handle if it
 * holds something by hand. Without the module these do nothing, or fail with -EOPNOTSUPP.
 */
#ifndef GP_LIB_MODULE_H
#define GP_LIB_MODULE_H

#include "gpreempt/gpreempt.h"

struct drv_queues;

/* Whether the module is there, and this user may ask it. */
bool lib_module_is_there(void);

/* What it knows of these; 0 or -errno. */
int lib_module_add_queues(struct drv_queues *list);
void lib_module_add_processes(struct gpreempt_process *processes, size_t nr);
void lib_module_add_nodes(struct gpreempt_node *nodes, size_t nr);

/**
 * lib_module_order() - hold or release by hand
 * @fd: device that holds; opened if it is -1
 * @ref: process, node or 0, queue or GPREEMPT_QUEUE_ALL
 * @lease_ms: at most 60000; 0 = release
 *
 * Return: 0, also if there was nothing to release; -EOPNOTSUPP no module, or it cannot
 * hold this; -errno.
 */
int lib_module_order(int *fd, const struct gpreempt_ref *ref, uint32_t lease_ms);

/* Attributes of a process; 0, -ESRCH, -errno. */
int lib_module_get_attr(int fd, uint32_t pid, struct gpreempt_attr *attr);

/* Those that are valid; process 0 = the caller. 0, -ESRCH, -EINVAL, -EPERM, -errno. */
int lib_module_set_attr(int fd, uint32_t pid, const struct gpreempt_attr *attr);

#endif
