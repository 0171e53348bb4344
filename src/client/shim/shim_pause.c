// SPDX-License-Identifier: MIT
#include <errno.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

/* Fewer are not worth the side effects of a debug session. */
#define BATCH_MIN 2

static bool same(const struct kfd_ioctl_update_queue_args *a,
		 const struct kfd_ioctl_update_queue_args *b)
{
	return a->ring_base_address == b->ring_base_address && a->ring_size == b->ring_size &&
	       a->queue_percentage == b->queue_percentage &&
	       a->queue_priority == b->queue_priority;
}

bool shim_pause_is_held(const struct shim *s, const struct shim_queue *q)
{
	return drv_kfd_is_compute(q->type) &&
	       client_holds_covers(&s->holds, q->gpu_id, q->queue_id);
}

static bool wants_to_run(const struct shim_queue *q)
{
	return q->wish.queue_percentage & DRV_KFD_PERCENT_MASK;
}

bool shim_pause_is_stopped(const struct shim_queue *q)
{
	return q->is_dbg_stopped ||
	       (wants_to_run(q) && !(q->has.queue_percentage & DRV_KFD_PERCENT_MASK));
}

/* Held, and has work or is stopped already. */
static bool should_stop(const struct shim *s, const struct shim_queue *q)
{
	return shim_pause_is_held(s, q) && wants_to_run(q) &&
	       (shim_queue_is_busy(q) || shim_pause_is_stopped(q));
}

static struct kfd_ioctl_update_queue_args target_of(const struct shim *s,
						    const struct shim_queue *q)
{
	struct kfd_ioctl_update_queue_args p = q->wish;

	/* Priority waits for the release: alone it would cost a cycle for nothing. */
	if (should_stop(s, q)) {
		p.queue_percentage &= ~DRV_KFD_PERCENT_MASK;
		p.queue_priority = q->has.queue_priority;
		/* Stopped by the debugger it stays so whatever the percentage. */
		if (q->is_dbg_stopped)
			p.queue_percentage = q->has.queue_percentage;
	}
	return p;
}

bool shim_pause_is_lost(const struct shim *s, uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < SHIM_MAX_NODES && s->lost[i]; i++)
		if (s->lost[i] == gpu_id)
			return true;
	return false;
}

/* The daemon knows which client can have the node mapped again, so it is always told. */
static void lose(struct shim *s, uint32_t gpu_id)
{
	struct shim_guard guard;
	uint32_t i;

	for (i = 0; i < SHIM_MAX_NODES && s->lost[i] && s->lost[i] != gpu_id; i++)
		;
	shim_guard_lock(s, &guard);
	if (i < SHIM_MAX_NODES)
		s->lost[i] = gpu_id;
	if (s->is_welcome)
		shim_conn_lost_locked(s, gpu_id);
	shim_guard_unlock(s, &guard);
}

/*
 * After a queue of the process was reset, update_queue() of amdkfd takes the queues of all
 * processes off the node, says EACCES and leaves it so; this process must not ask again.
 */
static int update(struct shim *s, struct shim_queue *q, int fd,
		  const struct kfd_ioctl_update_queue_args *p)
{
	int r = drv_kfd_update_queue(fd, p);

	if (r == -EACCES)
		lose(s, q->gpu_id);
	if (r)
		return r;
	q->has = *p;
	q->changed_ns = s->sys->now_ns();
	s->nr_calls++;
	return 0;
}

int shim_pause_wish(struct shim *s, struct shim_queue *q, int fd,
		    const struct kfd_ioctl_update_queue_args *wish)
{
	struct kfd_ioctl_update_queue_args before = q->wish;
	struct kfd_ioctl_update_queue_args p;
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
	struct shim_queue *queues[SHIM_MAX_QUEUES];
	uint32_t nr;
};

static bool is_out_of_place(const struct shim *s, const struct shim_queue *q)
{
	struct kfd_ioctl_update_queue_args p;

	if (q->is_dbg_stopped)
		return !should_stop(s, q);
	if (shim_pause_is_lost(s, q->gpu_id))
		return false;
	p = target_of(s, q);
	return !same(&p, &q->has);
}

/* The one that has worked longest first: the rest of a series disturbs it no more. */
static void insert(struct batch *b, struct shim_queue *q)
{
	uint32_t i = b->nr++;

	for (; i && b->queues[i - 1]->busy_since_ns > q->busy_since_ns; i--)
		b->queues[i] = b->queues[i - 1];
	b->queues[i] = q;
}

static void collect(struct shim *s, uint32_t gpu_id, bool stop, struct batch *b)
{
	struct shim_queue *q;

	b->nr = 0;
	shim_queue_each(s, q)
		if ((!gpu_id || q->gpu_id == gpu_id) && is_out_of_place(s, q) &&
		    should_stop(s, q) == stop)
			insert(b, q);
}

bool shim_pause_is_needed(struct shim *s)
{
	struct shim_queue *q;

	shim_queue_each(s, q)
		if (is_out_of_place(s, q))
			return true;
	return false;
}

static void update_series(struct shim *s, struct batch *b, struct wire_done *out)
{
	uint32_t i;
	int r;

	for (i = 0; i < b->nr; i++) {
		struct kfd_ioctl_update_queue_args p = target_of(s, b->queues[i]);

		if (b->queues[i]->is_dbg_stopped || same(&p, &b->queues[i]->has))
			continue;
		if (shim_pause_is_lost(s, b->queues[i]->gpu_id))
			continue;
		r = update(s, b->queues[i], shim_control_kfd(s), &p);
		wire_worsen(out, -r);
		out->nr_queues += !r;
		out->nr_cycles += !r;
	}
}

static bool may_batch(const struct shim *s)
{
	return s->is_welcome && s->welcome.flags & WIRE_WELCOME_SELF_DBG && s->has_runtime;
}

static void stop(struct shim *s, uint32_t gpu_id, uint32_t grace, struct wire_done *out)
{
	static struct batch b; /* too large for a small stack; call_lock */

	collect(s, gpu_id, true, &b);
	if (b.nr >= BATCH_MIN && may_batch(s))
		shim_selfdbg_suspend(s, b.queues, b.nr, grace, out);
	/* All of them, or what the batch could not. */
	update_series(s, &b, out);
}

static void go_on(struct shim *s, uint32_t gpu_id, struct wire_done *out)
{
	static struct batch b;

	collect(s, gpu_id, false, &b);
	shim_selfdbg_resume(s, b.queues, b.nr, out);
	update_series(s, &b, out);
}

void shim_pause_apply(struct shim *s, uint32_t gpu_id, uint32_t grace, struct wire_done *out)
{
	go_on(s, gpu_id, out);
	stop(s, gpu_id, grace, out);
}

void shim_pause_end_dbg(struct shim *s)
{
	struct wire_done ignored = {};
	struct shim_guard guard;
	bool was_on;

	shim_guard_begin(&guard);
	pthread_mutex_lock(&s->call_lock);
	was_on = s->dbg == SHIM_DBG_ON;
	shim_selfdbg_end(s);
	if (was_on)
		shim_pause_apply(s, 0, 0, &ignored);
	pthread_mutex_unlock(&s->call_lock);
	shim_guard_end(&guard);
}
