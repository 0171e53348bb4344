// SPDX-License-Identifier: MIT
/*
 * Explores every order of events for three entities of two queues each, breadth
 * first, as deep as the budget of states allows. A state is put into a canonical
 * form (times relative to now, keys as ranks) so that states that behave alike
 * count once. Each scene has its own policy, parameters and sets of events, and
 * must be complete to a stated depth. In each state all rules of the world hold, and both
 * fair continuations bring all back.
 *
 * Then the same with one guard broken at a time: each must be found.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTITIES 3U
#define QUEUES 2U
#define SWITCH_TOOK_NS (10 * GP_US)
#define DEPTH_MAX 64U
/*
 * Per scene; a few seconds. The first argument of the program replaces it, and
 * the environment variable GP_TEST_SCALE divides it.
 */
#define STATES 200000U
/* A budget that is not the usual one needs to get only so much less deep. */
#define DEPTH_SLACK 3U

enum {
	EVENT_QUEUE = 0,
	EVENT_TIMER = EVENT_QUEUE + ENTITIES * QUEUES,
	EVENT_DONE,
	EVENT_EARLY = EVENT_DONE + WORLD_OUTCOME_COUNT,
	EVENT_PROGRESS,
	EVENT_PRESENCE = EVENT_PROGRESS + ENTITIES,
	EVENT_QUEUE_ADD = EVENT_PRESENCE + ENTITIES,
	EVENT_QUEUE_REMOVE = EVENT_QUEUE_ADD + ENTITIES,
	EVENT_ATTR = EVENT_QUEUE_REMOVE + ENTITIES,
	EVENT_PIN = EVENT_ATTR + ENTITIES,
	EVENT_POLICY = EVENT_PIN + ENTITIES,
	EVENT_ENABLE,
	EVENT_LOSE,
	EVENT_BACK,
	EVENT_COUNT,
};

/* Sets of events; work, timers and answers are in every scene. */
enum {
	SET_PRESENCE = 1 << 0, /* entities come and go */
	SET_EARLY = 1 << 1,    /* timers fire before their time */
	SET_QUEUES = 1 << 2,   /* queues come and go */
	SET_ATTR = 1 << 3,     /* priorities change, entities must not be preempted */
	SET_NODE = 1 << 4,     /* policy, enable, node lost and back */
	SET_PROGRESS = 1 << 5, /* requests are completed and others follow */
	SET_CRITICAL = 1 << 6, /* no events: the last entity is latency-critical */
	SET_OUT = 1 << 7,      /* entities that come begin off the GPU */
};

/**
 * struct scene - what is explored
 * @name: for people
 * @policy: policy
 * @prio: of the three entities
 * @weight: of the three entities
 * @sets: events beside work, timers and answers
 * @depth: the least depth that must be complete
 * @params: more parameters, NULL = none
 * @broken: breaks a guard behind the scheduler's back, NULL = nothing
 */
struct scene {
	const char *name;
	const char *policy;
	u8 prio[ENTITIES];
	u32 weight[ENTITIES];
	u32 sets;
	u32 depth;
	void (*params)(struct world *w);
	void (*broken)(struct gp_params *p);
};

/**
 * struct visited - one state, as the way to it
 * @parent: state it was reached from
 * @event: by which event
 * @depth: events from the start
 */
struct visited {
	u32 parent;
	u8 event;
	u8 depth;
};

/**
 * struct explorer - one exploration
 * @scene: what
 * @budget: most states
 * @mem: memory of the scheduler
 * @size: bytes of @mem that matter: all but the histograms
 * @snapshot: copy of @mem
 * @states: all states, in the order they were found
 * @nr_states: how many
 * @seen: hash set of canonical forms
 * @mask: size of @seen less one
 * @depth: of the last state
 * @w: the world
 */
struct explorer {
	const struct scene *scene;
	u32 budget;
	void *mem;
	size_t size;
	void *snapshot;
	struct visited *states;
	u32 nr_states;
	u64 *seen;
	u32 mask;
	u32 depth;
	struct world w;
};

