// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/entity.h"
#include "core/gate.h"

#define CHECK(cond, text)            \
	do {                         \
		if (!(cond))         \
			return text; \
	} while (0)

static const char *check_order(const struct gp_heap_pool *p, const struct gp_heap *h)
{
	u32 i;

	for (i = 0; i < h->nr; i++) {
		const struct gp_heap_entry *e = gp_heap_at(p, h, i);

		CHECK(p->pos[e->item] == i, "heap entry is not where its item says");
		CHECK(!i || !gp_heap_is_before(e, gp_heap_at(p, h, (i - 1) / 4)),
		      "heap entry is before its parent");
	}
	return NULL;
}

static const char *check_in(const struct gp_sched *s, const struct gp_entity *e,
			    enum gp_heap_kind kind, bool wanted, u64 key)
{
	const struct gp_heap_pool *p = &s->pool[gp_pool_of(kind)];
	u32 slot = gp_entity_slot(s, e);
	bool is_in = e->in[gp_pool_of(kind)] == kind;
	const struct gp_heap_entry *entry;

	CHECK(is_in == wanted, "entity is not in the heaps its state asks for");
	if (!wanted)
		return NULL;
	CHECK(p->pos[slot] < s->node[e->node].heap[kind].nr, "entity has no place in its heap");
	entry = gp_heap_at(p, &s->node[e->node].heap[kind], p->pos[slot]);
	CHECK(entry->item == slot, "entity's heap entry is another's");
	CHECK(entry->key == key, "heap entry has an old key");
	return NULL;
}

static const char *check_heaps(const struct gp_sched *s, const struct gp_entity *e)
{
	bool shut = gp_is_shut(e);
	bool waiting = e->state == GP_ENTITY_WAITING;
	bool running = e->state == GP_ENTITY_RUNNING;
	bool out = e->state == GP_ENTITY_PREEMPTED;
	bool seen = waiting || running || out;
	bool free_out = out && !e->frozen && !shut && !e->capped;
	bool frozen = e->frozen &&
		      (seen || (e->state == GP_ENTITY_IDLE &&
				(shut || gp_has_limit(&s->node[e->node]))));
	bool ticks = seen && e->nr_busy && e->clock_ns != U64_MAX && !e->capped;
	bool kept = shut || e->capped;
	const char *bad;

	if ((bad = check_in(s, e, GP_HEAP_WAITING, waiting && !kept, e->key)) ||
	    (bad = check_in(s, e, GP_HEAP_RUNNING, running && !kept, e->key)) ||
	    (bad = check_in(s, e, GP_HEAP_OUT, free_out && e->nr_busy && !e->nr_fail,
			    e->key)) ||
	    (bad = check_in(s, e, GP_HEAP_RETRY, free_out && e->nr_busy && e->nr_fail,
			    e->key)) ||
	    (bad = check_in(s, e, GP_HEAP_OUT_IDLE, free_out && !e->nr_busy, e->there_ns)) ||
	    (bad = check_in(s, e, GP_HEAP_WORST,
			    seen && !out && !shut && !e->frozen && !e->attr.no_preempt,
			    e->capped ? 0 : ~e->key)) ||
	    (bad = check_in(s, e, GP_HEAP_SHUT, out && shut && !e->frozen, e->there_ns)) ||
	    (bad = check_in(s, e, GP_HEAP_FROZEN, frozen, e->thaw_ns)) ||
	    (bad = check_in(s, e, GP_HEAP_STARVE, free_out, e->there_ns)) ||
	    (bad = check_in(s, e, GP_HEAP_CLOCK, ticks, e->clock_ns)))
		return bad;
	return NULL;
}

static const char *check_queues(const struct gp_sched *s, const struct gp_entity *e)
{
	u32 nr_queues = 0;
	u32 nr_busy = 0;
	u32 slot;

	for (slot = e->queue; slot != GP_SLOT_NONE; slot = s->queue[slot].next) {
		CHECK(s->queue[slot].live, "entity has a queue that is free");
		CHECK(s->queue[slot].entity == gp_entity_slot(s, e), "queue is of another entity");
		nr_queues++;
		nr_busy += s->queue[slot].busy;
	}
	CHECK(nr_queues == e->nr_queues, "count of queues is wrong");
	CHECK(nr_busy == e->nr_busy, "count of busy queues is wrong");
	return NULL;
}

