// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Detection: which queues have work. What proves that a queue has none is in rules/idle.h;
 * here it is read from the process's memory and from amdkfd, and told to the scheduler.
 *
 * A process decides what its memory says, and may ask not to be looked at. Neither is a
 * way not to be preempted: while any queue has work, a queue that has waves has work too.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "gpk.h"
#include "gpreempt_trace.h"
#include "kfd_gpreempt.h"

uint gpk_poll_us = 5000;
module_param_named(poll_us, gpk_poll_us, uint, 0644);
MODULE_PARM_DESC(poll_us, "period of detection mode poll (default 5000)");

uint gpk_critical_us = 1000;
module_param_named(critical_us, gpk_critical_us, uint, 0644);
MODULE_PARM_DESC(critical_us, "period of detection mode critical (default 1000)");

uint gpk_tick_us = 1000;
module_param_named(tick_us, gpk_tick_us, uint, 0644);
MODULE_PARM_DESC(tick_us,
		 "period while a process is preempted or has a deadline (default 1000)");

/* Not all that keeps a queue from running is told; it is seen while it has work. */
#define FLAGS_NS (100 * NSEC_PER_MSEC)
#define BLOCKED (KFD_GPREEMPT_EVICTED | KFD_GPREEMPT_SUSPENDED | KFD_GPREEMPT_DAMAGED)
/* For looks at processes that are due, before doorbells, commands and timers have their turn. */
#define ROUND_NS (500 * NSEC_PER_USEC)

/* Evicted, suspended by a debugger, damaged, or inactive for a reason that is not ours. */
bool gpk_is_blocked(u32 flags)
{
	return flags & BLOCKED ||
	       !(flags & (KFD_GPREEMPT_ACTIVE | KFD_GPREEMPT_PREEMPTED));
}

static struct gpk_entity *of_due(const struct gp_tree_node *node)
{
	return container_of(node, struct gpk_entity, due);
}

static int cmp_due(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	int order = gp_tree_order(of_due(a)->look_ns, of_due(b)->look_ns);

	return order ? order : gp_tree_order(of_due(a)->generation, of_due(b)->generation);
}

void gpk_detect_init(struct gpk_node *n)
{
	n->due.cmp = cmp_due;
}

/* U64_MAX: not at any time. */
static void look_at(struct gpk_node *n, struct gpk_entity *e, u64 ns)
{
	gp_tree_remove(&n->due, &e->due);
	WRITE_ONCE(e->look_ns, ns);
	if (ns != U64_MAX)
		gp_tree_insert(&n->due, &e->due);
}

/* Behind those that are due already: no process comes first by asking often. */
void gpk_look_soon(struct gpk_node *n, struct gpk_entity *e)
{
	look_at(n, e, min(e->look_ns, ktime_get_ns()));
}

void gpk_set_busy(struct gpk_node *n, struct gpk_queue *q, bool busy)
{
	n->nr_busy += busy - q->busy;
	q->busy = busy;
}

/* The queues without pending packets that still have waves stay busy. */
static void find_running(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q;
	u32 i, nr;

	e->flags_ns = ktime_get_ns();
	list_for_each_entry(q, &e->queues, link)
		q->flags &= ~(KFD_GPREEMPT_RUNNING | KFD_GPREEMPT_RUNNING_KNOWN |
			      KFD_GPREEMPT_CROWDED);
	if (gpk_ask(n, e->generation, &nr))
		return;
	for (i = 0; i < nr; i++) {
		q = gpk_queue_of(n, n->answer[i].queue);
		if (!q)
			continue;
		q->flags = n->answer[i].flags;
		q->distrust &= !!(q->flags & KFD_GPREEMPT_RUNNING);
	}
	gpk_answer_put(n, nr);
}

static enum gp_idle_waves waves_of(const struct gpk_queue *q)
{
	if (!(q->flags & KFD_GPREEMPT_RUNNING_KNOWN))
		return GP_IDLE_WAVES_UNKNOWN;
	if (q->flags & KFD_GPREEMPT_RUNNING)
		return GP_IDLE_WAVES_SOME;
	return q->flags & KFD_GPREEMPT_CROWDED ? GP_IDLE_WAVES_CROWDED :
						 GP_IDLE_WAVES_NONE_BUT_ROOM;
}

static bool has_work(const struct gpk_entity *e, const struct gpk_queue *q)
{
	return !e->is_gone && q->answer == GP_IDLE_BUSY;
}

/* Tells the scheduler what changed, the busy ones first. True if any is busy. */
static bool tell_edges(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q;
	bool busy = false;

	list_for_each_entry(q, &e->queues, link) {
		if (!has_work(e, q))
			continue;
		busy = true;
		if (q->busy)
			continue;
		gpk_set_busy(n, q, true);
		gp_arrivals_begin(&q->arrivals, q->look.now_ns);
		gpk_event(n, e->pid, GPREEMPT_EVENT_BUSY, 1, q->queue_id);
		gpk_act(n, gp_sched_queue_busy(n->sched, q->core, ktime_get_ns(), &n->act.acts));
	}
	list_for_each_entry(q, &e->queues, link) {
		if (!q->busy || has_work(e, q))
			continue;
		gpk_set_busy(n, q, false);
		gpk_event(n, e->pid, GPREEMPT_EVENT_BUSY, 0, q->queue_id);
		gpk_act(n, gp_sched_queue_idle(n->sched, q->core, ktime_get_ns(), &n->act.acts));
	}
	return busy;
}