static void attr_of(const struct scene *sc, u32 e, struct gp_attr *attr)
{
	gp_attr_default(attr);
	attr->prio = sc->prio[e];
	attr->weight = sc->weight[e];
	attr->deadline_ns = sc->weight[e] * GP_US;
	attr->latency_critical = sc->sets & SET_CRITICAL && e == ENTITIES - 1;
}

/* Few different durations, so that many ways lead to the same state. */
static void set_params(struct world *w)
{
	world_param(w, 0, "min_run_ns", 20 * GP_US);
	world_param(w, 0, "hysteresis_ns", 20 * GP_US);
	world_param(w, 0, "learn_gaps", 0);
	world_param(w, 0, "max_wait_ns", 200 * GP_US);
	world_param(w, 0, "min_slice_ns", 40 * GP_US);
	world_param(w, 0, "deadline_ns", 100 * GP_US);
	world_param(w, 0, "rate_per_s", 1000000);
	world_param(w, 0, "rate_burst", 4096);
	world_param(w, 0, "open_ns", 100 * GP_US);
	world_param(w, 0, "open_max_ns", 200 * GP_US);
	world_param(w, 0, "retry_ns", 20 * GP_US);
	world_param(w, 0, "spare_victims", 0);
	world_param(w, 0, "breaker_errors", 2);
	world_param(w, 0, "probation_ok", 1);
	world_param(w, 0, "fair.granularity_ns", 40 * GP_US);
	world_param(w, 0, "fair.sleeper_ns", 40 * GP_US);
}

static void start(struct explorer *x)
{
	struct gp_attr attr;
	u32 e;

	world_init(&x->w, x->mem, 1, ENTITIES, QUEUES);
	set_params(&x->w);
	if (x->scene->params)
		x->scene->params(&x->w);
	world_policy(&x->w, 0, x->scene->policy);
	x->w.strict = !strcmp(x->scene->policy, "prio");
	if (x->scene->broken)
		x->scene->broken(&x->w.s->node[0].params);
	for (e = 0; e < ENTITIES; e++) {
		attr_of(x->scene, e, &attr);
		world_add(&x->w, e, 0, &attr);
	}
}

static bool apply_presence(struct explorer *x, u32 e)
{
	struct gp_attr attr;

	attr_of(x->scene, e, &attr);
	if (x->w.entity[e].live)
		return world_remove(&x->w, e);
	return x->scene->sets & SET_OUT ? world_add_out(&x->w, e, 0, &attr) :
					  world_add(&x->w, e, 0, &attr);
}

/* To the other end of the priorities, and back. */
static bool apply_attr(struct explorer *x, u32 e)
{
	struct gp_attr attr = x->w.entity[e].attr;

	attr.prio = GP_PRIO_MAX - attr.prio;
	return world_attr(&x->w, e, &attr);
}

static bool apply_pin(struct explorer *x, u32 e)
{
	struct gp_attr attr = x->w.entity[e].attr;

	attr.no_preempt = !attr.no_preempt;
	return world_attr(&x->w, e, &attr);
}

static bool apply_node(struct explorer *x, u32 event)
{
	struct world *w = &x->w;
	bool prio = !strcmp(gp_sched_node_policy(w->s, 0), "prio");

	switch (event) {
	case EVENT_POLICY:
		return world_policy(w, 0, prio ? "fair" : "prio");
	case EVENT_ENABLE:
		return world_enable(w, 0, !w->node[0].enabled);
	case EVENT_LOSE:
		return world_lose(w, 0);
	default:
		return world_back(w, 0);
	}
}

static bool apply_entity(struct explorer *x, u32 event)
{
	if (event < EVENT_QUEUE_ADD)
		return apply_presence(x, event - EVENT_PRESENCE);
	if (event < EVENT_QUEUE_REMOVE)
		return world_queue_add(&x->w, event - EVENT_QUEUE_ADD);
	if (event < EVENT_ATTR)
		return world_queue_remove(&x->w, event - EVENT_QUEUE_REMOVE);
	if (event < EVENT_PIN)
		return apply_attr(x, event - EVENT_ATTR);
	return apply_pin(x, event - EVENT_PIN);
}

