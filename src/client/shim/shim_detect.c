// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_detect.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/shim/shim_conn.h"
#include "client/shim/shim_control.h"
#include "client/shim/shim_guard.h"
#include "client/shim/shim_hsa_queue.h"
#include "client/shim/shim_pause.h"
#include "client/shim/shim_queue.h"

#define US 1000ull
#define MS 1000000ull
#define QUIET_DEFAULT_NS (200 * US)
#define POLL_DEFAULT_NS (1 * MS)
#define WAIT_MIN_NS (10 * US)
#define WAIT_MAX_NS (1000 * MS)
/* First look at a barrier packet, and the longest wait between looks. */
#define BARRIER_MIN_NS (50 * US)
#define BARRIER_MAX_NS (5 * MS)
/*
 * No waves so often and so long must do where packets do not say that they have ended:
 * if something of the process has ended, if waves were seen before, and if neither.
 */
#define EMPTY_LOOKS_EVENT 2
#define EMPTY_LOOKS 5
#define EMPTY_NS (10 * MS)
/*
 * A packet that has not ended after that waits for room, or its signal is used for something
 * else as well: it is taken for idle, asked again later, and counts as work for as long again.
 */
#define EMPTY_UNSEEN_NS (1000 * MS)
/*
 * Looks at an idle queue get apart with the time it is idle, so that work is seen
 * late by a sixteenth of that, up to a bound: a client's own, and one inside ROCr.
 */
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

static uint64_t quiet_ns(const struct gp_shim *s)
{
	return clamped(s->welcome.quiet_ns, QUIET_DEFAULT_NS);
}

static uint64_t poll_ns(const struct gp_shim *s)
{
	return clamped(s->welcome.poll_ns, POLL_DEFAULT_NS);
}

static bool can_follow(const struct gp_shim *s, const struct gp_shim_queue *q)
{
	return s->is_welcome && gp_shim_queue_is_compute(q) && q->is_readable;
}

