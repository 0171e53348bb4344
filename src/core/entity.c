// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/emit.h"
#include "core/entity.h"
#include "core/gate.h"
#include "core/guard.h"
#include "core/policy.h"
#include "core/share.h"

#define TO(state) (1U << GP_ENTITY_##state)

/*
 * Every legal transition. PREEMPTED -> PREEMPTING: an entity that got a queue
 * while it was off is preempted once more. PREEMPTING -> RUNNING, WAITING or
 * IDLE: the mechanism refused. RESUMING -> PREEMPTED: as above, or the switch
 * missed its deadline. IDLE -> PREEMPTING: others need the room.
 */
static const u8 transitions[GP_ENTITY_STATE_COUNT] = {
	[GP_ENTITY_IDLE] = TO(WAITING) | TO(PREEMPTING) | TO(LOST),
	[GP_ENTITY_WAITING] = TO(IDLE) | TO(RUNNING) | TO(PREEMPTING) | TO(LOST),
	[GP_ENTITY_RUNNING] = TO(IDLE) | TO(PREEMPTING) | TO(LOST),
	[GP_ENTITY_PREEMPTING] = TO(IDLE) | TO(WAITING) | TO(RUNNING) | TO(PREEMPTED) | TO(LOST),
	[GP_ENTITY_PREEMPTED] = TO(PREEMPTING) | TO(RESUMING) | TO(LOST),
	[GP_ENTITY_RESUMING] = TO(IDLE) | TO(RUNNING) | TO(PREEMPTED) | TO(LOST),
	[GP_ENTITY_LOST] = 0,
};

bool gp_entity_may_become(enum gp_entity_state from, enum gp_entity_state to)
{
	if ((u32)from >= GP_ENTITY_STATE_COUNT || (u32)to >= GP_ENTITY_STATE_COUNT)
		return false;
	return transitions[from] & (1U << to);
}

static void set_heap(struct gp_call *c, struct gp_entity *e, enum gp_pool pool,
		     enum gp_heap_kind kind, u64 key, bool reverse)
{
	struct gp_heap_pool *p = &c->s->pool[pool];
	u32 slot = gp_entity_slot(c->s, e);
	struct gp_heap_entry entry;

	if (e->in[pool] == kind && kind == GP_HEAP_NOWHERE)
		return;
	entry.key = reverse ? ~key : key;
	entry.tie = reverse ? ~slot : slot;
	entry.item = slot;
	if (e->in[pool] == kind) {
		gp_heap_update(p, &c->n->heap[kind], &entry);
		return;
	}
	if (e->in[pool] != GP_HEAP_NOWHERE)
		gp_heap_remove(p, &c->n->heap[e->in[pool]], slot);
	if (kind != GP_HEAP_NOWHERE)
		gp_heap_insert(p, &c->n->heap[kind], &entry);
	e->in[pool] = (u8)kind;
}

/* WAITING, RUNNING and PREEMPTED are the states in which decisions see an entity. */
static bool is_seen(const struct gp_entity *e)
{
	return e->state == GP_ENTITY_WAITING || e->state == GP_ENTITY_RUNNING ||
	       e->state == GP_ENTITY_PREEMPTED;
}

static enum gp_heap_kind best_heap(const struct gp_entity *e)
{
	if (gp_is_shut(e) && (e->state != GP_ENTITY_PREEMPTED || e->frozen))
		return GP_HEAP_NOWHERE;
	if (gp_is_shut(e))
		return GP_HEAP_SHUT;
	if (e->capped)
		return GP_HEAP_NOWHERE;
	switch (e->state) {
	case GP_ENTITY_WAITING:
		return GP_HEAP_WAITING;
	case GP_ENTITY_RUNNING:
		return GP_HEAP_RUNNING;
	case GP_ENTITY_PREEMPTED:
		if (e->frozen)
			return GP_HEAP_NOWHERE;
		if (!e->nr_busy)
			return GP_HEAP_OUT_IDLE;
		return e->nr_fail ? GP_HEAP_RETRY : GP_HEAP_OUT;
	default:
		return GP_HEAP_NOWHERE;
	}
}

static enum gp_heap_kind move_heap(const struct gp_node *n, const struct gp_entity *e)
{
	/* One without work that refused to leave is tried again, too. */
	if (!is_seen(e) && !(e->state == GP_ENTITY_IDLE && e->frozen &&
			     (gp_has_limit(n) || gp_is_shut(e))))
		return GP_HEAP_NOWHERE;
	if (e->frozen)
		return GP_HEAP_FROZEN;
	if (e->state == GP_ENTITY_PREEMPTED || e->attr.no_preempt || gp_is_shut(e))
		return GP_HEAP_NOWHERE;
	return GP_HEAP_WORST;
}

