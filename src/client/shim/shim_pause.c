// SPDX-License-Identifier: MIT
#include "client/shim/shim_pause.h"

#include <errno.h>
#include <string.h>

#include "client/shim/shim_conn.h"
#include "client/shim/shim_control.h"
#include "client/shim/shim_guard.h"
#include "client/shim/shim_hold.h"
#include "client/shim/shim_queue.h"
#include "client/shim/shim_selfdbg.h"

/* Fewer are not worth the side effects of a debug session. */
#define BATCH_MIN 2

static bool same(const struct gp_shim_props *a, const struct gp_shim_props *b)
{
	return a->ring_addr == b->ring_addr && a->ring_bytes == b->ring_bytes &&
	       a->percentage == b->percentage && a->prio == b->prio;
}

static bool wants_to_run(const struct gp_shim_queue *q)
{
	return q->wish.percentage & GP_KFD_PERCENT_MASK;
}

bool gp_pause_is_stopped(const struct gp_shim_queue *q)
{
	return q->is_dbg_stopped ||
	       (wants_to_run(q) && !(q->has.percentage & GP_KFD_PERCENT_MASK));
}

/* Held, and has work or is stopped already. */
static bool should_stop(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	return gp_hold_has(s, q) && wants_to_run(q) &&
	       (gp_shim_queue_is_busy(q) || gp_pause_is_stopped(q));
}

static struct gp_shim_props target_of(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	struct gp_shim_props p = q->wish;

	/* Priority waits for the release: alone it would cost a cycle for nothing. */
	if (should_stop(s, q)) {
		p.percentage &= ~GP_KFD_PERCENT_MASK;
		p.prio = q->has.prio;
		/* Stopped by the debugger it stays so whatever the percentage. */
		if (q->is_dbg_stopped)
			p.percentage = q->has.percentage;
	}
	return p;
}

bool gp_pause_is_lost(const struct gp_shim *s, uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < GP_SHIM_MAX_NODES && s->lost[i]; i++)
		if (s->lost[i] == gpu_id)
			return true;
	return false;
}

/* The daemon knows which client can have the node mapped again, so it is always told. */
static void lose(struct gp_shim *s, uint32_t gpu_id)
{
	struct gp_guard guard;
	uint32_t i;

	for (i = 0; i < GP_SHIM_MAX_NODES && s->lost[i] && s->lost[i] != gpu_id; i++)
		;
	gp_guard_lock(s, &guard);
	if (i < GP_SHIM_MAX_NODES)
		s->lost[i] = gpu_id;
	if (s->is_welcome)
		gp_conn_lost_locked(s, gpu_id);
	gp_guard_unlock(s, &guard);
}

/*
 * After a queue of the process was reset, update_queue() of amdkfd takes the queues of all
 * processes off the node, says EACCES and leaves it so; this process must not ask again.
 */
static int update(struct gp_shim *s, struct gp_shim_queue *q, int fd,
		  const struct gp_shim_props *p)
{
	struct gp_kfd_update_queue args = {
		.ring_addr = p->ring_addr,
		.queue_id = q->queue_id,
		.ring_bytes = p->ring_bytes,
		.percentage = p->percentage,
		.prio = p->prio,
	};
	int r;

	do {
		r = s->sys->ioctl(fd, GP_KFD_IOC_UPDATE_QUEUE, &args);
	} while (r < 0 && errno == EINTR);
	if (r < 0) {
		r = -errno;
		if (r == -EACCES)
			lose(s, q->gpu_id);
		return r;
	}
	q->has = *p;
	q->changed_ns = s->sys->now_ns();
	s->nr_calls++;
	return 0;
}

int gp_pause_wish(struct gp_shim *s, struct gp_shim_queue *q, int fd,
		  const struct gp_shim_props *wish)
{
	struct gp_shim_props before = q->wish;
	struct gp_shim_props p;
	int r;

	q->wish = *wish;
	p = target_of(s, q);
	if (same(&p, &q->has))
		return 0;
	r = update(s, q, fd, &p);
	if (!r)
		return 0;
	q->wish = before;
	errno = -r;
	return -1;
}

