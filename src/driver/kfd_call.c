// SPDX-License-Identifier: MIT
#include "driver/kfd.h"

#include <errno.h>

static int dbg_trap(int fd, uint32_t pid, enum drv_kfd_dbg_op op, struct drv_kfd_dbg_trap *args)
{
	args->pid = pid;
	args->op = op;
	return drv_kfd_call(fd, DRV_KFD_IOC_DBG_TRAP, args);
}

int drv_kfd_update_queue(int fd, const struct kfd_ioctl_update_queue_args *args)
{
	struct kfd_ioctl_update_queue_args copy = *args;

	return drv_kfd_call(fd, AMDKFD_IOC_UPDATE_QUEUE, &copy);
}

int drv_kfd_runtime_enable(int fd, uint32_t mode)
{
	struct drv_kfd_runtime_enable args = { .mode = mode };

	return drv_kfd_call(fd, DRV_KFD_IOC_RUNTIME_ENABLE, &args);
}

int drv_kfd_dbg_enable(int fd, uint32_t pid, uint64_t exceptions, int pipe_fd,
		       struct drv_kfd_runtime_info *info)
{
	struct drv_kfd_dbg_trap args = {
		.enable = {
			.exceptions = exceptions,
			.info_ptr = (uintptr_t)info,
			.info_bytes = sizeof(*info),
			.fd = (uint32_t)pipe_fd,
		},
	};

	return dbg_trap(fd, pid, DRV_KFD_DBG_ENABLE, &args);
}

int drv_kfd_dbg_disable(int fd, uint32_t pid)
{
	struct drv_kfd_dbg_trap args = {};

	return dbg_trap(fd, pid, DRV_KFD_DBG_DISABLE, &args);
}

int drv_kfd_dbg_suspend(int fd, uint32_t pid, uint32_t *ids, uint32_t nr, uint32_t grace)
{
	struct drv_kfd_dbg_trap args = {
		.suspend = { .ids_ptr = (uintptr_t)ids, .nr = nr, .grace = DRV_KFD_GRACE_OWN },
	};

	if (grace)
		args.suspend.grace = grace < DRV_KFD_GRACE_MAX ? grace : DRV_KFD_GRACE_MAX;
	return dbg_trap(fd, pid, DRV_KFD_DBG_SUSPEND_QUEUES, &args);
}

int drv_kfd_dbg_resume(int fd, uint32_t pid, uint32_t *ids, uint32_t nr)
{
	struct drv_kfd_dbg_trap args = {
		.resume = { .ids_ptr = (uintptr_t)ids, .nr = nr },
	};

	return dbg_trap(fd, pid, DRV_KFD_DBG_RESUME_QUEUES, &args);
}

int drv_kfd_dbg_result(uint32_t id)
{
	/* A new queue of a GPU that failed carries both. */
	if (id & DRV_KFD_DBG_QUEUE_ERROR)
		return -EIO;
	return id & DRV_KFD_DBG_QUEUE_INVALID ? -ESRCH : 0;
}

int drv_kfd_dbg_queues(int fd, uint32_t pid, struct drv_kfd_queue_entry *entries, uint32_t nr,
		       uint64_t clear)
{
	struct drv_kfd_dbg_trap args = {
		.snapshot = {
			.exceptions = clear,
			.buf_ptr = (uintptr_t)entries,
			.nr = nr,
			.entry_bytes = sizeof(*entries),
		},
	};
	int r = dbg_trap(fd, pid, DRV_KFD_DBG_QUEUE_SNAPSHOT, &args);

	return r < 0 ? r : (int)args.snapshot.nr;
}

int drv_kfd_dbg_query(int fd, uint32_t pid, uint64_t clear, uint64_t *exceptions)
{
	struct drv_kfd_dbg_trap args = { .event = { .exceptions = clear } };
	int r = dbg_trap(fd, pid, DRV_KFD_DBG_QUERY_EVENT, &args);

	if (r >= 0)
		*exceptions = args.event.exceptions;
	return r < 0 ? r : 0;
}

int drv_kfd_dbg_send(int fd, uint32_t pid, uint64_t exceptions)
{
	struct drv_kfd_dbg_trap args = { .event = { .exceptions = exceptions } };

	return dbg_trap(fd, pid, DRV_KFD_DBG_SEND_RUNTIME_EVENT, &args);
}
