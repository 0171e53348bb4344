// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_selfdbg.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/shim/shim_control.h"
#include "client/shim/shim_queue.h"

/* suspend_queues() of amdkfd leaves the hardware's own grace period alone. */
#define GRACE_DEFAULT 0xffffffffu

static int trap(struct shim *s, uint32_t op, struct drv_kfd_dbg_trap *args)
{
	int r;

	args->pid = (uint32_t)getpid();
	args->op = op;
	do {
		r = s->sys->ioctl(shim_control_kfd(s), DRV_KFD_IOC_DBG_TRAP, args);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static void close_pipe(struct shim *s)
{
	if (s->dbg_pipe[0] < 0)
		return;
	shim_fd_close(s->dbg_pipe[0], &s->dbg_pipe_id);
	shim_fd_close(s->dbg_pipe[1], &s->dbg_pipe_id);
	s->dbg_pipe[0] = s->dbg_pipe[1] = -1;
}

void shim_selfdbg_end(struct shim *s)
{
	struct drv_kfd_dbg_trap args = {};
	struct shim_queue *q;

	if (s->dbg == SHIM_DBG_ON) {
		trap(s, DRV_KFD_DBG_DISABLE, &args);
		shim_queue_each(s, q)
			q->is_dbg_stopped = false;
		close_pipe(s);
	}
	s->dbg = SHIM_DBG_FAILED;
}

/* No event is subscribed to: the pipe stays empty. */
static int begin(struct shim *s)
{
	struct drv_kfd_runtime_info info = {};
	struct drv_kfd_dbg_trap args = {};
	int r;

	if (pipe2(s->dbg_pipe, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	s->dbg_pipe[0] = shim_fd_keep(s->dbg_pipe[0], &s->dbg_pipe_id);
	s->dbg_pipe[1] = shim_fd_keep(s->dbg_pipe[1], &s->dbg_pipe_id);
	args.enable.info_ptr = (uintptr_t)&info;
	args.enable.info_bytes = sizeof(info);
	args.enable.fd = (uint32_t)s->dbg_pipe[1];
	r = trap(s, DRV_KFD_DBG_ENABLE, &args);
	if (r < 0) {
		close_pipe(s);
		return r;
	}
	s->dbg = SHIM_DBG_ON;
	return info.state == DRV_KFD_RUNTIME_STATE_ENABLED ? 0 : -EPERM;
}

/* A queue cannot be suspended before a snapshot has cleared its mark of a new one. */
static int clear_new(struct shim *s, struct shim_queue **queues, uint32_t nr)
{
	static struct drv_kfd_queue_entry entries[SHIM_MAX_QUEUES]; /* call_lock */
	struct drv_kfd_dbg_trap args = {};
	struct shim_queue *q;
	bool is_new = false;
	uint32_t i;
	int r;

	for (i = 0; i < nr; i++)
		is_new |= queues[i]->is_dbg_new;
	if (!is_new)
		return 0;
	args.snapshot.exceptions = DRV_KFD_EC_QUEUE_NEW;
	args.snapshot.buf_ptr = (uintptr_t)entries;
	args.snapshot.nr = SHIM_MAX_QUEUES;
	args.snapshot.entry_bytes = sizeof(entries[0]);
	r = trap(s, DRV_KFD_DBG_QUEUE_SNAPSHOT, &args);
	if (r < 0)
		return r;
	shim_queue_each(s, q)
		q->is_dbg_new = false;
	return 0;
}

static int suspend(struct shim *s, struct shim_queue **queues, uint32_t nr, uint32_t grace)
{
	static uint32_t ids[SHIM_MAX_QUEUES]; /* call_lock */
	struct drv_kfd_dbg_trap args = {};
	uint32_t i;
	int n;

	for (i = 0; i < nr; i++)
		ids[i] = queues[i]->queue_id;
	args.suspend.ids_ptr = (uintptr_t)ids;
	args.suspend.nr = nr;
	args.suspend.grace = grace ? grace : GRACE_DEFAULT;
	n = trap(s, DRV_KFD_DBG_SUSPEND_QUEUES, &args);
	for (i = 0; n >= 0 && i < nr; i++) {
		/* After an error of the hardware it counts as suspended all the same. */
		queues[i]->is_dbg_stopped = !(ids[i] & DRV_KFD_DBG_QUEUE_INVALID);
		queues[i]->changed_ns = s->sys->now_ns();
		if (ids[i] & DRV_KFD_DBG_QUEUE_ERROR)
			return -EIO;
	}
	return n;
}

void shim_selfdbg_suspend(struct shim *s, struct shim_queue **queues, uint32_t nr,
			  uint32_t grace, struct shim_pause_result *out)
{
	int n = 0;

	if (s->dbg == SHIM_DBG_FAILED)
		return;
	if (s->dbg == SHIM_DBG_OFF)
		n = begin(s);
	if (!n)
		n = clear_new(s, queues, nr);
	if (!n)
		n = suspend(s, queues, nr, grace);
	if (n < 0) {
		shim_debug("self debug: %d, given up", n);
		shim_selfdbg_end(s);
		return;
	}
	out->nr_queues += (uint32_t)n;
	out->nr_cycles += n > 0;
	s->nr_calls += n > 0;
}

void shim_selfdbg_resume(struct shim *s, struct shim_queue **queues, uint32_t nr,
			 struct shim_pause_result *out)
{
	static uint32_t ids[SHIM_MAX_QUEUES]; /* call_lock */
	struct drv_kfd_dbg_trap args = {};
	uint32_t i, n = 0;
	int r;

	for (i = 0; i < nr; i++) {
		if (!queues[i]->is_dbg_stopped)
			continue;
		ids[n++] = queues[i]->queue_id;
		queues[i]->changed_ns = s->sys->now_ns();
	}
	if (!n)
		return;
	args.resume.ids_ptr = (uintptr_t)ids;
	args.resume.nr = n;
	r = trap(s, DRV_KFD_DBG_RESUME_QUEUES, &args);
	/* The end of the session lets everything go that this could not. */
	if (r != (int)n) {
		shim_selfdbg_end(s);
	} else {
		for (i = 0; i < nr; i++)
			queues[i]->is_dbg_stopped = false;
	}
	out->nr_queues += n;
	out->nr_cycles++;
	s->nr_calls++;
}