static bool apply(struct explorer *x, u32 event)
{
	struct world *w = &x->w;

	if (event < EVENT_TIMER) {
		u32 e = event / QUEUES;

		return w->entity[e].busy[event % QUEUES] ? world_idle(w, e, event % QUEUES) :
							   world_busy(w, e, event % QUEUES);
	}
	if (event == EVENT_TIMER)
		return world_timer(w, 0);
	if (event < EVENT_EARLY)
		return world_done(w, 0, event - EVENT_DONE, SWITCH_TOOK_NS);
	if (event == EVENT_EARLY)
		return world_early_timer(w, 0);
	if (event < EVENT_PRESENCE)
		return world_progress(w, event - EVENT_PROGRESS, 0, 0);
	return event < EVENT_POLICY ? apply_entity(x, event) : apply_node(x, event);
}

/* Is the event one of the scene's? */
static bool is_in_scene(const struct scene *sc, u32 event)
{
	if (event < EVENT_EARLY)
		return true;
	if (event == EVENT_EARLY)
		return sc->sets & SET_EARLY;
	if (event < EVENT_PRESENCE)
		return sc->sets & SET_PROGRESS;
	if (event < EVENT_QUEUE_ADD)
		return sc->sets & SET_PRESENCE;
	if (event < EVENT_ATTR)
		return sc->sets & SET_QUEUES;
	return sc->sets & (event < EVENT_POLICY ? SET_ATTR : SET_NODE);
}

/* FNV-1a over words. */
static void mix(u64 *hash, u64 value)
{
	u32 i;

	for (i = 0; i < 8; i++)
		*hash = (*hash ^ (value >> (8 * i) & 0xff)) * 0x100000001b3ULL;
}

static u64 ahead(const struct world *w, u64 ns)
{
	return ns == U64_MAX ? ns : gp_since(ns, w->now_ns);
}

/* Beyond the longest bound, how long ago makes no difference. */
static u64 ago(const struct world *w, u64 ns)
{
	return ns == U64_MAX ? ns : min(gp_since(w->now_ns, ns), 400 * GP_US);
}

static u64 rank_of(const struct world *w, u64 key)
{
	u64 rank = 0;
	u32 i;

	for (i = 0; i < ENTITIES; i++)
		if (w->entity[i].live && w->s->entity[(u32)w->entity[i].id].key < key)
			rank++;
	return rank;
}

/* What policies with requests and levels know. */
static void mix_memory(const struct world *w, u64 *h, const struct gp_entity *in)
{
	u32 slot;

	mix(h, in->tells | in->mem.overdrawn << 1);
	mix(h, in->mem.spent_ns);
	mix(h, in->mem.work_ns);
	mix(h, in->mem.used_ns);
	mix(h, ago(w, in->mem.mark_ns));
	if (!in->nr_busy)
		return;
	mix(h, ahead(w, in->clock_ns));
	mix(h, ago(w, in->request_ns));
	for (slot = in->queue; slot != GP_SLOT_NONE; slot = w->s->queue[slot].next)
		mix(h, w->s->queue[slot].busy ? ago(w, w->s->queue[slot].since_ns) : 0);
}

