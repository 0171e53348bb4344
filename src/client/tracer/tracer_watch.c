// SPDX-License-Identifier: MIT
/*
 * Busy and idle edges from the memory of the target.
 *
 * A queue whose indices differ or move has work. One whose indices are equal may
 * still have kernels that run, wait for room or are saved. Once the indices have been
 * equal for the quiet time, it is idle if no wave of the process is on the GPU and
 *
 *   every packet since it was idle has a completion signal that was counted down: proven;
 *   or the newest has, and there is no wave at two looks some time apart;
 *   or nothing is known of packets (PM4, or none has a signal), waves were seen since
 *   the last packet came or the queue was let go on, and then there was none for a while;
 *   or, whatever the packets say, there was no wave for a second.
 *
 * The last three are not proven. After the last, a packet that says it has not ended is asked
 * again, later and later, and is work for a second each time: it may wait for room that it
 * gets only then. Any change of the node's runlist takes all waves off
 * the GPU for a moment, a release puts them back only some time after the call, and a
 * queue that waits for a slot or for room has none: that is what the times are for. A
 * queue that we suspended never becomes idle. Where the driver has no cu_occupancy,
 * the times alone must do.
 */
#include "client/tracer/tracer.h"

#include <errno.h>
#include <unistd.h>

#include "driver/discover.h"

#define NS_PER_MS 1000000ull
#define NS_PER_S (1000 * NS_PER_MS)
/*
 * Slowest look at queues without work, time between looks at those with work (whose end is
 * not urgent), and slowest question for occupancy.
 */
#define LOOK_MAX_NS (10 * NS_PER_MS)
#define LOOK_BUSY_NS NS_PER_MS
/* Work is seen late by this part of the time that the queue was idle. */
#define LOOK_FACTOR 16
#define CHECK_MAX_NS (20 * NS_PER_MS)
/* No wave for this long, by what is known: see above. */
#define ZERO_LAST_NS (2 * NS_PER_MS)
#define ZERO_SEEN_NS (10 * NS_PER_MS)
/* What says after this that it has not ended is taken for idle, and asked again. */
#define ZERO_ANY_NS NS_PER_S
/* A look for waves is not worth it until a released queue is mapped. */
#define RESTART_NS (20 * NS_PER_MS)
/* A target that waits in the driver after exec goes unnoticed for this long at most. */
#define REFRESH_NS NS_PER_S
/* A release is followed by a sign of life within this, or is worth a note. */
#define SIGN_NS NS_PER_S
#define SPAN_MAX 512

static bool is_compute(const struct gp_tracer_queue *q)
{
	return q->e.type == GP_KFD_QUEUE_PM4 || q->e.type == GP_KFD_QUEUE_AQL;
}

static int read_at(const struct gp_tracer *t, uint64_t addr, void *out, size_t size)
{
	return pread(t->mem, out, size, (off_t)addr) == (ssize_t)size ? 0 : -EIO;
}

/* Both in one call if they are near each other, as ROCr has them. */
static int read_indices(const struct gp_tracer *t, const struct gp_tracer_queue *q, uint64_t *rptr,
			uint64_t *wptr)
{
	uint64_t low = q->e.rptr_addr < q->e.wptr_addr ? q->e.rptr_addr : q->e.wptr_addr;
	uint64_t high = q->e.rptr_addr < q->e.wptr_addr ? q->e.wptr_addr : q->e.rptr_addr;
	uint64_t span[SPAN_MAX / 8 + 1];

	if (high - low > SPAN_MAX || (high - low) % 8) {
		if (read_at(t, q->e.rptr_addr, rptr, 8) || read_at(t, q->e.wptr_addr, wptr, 8))
			return -EIO;
		return 0;
	}
	if (read_at(t, low, span, high - low + 8))
		return -EIO;
	*rptr = span[(q->e.rptr_addr - low) / 8];
	*wptr = span[(q->e.wptr_addr - low) / 8];
	return 0;
}

/* The read index of a PM4 queue counts modulo its ring. */
static bool is_equal(const struct gp_tracer_queue *q, uint64_t rptr, uint64_t wptr)
{
	if (q->e.type == GP_KFD_QUEUE_AQL)
		return rptr == wptr;
	return !((rptr ^ wptr) & (q->e.ring_bytes / 4 - 1));
}

/* What was not told because the daemon does not read is told at the next look. */
static void tell(struct gp_tracer *t, struct gp_tracer_queue *q, bool busy)
{
	if (q->busy != busy &&
	    !gp_tracer_send_edge(t, busy ? GP_WIRE_BUSY : GP_WIRE_IDLE, q))
		q->busy = busy;
}

