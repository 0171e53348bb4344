// SPDX-License-Identifier: MIT
#include "driver/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int kfd_ioctl(int fd, unsigned long cmd, void *args)
{
	int r;

	do
		r = ioctl(fd, cmd, args);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static int dbg_trap(int fd, uint32_t pid, enum drv_kfd_dbg_op op, struct drv_kfd_dbg_trap *args)
{
	args->pid = pid;
	args->op = op;
	return kfd_ioctl(fd, DRV_KFD_IOC_DBG_TRAP, args);
}

const char *drv_kfd_queue_type_name(uint32_t type)
{
	static const char *const names[] = {
		[DRV_KFD_QUEUE_PM4] = "pm4",
		[DRV_KFD_QUEUE_SDMA] = "sdma",
		[DRV_KFD_QUEUE_AQL] = "aql",
		[DRV_KFD_QUEUE_SDMA_XGMI] = "sdma_xgmi",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

int drv_kfd_open(void)
{
	int fd = open(DRV_KFD_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int drv_kfd_get_version(int fd, struct drv_kfd_version *out)
{
	return kfd_ioctl(fd, DRV_KFD_IOC_GET_VERSION, out);
}

bool drv_kfd_version_has_debug(const struct drv_kfd_version *v)
{
	if (v->major != DRV_KFD_DEBUG_MAJOR)
		return v->major > DRV_KFD_DEBUG_MAJOR;
	return v->minor >= DRV_KFD_DEBUG_MINOR;
}

int drv_kfd_smi_open(int fd, uint32_t gpu_id)
{
	struct drv_kfd_smi_events args = { .gpu_id = gpu_id };
	uint64_t mask = 1u << (DRV_KFD_SMI_GPU_PRE_RESET - 1) |
			1u << (DRV_KFD_SMI_GPU_POST_RESET - 1);
	int r = kfd_ioctl(fd, DRV_KFD_IOC_SMI_EVENTS, &args);

	if (r)
		return r;
	r = (int)args.fd;
	if (fcntl(r, F_SETFD, FD_CLOEXEC) || fcntl(r, F_SETFL, O_NONBLOCK) ||
	    write(r, &mask, sizeof(mask)) != sizeof(mask)) {
		int err = errno;

		close(r);
		return -err;
	}
	return r;
}

int drv_kfd_smi_read(int fd)
{
	char text[1025], *line, *rest;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	unsigned long event;
	int mask = 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	text[n] = 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		event = strtoul(line, NULL, 16);
		if (event == DRV_KFD_SMI_GPU_PRE_RESET || event == DRV_KFD_SMI_GPU_POST_RESET)
			mask |= 1 << event;
	}
	return mask;
}

int drv_kfd_update_queue(int fd, const struct drv_kfd_update_queue *args)
{
	struct drv_kfd_update_queue copy = *args;

	return kfd_ioctl(fd, DRV_KFD_IOC_UPDATE_QUEUE, &copy);
}

int drv_kfd_runtime_enable(int fd, uint32_t mode)
{
	struct drv_kfd_runtime_enable args = { .mode = mode };

	return kfd_ioctl(fd, DRV_KFD_IOC_RUNTIME_ENABLE, &args);
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
		.suspend = { .ids_ptr = (uintptr_t)ids, .nr = nr, .grace = grace },
	};

	if (grace < DRV_KFD_GRACE_MIN)
		args.suspend.grace = DRV_KFD_GRACE_MIN;
	else if (grace > DRV_KFD_GRACE_MAX)
		args.suspend.grace = DRV_KFD_GRACE_MAX;
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

int drv_kfd_dbg_query(int fd, uint32_t pid, uint64_t clear, struct drv_kfd_event *out)
{
	struct drv_kfd_dbg_trap args = { .event = { .exceptions = clear } };
	int r = dbg_trap(fd, pid, DRV_KFD_DBG_QUERY_EVENT, &args);

	if (r < 0)
		return r;
	*out = (struct drv_kfd_event){
		.exceptions = args.event.exceptions,
		.gpu_id = args.event.gpu_id,
		.queue_id = args.event.queue_id,
	};
	return 0;
}

int drv_kfd_dbg_send(int fd, uint32_t pid, uint64_t exceptions)
{
	struct drv_kfd_dbg_trap args = { .event = { .exceptions = exceptions } };

	return dbg_trap(fd, pid, DRV_KFD_DBG_SEND_RUNTIME_EVENT, &args);
}