static void mix_entity(const struct explorer *x, u64 *h, const struct world_entity *e)
{
	const struct world *w = &x->w;
	const struct gp_entity *in = &w->s->entity[(u32)e->id];

	mix(h, e->live);
	if (!e->live)
		return;
	mix(h, in->state | in->frozen << 8 | in->starved << 9 |
		       (in->list == GP_LIST_AGAIN) << 10 | in->redo << 11 |
		       in->stubborn << 12 | (in->alone == w->s->node[0].alone) << 13 |
		       in->spared << 14 | in->finishing << 15 | (u64)in->was << 16 |
		       (u64)in->nr_fail << 24 | (u64)e->where << 32 | (u64)e->failed << 40 |
		       (u64)e->busy[0] << 41 |
		       (u64)e->busy[1] << 42 | (u64)e->lost << 43 | (u64)e->busy[2] << 44 |
		       (u64)e->hungry << 45 | (u64)e->starved << 46 | (u64)e->nr_queues << 48);
	mix(h, e->attr.prio | e->attr.no_preempt << 8);
	mix(h, ahead(w, e->thaw_ns));
	mix(h, ahead(w, in->safe_ns));
	mix(h, in->paid | in->settling << 1 | in->sheltered << 2 | e->attr.latency_critical << 3);
	if (w->bounds.spare_victims) {
		mix(h, in->burst_ns);
		mix(h, in->burst_avg_ns);
		mix(h, in->state == GP_ENTITY_RUNNING ? ago(w, in->since_ns) : 0);
	}
	mix(h, in->nr_busy ? rank_of(w, in->key) : 0);
	mix(h, in->frozen ? ahead(w, in->thaw_ns) : 0);
	mix(h, in->state == GP_ENTITY_PREEMPTED ? ago(w, in->there_ns) : 0);
	mix(h, ago(w, e->resumed_ns));
	mix(h, e->where == WORLD_MAPPED ? 0 : ago(w, e->off_ns));
	if (w->strict)
		return;
	mix(h, in->mem.vruntime - w->s->node[0].fair_floor);
	mix(h, in->mem.rest);
	mix(h, in->state == GP_ENTITY_RUNNING ? ago(w, in->since_ns) : 0);
	if (strcmp(x->scene->policy, "prio") && strcmp(x->scene->policy, "fair"))
		mix_memory(w, h, in);
}

/* Which entity, whatever its generation. */
static u64 member(const struct world *w, u64 id)
{
	u32 i;

	for (i = 0; i < ENTITIES; i++)
		if (w->entity[i].live && w->entity[i].id == id)
			return i;
	return ENTITIES;
}

static void mix_switch(const struct explorer *x, u64 *h)
{
	const struct world_node *n = &x->w.node[0];
	u32 i;

	mix(h, n->in_flight);
	if (!n->in_flight)
		return;
	mix(h, (u64)n->sw.nr_preempt << 32 | n->sw.nr_resume);
	mix(h, ago(&x->w, n->start_ns));
	for (i = 0; i < n->sw.nr_preempt + n->sw.nr_resume; i++)
		mix(h, member(&x->w, n->id[i]));
}

static u64 canonical(const struct explorer *x)
{
	const struct world *w = &x->w;
	const struct gp_node *n = &w->s->node[0];
	const struct gp_node_stats *st = gp_sched_node_stats(w->s, 0);
	u64 h = 0xcbf29ce484222325ULL;
	u32 i;

	for (i = 0; i < ENTITIES; i++)
		mix_entity(x, &h, &w->entity[i]);
	mix_switch(x, &h);
	if (w->bounds.learn_gaps) {
		mix(&h, st->cost_ns);
		for (i = 0; i < GP_GAP_LEVELS; i++) {
			mix(&h, (u64)n->gap[i].cost[0] << 32 | (u64)n->gap[i].cost[1] << 16 |
					n->gap[i].cost[2]);
			mix(&h, n->gaps >> i & 1 ? ago(w, n->gap[i].since_ns) + 1 : 0);
		}
	}
	for (i = n->list[GP_LIST_IDLE].first; i != GP_SLOT_NONE; i = w->s->entity[i].list_next)
		mix(&h, i);
	mix(&h, n->enabled | w->strict << 1 | gp_sched_node_policy(w->s, 0)[0] << 8);
	mix(&h, ahead(w, n->rate_ns));
	mix(&h, w->bounds.spare_victims ? st->cost_ns : 0);
	mix(&h, ahead(w, w->node[0].spared_until_ns));
	mix(&h, st->breaker | (u64)n->nr_openings << 8 | (u64)n->nr_errors << 16 |
			(u64)n->nr_good << 24 | (u64)n->nr_missed << 32 | (u64)n->more << 40 |
			(u64)n->limited << 41 | (u64)(n->urgent != GP_SLOT_NONE) << 42);
	mix(&h, ahead(w, w->node[0].timer_ns));
	mix(&h, ahead(w, n->resume_ns));
	mix(&h, n->resume_ns > w->now_ns ? rank_of(w, n->resume_key) : 0);
	mix(&h, ahead(w, n->alone_ns));
	mix(&h, n->alone_ns > w->now_ns ? ago(w, n->alone_cut_ns) : 0);
	mix(&h, st->breaker == GP_BREAKER_OPEN ? ahead(w, n->open_until_ns) : 0);
	mix(&h, w->node[0].nr_errors);
	mix(&h, ahead(w, w->node[0].idle_until_ns));
	mix(&h, ahead(w, w->node[0].alone_until_ns));
	mix(&h, ahead(w, w->node[0].led_until_ns));
	mix(&h, w->node[0].led_until_ns > w->now_ns ? w->node[0].led_prio : 0);
	return h ? h : 1;
}