/* The list that the state asks for, of those that gp_entity_place() keeps. */
static enum gp_list_kind place_list(const struct gp_node *n, const struct gp_entity *e)
{
	if (e->attr.no_preempt)
		return GP_LIST_NONE;
	if (gp_is_shut(e))
		return gp_gate_must_leave(e) && !e->frozen ? GP_LIST_SHUT : GP_LIST_NONE;
	return e->state == GP_ENTITY_IDLE && gp_has_limit(n) ? GP_LIST_IDLE : GP_LIST_NONE;
}

void gp_entity_place(struct gp_call *c, struct gp_entity *e)
{
	enum gp_heap_kind best = best_heap(e);
	enum gp_heap_kind move = move_heap(c->n, e);
	enum gp_list_kind list = place_list(c->n, e);
	bool by_age = best == GP_HEAP_OUT_IDLE || best == GP_HEAP_SHUT;
	bool starves = e->state == GP_ENTITY_PREEMPTED && !e->frozen && !gp_is_shut(e) &&
		       !e->capped;
	bool ticks = is_seen(e) && e->nr_busy && e->clock_ns != U64_MAX && !e->capped;
	u64 worth = e->capped ? U64_MAX : e->key;

	set_heap(c, e, GP_POOL_BEST, best, by_age ? e->there_ns : e->key, false);
	set_heap(c, e, GP_POOL_MOVE, move, move == GP_HEAP_FROZEN ? e->thaw_ns : worth,
		 move == GP_HEAP_WORST);
	set_heap(c, e, GP_POOL_STARVE, starves ? GP_HEAP_STARVE : GP_HEAP_NOWHERE, e->there_ns,
		 false);
	set_heap(c, e, GP_POOL_CLOCK, ticks ? GP_HEAP_CLOCK : GP_HEAP_NOWHERE, e->clock_ns, false);
	if (list != GP_LIST_NONE || e->list == GP_LIST_IDLE || e->list == GP_LIST_SHUT)
		gp_entity_enlist(c, e, list);
	gp_gate_note(c, e);
}

static void charge(struct gp_call *c, struct gp_entity *e)
{
	u64 ran_ns = c->now_ns - e->since_ns;

	if (e->state != GP_ENTITY_RUNNING || !ran_ns)
		return;
	e->since_ns = c->now_ns;
	e->burst_ns += ran_ns;
	e->total_run_ns += ran_ns;
	if (c->n->policy->charge)
		c->n->policy->charge(c, e, ran_ns);
}

static void ask_policy(struct gp_call *c, struct gp_entity *e)
{
	if (!e->nr_busy || !is_seen(e))
		return;
	c->n->policy->rekey(c, e);
	/* Its turn was decided above this node. */
	if (e->gate == GP_GATE_OPEN && c->n->policy->turns)
		e->key = 0;
}

void gp_entity_rekey(struct gp_call *c, struct gp_entity *e)
{
	charge(c, e);
	ask_policy(c, e);
	gp_entity_place(c, e);
}

static void start_off(struct gp_call *c, struct gp_entity *e)
{
	if (e->nr_busy && e->off_since_ns == GP_NOT_OFF)
		e->off_since_ns = c->now_ns;
}

static void end_off(struct gp_call *c, struct gp_entity *e)
{
	u64 off_ns;

	if (e->off_since_ns == GP_NOT_OFF)
		return;
	off_ns = gp_since(c->now_ns, e->off_since_ns);
	e->off_since_ns = GP_NOT_OFF;
	e->total_off_ns += off_ns;
	e->off_max_ns = max(e->off_max_ns, off_ns);
	c->stats->off_max_ns = max(c->stats->off_max_ns, off_ns);
	gp_hist_add(&c->stats->off_ns, off_ns);
}

/* It has waited, since it got work, for its first run. */
static void end_wait(struct gp_call *c, struct gp_entity *e)
{
	u64 wait_ns = gp_since(c->now_ns, e->wait_ns);

	if (gp_attr_is_online(&e->attr))
		gp_small_hist_add(&c->stats->wait_ns, wait_ns);
	gp_trace_emit(c, GP_TRACE_WAITED, gp_entity_id(c->s, e), wait_ns, 0);
}