/* The next look at a queue whose state has just changed. */
static void arm(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	q->proof = GP_SHIM_QUIET;
	q->wptr = gp_shim_queue_wptr(q);
	q->quiet_since_ns = now;
	q->pace_ns = poll_ns(s);
	if (q->is_busy) {
		q->changed_ns = now;
		q->look_ns = now + quiet_ns(s);
		return;
	}
	q->look_ns = q->is_watched ? now + q->pace_ns : UINT64_MAX;
	if (q->doubt.at_ns && q->doubt.at_ns < q->look_ns)
		q->look_ns = q->doubt.at_ns;
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

/* Nothing was ever written: these indices only grow. */
static bool is_untouched(struct gp_shim_queue *q)
{
	return q->type == GP_KFD_QUEUE_AQL && !gp_shim_queue_wptr(q) && !gp_shim_queue_rptr(q);
}

void gp_detect_begin_locked(struct gp_shim *s, struct gp_shim_queue *q, bool is_new)
{
	q->look_ns = UINT64_MAX;
	if (!gp_shim_queue_is_compute(q))
		return;
	if (!q->is_readable)
		s->sees |= GP_WIRE_SEES_NOT_RAW;
	if (q->is_watched)
		s->sees |= GP_WIRE_SEES_POINTERS;
	if (!can_follow(s, q))
		return;
	if (!is_new && !is_untouched(q)) {
		gp_shim_queue_set_busy_locked(s, q, true);
		arm(s, q, s->sys->now_ns());
		return;
	}
	gp_shim_queue_set_busy_locked(s, q, false);
	barrier_everywhere();
	gp_shim_queue_set_busy_locked(s, q, !is_new && !is_untouched(q));
	arm(s, q, s->sys->now_ns());
}

static void edge_locked(struct gp_shim *s, struct gp_shim_queue *q)
{
	if (q->is_busy || !can_follow(s, q))
		return;
	q->doubt.at_ns = 0;
	gp_shim_queue_set_busy_locked(s, q, true);
	gp_conn_edge_locked(s, GP_WIRE_BUSY, q);
	arm(s, q, q->busy_since_ns);
	gp_control_wake_locked(s);
}

void gp_detect_ring(struct gp_shim *s, uintptr_t doorbell, uint64_t wptr_addr)
{
	struct gp_shim_queue *q;
	struct gp_guard guard;

	gp_guard_lock(s, &guard);
	gp_shim_queue_each(s, q) {
		if (q->wptr_addr != wptr_addr)
			continue;
		gp_shim_queue_set_slice_locked(q, doorbell);
		edge_locked(s, q);
	}
	gp_guard_unlock(s, &guard);
}

void gp_detect_api(struct gp_shim *s)
{
	struct gp_shim_queue *q;
	struct gp_guard guard;

	gp_guard_lock(s, &guard);
	gp_shim_queue_each(s, q)
		if (q->is_watched)
			edge_locked(s, q);
	gp_guard_unlock(s, &guard);
}

static void declare_idle(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	uint64_t wptr = q->wptr;

	if (s->sys->window)
		s->sys->window();
	gp_shim_queue_set_busy_locked(s, q, false);
	barrier_everywhere();
	if (!s->skip_recheck && gp_shim_queue_wptr(q) != wptr) {
		gp_shim_queue_set_busy_locked(s, q, true);
		arm(s, q, now);
		return;
	}
	gp_conn_edge_locked(s, GP_WIRE_IDLE, q);
	gp_aql_mark_idle(&q->mark, wptr);
	q->changed_ns = 0;
	arm(s, q, now);
	q->wptr = wptr;
}

static void slower(struct gp_shim_queue *q, uint64_t now, uint64_t max)
{
	q->look_ns = now + q->pace_ns;
	q->pace_ns = q->pace_ns < max / 2 ? q->pace_ns * 2 : max;
}

static void look_at_barrier(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	switch (gp_hsa_barrier_check(q)) {
	case GP_HSA_DONE:
		declare_idle(s, q, now);
		break;
	case GP_HSA_WAITS:
		slower(q, now, BARRIER_MAX_NS);
		break;
	case GP_HSA_LOST:
		arm(s, q, now);
		break;
	}
}

static int read_packet(void *data, uint64_t addr, void *to, size_t bytes)
{
	const struct gp_shim *s = data;

	return s->sys->read_memory(addr, to, bytes);
}

/**
 * struct sight - what a look brought
 * @has_waves: of the process, on the node
 * @end: what the packets say
 * @mark: how far they were followed
 */
struct sight {
	bool has_waves;
	enum gp_aql_end end;
	struct gp_aql_mark mark;
};

/* The lock is released while the driver is asked, as that may sleep. */
static void look_closer(struct gp_shim *s, const struct gp_shim_queue *q, struct sight *out)
{
	struct gp_aql_ring ring = { read_packet, s, q->wish.ring_addr, q->wish.ring_bytes };
	bool is_aql = q->type == GP_KFD_QUEUE_AQL;
	uint32_t gpu_id = q->gpu_id;
	uint64_t wptr = q->wptr;

	out->mark = q->mark;
	pthread_mutex_unlock(&s->lock);
	out->end = is_aql ? gp_aql_end(&ring, &out->mark, wptr) : GP_AQL_UNKNOWN;
	out->has_waves = s->sys->occupancy(gpu_id) > 0;
	pthread_mutex_lock(&s->lock);
}

/* Nobody has waves: is that because nobody has work? */
static bool is_proven(struct gp_shim *s, struct gp_shim_queue *q, enum gp_aql_end end,
		      uint64_t now)
{
	uint64_t enough = q->changed_ns || end == GP_AQL_RUNNING ? EMPTY_UNSEEN_NS : EMPTY_NS;
	uint64_t waited_ns = __atomic_load_n(&s->waited_ns, __ATOMIC_ACQUIRE);

	q->nr_empty++;
	if (end == GP_AQL_ENDED)
		return true;
	if (q->nr_empty >= EMPTY_LOOKS_EVENT && waited_ns > q->quiet_since_ns &&
	    waited_ns > q->changed_ns && end != GP_AQL_RUNNING)
		return true;
	return q->nr_empty >= EMPTY_LOOKS && now >= q->equal_since_ns + enough;
}

static void begin_equal(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	q->proof = GP_SHIM_EQUAL;
	q->equal_since_ns = now;
	q->nr_empty = 0;
	q->pace_ns = quiet_ns(s);
	slower(q, now, BARRIER_MAX_NS);
}

static void look_at_pointers(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	uint32_t id = q->queue_id;
	struct sight sight;

	if (gp_shim_queue_rptr(q) != q->wptr) {
		q->proof = GP_SHIM_QUIET;
		slower(q, now, BARRIER_MAX_NS);
		return;
	}
	if (q->proof != GP_SHIM_EQUAL) {
		begin_equal(s, q, now);
		return;
	}
	look_closer(s, q, &sight);
	/* Anything may have happened meanwhile. */
	if (!q->used || q->queue_id != id || !q->is_busy || q->proof != GP_SHIM_EQUAL ||
	    !can_follow(s, q))
		return;
	q->mark = sight.mark;
	if (sight.has_waves) {
		q->changed_ns = 0;
		begin_equal(s, q, now);
		q->pace_ns = BARRIER_MAX_NS;
	} else if (is_proven(s, q, sight.end, now)) {
		gp_aql_doubt_later(&q->doubt, sight.end, &sight.mark, now);
		declare_idle(s, q, now);
	} else {
		slower(q, now, BARRIER_MAX_NS);
	}
}

static void look_at_busy(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	if (gp_shim_queue_wptr(q) != q->wptr) {
		arm(s, q, now);
		return;
	}
	if (q->proof == GP_SHIM_BARRIER) {
		look_at_barrier(s, q, now);
		return;
	}
	if (q->proof == GP_SHIM_QUIET && now < q->quiet_since_ns + quiet_ns(s)) {
		q->look_ns = q->quiet_since_ns + quiet_ns(s);
		return;
	}
	switch (gp_hsa_barrier_send(s, q, &q->wptr)) {
	case GP_HSA_SENT:
		q->proof = GP_SHIM_BARRIER;
		q->pace_ns = BARRIER_MIN_NS;
		slower(q, now, BARRIER_MAX_NS);
		break;
	case GP_HSA_NOT_NOW:
		slower(q, now, BARRIER_MAX_NS);
		break;
	case GP_HSA_NEVER:
		look_at_pointers(s, q, now);
		break;
	}
}

/* Was it idle? */
static void doubt(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	uint32_t id = q->queue_id;
	struct sight sight;

	q->mark = q->doubt.mark;
	look_closer(s, q, &sight);
	if (!q->used || q->queue_id != id || q->is_busy || !can_follow(s, q))
		return;
	if (sight.end == GP_AQL_RUNNING) {
		edge_locked(s, q);
		return;
	}
	q->doubt.at_ns = 0;
	gp_aql_mark_idle(&q->mark, q->wptr);
	arm(s, q, now);
}

static void look_at_idle(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	uint64_t max = poll_ns(s) * IDLE_FACTOR;

	if (gp_shim_queue_wptr(q) != q->wptr || gp_shim_queue_rptr(q) != q->wptr) {
		edge_locked(s, q);
		return;
	}
	if (gp_aql_doubt_is_due(&q->doubt, now)) {
		doubt(s, q, now);
		return;
	}
	if (s->sees & GP_WIRE_SEES_TABLE && max < IDLE_ROCR_NS)
		max = IDLE_ROCR_NS;
	q->pace_ns = (now - q->quiet_since_ns) / IDLE_FACTOR;
	if (q->pace_ns < poll_ns(s))
		q->pace_ns = poll_ns(s);
	if (q->pace_ns > max)
		q->pace_ns = max;
	q->look_ns = now + q->pace_ns;
	if (q->doubt.at_ns && q->doubt.at_ns < q->look_ns)
		q->look_ns = q->doubt.at_ns;
}

static void look(struct gp_shim *s, struct gp_shim_queue *q, uint64_t now)
{
	/* Stopped by us nothing can end, and nothing may be put in; but work may come. */
	if (q->is_busy && gp_pause_is_stopped(q)) {
		q->look_ns = UINT64_MAX;
		return;
	}
	if (q->look_ns == UINT64_MAX && (q->is_busy || q->is_watched))
		arm(s, q, now);
	if (now < q->look_ns)
		return;
	if (q->is_busy)
		look_at_busy(s, q, now);
	else
		look_at_idle(s, q, now);
}

/* Its indices are not to be read any more: it is not known to have no work. */
static void lose_sight(struct gp_shim *s, struct gp_shim_queue *q)
{
	s->sees |= GP_WIRE_SEES_NOT_RAW;
	q->look_ns = UINT64_MAX;
	if (q->is_busy)
		return;
	gp_shim_queue_set_busy_locked(s, q, true);
	gp_conn_edge_locked(s, GP_WIRE_BUSY, q);
	gp_control_wake_locked(s);
}

uint64_t gp_detect_step_locked(struct gp_shim *s, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;
	struct gp_shim_queue *q;

	gp_shim_queue_each(s, q) {
		if (!can_follow(s, q))
			continue;
		look(s, q, now_ns);
		if (q->used && !q->is_readable)
			lose_sight(s, q);
		if (q->used && q->look_ns < next)
			next = q->look_ns;
	}
	return next;
}
