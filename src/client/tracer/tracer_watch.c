// SPDX-License-Identifier: MIT
/*
 * Busy and idle edges from the memory of the target, by rules/idle.h. Each queue is looked at
 * when the rule asks for it. A queue that the tracer suspended never becomes idle.
 */
#include "client/tracer/tracer.h"

#include <errno.h>
#include <unistd.h>

#include "driver/discover.h"

#define NS_PER_MS 1000000ull
#define NS_PER_S (1000 * NS_PER_MS)
/* Slowest looks at queues without work and at those with; the end of work is not urgent. */
#define LOOK_IDLE_MAX_NS (10 * NS_PER_MS)
#define LOOK_BUSY_NS NS_PER_MS
#define LOOK_BUSY_MAX_NS (5 * NS_PER_MS)
/* A target that waits in the driver after exec goes unnoticed for this long at most. */
#define REFRESH_NS NS_PER_S
/* A release is followed by a sign of life within this, or is worth a note. */
#define SIGN_NS NS_PER_S
#define SPAN_MAX 512

static int read_at(const struct tracer *t, uint64_t addr, void *out, size_t size)
{
	return pread(t->mem, out, size, (off_t)addr) == (ssize_t)size ? 0 : -EIO;
}

/* Both in one call if they are near each other, as ROCr has them. */
static int read_indices(const struct tracer *t, const struct tracer_queue *q, uint64_t *rptr,
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

/* What was not told because the daemon does not read is told at the next look. */
static void tell(struct tracer *t, struct tracer_queue *q, bool busy)
{
	if (q->busy == busy || tracer_send_edge(t, busy ? WIRE_BUSY : WIRE_IDLE, q))
		return;
	q->busy = busy;
	if (busy)
		gp_arrivals_begin(&q->requests, tracer_now_ns());
}

static struct gp_idle_pace pace_of(const struct tracer *t)
{
	return (struct gp_idle_pace){
		.quiet_ns = t->quiet_ns,
		.busy_ns = t->poll_ns > LOOK_BUSY_NS ? t->poll_ns : LOOK_BUSY_NS,
		.busy_max_ns = LOOK_BUSY_MAX_NS,
		.poll_ns = t->poll_ns,
		.poll_max_ns = LOOK_IDLE_MAX_NS,
	};
}

static void sign_of_life(struct tracer *t, uint32_t gpu_id)
{
	size_t i;

	for (i = 0; i < t->nr_nodes; i++) {
		if (t->nodes[i].gpu_id != gpu_id || !t->nodes[i].until_ns)
			continue;
		t->nodes[i].until_ns = 0;
		tracer_note(t, WIRE_NOTE_PROGRESS, gpu_id, 0, "goes on");
	}
}

void tracer_begin(struct tracer_queue *q)
{
	gp_idle_init(&q->idle, q->busy, tracer_now_ns());
}

void tracer_restart(struct tracer *t, struct tracer_queue *q)
{
	struct gp_idle_pace pace = pace_of(t);

	gp_idle_restart(&q->idle, &pace, tracer_now_ns());
}

static int read_packet(void *data, uint64_t addr, void *to, size_t bytes)
{
	return read_at(data, addr, to, bytes);
}

static enum gp_aql_end end_of(struct tracer *t, struct tracer_queue *q, uint64_t wptr)
{
	struct gp_aql_ring ring = { read_packet, t, q->e.ring_addr, q->e.ring_bytes };

	return q->e.type == DRV_KFD_QUEUE_AQL ? gp_aql_end(&ring, gp_idle_mark(&q->idle), wptr) :
					       GP_AQL_UNKNOWN;
}

static enum gp_idle_waves waves_of(struct tracer *t, const struct tracer_queue *q)
{
	uint64_t occupancy;

	if (drv_discover_occupancy(NULL, (uint32_t)t->pid, q->e.gpu_id, &occupancy))
		return GP_IDLE_WAVES_UNKNOWN;
	if (!occupancy)
		return GP_IDLE_WAVES_NONE;
	sign_of_life(t, q->e.gpu_id);
	return GP_IDLE_WAVES_SOME;
}

static bool has_work(struct tracer *t, struct tracer_queue *q, struct gp_idle_seen *seen)
{
	struct gp_idle_pace pace = pace_of(t);
	enum gp_idle_answer answer;

	while ((answer = gp_idle_look(&q->idle, &pace, seen)) > GP_IDLE_BUSY)
		if (answer == GP_IDLE_ASK_END)
			seen->end = end_of(t, q, seen->wptr);
		else
			seen->waves = waves_of(t, q);
	return answer == GP_IDLE_BUSY;
}

/* A process whose memory is gone is gone for the driver too, and may wait in it. */
static void cannot_look(struct tracer *t, struct tracer_queue *q, uint64_t now)
{
	bool is_first = !q->unreadable;

	q->unreadable = true;
	q->idle.look_ns = now + LOOK_IDLE_MAX_NS;
	if (is_first)
		tracer_refresh(t);
}

static void look_at_requests(struct tracer *t, struct tracer_queue *q,
			     const struct gp_idle_seen *seen)
{
	uint64_t since_ns;

	if (t->wants_progress && q->busy && q->e.type == DRV_KFD_QUEUE_AQL &&
	    gp_arrivals_look(&q->requests, seen->rptr, seen->wptr, seen->now_ns, &since_ns))
		tracer_send_progress(t, q, since_ns);
}

/* The questions took time. */
static bool has_moved(struct tracer *t, struct tracer_queue *q)
{
	struct gp_idle_pace pace = pace_of(t);
	uint64_t rptr, wptr;

	if (!read_indices(t, q, &rptr, &wptr) && rptr == q->idle.rptr && wptr == q->idle.wptr)
		return false;
	gp_idle_work(&q->idle, &pace, tracer_now_ns());
	return true;
}

static void look_at(struct tracer *t, struct tracer_queue *q, uint64_t now)
{
	struct gp_idle_seen seen = {
		.now_ns = now,
		.wrap = q->e.type == DRV_KFD_QUEUE_AQL ? UINT64_MAX : q->e.ring_bytes / 4 - 1,
		.is_stopped = q->suspended,
	};
	bool busy;

	if (read_indices(t, q, &seen.rptr, &seen.wptr)) {
		cannot_look(t, q, now);
		return;
	}
	if (seen.rptr != q->idle.rptr)
		sign_of_life(t, q->e.gpu_id);
	busy = has_work(t, q, &seen);
	if (!busy && q->busy && has_moved(t, q))
		return;
	if (!busy && q->busy)
		sign_of_life(t, q->e.gpu_id);
	tell(t, q, busy);
	look_at_requests(t, q, &seen);
}

void tracer_expect(struct tracer *t, uint32_t gpu_id)
{
	struct tracer_queue *q;
	bool busy = false;
	size_t i;

	for (q = t->queues; q < t->queues + t->nr_queues; q++)
		busy |= q->e.gpu_id == gpu_id && drv_kfd_is_compute(q->e.type) && q->busy &&
			!q->suspended;
	for (i = 0; i < t->nr_nodes && t->nodes[i].gpu_id != gpu_id; i++)
		;
	if (i == TRACER_NODES)
		return;
	if (i == t->nr_nodes)
		t->nr_nodes++;
	t->nodes[i].gpu_id = gpu_id;
	t->nodes[i].until_ns = busy ? tracer_now_ns() + SIGN_NS : 0;
}

/* Nothing is expected of a node that was stopped again. */
static bool is_stopped(const struct tracer *t, uint32_t gpu_id)
{
	return gp_holds_first_on(&t->holds.set, 0, gpu_id);
}

/* Return: when the next sign is overdue. */
static uint64_t check_signs(struct tracer *t, uint64_t now)
{
	uint64_t next = TRACER_NEVER;
	struct tracer_node *n;

	for (n = t->nodes; n < t->nodes + t->nr_nodes; n++) {
		if (!n->until_ns)
			continue;
		if (is_stopped(t, n->gpu_id)) {
			n->until_ns = 0;
		} else if (n->until_ns > now) {
			next = tracer_earlier(next, n->until_ns);
		} else {
			n->until_ns = 0;
			tracer_note(t, WIRE_NOTE_NO_PROGRESS, n->gpu_id, 0,
				    "does not go on after a release");
		}
	}
	return next;
}

static uint64_t look_at_all(struct tracer *t, uint64_t now)
{
	uint64_t next = TRACER_NEVER;
	size_t i;

	if (t->mem < 0)
		return TRACER_NEVER;
	/* By number: a look at one may end with a new list of all. */
	for (i = 0; i < t->nr_queues && !t->done; i++)
		if (drv_kfd_is_compute(t->queues[i].e.type) && now >= t->queues[i].idle.look_ns)
			look_at(t, &t->queues[i], now);
	for (i = 0; i < t->nr_queues; i++)
		if (drv_kfd_is_compute(t->queues[i].e.type))
			next = tracer_earlier(next, t->queues[i].idle.look_ns);
	return next;
}

/*
 * With a session open, the old memory of a target that executes another program is not let
 * go before a signal comes (docs/upstream-bugs.md). The driver does not know it any more then;
 * there may be no queue whose memory says so.
 */
static void refresh(struct tracer *t, uint64_t now)
{
	if (now < t->next_refresh_ns)
		return;
	t->next_refresh_ns = now + REFRESH_NS;
	tracer_refresh(t);
}

uint64_t tracer_look(struct tracer *t, uint64_t now)
{
	uint64_t next = check_signs(t, now);

	if (!t->is_enabled)
		return TRACER_NEVER;
	refresh(t, now);
	next = tracer_earlier(next, look_at_all(t, now));
	return tracer_earlier(next, t->next_refresh_ns);
}
