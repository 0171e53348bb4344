/* SPDX-License-Identifier: MIT */
/*
 * The calls of amdkfd that are used here, with the errno as result. Nothing is
 * kept between calls; a descriptor belongs to the process that opened it (amdkfd
 * refuses it after a fork, -EBADF). @fd is /dev/kfd of the caller, @pid the target of a
 * debug session: the caller itself, or a process that the calling thread traces.
 */
#ifndef GP_MECHANISM_KFD_H
#define GP_MECHANISM_KFD_H

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

/* "pm4", "sdma", "aql", …; NULL for what is no DRV_KFD_QUEUE_*. */
const char *drv_kfd_queue_type_name(uint32_t type);

/* Version of the ioctl ABI. 0 or -errno. */
int drv_kfd_get_version(int fd, struct kfd_ioctl_get_version_args *out);

/* Are there debugger calls? */
bool drv_kfd_version_has_debug(const struct kfd_ioctl_get_version_args *v);

/**
 * drv_kfd_smi_open() - hear of the resets of a node
 * @fd: /dev/kfd
 * @gpu_id: node
 *
 * Return: a non-blocking descriptor to poll and for drv_kfd_smi_read(), or -errno.
 */
int drv_kfd_smi_open(int fd, uint32_t gpu_id);

/* What was heard: a mask of KFD_SMI_EVENT_GPU_*_RESET (1 << event), 0 nothing, or -errno. */
int drv_kfd_smi_read(int fd);

/*
 * ioctl() of the real driver, for the calls below (kfd_call.c): its result, or -errno. EINTR is
 * tried again, because none of them may be left half done. The shim has one of its own: there,
 * ioctl() is the application's way into the shim.
 */
int drv_kfd_call(int fd, unsigned long cmd, void *args);

/**
 * drv_kfd_update_queue() - change a queue of this process
 * @fd: /dev/kfd
 * @args: everything about it
 *
 * Return: 0; -EACCES its queue was reset; -EFAULT or -EINVAL wrong ring; -ETIME
 * the firmware did not answer.
 */
int drv_kfd_update_queue(int fd, const struct kfd_ioctl_update_queue_args *args);

/* Tell the driver about a runtime in this process. 0; -EEXIST it has queues already; -EBUSY. */
int drv_kfd_runtime_enable(int fd, uint32_t mode);

/**
 * drv_kfd_dbg_enable() - open a debug session
 * @fd: /dev/kfd
 * @pid: target
 * @exceptions: DRV_KFD_EC_*
 * @pipe_fd: gets a dot per event; non-blocking, or the driver may hang in it
 * @info: output
 *
 * Return: 0; -EINVAL driver without firmware scheduler; -ESRCH no such process;
 * -EPERM not its tracer; -EALREADY there is a session.
 */
int drv_kfd_dbg_enable(int fd, uint32_t pid, uint64_t exceptions, int pipe_fd,
		       struct drv_kfd_runtime_info *info);

/* Close the session: everything suspended goes on. 0, -EINVAL there is none, -ESRCH. */
int drv_kfd_dbg_disable(int fd, uint32_t pid);

/**
 * drv_kfd_dbg_suspend() - stop queues in one runlist cycle
 * @fd: /dev/kfd
 * @pid: target
 * @ids: queue ids; output: with DRV_KFD_DBG_QUEUE_*, see drv_kfd_dbg_result()
 * @nr: how many
 * @grace: 1..255, more counts as that; 0 = the hardware's own
 *
 * Return: how many are suspended, or -errno if nothing was done: -EPERM the
 * runtime of the target is not enabled, -EINVAL too many or no session, -ESRCH.
 */
int drv_kfd_dbg_suspend(int fd, uint32_t pid, uint32_t *ids, uint32_t nr, uint32_t grace);

/* Continue queues in one cycle; @ids as above, NULL = all. How many, or -errno. */
int drv_kfd_dbg_resume(int fd, uint32_t pid, uint32_t *ids, uint32_t nr);

/**
 * drv_kfd_dbg_result() - what became of one queue of a batch
 * @id: its id after the call
 *
 * Return: 0; -ESRCH gone, new or dying; -EIO the hardware failed (the queue counts
 * as suspended all the same).
 */
int drv_kfd_dbg_result(uint32_t id);

/* The id of a queue without what the call added. */
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
 * drv_kfd_dbg_query() - next event of those subscribed
 * @fd: /dev/kfd
 * @pid: target
 * @clear: DRV_KFD_EC_* to clear of what is found
 * @exceptions: output: DRV_KFD_EC_*: all that are raised at its queue or device
 *
 * Return: 0, -EAGAIN there is none, -errno.
 */
int drv_kfd_dbg_query(int fd, uint32_t pid, uint64_t clear, uint64_t *exceptions);

/* DRV_KFD_EC_PROCESS_RUNTIME lets a RUNTIME_ENABLE of the target go on. 0 or -errno. */
int drv_kfd_dbg_send(int fd, uint32_t pid, uint64_t exceptions);

#endif
