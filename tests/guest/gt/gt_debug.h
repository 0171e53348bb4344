/* SPDX-License-Identifier: MIT */
/*
 * AMDKFD_IOC_DBG_TRAP, for the tests of it.
 */
#ifndef GT_DEBUG_H
#define GT_DEBUG_H

#include "gt/gt.h"

#define GT_NEW KFD_EC_MASK(EC_QUEUE_NEW)

/**
 * struct gt_session - a debugger's view of a process
 * @kfd: the debugger's /dev/kfd
 * @pid: the target
 * @events: pipe for ENABLE, made there if events[1] is 0
 * @exceptions: what ENABLE subscribes to
 */
struct gt_session {
	int kfd;
	pid_t pid;
	int events[2];
	uint64_t exceptions;
};

/* Return: what the ioctl returns, or -errno. */
int gt_debug_trap(const struct gt_session *s, uint32_t op, struct kfd_ioctl_dbg_trap_args *args);
int gt_debug_enable(struct gt_session *s, struct kfd_runtime_info *info);
int gt_debug_disable(const struct gt_session *s);
int gt_debug_suspend(const struct gt_session *s, uint32_t *ids, uint32_t nr, uint32_t grace);
int gt_debug_resume(const struct gt_session *s, uint32_t *ids, uint32_t nr);
/* Return: how many queues there are. @clear: exceptions to forget */
int gt_debug_snapshot(const struct gt_session *s, struct kfd_queue_snapshot_entry *entries,
		      uint32_t nr, uint64_t clear);
int gt_debug_runtime_enable(struct gt_gpu *gpu);
int gt_debug_runtime_disable(struct gt_gpu *gpu);
/* Return: 0 or -errno. @args: the event; @clear: exceptions to forget */
int gt_debug_query(const struct gt_session *s, uint64_t clear,
		   struct kfd_ioctl_dbg_trap_args *args);
/* Return: how many bytes the driver has written, all of them dots. */
int gt_debug_dots(const struct gt_session *s);

/* This process debugs itself: no ptrace is asked for. Keeps what @s says of events. */
void gt_debug_attach_self(struct gt_gpu *gpu, struct gt_session *s);
/* The same, subscribed to new queues. */
struct gt_session gt_debug_self(struct gt_gpu *gpu);
/* Queues are not new any more: they can be suspended. */
void gt_debug_clear_new(const struct gt_session *s);

#endif