/* Of queues with work: which request is the oldest. PM4 packets are not told apart. */
static void tell_progress(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_queue *q;
	u64 since_ns;

	if (!e->has_deadline)
		return;
	list_for_each_entry(q, &e->queues, link) {
		if (!q->busy || q->look.is_unread || !(q->flags & KFD_GPREEMPT_AQL) ||
		    !gp_arrivals_look(&q->arrivals, q->look.rptr, q->look.wptr, q->look.now_ns,
				      &since_ns))
			continue;
		gpk_act(n, gp_sched_queue_progress(n->sched, q->core, since_ns, ktime_get_ns(),
						   &n->act.acts));
	}
}

static bool is_unread(const struct gpk_entity *e)
{
	const struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (q->pending == U64_MAX)
			return true;
	return false;
}

/* Before memory is looked at: see FLAGS_NS. What was wrong a moment ago is not believed. */
static bool wants_flags(const struct gpk_entity *e, u64 now)
{
	const struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (q->distrust || (q->idle.has_work && now - e->flags_ns >= FLAGS_NS))
			return true;
	return false;
}

/*
 * When to look again at an entity without work. @partly: not all pointers could be read.
 *
 * Off the GPU it is armed however it is detected else, as its work would not even begin. No
 * work is missed: the write pointer is stored before the doorbell. A doorbell that is rung after
 * arming faults; one that was rung before has a pointer that the look after arming sees.
 */
static u64 watch_idle(struct gpk_node *n, struct gpk_entity *e, bool partly, u64 now)
{
	int ret;

	switch (e->sched_out ? GPREEMPT_DETECT_DOORBELL : e->detect) {
	case GPREEMPT_DETECT_MANUAL:
		return U64_MAX;
	case GPREEMPT_DETECT_POLL:
		return now + gpk_poll_us * NSEC_PER_USEC;
	case GPREEMPT_DETECT_CRITICAL:
		return now + gpk_critical_us * NSEC_PER_USEC;
	}
	if (partly || e->cannot_arm)
		return now + gpk_critical_us * NSEC_PER_USEC;
	if (e->armed)
		return U64_MAX;
	ret = kfd_gpreempt_arm(n->gpu_id, e->generation, true);
	trace_gpreempt_arm(n->gpu_id, pid_nr(e->pid), ret);
	if (ret) {
		e->cannot_arm = ret == -EOPNOTSUPP;
		return now + gpk_critical_us * NSEC_PER_USEC;
	}
	e->armed = true;
	/* Work that came before made no fault: look once more. */
	return now;
}

/*
 * Without work the process is looked at as watch_idle() says. With a deadline the end of each
 * request is to be seen.
 */
static struct gp_idle_pace pace_of(const struct gpk_node *n, const struct gpk_entity *e)
{
	bool ticks = e->has_deadline || gp_sched_nr_kept_off(n->sched, 0);
	u64 ns = (ticks ? gpk_tick_us : gpk_poll_us) * NSEC_PER_USEC;

	return (struct gp_idle_pace){ .busy_ns = ns, .busy_max_ns = ns };
}

static void begin_look(struct gpk_entity *e, const struct gp_idle_pace *pace, u64 now)
{
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link) {
		if (e->restart)
			gp_idle_restart(&q->idle, pace, now);
		q->look = (struct gp_idle_seen){
			.now_ns = now,
			.ended_ns = e->ended_ns,
			.waves = q->distrust ? waves_of(q) : GP_IDLE_WAVES_NOT_ASKED,
			.is_stopped = e->sched_out,
			/* Held by hand: no room needs to be made for it. */
			.is_blocked = e->nr_manual || gpk_is_blocked(q->flags),
		};
	}
	e->restart = false;
}

/* Queues of which memory does not say enough. */
static void look_at_waves(struct gpk_node *n, struct gpk_entity *e, const struct gp_idle_pace *pace)
{
	bool asked = false;
	struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link) {
		if (q->answer != GP_IDLE_ASK_WAVES)
			continue;
		if (!asked)
			find_running(n, e);
		asked = true;
		q->look.waves = waves_of(q);
		q->answer = gp_idle_look(&q->idle, pace, &q->look);
	}
}

static u64 next_look(const struct gpk_entity *e)
{
	const struct gpk_queue *q;
	u64 next = U64_MAX;

	/* The end of a hold by hand is told. */
	if (e->nr_manual)
		return next;
	list_for_each_entry(q, &e->queues, link)
		next = min(next, q->idle.look_ns);
	return next;
}