/* True if it was not there. */
static bool insert(struct explorer *x, u64 hash)
{
	u32 i = (u32)hash & x->mask;

	while (x->seen[i] && x->seen[i] != hash)
		i = (i + 1) & x->mask;
	if (x->seen[i])
		return false;
	x->seen[i] = hash;
	return true;
}

static void save(struct explorer *x, struct world *copy)
{
	memcpy(x->snapshot, x->mem, x->size);
	*copy = x->w;
}

static void restore(struct explorer *x, const struct world *copy)
{
	memcpy(x->mem, x->snapshot, x->size);
	x->w = *copy;
}

/* Goes to a state by its events. */
static u32 path_to(const struct explorer *x, u32 state, u8 *events)
{
	u32 nr = x->states[state].depth;
	u32 i = nr;

	for (; i > 0; state = x->states[state].parent)
		events[--i] = x->states[state].event;
	return nr;
}

static void go_to(struct explorer *x, u32 state)
{
	u8 events[DEPTH_MAX];
	u32 nr = path_to(x, state, events);
	u32 i;

	start(x);
	for (i = 0; i < nr; i++)
		apply(x, events[i]);
}

static void print_event(u32 event)
{
	static const char *const names[] = { "policy", "enable", "lose", "back" };

	if (event < EVENT_TIMER)
		printf(" q%u.%u", event / QUEUES, event % QUEUES);
	else if (event == EVENT_TIMER)
		printf(" timer");
	else if (event < EVENT_EARLY)
		printf(" done%u", event - EVENT_DONE);
	else if (event == EVENT_EARLY)
		printf(" early");
	else if (event < EVENT_PRESENCE)
		printf(" next%u", event - EVENT_PROGRESS);
	else if (event >= EVENT_POLICY)
		printf(" %s", names[event - EVENT_POLICY]);
	else
		printf(" %s%u",
		       event < EVENT_QUEUE_ADD	  ? "e" :
		       event < EVENT_QUEUE_REMOVE ? "+q" :
		       event < EVENT_ATTR	  ? "-q" :
		       event < EVENT_PIN	  ? "prio" :
						    "pin",
		       (event - EVENT_PRESENCE) % ENTITIES);
}

static void print_violation(const struct explorer *x, u32 state, u32 event, const char *bad)
{
	u8 events[DEPTH_MAX];
	u32 nr = path_to(x, state, events);
	u32 i;

	printf("%s: %s, after", x->scene->name, bad);
	for (i = 0; i < nr; i++)
		print_event(events[i]);
	print_event(event);
	printf("\n");
}

/* The state just reached: are there ways on for all? */
static const char *check_ways_on(struct explorer *x)
{
	static struct world here;
	static char mem[1 << 16];
	const char *bad = x->w.bad;
	u32 quiet;

	if (bad || x->size > sizeof(mem))
		return bad ? bad : "snapshot too large";
	here = x->w;
	memcpy(mem, x->mem, x->size);
	for (quiet = 0; quiet < 2 && !bad; quiet++) {
		if (!world_settles(&x->w, quiet))
			bad = quiet ? "never resumed when all is quiet" : "never resumed";
		if (x->w.bad)
			bad = x->w.bad;
		x->w = here;
		memcpy(x->mem, mem, x->size);
	}
	return bad;
}

static void add_state(struct explorer *x, u32 parent, u32 event)
{
	x->depth = x->nr_states ? x->states[parent].depth + 1U : 0;
	x->states[x->nr_states++] = (struct visited){
		.parent = parent,
		.event = (u8)event,
		.depth = (u8)x->depth,
	};
}