static void become(struct gp_call *c, struct gp_entity *e, enum gp_entity_state to)
{
	bool was_on = gp_is_on(e);
	bool ran = e->state == GP_ENTITY_RUNNING;

	e->state = (u8)to;
	if (to != GP_ENTITY_PREEMPTED)
		e->opening = false;
	if (ran != (to == GP_ENTITY_RUNNING))
		gp_share_runs(c, e, !ran);
	if (was_on == gp_is_on(e))
		return;
	c->n->nr_on += was_on ? -1U : 1U;
	c->n->nr_on_queues += was_on ? -e->nr_queues : e->nr_queues;
}

/* The exclusive slice ends with the last of those it is for. */
static void leave_slice(struct gp_call *c, struct gp_entity *e)
{
	if (e->alone && e->alone == c->n->alone && !--c->n->nr_alone)
		c->n->alone_ns = min(c->n->alone_ns, c->now_ns);
	e->alone = 0;
}

static void leave_state(struct gp_call *c, struct gp_entity *e, enum gp_entity_state to)
{
	if (e->state == GP_ENTITY_RUNNING) {
		charge(c, e);
		e->wait_ns = c->now_ns;
		leave_slice(c, e);
	}
	if (e->state == GP_ENTITY_PREEMPTED)
		c->stats->nr_out--;
	if (to == GP_ENTITY_PREEMPTING) {
		e->was = e->state;
		e->paid = false;
	}
	/* Nothing is left to do once it is back, or with a preemption of all its queues. */
	if (to != GP_ENTITY_PREEMPTED) {
		e->redo = to == GP_ENTITY_RESUMING && (e->redo || e->list == GP_LIST_AGAIN);
		gp_entity_enlist(c, e, GP_LIST_NONE);
	}
	/* RESUMING is still off the GPU, and so is one that is preempted once more. */
	if (to == GP_ENTITY_RUNNING || to == GP_ENTITY_IDLE || to == GP_ENTITY_LOST)
		end_off(c, e);
}

void gp_entity_redo(struct gp_call *c, struct gp_entity *e)
{
	if (e->redo)
		gp_entity_enlist(c, e, GP_LIST_AGAIN);
	e->redo = false;
}

static void enter_state(struct gp_call *c, struct gp_entity *e, enum gp_entity_state from)
{
	if (e->state == GP_ENTITY_RUNNING) {
		e->there_ns = c->now_ns;
		e->since_ns = c->now_ns;
		if (!e->burst_ns)
			end_wait(c, e);
	} else if (e->state == GP_ENTITY_PREEMPTED) {
		c->stats->nr_out++;
		if (from == GP_ENTITY_PREEMPTING && e->was != GP_ENTITY_PREEMPTED)
			e->there_ns = c->now_ns;
		start_off(c, e);
		gp_entity_redo(c, e);
	}
}

bool gp_entity_set_state(struct gp_call *c, struct gp_entity *e, enum gp_entity_state to)
{
	enum gp_entity_state from = e->state;

	if (GP_WARN_ON(!gp_entity_may_become(from, to)))
		return false;
	leave_state(c, e, to);
	become(c, e, to);
	enter_state(c, e, from);
	ask_policy(c, e);
	gp_entity_place(c, e);
	gp_trace_emit(c, GP_TRACE_STATE, gp_entity_id(c->s, e), from, to);
	return true;
}

void gp_entity_begin_out(struct gp_call *c, struct gp_entity *e)
{
	e->was = GP_ENTITY_PREEMPTED;
	become(c, e, GP_ENTITY_PREEMPTED);
	e->there_ns = c->now_ns;
	c->stats->nr_out++;
	gp_entity_place(c, e);
	/* Without work it would come back with the next switch. */
	gp_entity_freeze(c, e, gp_later(c->now_ns, c->n->params.min_run_ns));
	gp_trace_emit(c, GP_TRACE_STATE, gp_entity_id(c->s, e), GP_ENTITY_IDLE,
		      GP_ENTITY_PREEMPTED);
}

void gp_entity_detach(struct gp_call *c, struct gp_entity *e)
{
	if (e->state == GP_ENTITY_LOST)
		return;
	leave_state(c, e, GP_ENTITY_LOST);
	gp_entity_set_stubborn(c, e, false);
	if (e->nr_busy && c->n->policy->idle)
		c->n->policy->idle(c, e);
	if (c->n->policy->gone)
		c->n->policy->gone(c, e);
	become(c, e, GP_ENTITY_LOST);
	gp_share_join(c, e, NULL);
	gp_entity_place(c, e);
}

void gp_entity_lose(struct gp_call *c, struct gp_entity *e)
{
	enum gp_entity_state from = e->state;

	gp_entity_detach(c, e);
	if (from != GP_ENTITY_LOST)
		gp_trace_emit(c, GP_TRACE_STATE, gp_entity_id(c->s, e), from, GP_ENTITY_LOST);
}

