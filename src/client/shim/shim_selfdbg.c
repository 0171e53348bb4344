// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

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
	struct shim_queue *q;

	if (s->dbg == SHIM_DBG_ON) {
		drv_kfd_dbg_disable(shim_control_kfd(s), (uint32_t)getpid());
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
	int r;

	if (pipe2(s->dbg_pipe, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	s->dbg_pipe[0] = shim_fd_keep(s->dbg_pipe[0], &s->dbg_pipe_id);
	s->dbg_pipe[1] = shim_fd_keep(s->dbg_pipe[1], &s->dbg_pipe_id);
	r = drv_kfd_dbg_enable(shim_control_kfd(s), (uint32_t)getpid(), 0, s->dbg_pipe[1], &info);
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
	struct shim_queue *q;
	bool is_new = false;
	uint32_t i;
	int r;

	for (i = 0; i < nr; i++)
		is_new |= queues[i]->is_dbg_new;
	if (!is_new)
		return 0;
	r = drv_kfd_dbg_queues(shim_control_kfd(s), (uint32_t)getpid(), entries, SHIM_MAX_QUEUES,
			       DRV_KFD_EC_QUEUE_NEW);
	if (r < 0)
		return r;
	shim_queue_each(s, q)
		q->is_dbg_new = false;
	return 0;
}

static int suspend(struct shim *s, struct shim_queue **queues, uint32_t nr, uint32_t grace)
{
	static uint32_t ids[SHIM_MAX_QUEUES]; /* call_lock */
	uint32_t i;
	int n, r;

	for (i = 0; i < nr; i++)
		ids[i] = queues[i]->queue_id;
	n = drv_kfd_dbg_suspend(shim_control_kfd(s), (uint32_t)getpid(), ids, nr, grace);
	for (i = 0; n >= 0 && i < nr; i++) {
		r = drv_kfd_dbg_result(ids[i]);
		queues[i]->is_dbg_stopped = r != -ESRCH;
		queues[i]->changed_ns = s->sys->now_ns();
		if (r == -EIO)
			return r;
	}
	return n;
}

void shim_selfdbg_suspend(struct shim *s, struct shim_queue **queues, uint32_t nr,
			  uint32_t grace, struct wire_done *out)
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
			 struct wire_done *out)
{
	static uint32_t ids[SHIM_MAX_QUEUES]; /* call_lock */
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
	r = drv_kfd_dbg_resume(shim_control_kfd(s), (uint32_t)getpid(), ids, n);
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