static const char *check_entity(const struct gp_sched *s, const struct gp_entity *e)
{
	bool mapped_busy = e->state == GP_ENTITY_WAITING || e->state == GP_ENTITY_RUNNING;

	CHECK(e->live, "free slot in a node's list");
	CHECK(!mapped_busy || e->nr_busy, "waits or runs without work");
	CHECK(e->state != GP_ENTITY_IDLE || !e->nr_busy, "idle with work");
	CHECK((e->list == GP_LIST_SHUT) ==
		      (gp_gate_must_leave(e) && !e->frozen && !e->attr.no_preempt),
	      "on the list of those with a shut gate, or not");
	CHECK(!e->opening || (e->gate == GP_GATE_OPEN && e->state == GP_ENTITY_PREEMPTED),
	      "comes back through a gate that is not open");
	CHECK(e->list != GP_LIST_AGAIN || e->state == GP_ENTITY_PREEMPTED ||
		      gp_entity_is_in_flight(e),
	      "on the list to be preempted once more, but on the GPU");
	return check_queues(s, e);
}

/* Every entity in flight is a member of the switch, once, on the side of its state. */
static const char *check_switch(const struct gp_sched *s, const struct gp_node *n, u32 nr_in_flight)
{
	const struct gp_switch *sw = &n->sw;
	u32 nr_found = 0;
	u32 i, k;

	if (!sw->seq) {
		CHECK(!nr_in_flight, "entity in flight without a switch");
		return NULL;
	}
	CHECK(sw->nr_preempt + sw->nr_resume <= gp_switch_max(&s->config), "switch is too large");
	CHECK(sw->nr_preempt + sw->nr_resume > 0, "switch is empty");
	for (i = 0; i < sw->nr_preempt + sw->nr_resume; i++) {
		const struct gp_entity *e = gp_entity_find(s, sw->id[i]);
		u8 state = i < sw->nr_preempt ? GP_ENTITY_PREEMPTING : GP_ENTITY_RESUMING;

		/* Of many only the first few, or this would take too long. */
		for (k = 0; k < min(i, GP_STEP_MAX); k++)
			CHECK(sw->id[k] != sw->id[i], "entity is in a switch twice");
		if (!e)
			continue;
		CHECK(e->state == state, "member's state is not that of its side");
		CHECK(e->node == n->index, "member of another node");
		nr_found++;
	}
	CHECK(nr_found == nr_in_flight, "entity in flight is not a member of the switch");
	return NULL;
}

static const char *check_members(const struct gp_sched *s, const struct gp_node *n)
{
	u32 nr_in_flight = 0;
	u32 nr_on_queues = 0;
	u32 nr_stubborn = 0;
	u32 nr_on = 0;
	u32 nr_alone = 0;
	u64 weight = 0;
	u32 nr_live = 0;
	u32 nr_out = 0;
	const char *bad;
	u32 slot;

	for (slot = n->entities; slot != GP_SLOT_NONE; slot = s->entity[slot].next) {
		const struct gp_entity *e = &s->entity[slot];

		if ((bad = check_entity(s, e)) || (bad = check_heaps(s, e)))
			return bad;
		nr_live++;
		nr_on += gp_is_on(e);
		nr_on_queues += gp_is_on(e) ? e->nr_queues : 0;
		nr_out += e->state == GP_ENTITY_PREEMPTED;
		nr_stubborn += e->stubborn;
		nr_alone += e->alone && e->alone == n->alone;
		nr_in_flight += gp_entity_is_in_flight(e);
		weight += e->gate || !gp_has_work(e) ? 0 : e->attr.weight;
	}
	CHECK(nr_live == n->nr_live, "count of entities is wrong");
	CHECK(nr_on == n->nr_on && nr_on_queues == n->nr_on_queues,
	      "count of what is on the GPU is wrong");
	CHECK(nr_out == s->stats[n->index].nr_out, "count of entities off the GPU is wrong");
	CHECK(nr_stubborn == n->nr_stubborn, "count of stubborn entities is wrong");
	CHECK(nr_alone == n->nr_alone, "count of entities alone on the GPU is wrong");
	CHECK(weight == n->local_weight, "weight of those in no gang is wrong");
	CHECK(s->stats[n->index].switching == !!n->sw.seq, "switch in flight or not");
	return check_switch(s, n, nr_in_flight);
}

static bool is_below(const struct gp_sched *s, const struct gp_entity *e, u32 share)
{
	u32 slot;

	for (slot = gp_share_of(s, e); slot != GP_SLOT_NONE; slot = s->share[slot].parent)
		if (slot == share)
			return true;
	return false;
}

/* Counts what is said to be in a share or, if @slot is none, in no share. */
static void count_in(const struct gp_sched *s, const struct gp_node *n, u32 slot,
		     struct gp_share *sum)
{
	u32 i;