void gp_entity_set_stubborn(struct gp_call *c, struct gp_entity *e, bool on)
{
	if (e->stubborn == on)
		return;
	e->stubborn = on;
	c->n->nr_stubborn += on;
	c->n->nr_stubborn -= !on;
}

void gp_entity_freeze(struct gp_call *c, struct gp_entity *e, u64 until_ns)
{
	if (until_ns <= c->now_ns)
		return;
	e->frozen = true;
	e->finishing = false;
	e->settling = false;
	e->thaw_ns = until_ns;
	gp_entity_place(c, e);
}

void gp_entity_thaw(struct gp_call *c, struct gp_entity *e)
{
	e->frozen = false;
	e->finishing = false;
	e->settling = false;
	gp_entity_place(c, e);
	gp_entity_redo(c, e);
}

/* The most entitled of those that come before the next decision. */
static void note_urgent(struct gp_call *c, struct gp_entity *e)
{
	u32 slot = c->n->urgent;

	if (slot == GP_SLOT_NONE || e->key < c->s->entity[slot].key)
		c->n->urgent = gp_entity_slot(c->s, e);
}

void gp_entity_got_work(struct gp_call *c, struct gp_entity *e)
{
	e->request_ns = c->now_ns;
	e->wait_ns = c->now_ns;
	e->burst_ns = 0;
	e->spared = false;
	e->mem.order = c->n->order++;
	if (e->frozen && e->thaw_ns <= c->now_ns)
		gp_entity_thaw(c, e);
	gp_share_got_work(c, e);
	if (c->n->policy->busy)
		c->n->policy->busy(c, e);
	if (e->state == GP_ENTITY_PREEMPTED || e->state == GP_ENTITY_RESUMING)
		start_off(c, e);
	/* The bound is on time off the GPU with work. */
	if (e->state == GP_ENTITY_PREEMPTED ||
	    (e->state == GP_ENTITY_PREEMPTING && e->was == GP_ENTITY_PREEMPTED))
		e->there_ns = c->now_ns;
	if (e->state == GP_ENTITY_IDLE)
		gp_entity_set_state(c, e, GP_ENTITY_WAITING);
	else
		gp_entity_rekey(c, e);
	if (e->attr.latency_critical)
		note_urgent(c, e);
	gp_guard_got_work(c, e);
	gp_emit_arm(c, gp_entity_id(c->s, e), false);
}

void gp_entity_wait_again(struct gp_call *c, struct gp_entity *e)
{
	e->there_ns = c->now_ns;
	gp_entity_place(c, e);
}

void gp_entity_lost_work(struct gp_call *c, struct gp_entity *e)
{
	charge(c, e);
	if (!e->burst_ns && e->state != GP_ENTITY_RUNNING)
		end_wait(c, e);
	gp_cost_learn_burst(e);
	end_off(c, e);
	/* It has finished. Any other reason, a refusal for one, stays. */
	if (e->finishing || e->settling)
		e->frozen = false;
	gp_share_lost_work(c, e);
	if (c->n->policy->idle)
		c->n->policy->idle(c, e);
	if (e->state == GP_ENTITY_WAITING || e->state == GP_ENTITY_RUNNING)
		gp_entity_set_state(c, e, GP_ENTITY_IDLE);
	else
		gp_entity_place(c, e);
	gp_emit_arm(c, gp_entity_id(c->s, e), true);
}

static void append(struct gp_call *c, struct gp_entity *e, struct gp_list *list)
{
	u32 slot = gp_entity_slot(c->s, e);

	e->list_prev = list->last;
	e->list_next = GP_SLOT_NONE;
	if (e->list_prev == GP_SLOT_NONE)
		list->first = slot;
	else
		c->s->entity[e->list_prev].list_next = slot;
	list->last = slot;
}

static void unlink(struct gp_call *c, struct gp_entity *e, struct gp_list *list)
{
	if (e->list_prev == GP_SLOT_NONE)
		list->first = e->list_next;
	else
		c->s->entity[e->list_prev].list_next = e->list_next;
	if (e->list_next == GP_SLOT_NONE)
		list->last = e->list_prev;
	else
		c->s->entity[e->list_next].list_prev = e->list_prev;
}

void gp_entity_enlist(struct gp_call *c, struct gp_entity *e, enum gp_list_kind kind)
{
	if (e->list == kind)
		return;
	if (e->list != GP_LIST_NONE)
		unlink(c, e, &c->n->list[e->list]);
	e->list = (u8)kind;
	if (kind != GP_LIST_NONE)
		append(c, e, &c->n->list[kind]);
}
