/* SPDX-License-Identifier: MIT */
/*
 * The calls of amdkfd that are used here, with the errno as result. Nothing is
 * kept between calls; a descriptor belongs to the process that opened it (amdkfd
 * refuses it after a fork, -EBADF).
 *
 * Calls are not interrupted by signals for long: EINTR is tried again, because none
 * of these may be left half done.
 */
#ifndef GP_MECHANISM_KFD_H
#define GP_MECHANISM_KFD_H

#include <stdbool.h>

#include "driver/kfd_abi.h"

/**
 * drv_kfd_open() - open the device
 *
 * Opening makes amdkfd remember this process; do it once.
 *
 * Return: a descriptor, closed on exec; -ENOENT or -ENODEV no driver, -EACCES or
 * -EPERM not allowed.
 */
int drv_kfd_open(void);

/* "pm4", "sdma", "aql", "sdma_xgmi"; NULL for another DRV_KFD_QUEUE_*. */
const char *drv_kfd_queue_type_name(uint32_t type);

/**
 * drv_kfd_get_version() - version of the ioctl ABI
 * @fd: /dev/kfd
 * @out: output
 *
 * Return: 0 or -errno.
 */
int drv_kfd_get_version(int fd, struct drv_kfd_version *out);

/**
 * drv_kfd_version_has_debug() - are there debugger calls?
 * @v: version
 *
 * Return: true from 1.13 on.
 */
bool drv_kfd_version_has_debug(const struct drv_kfd_version *v);

/**
 * drv_kfd_smi_open() - hear of the resets of a node
 * @fd: /dev/kfd
 * @gpu_id: node
 *
 * Return: a non-blocking descriptor to poll and for drv_kfd_smi_read(), or -errno.
 */
int drv_kfd_smi_open(int fd, uint32_t gpu_id);

/**
 * drv_kfd_smi_read() - what was heard
 * @fd: of drv_kfd_smi_open()
 *
 * Return: a mask of enum drv_kfd_smi_event (1 << event), 0 nothing, or -errno.
 */
int drv_kfd_smi_read(int fd);

/**
 * drv_kfd_update_queue() - change a queue of this process
 * @fd: /dev/kfd
 * @args: everything about it
 *
 * Return: 0; -EACCES its queue was reset; -EFAULT or -EINVAL wrong ring; -ETIME
 * the firmware did not answer.
 */
int drv_kfd_update_queue(int fd, const struct drv_kfd_update_queue *args);

/**
 * drv_kfd_runtime_enable() - tell the driver about a runtime in this process
 * @fd: /dev/kfd
 * @mode: DRV_KFD_RUNTIME_*, 0 = disable
 *
 * Return: 0; -EEXIST there are queues already; -EBUSY.
 */
int drv_kfd_runtime_enable(int fd, uint32_t mode);

/**
 * drv_kfd_dbg_enable() - open a debug session
 * @fd: /dev/kfd of the caller
 * @pid: target; itself, or one that the calling thread traces
 * @exceptions: DRV_KFD_EC_*
 * @pipe_fd: gets a dot per event; non-blocking, or the driver may hang in it
 * @info: output
 *
 * Return: 0; -EINVAL driver without firmware scheduler; -ESRCH no such process;
 * -EPERM not its tracer; -EALREADY there is a session.
 */
int drv_kfd_dbg_enable(int fd, uint32_t pid, uint64_t exceptions, int pipe_fd,
		       struct drv_kfd_runtime_info *info);

/**
 * drv_kfd_dbg_disable() - close the session: everything suspended goes on
 * @fd: /dev/kfd
 * @pid: target
 *
 * Return: 0, -EINVAL there is none, -ESRCH.
 */
int drv_kfd_dbg_disable(int fd, uint32_t pid);

/**
 * drv_kfd_dbg_suspend() - stop queues in one runlist cycle
 * @fd: /dev/kfd
 * @pid: target
 * @ids: queue ids; output: with DRV_KFD_DBG_QUEUE_*, see drv_kfd_dbg_result()
 * @nr: how many
 * @grace: clamped to 1..255
 *
 * Return: how many are suspended, or -errno if nothing was done: -EPERM the
 * runtime of the target is not enabled, -EINVAL too many or no session, -ESRCH.
 */
int drv_kfd_dbg_suspend(int fd, uint32_t pid, uint32_t *ids, uint32_t nr, uint32_t grace);

/**
 * drv_kfd_dbg_resume() - continue queues in one runlist cycle
 * @fd: /dev/kfd
 * @pid: target
 * @ids: queue ids; output: with DRV_KFD_DBG_QUEUE_*; NULL = all
 * @nr: how many
 *
 * Return: how many, or -errno.
 */
int drv_kfd_dbg_resume(int fd, uint32_t pid, uint32_t *ids, uint32_t nr);

/**
 * drv_kfd_dbg_result() - what became of one queue of a batch
 * @id: its id after the call
 *
 * Return: 0; -ESRCH gone, new or dying; -EIO the hardware failed (the queue counts
 * as suspended all the same).
 */
int drv_kfd_dbg_result(uint32_t id);

/**
 * drv_kfd_dbg_id() - the id without what the call added
 * @id: id after the call
 *
 * Return: the queue id.
 */
static inline uint32_t drv_kfd_dbg_id(uint32_t id)
{
	return id & ~(DRV_KFD_DBG_QUEUE_ERROR | DRV_KFD_DBG_QUEUE_INVALID);
}

/**
 * drv_kfd_dbg_queues() - queue snapshot
 * @fd: /dev/kfd
 * @pid: target
 * @entries: room; NULL if @nr is 0
 * @nr: how many fit
 * @clear: DRV_KFD_EC_* to clear; a queue with DRV_KFD_EC_QUEUE_NEW cannot be suspended
 *
 * Return: how many queues there are, which may be more than @nr; or -errno.
 */
int drv_kfd_dbg_queues(int fd, uint32_t pid, struct drv_kfd_queue_entry *entries, uint32_t nr,
		       uint64_t clear);

/**
 * struct drv_kfd_event - an exception of the target
 * @exceptions: DRV_KFD_EC_*: all that are raised there
 * @gpu_id: node, or 0
 * @queue_id: queue; means nothing unless a queue's exception is raised
 */
struct drv_kfd_event {
	uint64_t exceptions;
	uint32_t gpu_id;
	uint32_t queue_id;
};

/**
 * drv_kfd_dbg_query() - next event of those subscribed
 * @fd: /dev/kfd
 * @pid: target
 * @clear: DRV_KFD_EC_* to clear of what is found
 * @out: output
 *
 * Return: 0, -EAGAIN there is none, -errno.
 */
int drv_kfd_dbg_query(int fd, uint32_t pid, uint64_t clear, struct drv_kfd_event *out);

/**
 * drv_kfd_dbg_send() - send an exception to the target's runtime
 * @fd: /dev/kfd
 * @pid: target
 * @exceptions: DRV_KFD_EC_PROCESS_RUNTIME lets a RUNTIME_ENABLE that waits go on
 *
 * Return: 0 or -errno.
 */
int drv_kfd_dbg_send(int fd, uint32_t pid, uint64_t exceptions);

#endif
