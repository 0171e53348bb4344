// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/shim/shim_hsa.h"
#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

#define US 1000ull
#define MS 1000000ull
#define QUIET_DEFAULT_NS (200 * US)
#define POLL_DEFAULT_NS (1 * MS)
#define WAIT_MIN_NS (10 * US)
#define WAIT_MAX_NS (1000 * MS)
/* First look at a barrier packet, and the longest wait between looks at work. */
#define BARRIER_MIN_NS (50 * US)
#define BUSY_MAX_NS (5 * MS)
/* Longest wait between looks at a client's own queue without work, and at one inside ROCr. */
#define IDLE_FACTOR 16
#define IDLE_ROCR_NS (100 * MS)

static uint64_t clamped(uint64_t value, uint64_t if_zero)
{
	if (!value)
		return if_zero;
	if (value < WAIT_MIN_NS)
		return WAIT_MIN_NS;
	return value < WAIT_MAX_NS ? value : WAIT_MAX_NS;
}

static uint64_t quiet_ns(const struct shim *s)
{
	return clamped(s->welcome.quiet_ns, QUIET_DEFAULT_NS);
}

static struct gp_idle_pace pace_of(const struct shim *s, const struct shim_queue *q)
{
	uint64_t poll = clamped(s->welcome.poll_ns, POLL_DEFAULT_NS);
	struct gp_idle_pace pace = {
		.quiet_ns = quiet_ns(s),
		.busy_ns = quiet_ns(s),
		.busy_max_ns = BUSY_MAX_NS,
		.poll_ns = q->is_watched ? poll : 0,
		.poll_max_ns = poll * IDLE_FACTOR,
	};

	if (s->sees & WIRE_SEES_TABLE && pace.poll_max_ns < IDLE_ROCR_NS)
		pace.poll_max_ns = IDLE_ROCR_NS;
	return pace;
}

static bool can_follow(const struct shim *s, const struct shim_queue *q)
{
	return s->is_welcome && drv_kfd_is_compute(q->type) && q->is_readable;
}