static uint64_t busy_step_ns(const struct gp_tracer *t)
{
	return t->poll_ns > LOOK_BUSY_NS ? t->poll_ns : LOOK_BUSY_NS;
}

static bool has_no_waves(const struct gp_tracer *t, const struct gp_tracer_queue *q)
{
	uint64_t occupancy;

	return gp_discover_occupancy(NULL, (uint32_t)t->pid, q->e.gpu_id, &occupancy) ||
	       !occupancy;
}

static void sign_of_life(struct gp_tracer *t, uint32_t gpu_id)
{
	size_t i;

	for (i = 0; i < t->nr_nodes; i++) {
		if (t->nodes[i].gpu_id != gpu_id || !t->nodes[i].until_ns)
			continue;
		t->nodes[i].until_ns = 0;
		gp_tracer_note(t, GP_WIRE_NOTE_PROGRESS, gpu_id, 0, "goes on");
	}
}

void gp_tracer_restart(struct gp_tracer *t, struct gp_tracer_queue *q)
{
	uint64_t now = gp_tracer_now_ns();

	q->quiet_ns = now;
	q->zero_ns = 0;
	q->has_run = false;
	q->check_ns = now + (t->quiet_ns > RESTART_NS ? t->quiet_ns : RESTART_NS);
	q->check_step_ns = busy_step_ns(t);
}

static void ask_again(struct gp_tracer_queue *q, uint64_t now)
{
	if (q->check_step_ns < CHECK_MAX_NS)
		q->check_step_ns *= 2;
	q->check_ns = now + q->check_step_ns;
}

static int read_packet(void *data, uint64_t addr, void *to, size_t bytes)
{
	return read_at(data, addr, to, bytes);
}

static enum gp_aql_end end_of(struct gp_tracer *t, struct gp_tracer_queue *q,
			      struct gp_aql_mark *mark)
{
	struct gp_aql_ring ring = { read_packet, t, q->e.ring_addr, q->e.ring_bytes };

	return q->e.type == GP_KFD_QUEUE_AQL ? gp_aql_end(&ring, mark, q->wptr) : GP_AQL_UNKNOWN;
}

/* How long there must have been no wave. */
static uint64_t zero_wanted_ns(const struct gp_tracer_queue *q, enum gp_aql_end end)
{
	switch (end) {
	case GP_AQL_ENDED:
		return 0;
	case GP_AQL_LAST_ENDED:
		return ZERO_LAST_NS;
	case GP_AQL_UNKNOWN:
		return q->has_run ? ZERO_SEEN_NS : ZERO_ANY_NS;
	default:
		return ZERO_ANY_NS;
	}
}

/* Return: there is no wave, and has been none for long enough. */
static bool is_empty(struct gp_tracer *t, struct gp_tracer_queue *q, enum gp_aql_end end,
		     uint64_t now)
{
	if (!has_no_waves(t, q)) {
		sign_of_life(t, q->e.gpu_id);
		q->has_run = true;
		q->zero_ns = 0;
		ask_again(q, now);
		return false;
	}
	if (!q->zero_ns) {
		q->zero_ns = now;
		q->check_step_ns = busy_step_ns(t);
	}
	if (now - q->zero_ns >= zero_wanted_ns(q, end))
		return true;
	ask_again(q, now);
	return false;
}

/* The indices are equal and have been for the quiet time: is it idle? */
static void prove_idle(struct gp_tracer *t, struct gp_tracer_queue *q, uint64_t now)
{
	enum gp_aql_end end = end_of(t, q, &q->mark);
	uint64_t rptr, wptr;

	if (end != GP_AQL_ENDED && now < q->check_ns)
		return;
	if (!is_empty(t, q, end, now))
		return;
	if (read_indices(t, q, &rptr, &wptr) || rptr != q->rptr || wptr != q->wptr)
		return;
	sign_of_life(t, q->e.gpu_id);
	gp_aql_doubt_later(&q->doubt, end, &q->mark, now);
	tell(t, q, false);
	gp_aql_mark_idle(&q->mark, wptr);
}

/* It was taken for idle: was it? */
static void doubt(struct gp_tracer *t, struct gp_tracer_queue *q)
{
	q->doubt.at_ns = 0;
	if (end_of(t, q, &q->doubt.mark) != GP_AQL_RUNNING)
		return;
	q->mark = q->doubt.mark;
	tell(t, q, true);
	gp_tracer_restart(t, q);
}

/* A process whose memory is gone is gone for the driver too, and may wait in it. */
static bool cannot_look(struct gp_tracer *t, struct gp_tracer_queue *q)
{
	if (!q->unreadable) {
		q->unreadable = true;
		gp_tracer_refresh(t);
	}
	return false;
}