static void look(struct gpk_node *n, struct gpk_entity *e)
{
	struct gp_idle_pace pace = pace_of(n, e);
	u64 next, now = ktime_get_ns();
	bool is_frozen;
	int ret;

	is_frozen = gpk_freeze_look(n, e);
	look_at(n, e, U64_MAX);
	e->looked_ns = now;
	if (wants_flags(e, now))
		find_running(n, e);
	begin_look(e, &pace, now);
	ret = gpk_pointer_look(e, &pace);
	e->is_gone = ret == -ESRCH;
	if (e->is_gone) {
		tell_edges(n, e);
		return;
	}
	look_at_waves(n, e, &pace);
	next = next_look(e);
	if (tell_edges(n, e) || is_unread(e))
		next = min(next, now + pace.busy_ns);
	else
		next = min(next, watch_idle(n, e, ret == -EAGAIN, now));
	tell_progress(n, e);
	/* That it goes on is not told. */
	if (is_frozen)
		next = min(next, now + gpk_poll_us * NSEC_PER_USEC);
	look_at(n, e, min(e->look_ns, next));
}

/* A fault says that the doorbells are mapped again. */
static void take_hint(struct gpk_node *n, struct gpk_entity *e)
{
	u64 fault, now = ktime_get_ns();

	if (test_and_clear_bit(GPK_HINT_ENDED, &e->hints)) {
		e->ended_ns = now;
		/* Not more often than it could ask to be looked at. */
		look_at(n, e, min(e->look_ns, e->looked_ns + gpk_critical_us * NSEC_PER_USEC));
	}
	if (!test_and_clear_bit(GPK_HINT_LOOK, &e->hints))
		return;
	gpk_look_soon(n, e);
	/* After the bit, which is set after it: a fault that is not seen here comes again. */
	fault = xchg(&e->hint_ns, 0);
	if (!fault)
		return;
	e->armed = false;
	now = max(now, fault);
	gp_hist_add(&n->detect_ns, now - fault);
	trace_gpreempt_detect(n->gpu_id, pid_nr(e->pid), now - fault);
}

/*
 * Look at those that have waves though they seem idle. No timer is needed for it: a queue that
 * has work is looked at often enough.
 */
static void find_hidden(struct gpk_node *n)
{
	u64 now = ktime_get_ns();
	u32 i, nr;

	if (now - n->hidden_ns < FLAGS_NS || !n->nr_busy)
		return;
	n->hidden_ns = now;
	if (gpk_ask(n, KFD_GPREEMPT_EVERY, &nr))
		return;
	for (i = 0; i < nr; i++) {
		struct gpk_entity *e = xa_load(&n->by_generation, n->answer[i].process);
		struct gpk_queue *q = e ? gpk_queue_of(n, n->answer[i].queue) : NULL;

		if (!q || q->busy || !(n->answer[i].flags & KFD_GPREEMPT_RUNNING))
			continue;
		q->flags = n->answer[i].flags;
		q->distrust = true;
		gpk_look_soon(n, e);
	}
	gpk_answer_put(n, nr);
}

/* A doorbell that was rung does not wait for a look at queues that are only polled. */
static void look_at_hinted(struct gpk_node *n)
{
	struct gpk_entity *e;
	unsigned long generation;
	bool rang;

	xa_for_each_marked(&n->by_generation, generation, e, GPK_HINTED) {
		/* Before the bits are: what comes meanwhile marks it again. */
		xa_clear_mark(&n->by_generation, generation, GPK_HINTED);
		rang = READ_ONCE(e->hint_ns);
		take_hint(n, e);
		if (rang && e->look_ns <= ktime_get_ns())
			look(n, e);
	}
}

/* The longest due first, until the time of a round is over: the next round follows at once. */
static void look_at_due(struct gpk_node *n)
{
	u64 now = ktime_get_ns(), end = now + ROUND_NS;
	u32 i;

	for (i = 0; i < n->nr_entities && now < end && gpk_detect_next(n) <= now; i++) {
		look(n, of_due(gp_tree_first(&n->due)));
		now = ktime_get_ns();
	}
}

void gpk_detect_run(struct gpk_node *n)
{
	find_hidden(n);
	look_at_hinted(n);
	look_at_due(n);
}

void gpk_detect_forget(struct gpk_node *n, struct gpk_entity *e)
{
	look_at(n, e, U64_MAX);
}

u64 gpk_detect_next(const struct gpk_node *n)
{
	const struct gp_tree_node *first = gp_tree_first(&n->due);

	return first ? of_due(first)->look_ns : U64_MAX;
}

void gpk_detect_set(struct gpk_node *n, struct gpk_entity *e, u8 mode)
{
	if (e->detect == mode)
		return;
	if (e->armed)
		kfd_gpreempt_arm(n->gpu_id, e->generation, false);
	e->armed = false;
	e->detect = mode;
	gpk_look_soon(n, e);
}

void gpk_look_if_idle(struct gpk_node *n, struct gpk_entity *e)
{
	const struct gpk_queue *q;

	list_for_each_entry(q, &e->queues, link)
		if (q->busy)
			return;
	gpk_look_soon(n, e);
}