struct batch {
	struct gp_shim_queue *queues[GP_SHIM_MAX_QUEUES];
	uint32_t nr;
};

static bool is_out_of_place(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	struct gp_shim_props p;

	if (q->is_dbg_stopped)
		return !should_stop(s, q);
	if (gp_pause_is_lost(s, q->gpu_id))
		return false;
	p = target_of(s, q);
	return !same(&p, &q->has);
}

/* The one that has worked longest first: the rest of a series disturbs it no more. */
static void insert(struct batch *b, struct gp_shim_queue *q)
{
	uint32_t i = b->nr++;

	for (; i && b->queues[i - 1]->busy_since_ns > q->busy_since_ns; i--)
		b->queues[i] = b->queues[i - 1];
	b->queues[i] = q;
}

static void collect(struct gp_shim *s, uint32_t gpu_id, bool stop, struct batch *b)
{
	struct gp_shim_queue *q;

	b->nr = 0;
	gp_shim_queue_each(s, q)
		if ((!gpu_id || q->gpu_id == gpu_id) && is_out_of_place(s, q) &&
		    should_stop(s, q) == stop)
			insert(b, q);
}

bool gp_pause_is_needed(struct gp_shim *s)
{
	struct gp_shim_queue *q;

	gp_shim_queue_each(s, q)
		if (is_out_of_place(s, q))
			return true;
	return false;
}

static void update_series(struct gp_shim *s, struct batch *b, struct gp_pause_result *out)
{
	uint32_t i;
	int r;

	for (i = 0; i < b->nr; i++) {
		struct gp_shim_props p = target_of(s, b->queues[i]);

		if (b->queues[i]->is_dbg_stopped || same(&p, &b->queues[i]->has))
			continue;
		if (gp_pause_is_lost(s, b->queues[i]->gpu_id))
			continue;
		r = update(s, b->queues[i], gp_control_kfd(s), &p);
		if (r) {
			out->error = -r;
			continue;
		}
		out->nr_queues++;
		out->nr_cycles++;
	}
}

static bool may_batch(const struct gp_shim *s)
{
	return s->is_welcome && s->welcome.flags & GP_WIRE_WELCOME_SELF_DBG && s->has_runtime;
}

static void stop(struct gp_shim *s, uint32_t gpu_id, uint32_t grace, struct gp_pause_result *out)
{
	static struct batch b; /* too large for a small stack; call_lock */

	collect(s, gpu_id, true, &b);
	if (b.nr >= BATCH_MIN && may_batch(s))
		gp_selfdbg_suspend(s, b.queues, b.nr, grace, out);
	/* All of them, or what the batch could not. */
	update_series(s, &b, out);
}

static void go_on(struct gp_shim *s, uint32_t gpu_id, struct gp_pause_result *out)
{
	static struct batch b;

	collect(s, gpu_id, false, &b);
	gp_selfdbg_resume(s, b.queues, b.nr, out);
	update_series(s, &b, out);
}

void gp_pause_apply(struct gp_shim *s, uint32_t gpu_id, uint32_t grace,
		    struct gp_pause_result *out)
{
	memset(out, 0, sizeof(*out));
	go_on(s, gpu_id, out);
	stop(s, gpu_id, grace, out);
}

void gp_pause_before_destroy(struct gp_shim *s, struct gp_shim_queue *q)
{
	struct gp_pause_result ignored = {};

	if (q->is_dbg_stopped)
		gp_selfdbg_resume(s, &q, 1, &ignored);
}

void gp_pause_end_dbg(struct gp_shim *s)
{
	struct gp_pause_result ignored;
	struct gp_guard guard;
	bool was_on;

	gp_guard_begin(&guard);
	pthread_mutex_lock(&s->call_lock);
	was_on = s->dbg == GP_SHIM_DBG_ON;
	gp_selfdbg_end(s);
	if (was_on)
		gp_pause_apply(s, 0, 0, &ignored);
	pthread_mutex_unlock(&s->call_lock);
	gp_guard_end(&guard);
}