static const char *expand(struct explorer *x, u32 state)
{
	struct world copy;
	u32 event;

	go_to(x, state);
	save(x, &copy);
	for (event = 0; event < EVENT_COUNT && x->nr_states < x->budget; event++) {
		const char *bad;

		if (!is_in_scene(x->scene, event))
			continue;
		restore(x, &copy);
		if (!apply(x, event))
			continue;
		if (!x->w.bad && !insert(x, canonical(x)))
			continue;
		bad = check_ways_on(x);
		if (bad) {
			print_violation(x, state, event, bad);
			return bad;
		}
		add_state(x, state, event);
	}
	return NULL;
}

static const char *explore(struct explorer *x)
{
	const char *bad = NULL;
	u32 state;

	start(x);
	insert(x, canonical(x));
	add_state(x, 0, 0);
	for (state = 0; state < x->nr_states && !bad; state++) {
		if (x->states[state].depth >= DEPTH_MAX - 1)
			break;
		bad = expand(x, state);
		if (x->nr_states == x->budget)
			break;
	}
	/* The last depth is begun, unless everything has been seen. */
	if (state < x->nr_states)
		x->depth = x->states[state].depth;
	printf("%s: %u states, %s depth %u%s\n", x->scene->name, x->nr_states,
	       state == x->nr_states ? "all, to" : "complete to", x->depth,
	       bad ? ", VIOLATION" : "");
	return bad;
}

/* Did it get as deep as it must? */
static bool is_deep(const struct explorer *x)
{
	u32 least = x->scene->depth;

	if (x->budget != STATES)
		least = least > DEPTH_SLACK ? least - DEPTH_SLACK : 1;
	if (x->depth >= least)
		return true;
	printf("%s: complete to depth %u only, not %u\n", x->scene->name, x->depth, least);
	return false;
}

static const char *run(const struct scene *sc, u32 budget)
{
	struct explorer x = { .scene = sc, .budget = budget, .mask = 1 };
	size_t total = gp_sched_size(&world_config);
	const char *bad;

	while (x.mask < budget * 2)
		x.mask = x.mask << 1 | 1;
	x.mem = aligned_alloc(64, total);
	x.snapshot = malloc(total);
	x.states = malloc(budget * sizeof(*x.states));
	x.seen = calloc((size_t)x.mask + 1, sizeof(*x.seen));
	if (!x.mem || !x.snapshot || !x.states || !x.seen)
		abort();
	start(&x);
	x.size = (size_t)((char *)&x.w.s->stats[0].switch_ns - (char *)x.mem);
	bad = explore(&x);
	if (!bad && !sc->broken && !is_deep(&x))
		bad = "not deep enough";
	free(x.seen);
	free(x.states);
	free(x.snapshot);
	free(x.mem);
	return bad;
}

static void no_starvation_bound(struct gp_params *p)
{
	p->max_wait_ns = U64_MAX / 4;
}

static void no_deadline(struct gp_params *p)
{
	p->deadline_ns = U64_MAX / 4;
}

static void no_breaker(struct gp_params *p)
{
	p->breaker_errors = U64_MAX;
}

static void no_min_run(struct gp_params *p)
{
	p->min_run_ns = 0;
}

static void no_hysteresis(struct gp_params *p)
{
	p->hysteresis_ns = 0;
}

static void no_rate_limit(struct gp_params *p)
{
	p->rate_burst = 4096;
}

/* One token in 100 us, and no burst. */
static void rate_limit(struct world *w)
{
	world_param(w, 0, "rate_per_s", 10000);
	world_param(w, 0, "rate_burst", 1);
}

/* A GPU for two of the three. */
static void room_for_two(struct world *w)
{
	world_room(w, 0, 2);
}

static void spare_victims(struct world *w)
{
	world_param(w, 0, "spare_victims", 1);
}

static void learned_gaps(struct world *w)
{
	world_param(w, 0, "learn_gaps", 1);
	world_param(w, 0, "hysteresis_ns", 40 * GP_US);
}

static void short_laxity(struct world *w)
{
	world_param(w, 0, "laxity.margin_ns", 20 * GP_US);
}

static void short_slices(struct world *w)
{
	world_param(w, 0, "mlfq.slice_ns", 20 * GP_US);
	world_param(w, 0, "mlfq.promote_ns", 100 * GP_US);
}