/* Return: it has work, or may have. */
static bool look_at(struct gp_tracer *t, struct gp_tracer_queue *q, uint64_t now)
{
	uint64_t rptr, wptr;
	bool moved;

	if (read_indices(t, q, &rptr, &wptr))
		return cannot_look(t, q);
	moved = rptr != q->rptr || wptr != q->wptr;
	if (rptr != q->rptr)
		sign_of_life(t, q->e.gpu_id);
	q->rptr = rptr;
	q->wptr = wptr;
	if (moved || !is_equal(q, rptr, wptr) || !q->quiet) {
		if (!is_equal(q, rptr, wptr) || (moved && q->quiet))
			tell(t, q, true);
		q->quiet = is_equal(q, rptr, wptr);
		q->quiet_ns = now;
		q->check_ns = now + t->quiet_ns;
		q->check_step_ns = busy_step_ns(t);
		q->zero_ns = 0;
		q->has_run = false;
		return true;
	}
	if (!q->busy && gp_aql_doubt_is_due(&q->doubt, now))
		doubt(t, q);
	else if (q->busy && !q->suspended && now - q->quiet_ns >= t->quiet_ns)
		prove_idle(t, q, now);
	return q->busy && !q->suspended;
}

void gp_tracer_expect(struct gp_tracer *t, uint32_t gpu_id)
{
	struct gp_tracer_queue *q;
	bool busy = false;
	size_t i;

	for (q = t->queues; q < t->queues + t->nr_queues; q++)
		busy |= q->e.gpu_id == gpu_id && is_compute(q) && q->busy && !q->suspended;
	for (i = 0; i < t->nr_nodes && t->nodes[i].gpu_id != gpu_id; i++)
		;
	if (i == GP_TRACER_NODES)
		return;
	if (i == t->nr_nodes)
		t->nr_nodes++;
	t->nodes[i].gpu_id = gpu_id;
	t->nodes[i].until_ns = busy ? gp_tracer_now_ns() + SIGN_NS : 0;
	t->next_look_ns = 0;
	t->look_step_ns = t->poll_ns;
}

/* Nothing is expected of a node that was stopped again. */
static bool is_stopped(const struct gp_tracer *t, uint32_t gpu_id)
{
	return gp_holds_first_on(&t->holds.set, 0, gpu_id);
}

static void check_signs(struct gp_tracer *t, uint64_t now)
{
	struct gp_tracer_node *n;

	for (n = t->nodes; n < t->nodes + t->nr_nodes; n++) {
		if (!n->until_ns)
			continue;
		if (is_stopped(t, n->gpu_id)) {
			n->until_ns = 0;
		} else if (n->until_ns <= now) {
			n->until_ns = 0;
			gp_tracer_note(t, GP_WIRE_NOTE_NO_PROGRESS, n->gpu_id, 0,
				       "does not go on after a release");
		}
	}
}

static uint64_t look_at_all(struct gp_tracer *t, uint64_t now)
{
	bool active = false;
	size_t i;

	if (t->mem < 0)
		return GP_TRACER_NEVER;
	if (now < t->next_look_ns)
		return t->next_look_ns;
	/* By number: a look at one may end with a new list of all. */
	for (i = 0; i < t->nr_queues && !t->done; i++) {
		if (is_compute(&t->queues[i]))
			active |= look_at(t, &t->queues[i], now);
	}
	if (active)
		t->look_step_ns = busy_step_ns(t);
	else if (t->is_active)
		t->look_step_ns = t->poll_ns;
	else if (t->look_step_ns < LOOK_MAX_NS)
		t->look_step_ns += t->look_step_ns / LOOK_FACTOR + 1;
	t->is_active = active;
	t->next_look_ns = now + t->look_step_ns;
	return t->next_look_ns;
}

/*
 * With a session open, the old memory of a target that executes another program is not let
 * go before a signal comes (docs/upstream-bugs.md). The driver does not know it any more then;
 * there may be no queue whose memory says so.
 */
static void refresh(struct gp_tracer *t, uint64_t now)
{
	if (now < t->next_refresh_ns)
		return;
	t->next_refresh_ns = now + REFRESH_NS;
	gp_tracer_refresh(t);
}

uint64_t gp_tracer_look(struct gp_tracer *t, uint64_t now)
{
	uint64_t next;

	check_signs(t, now);
	if (!t->is_enabled)
		return GP_TRACER_NEVER;
	refresh(t, now);
	next = look_at_all(t, now);
	return next < t->next_refresh_ns ? next : t->next_refresh_ns;
}
