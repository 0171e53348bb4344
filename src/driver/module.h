/* SPDX-License-Identifier: MIT */
/*
 * /dev/gpreempt, the scheduler in the kernel: its calls (include/uapi/linux/gpreempt.h) as
 * functions that return 0 or -errno. No state but the descriptor. While it is open the
 * module cannot be unloaded, and what was held through it ends with it.
 */
#ifndef GP_KERNEL_H
#define GP_KERNEL_H

#include "gpreempt/gpreempt.h"
#include "rules/cgroup.h"
#include "rules/right.h"
#include "uapi/linux/gpreempt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DRV_MODULE_DEVICE "/dev/gpreempt"

/**
 * drv_module_open() - open the device
 *
 * Return: a descriptor that does not block, -ENOENT no module, -EACCES, -EPROTO it speaks
 * a language of another version, -errno.
 */
int drv_module_open(void);

/* What there is; 0 or -errno. */
int drv_module_caps(int fd, struct gpreempt_ioc_caps *caps);

/**
 * drv_module_list() - all compute queues of all nodes
 * @fd: device
 * @queues: an array for free(), NULL if there are none
 * @nr: its length
 *
 * Return: 0 or -errno.
 */
int drv_module_list(int fd, struct gpreempt_ioc_queue **queues, size_t *nr);

/* What the module knows of a queue, better than others; the rest stays as it is. */
void drv_module_describe(const struct gpreempt_ioc_queue *k, struct gpreempt_queue *q);

/**
 * drv_module_pidfd() - a process that cannot become another one
 * @pid: process
 *
 * Return: a descriptor, -ESRCH there is none.
 */
int drv_module_pidfd(pid_t pid);

/**
 * drv_module_get_attr() - attributes of a process
 * @fd: device
 * @pidfd: process; -1 = the caller
 * @attr: output
 * @group: output: number of its group
 *
 * Return: 0 or -errno.
 */
int drv_module_get_attr(int fd, int pidfd, struct gp_attr *attr, u64 *group);

/**
 * drv_module_set_attr() - change attributes of a process
 * @fd: device
 * @pidfd: process; -1 = the caller
 * @attr: attributes
 * @group: number of a group, see gp_group_number()
 * @valid: which of these: enum gp_attr_bit, GPREEMPT_ATTR_F_GROUP; 0 = nothing is done
 * @flags: GPREEMPT_ATTR_AS_OWNER or 0
 *
 * Return: 0, -EINVAL, -EPERM, -errno.
 */
int drv_module_set_attr(int fd, int pidfd, const struct gp_attr *attr, u64 group, u32 valid,
			u32 flags);

/**
 * drv_module_hold() - preempt by hand
 * @fd: device; the hold ends with it
 * @ref: queue
 * @lease_ms: or after this; the same call again renews it
 *
 * Return: 0, -ESRCH gone, -EBUSY, -EPERM, -errno.
 */
int drv_module_hold(int fd, const struct gpreempt_ioc_ref *ref, uint32_t lease_ms);

/**
 * drv_module_switch() - the same for several of one node, in one cycle
 * @fd: device
 * @refs: queues; output: their results
 * @nr: how many, at most 1024
 * @lease_ms: as above; 0 = release
 *
 * Return: 0, or -errno if nothing was tried.
 */
int drv_module_switch(int fd, struct gpreempt_ioc_ref *refs, uint32_t nr, uint32_t lease_ms);

/* Undo it; 0 also if it was not held. */
int drv_module_release(int fd, const struct gpreempt_ioc_ref *ref);

/**
 * drv_module_get_policy() - policy of a node
 * @fd: device
 * @gpu_id: node
 * @param: parameter whose value is wanted; NULL = none
 * @out: output
 *
 * Return: 0, -ENODEV, -ENOENT no such parameter.
 */
int drv_module_get_policy(int fd, uint32_t gpu_id, const char *param,
			  struct gpreempt_ioc_policy *out);

/* One change each; gpu_id 0 = all nodes. 0, -ENODEV, -EINVAL, -EPERM. */
int drv_module_set_policy(int fd, uint32_t gpu_id, const char *name);
int drv_module_set_param(int fd, uint32_t gpu_id, const char *name, uint64_t value);
int drv_module_set_enabled(int fd, uint32_t gpu_id, bool enabled);

/* Counters of a node; 0, -ENODEV. */
int drv_module_stats(int fd, uint32_t gpu_id, struct gpreempt_ioc_stats *stats);

/**
 * drv_module_hist() - a distribution of a node
 * @fd: device
 * @gpu_id: node
 * @which: GPREEMPT_HIST_*
 * @buckets: output, @nr of them
 * @nr: room
 * @out: the rest
 *
 * Return: 0, -ENODEV, -EOPNOTSUPP the module is older than this.
 */
int drv_module_hist(int fd, uint32_t gpu_id, uint32_t which, uint32_t *buckets, uint32_t nr,
		    struct gpreempt_ioc_hist *out);

/**
 * drv_module_set_cgroup() - say something of a cgroup, on all nodes
 * @fd: device
 * @folder: descriptor of its folder
 * @attr: all that is said of it from now on; nothing if its mask is 0
 *
 * Return: 0, -EPERM, -ENOSPC there are too many, -EBADF it is no cgroup of version 2,
 * -ENOENT it was removed, -EOPNOTSUPP the module is older than this.
 */
int drv_module_set_cgroup(int fd, int folder, const struct gp_cgroup_attr *attr);

/**
 * drv_module_get_cgroup() - what the processes of a cgroup have used on all nodes together
 * @fd: device
 * @folder: descriptor of its folder
 * @use: output: totals
 * @nr_throttled: output: nodes on which its quota is used up now
 *
 * Return: 0, -ENOENT nothing is said of it, or it was removed, -EBADF, -EOPNOTSUPP.
 */
int drv_module_get_cgroup(int fd, int folder, struct gp_share_info *use, uint32_t *nr_throttled);

/**
 * drv_module_read() - events; the first call begins the stream
 * @fd: device
 * @events: output
 * @max: room; not less than GPREEMPT_ABI_READ_MIN bytes
 *
 * Return: how many, 0 = none now, -EINVAL there is less room, -EPROTO what came is not
 * events, -errno.
 */
ssize_t drv_module_read(int fd, struct gpreempt_abi_event *events, size_t max);

#endif
