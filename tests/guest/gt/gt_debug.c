// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_QUEUES 8

int gt_debug_trap(const struct gt_session *s, uint32_t op, struct kfd_ioctl_dbg_trap_args *args)
{
	int r;

	args->pid = s->pid;
	args->op = op;
	r = ioctl(s->kfd, AMDKFD_IOC_DBG_TRAP, args);
	return r < 0 ? -errno : r;
}

int gt_debug_enable(struct gt_session *s, struct kfd_runtime_info *info)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	if (!s->events[1] && pipe2(s->events, O_NONBLOCK | O_CLOEXEC))
		gt_fail("pipe");
	args.enable.exception_mask = s->exceptions;
	args.enable.rinfo_ptr = (uintptr_t)info;
	args.enable.rinfo_size = sizeof(*info);
	args.enable.dbg_fd = s->events[1];
	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_ENABLE, &args);
}

int gt_debug_disable(const struct gt_session *s)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_DISABLE, &args);
}

int gt_debug_suspend(const struct gt_session *s, uint32_t *ids, uint32_t nr, uint32_t grace)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = nr;
	args.suspend_queues.grace_period = grace;
	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args);
}

int gt_debug_resume(const struct gt_session *s, uint32_t *ids, uint32_t nr)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.resume_queues.queue_array_ptr = (uintptr_t)ids;
	args.resume_queues.num_queues = nr;
	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &args);
}

int gt_debug_snapshot(const struct gt_session *s, struct kfd_queue_snapshot_entry *entries,
		      uint32_t nr, uint64_t clear)
{
	struct kfd_ioctl_dbg_trap_args args = {};
	int r;

	args.queue_snapshot.exception_mask = clear;
	args.queue_snapshot.snapshot_buf_ptr = (uintptr_t)entries;
	args.queue_snapshot.num_queues = nr;
	args.queue_snapshot.entry_size = sizeof(*entries);
	r = gt_debug_trap(s, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args);
	return r ? r : (int)args.queue_snapshot.num_queues;
}

int gt_debug_runtime_enable(struct gt_gpu *gpu)
{
	struct kfd_ioctl_runtime_enable_args args = {
		.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK,
	};

	return ioctl(gpu->kfd, AMDKFD_IOC_RUNTIME_ENABLE, &args) ? -errno : 0;
}

int gt_debug_runtime_disable(struct gt_gpu *gpu)
{
	struct kfd_ioctl_runtime_enable_args args = {};

	return ioctl(gpu->kfd, AMDKFD_IOC_RUNTIME_ENABLE, &args) ? -errno : 0;
}

int gt_debug_query(const struct gt_session *s, uint64_t clear,
		   struct kfd_ioctl_dbg_trap_args *args)
{
	memset(args, 0, sizeof(*args));
	args->query_debug_event.exception_mask = clear;
	return gt_debug_trap(s, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, args);
}

int gt_debug_dots(const struct gt_session *s)
{
	char text[64];
	ssize_t i, n = read(s->events[0], text, sizeof(text));

	if (n < 0) {
		GT_CHECK(errno == EAGAIN, "%s", strerror(errno));
		return 0;
	}
	for (i = 0; i < n; i++)
		GT_CHECK(text[i] == '.', "%02x", text[i]);
	return n;
}

void gt_debug_attach_self(struct gt_gpu *gpu, struct gt_session *s)
{
	struct kfd_runtime_info info = {};
	int r;

	s->kfd = gpu->kfd;
	s->pid = getpid();
	r = gt_debug_runtime_enable(gpu);
	GT_CHECK(!r, "RUNTIME_ENABLE: %s", strerror(-r));
	r = gt_debug_enable(s, &info);
	GT_CHECK(!r, "ENABLE: %s", strerror(-r));
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "state %u",
		 info.runtime_state);
}

struct gt_session gt_debug_self(struct gt_gpu *gpu)
{
	struct gt_session s = { .exceptions = GT_NEW };

	gt_debug_attach_self(gpu, &s);
	return s;
}

void gt_debug_clear_new(const struct gt_session *s)
{
	struct kfd_queue_snapshot_entry entries[MAX_QUEUES];
	int r = gt_debug_snapshot(s, entries, MAX_QUEUES, GT_NEW);

	GT_CHECK(r >= 0, "snapshot: %s", strerror(-r));
}