/* Every thread of this process has passed a full barrier when this returns. */
static void barrier_everywhere(void)
{
	static bool is_registered;

	if (!is_registered)
		is_registered = !syscall(SYS_membarrier,
					 MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (is_registered &&
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		return;
	/* Where it is forbidden: slower, and the same. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Nothing was ever written: the indices of AQL only grow. */
static bool is_untouched(struct shim_queue *q)
{
	if (!q->is_watched) {
		q->idle.rptr = shim_queue_rptr(q);
		q->idle.wptr = shim_queue_wptr(q);
	}
	return q->type == DRV_KFD_QUEUE_AQL && !q->idle.rptr && !q->idle.wptr;
}

/* Barrier packets begin with a quiet time. */
static void begin_quiet(struct shim *s, struct shim_queue *q, uint64_t now)
{
	q->proof = SHIM_QUIET;
	q->quiet_since_ns = now;
	q->pace_ns = quiet_ns(s);
	if (!q->is_watched)
		q->wptr = shim_queue_wptr(q);
}

static void begin(struct shim *s, struct shim_queue *q, bool has_work)
{
	const struct gp_idle before = q->idle;
	uint64_t now = s->sys->now_ns();

	gp_idle_init(&q->idle, has_work, now);
	q->idle.rptr = before.rptr;
	q->idle.wptr = before.wptr;
	q->idle.mark = before.mark;
	shim_queue_set_busy_locked(s, q, has_work);
	begin_quiet(s, q, now);
	q->look_ns = q->is_busy || q->is_watched ? now : UINT64_MAX;
}

void shim_detect_new_locked(struct shim *s, struct shim_queue *q)
{
	q->look_ns = UINT64_MAX;
	if (!drv_kfd_is_compute(q->type))
		return;
	if (!q->is_readable)
		s->sees |= WIRE_SEES_NOT_RAW;
	s->sees |= WIRE_SEES_POINTERS;
	/* The application does not know its number yet and cannot have rung. */
	if (can_follow(s, q)) {
		gp_aql_mark_idle(&q->idle.mark, q->idle.wptr);
		begin(s, q, false);
	}
}

/* Looks at all queues, as nothing was told of them. */
static void view_all_locked(struct shim *s)
{
	struct shim_view v;
	uint32_t id;

	for (id = 0; id < s->nr_queues; id++) {
		v = (struct shim_view){ .q = &s->queues[id] };
		if (!v.q->used || !drv_kfd_is_compute(v.q->type) || !v.q->is_readable)
			continue;
		shim_queue_view_locked(s, &v, 1);
		if (v.q && v.q->is_readable) {
			v.q->idle.rptr = v.rptr;
			v.q->idle.wptr = v.wptr;
		}
	}
}

/*
 * "Idle" is published before anything is told: a ring in between is seen by the second look
 * at the index.
 */
void shim_detect_begin_locked(struct shim *s)
{
	struct shim_queue *q;

	view_all_locked(s);
	shim_queue_each(s, q)
		if (drv_kfd_is_compute(q->type) && q->is_readable && is_untouched(q))
			shim_queue_set_busy_locked(s, q, false);
	pthread_mutex_unlock(&s->lock);
	barrier_everywhere();
	pthread_mutex_lock(&s->lock);
	s->is_welcome = true;
	shim_queue_each(s, q)
		if (can_follow(s, q))
			begin(s, q, !is_untouched(q));
}

/* What idle.c remembers is up to date. */
static void tell_busy(struct shim *s, struct shim_queue *q)
{
	shim_queue_set_busy_locked(s, q, true);
	begin_quiet(s, q, q->busy_since_ns);
	/* Idle was not told yet: nothing has changed. */
	if (q->is_deciding)
		return;
	gp_arrivals_begin(&q->requests, q->busy_since_ns);
	shim_conn_edge_locked(s, WIRE_BUSY, q);
	shim_control_wake_locked(s);
}

static void edge_locked(struct shim *s, struct shim_queue *q)
{
	struct gp_idle_pace pace = pace_of(s, q);

	if (q->is_busy || !can_follow(s, q))
		return;
	gp_idle_work(&q->idle, &pace, s->sys->now_ns());
	q->look_ns = q->idle.look_ns;
	tell_busy(s, q);
}

void shim_detect_ring(struct shim *s, uintptr_t doorbell, uint64_t wptr_addr)
{
	struct shim_queue *q;
	struct shim_guard guard;

	shim_guard_lock(s, &guard);
	shim_queue_each(s, q) {
		if (q->wptr_addr != wptr_addr)
			continue;
		shim_queue_set_slice_locked(q, doorbell);
		edge_locked(s, q);
	}
	shim_guard_unlock(s, &guard);
}

void shim_detect_api(struct shim *s)
{
	struct shim_queue *q;
	struct shim_guard guard;

	shim_guard_lock(s, &guard);
	shim_queue_each(s, q)
		if (q->is_watched)
			edge_locked(s, q);
	shim_guard_unlock(s, &guard);
}

/* Work that came before "idle" was published. Of a watched queue the next look tells. */
static bool has_new_work(const struct shim *s, const struct shim_queue *q)
{
	return q->is_busy ||
	       (!q->is_watched && !s->skip_recheck && shim_queue_wptr(q) != q->idle.wptr);
}

static void declare_idle(struct shim *s, struct shim_view *v, uint64_t now)
{
	struct shim_queue *q = v->q;
	struct gp_idle_pace pace = pace_of(s, q);

	if (s->sys->window)
		s->sys->window();
	q->is_deciding = true;
	shim_queue_set_busy_locked(s, q, false);
	pthread_mutex_unlock(&s->lock);
	barrier_everywhere();
	pthread_mutex_lock(&s->lock);
	if (!q->used || q->made != v->made)
		return;
	q->is_deciding = false;
	if (!has_new_work(s, q)) {
		shim_conn_edge_locked(s, WIRE_IDLE, q);
		return;
	}
	shim_queue_set_busy_locked(s, q, true);
	gp_idle_work(&q->idle, &pace, now);
	begin_quiet(s, q, now);
	q->look_ns = q->idle.look_ns;
}

static enum gp_idle_waves waves_of(const struct shim *s, uint32_t gpu_id)
{
	int n = s->sys->occupancy(gpu_id);

	if (n < 0)
		return GP_IDLE_WAVES_UNKNOWN;
	return n ? GP_IDLE_WAVES_SOME : GP_IDLE_WAVES_NONE;
}

/* Return: false if the queue is another by now, or got work: what was seen is old. */
static bool fill_in(struct shim *s, const struct shim_view *v, enum gp_idle_answer ask,
		    struct gp_idle_seen *seen)
{
	struct shim_queue *q = v->q;
	struct gp_aql_mark mark = *gp_idle_mark(&q->idle);
	bool is_aql = q->type == DRV_KFD_QUEUE_AQL, was_busy = q->is_busy;
	struct kfd_ioctl_update_queue_args ring = q->wish;
	uint32_t gpu_id = q->gpu_id;

	pthread_mutex_unlock(&s->lock);
	if (ask == GP_IDLE_ASK_WAVES)
		seen->waves = waves_of(s, gpu_id);
	else if (is_aql)
		seen->end = shim_queue_end(s, &ring, &mark, v->wptr);
	else
		seen->end = GP_AQL_UNKNOWN;
	pthread_mutex_lock(&s->lock);
	if (!q->used || q->made != v->made || q->is_busy != was_busy || !can_follow(s, q))
		return false;
	*gp_idle_mark(&q->idle) = mark;
	return true;
}

static void ask_rule(struct shim *s, struct shim_view *v, enum gp_aql_end end, uint64_t now)
{
	struct shim_queue *q = v->q;
	struct gp_idle_pace pace = pace_of(s, q);
	struct gp_idle_seen seen = {
		.now_ns = now,
		.rptr = v->rptr,
		.wptr = v->wptr,
		.wrap = q->type == DRV_KFD_QUEUE_PM4 ? q->wish.ring_size / 4 - 1 : UINT64_MAX,
		.ended_ns = __atomic_load_n(&s->waited_ns, __ATOMIC_ACQUIRE),
		.end = end,
		.is_stopped = shim_pause_is_stopped(q),
	};
	enum gp_idle_answer answer;

	if (q->changed_ns > q->idle.moved_ns)
		gp_idle_restart(&q->idle, &pace, now);
	while ((answer = gp_idle_look(&q->idle, &pace, &seen)) > GP_IDLE_BUSY)
		if (!fill_in(s, v, answer, &seen))
			return;
	q->look_ns = q->idle.look_ns;
	if (answer == GP_IDLE_IDLE && q->is_busy)
		declare_idle(s, v, now);
	else if (answer == GP_IDLE_BUSY && !q->is_busy)
		tell_busy(s, q);
}

static void slower(struct shim_queue *q, uint64_t now)
{
	q->look_ns = now + q->pace_ns;
	q->pace_ns = q->pace_ns < BUSY_MAX_NS / 2 ? q->pace_ns * 2 : BUSY_MAX_NS;
}

/* Return: that decides; else none is on its way. */
static bool look_at_barrier(struct shim *s, struct shim_view *v, uint64_t now)
{
	struct shim_queue *q = v->q;

	switch (shim_hsa_barrier_check(q)) {
	case SHIM_HSA_DONE:
		/* All before it was read and has ended, and nothing is behind it. */
		v->rptr = q->idle.rptr = q->idle.wptr = v->wptr;
		ask_rule(s, v, GP_AQL_ENDED, now);
		return true;
	case SHIM_HSA_WAITS:
		slower(q, now);
		return true;
	default:
		q->proof = SHIM_QUIET;
		return false;
	}
}

/* Return: barrier packets decide; else the rule is to be asked. */
static bool try_barrier(struct shim *s, struct shim_view *v, uint64_t now)
{
	struct shim_queue *q = v->q;

	if (!shim_hsa_barrier_is_used(q))
		return false;
	if (v->wptr != q->wptr) {
		begin_quiet(s, q, now);
		q->look_ns = now + quiet_ns(s);
		return true;
	}
	if (q->proof == SHIM_BARRIER)
		return look_at_barrier(s, v, now);
	if (now < q->quiet_since_ns + quiet_ns(s)) {
		q->look_ns = q->quiet_since_ns + quiet_ns(s);
		return true;
	}
	switch (shim_hsa_barrier_send(s, q, &q->wptr)) {
	case SHIM_HSA_SENT:
		q->proof = SHIM_BARRIER;
		q->pace_ns = BARRIER_MIN_NS;
		gp_arrivals_own(&q->requests, q->wptr);
		break;
	case SHIM_HSA_NOT_NOW:
		break;
	case SHIM_HSA_NEVER:
		return false;
	}
	slower(q, now);
	return true;
}

static void look_at_requests(struct shim *s, const struct shim_view *v, uint64_t now)
{
	uint64_t since_ns;

	if (v->q->is_busy && v->q->type == DRV_KFD_QUEUE_AQL &&
	    s->welcome.flags & WIRE_WELCOME_PROGRESS &&
	    gp_arrivals_look(&v->q->requests, v->rptr, v->wptr, now, &since_ns))
		shim_conn_progress_locked(s, v->q, since_ns);
}

static void look(struct shim *s, struct shim_view *v, uint64_t now)
{
	struct shim_queue *q = v->q;

	if (!can_follow(s, q) || (q->is_busy && shim_pause_is_stopped(q)))
		return;
	look_at_requests(s, v, now);
	if (!q->is_busy || !try_barrier(s, v, now))
		ask_rule(s, v, GP_AQL_NOT_ASKED, now);
}

static bool is_due(const struct shim *s, struct shim_queue *q, uint64_t now)
{
	if (!q->used || !can_follow(s, q))
		return false;
	/* Stopped by order nothing can end, and nothing may be put in; but work may come. */
	if (q->is_busy && shim_pause_is_stopped(q)) {
		q->look_ns = UINT64_MAX;
		return false;
	}
	if (q->look_ns == UINT64_MAX && (q->is_busy || q->is_watched))
		q->look_ns = now;
	return now >= q->look_ns;
}

/* Its indices are not to be read any more: it is not known to have no work. */
static void lose_sight(struct shim *s, struct shim_queue *q)
{
	s->sees |= WIRE_SEES_NOT_RAW;
	q->look_ns = UINT64_MAX;
	if (!q->is_busy)
		tell_busy(s, q);
}

static uint64_t next_look(struct shim *s)
{
	uint64_t next = UINT64_MAX;
	struct shim_queue *q;

	shim_queue_each(s, q) {
		if (s->is_welcome && drv_kfd_is_compute(q->type) && !q->is_readable)
			lose_sight(s, q);
		else if (can_follow(s, q) && q->look_ns < next)
			next = q->look_ns;
	}
	return next;
}

uint64_t shim_detect_step_locked(struct shim *s, uint64_t now_ns)
{
	struct shim_view views[SHIM_VIEWS];
	uint32_t id = 0, nr, i;

	do {
		for (nr = 0; id < s->nr_queues && nr < SHIM_VIEWS; id++)
			if (is_due(s, &s->queues[id], now_ns))
				views[nr++].q = &s->queues[id];
		shim_queue_view_locked(s, views, nr);
		for (i = 0; i < nr; i++)
			if (views[i].q && views[i].q->made == views[i].made)
				look(s, &views[i], now_ns);
	} while (id < s->nr_queues);
	return next_look(s);
}