	for (i = n->entities; i != GP_SLOT_NONE; i = s->entity[i].next) {
		const struct gp_entity *e = &s->entity[i];
		bool is_in = gp_share_of(s, e) == slot && e->state != GP_ENTITY_LOST;
		bool contends = is_in && e->nr_busy && !e->capped;

		sum->nr_entities += is_in;
		sum->nr_contend += contends;
		sum->weights += contends ? e->attr.weight : 0;
		sum->nr_work += e->nr_busy && is_below(s, e, slot);
		sum->nr_run += e->state == GP_ENTITY_RUNNING && is_below(s, e, slot);
	}
	for (i = 0; i < s->config.max_shares; i++) {
		const struct gp_share *g = &s->share[i];

		if (!g->live || g->node != n->index || g->parent != slot)
			continue;
		sum->nr_children++;
		sum->nr_contend += g->nr_contend > 0;
		sum->weights += g->nr_contend ? g->attr.weight : 0;
	}
}

/* One that has to go or to come is on the list of its share, until that is worked off. */
static const char *check_capped(const struct gp_sched *s, const struct gp_entity *e)
{
	u32 slot;

	if (e->capped) {
		slot = s->place[gp_entity_slot(s, e)].capper;
		CHECK(is_below(s, e, slot), "kept away by a stranger");
		CHECK(s->share[slot].throttled || s->share[slot].pending,
		      "kept away without reason");
		return NULL;
	}
	for (slot = gp_share_of(s, e); slot != GP_SLOT_NONE; slot = s->share[slot].parent)
		CHECK(!s->share[slot].throttled || s->share[slot].pending || !e->nr_busy,
		      "contends without budget");
	return NULL;
}

static const char *check_share(const struct gp_sched *s, const struct gp_node *n, u32 slot)
{
	const struct gp_share *g = &s->share[slot];
	struct gp_share sum = { 0 };

	count_in(s, n, slot, &sum);
	CHECK(g->nr_entities == sum.nr_entities && g->nr_children == sum.nr_children,
	      "count of what is in a share is wrong");
	CHECK(g->nr_contend == sum.nr_contend && g->weights == sum.weights,
	      "share has a wrong sum of weights");
	CHECK(g->nr_work == sum.nr_work && g->nr_run == sum.nr_run,
	      "share has a wrong count of work");
	CHECK(!g->throttled || g->attr.quota_ns, "without budget that none was given");
	CHECK((g->next_ns == U64_MAX) == (s->share_pool.pos[slot] == GP_HEAP_NONE),
	      "share is not where its clock says");
	return NULL;
}

static const char *check_shares(const struct gp_sched *s, const struct gp_node *n)
{
	struct gp_share sum = { 0 };
	const char *bad;
	u32 i;

	count_in(s, n, GP_SLOT_NONE, &sum);
	CHECK(n->weights == sum.weights, "node has a wrong sum of weights");
	for (i = 0; i < s->config.max_shares; i++)
		if (s->share[i].live && s->share[i].node == n->index &&
		    (bad = check_share(s, n, i)))
			return bad;
	for (i = n->entities; i != GP_SLOT_NONE; i = s->entity[i].next)
		if (s->entity[i].state != GP_ENTITY_LOST &&
		    (bad = check_capped(s, &s->entity[i])))
			return bad;
	return check_order(&s->share_pool, &n->share_heap);
}

static const char *check_list(const struct gp_sched *s, const struct gp_node *n, u32 kind)
{
	u32 last = GP_SLOT_NONE;
	u32 slot;

	for (slot = n->list[kind].first; slot != GP_SLOT_NONE; slot = s->entity[slot].list_next) {
		CHECK(s->entity[slot].live && s->entity[slot].list == kind, "stranger on a list");
		CHECK(s->entity[slot].list_prev == last, "list is broken");
		last = slot;
	}
	CHECK(last == n->list[kind].last, "list has a wrong end");
	return NULL;
}

const char *gp_sched_check(const struct gp_sched *s)
{
	const char *bad;
	u32 i, k;

	for (i = 0; i < s->config.nr_nodes; i++) {
		const struct gp_node *n = &s->node[i];

		for (k = 0; k < GP_HEAP_KIND_COUNT; k++)
			if ((bad = check_order(&s->pool[gp_pool_of(k)], &n->heap[k])))
				return bad;
		for (k = GP_LIST_NONE + 1; k < GP_LIST_COUNT; k++)
			if ((bad = check_list(s, n, k)))
				return bad;
		if ((bad = check_members(s, n)) || (bad = check_shares(s, n)))
			return bad;
	}
	return NULL;
}