#define DISTINCT .prio = { 3, 7, 9 }, .weight = { 100, 100, 200 }
#define EQUALS .prio = { 5, 5, 9 }, .weight = { 100, 100, 100 }
#define BROKEN(what, policy_name, how)                                        \
	{                                                                     \
		.name = "broken: " what, .policy = policy_name, DISTINCT,     \
		.sets = SET_PRESENCE, .broken = how                           \
	}

static const struct scene scenes[] = {
	{ "prio, three levels", "prio", DISTINCT, SET_PRESENCE, 7, NULL, NULL },
	{ "prio, two equals", "prio", EQUALS, SET_PRESENCE, 7, NULL, NULL },
	{ "prio, early timers", "prio", DISTINCT, SET_EARLY, 8, NULL, NULL },
	{ "prio, rate limit", "prio", DISTINCT, 0, 8, rate_limit, NULL },
	{ "prio, rate limit, critical", "prio", DISTINCT, SET_CRITICAL, 7, rate_limit, NULL },
	{ "edf, rate limit, critical", "edf", DISTINCT, SET_CRITICAL, 6, rate_limit, NULL },
	{ "prio, victims spared", "prio", DISTINCT, SET_EARLY, 7, spare_victims, NULL },
	{ "prio, learned gaps", "prio", DISTINCT, SET_EARLY, 6, learned_gaps, NULL },
	{ "fair, learned gaps", "fair", DISTINCT, 0, 6, learned_gaps, NULL },
	{ "prio, room for two", "prio", DISTINCT, SET_PRESENCE, 6, room_for_two, NULL },
	{ "prio, equals, room for two", "prio", EQUALS, SET_EARLY, 6, room_for_two, NULL },
	{ "fair, room for two", "fair", DISTINCT, SET_ATTR, 5, room_for_two, NULL },
	{ "prio, queues come and go", "prio", EQUALS, SET_QUEUES, 6, NULL, NULL },
	{ "prio, parts of others come", "prio", DISTINCT, SET_PRESENCE | SET_OUT | SET_QUEUES, 5,
	  NULL, NULL },
	{ "prio, attributes change", "prio", DISTINCT, SET_ATTR, 6, NULL, NULL },
	{ "prio and fair, node events", "prio", DISTINCT, SET_NODE, 6, NULL, NULL },
	{ "fair", "fair", DISTINCT, SET_PRESENCE, 7, NULL, NULL },
	{ "fair, rate limit, attributes", "fair", DISTINCT, SET_ATTR, 6, rate_limit, NULL },
	{ "edf, requests", "edf", DISTINCT, SET_PROGRESS, 6, NULL, NULL },
	{ "laxity, requests", "laxity", DISTINCT, SET_PROGRESS, 6, short_laxity, NULL },
	{ "mlfq", "mlfq", DISTINCT, 0, 6, short_slices, NULL },
	BROKEN("starvation", "prio", no_starvation_bound),
	BROKEN("starvation, fair", "fair", no_starvation_bound),
	BROKEN("starvation, edf", "edf", no_starvation_bound),
	BROKEN("deadline", "prio", no_deadline),
	BROKEN("breaker", "prio", no_breaker),
	BROKEN("minimum run", "prio", no_min_run),
	BROKEN("hysteresis", "prio", no_hysteresis),
	{ "broken: rate limit", "prio", DISTINCT, 0, 0, rate_limit, no_rate_limit },
};

static u32 scaled(u32 states)
{
	const char *scale = getenv("GP_TEST_SCALE");
	u32 by = scale ? (u32)strtoul(scale, NULL, 10) : 1;

	return states / (by ? by : 1);
}

int main(int argc, char **argv)
{
	u32 budget = argc > 1 ? (u32)strtoul(argv[1], NULL, 10) : scaled(STATES);
	int failed = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scenes); i++) {
		const char *bad = run(&scenes[i], budget);

		if (!bad != !scenes[i].broken) {
			printf("%s: %s\n", scenes[i].name,
			       bad ? "invariant violated" : "seeded bug not found");
			failed = 1;
		}
	}
	return failed;
}
