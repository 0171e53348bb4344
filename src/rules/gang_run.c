// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* News of nodes in, decisions of the scheduler of a set, gates out. */
#include "rules/gang_types.h"

/* Rounds of one call; what is left then comes with the next. */
#define ROUNDS_MAX 16U
/* A node has two switches' time: that in flight, and its own. */
#define DEADLINES 2
#define DEADLINE_MAX_NS 30000000000ULL
/* A gang that made room where nothing but a fault can be the cause tries again after so many. */
#define PAUSE_STALLS 10
/* Not reached: the end of what a set has decided is said in this file. */
#define UP_DEADLINE_NS 60000000000ULL

void gp_gang_mark(struct gp_gangs *g, struct gp_gang *gang)
{
	if (gang->is_dirty)
		return;
	gang->is_dirty = true;
	gang->next_dirty = g->dirty;
	g->dirty = gp_gang_index(g, gang);
}

static u64 param(const struct gp_gangs *g, u32 set, const char *name)
{
	u64 value = 0;

	gp_sched_param_get(g->up, set, name, &value);
	return value;
}

static void begin_switch(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];

	s->sw = g->acts.sw;
	s->is_switching = true;
	s->deadline_ns = g->now_ns + min(s->patience_ns, (u64)DEADLINE_MAX_NS);
	g->stats.nr_switches++;
}

void gp_gang_act(struct gp_gangs *g, u32 set)
{
	u32 i;

	for (i = 0; i < g->acts.nr; i++) {
		const struct gp_action *a = &g->acts.a[i];

		if (a->kind == GP_ACTION_SWITCH)
			begin_switch(g, set);
		else if (a->kind == GP_ACTION_SET_TIMER)
			g->set[set].timer_ns = a->at_ns;
	}
	g->acts.nr = 0;
}

void gp_gang_configure(struct gp_gangs *g, u32 set, struct gp_act *a)
{
	struct gp_gang_set *s = &g->set[set];
	u32 seq = gp_sched_config_seq(a->sched, a->node);

	if (s->has_config && s->config_seq == seq)
		return;
	s->has_config = true;
	s->config_seq = seq;
	gp_sched_params_copy(g->up, set, a->sched, a->node);
	s->patience_ns = DEADLINES * param(g, set, "deadline_ns");
	s->stall_ns = param(g, set, "stall_ns");
	gp_sched_param_set(g->up, set, "deadline_ns", UP_DEADLINE_NS, NULL);
	gp_sched_set_policy(g->up, set, gp_sched_node_policy(a->sched, a->node), g->now_ns,
			    &g->acts);
	gp_gang_act(g, set);
}

static void set_busy(struct gp_gangs *g, u32 set, u64 queue, bool busy)
{
	if (busy)
		gp_sched_queue_busy(g->up, queue, g->now_ns, &g->acts);
	else
		gp_sched_queue_idle(g->up, queue, g->now_ns, &g->acts);
	gp_gang_act(g, set);
}

void gp_gang_tell(struct gp_gangs *g, struct gp_gang *gang)
{
	bool busy = gang->nr_work && !gang->is_stalled;

	if (gang->is_busy == busy)
		return;
	gang->is_busy = busy;
	set_busy(g, gang->set, gang->queue, busy);
}

void gp_gang_tell_local(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];
	u64 weight = 0;
	struct gp_attr attr;
	u32 n;

	if (!s->nr_gangs)
		return;
	for (n = 0; n < g->config.nr_nodes && gp_sched_node_takes_turns(g->up, set); n++)
		if (s->nodes >> n & 1)
			weight = max(weight, g->weight[n]);
	gp_attr_default(&attr);
	attr.weight = (u32)min(weight, (u64)GP_WEIGHT_MAX);
	if (weight) {
		gp_sched_entity_set_attr(g->up, s->local, &attr, g->now_ns, &g->acts);
		gp_gang_act(g, set);
	}
	if (s->local_busy == !!weight)
		return;
	s->local_busy = weight;
	set_busy(g, set, s->local_queue, weight);
}

static bool is_away(const struct gp_rank *r)
{
	return r->gate == GP_GATE_OPEN && r->is_out && r->has_work;
}

void gp_gang_count(struct gp_gang *gang, const struct gp_rank *r, int sign)
{
	gang->nr_work += (u32)(r->has_work * sign);
	gang->nr_away += (u32)(is_away(r) * sign);
	gang->nr_unsettled += (u32)(!r->is_settled * sign);
}

void gp_gang_enlist(struct gp_gangs *g, struct gp_gang *gang, enum gp_gang_list list)
{
	u32 index = gp_gang_index(g, gang);

	if (gang->list != GP_GANG_LISTS_NONE) {
		if (gang->prev == GP_GANG_NONE)
			g->list[gang->list].first = gang->next;
		else
			g->gang[gang->prev].next = gang->next;
		if (gang->next == GP_GANG_NONE)
			g->list[gang->list].last = gang->prev;
		else
			g->gang[gang->next].prev = gang->prev;
	}
	gang->list = (u8)list;
	if (list == GP_GANG_LISTS_NONE)
		return;
	gang->since_ns = g->now_ns;
	gang->next = GP_GANG_NONE;
	gang->prev = g->list[list].last;
	if (gang->prev == GP_GANG_NONE)
		g->list[list].first = index;
	else
		g->gang[gang->prev].next = index;
	g->list[list].last = index;
}

/*
 * Its other ranks leave. Under policies with keys of their own on each node, those that are kept
 * off tell when they can run. Under the others nothing but a fault keeps them off, and an
 * open gate would take a turn that is another gang's: it tries again after a while.
 */
static void make_room(struct gp_gangs *g, struct gp_gang *gang)
{
	bool turns = gp_sched_node_takes_turns(g->up, gang->set);
	u32 i;

	gp_gang_enlist(g, gang, turns ? GP_GANG_PAUSES : GP_GANG_LISTS_NONE);
	gang->is_stalled = true;
	g->stats.nr_stalled++;
	for (i = gang->first; i != GP_GANG_NONE; i = g->rank[i].next)
		g->rank[i].keeps = !turns && is_away(&g->rank[i]);
	gp_gang_mark(g, gang);
}

static void stop_stalling(struct gp_gangs *g, struct gp_gang *gang)
{
	gp_gang_enlist(g, gang, GP_GANG_LISTS_NONE);
	if (gang->is_stalled)
		gp_gang_mark(g, gang);
	gang->is_stalled = false;
}

void gp_gang_look(struct gp_gangs *g, struct gp_gang *gang)
{
	if (gang->list == GP_GANG_PAUSES)
		return;
	if (!gang->nr_away)
		stop_stalling(g, gang);
	else if (gang->list == GP_GANG_LISTS_NONE && !gang->is_stalled)
		gp_gang_enlist(g, gang, GP_GANG_AWAY);
	gp_gang_tell(g, gang);
}

/* A rank of a stalled gang that can run does not before the others can. */
static void hear(struct gp_gangs *g, u32 node, const struct gp_gang_news *news)
{
	struct gp_rank *r = gp_rank_find(g, node, news->id);
	struct gp_gang *gang;

	if (!r)
		return;
	gang = &g->gang[r->gang];
	gp_gang_count(gang, r, -1);
	r->has_work = news->has_work;
	r->is_out = news->is_out;
	r->is_settled = news->is_settled;
	gp_gang_count(gang, r, 1);
	if (gang->is_stalled && r->keeps && !is_away(r)) {
		r->keeps = false;
		gp_gang_mark(g, gang);
	}
	gp_gang_look(g, gang);
}

/* Of the node that is entered. */
static void pull(struct gp_gangs *g, u32 node, struct gp_act *a)
{
	struct gp_gang_news news;
	u32 set = g->set_of[node];
	u64 weight;

	while (gp_sched_gang_news(a->sched, a->node, &news))
		hear(g, node, &news);
	weight = gp_sched_local_weight(a->sched, a->node);
	if (set == node && g->set[set].nr_gangs)
		gp_gang_configure(g, set, a);
	g->weight[node] = weight;
	gp_gang_tell_local(g, set);
}

static void pull_nodes(struct gp_gangs *g, u64 nodes)
{
	const struct gp_gangs_ops *ops = g->config.ops;

	for (; nodes; nodes &= nodes - 1) {
		u32 node = (u32)__builtin_ctzll(nodes);
		struct gp_act *a;

		if (node >= g->config.nr_nodes)
			return;
		a = ops->enter(g->config.data, node);
		if (!a)
			continue;
		pull(g, node, a);
		if (ops->leave)
			ops->leave(g->config.data, node);
	}
}

static bool is_on(const struct gp_gangs *g, const struct gp_gang *gang)
{
	struct gp_entity_info info;

	return gp_sched_entity_info(g->up, gang->id, &info) ||
	       (info.state != GP_ENTITY_PREEMPTED && info.state != GP_ENTITY_PREEMPTING);
}

static enum gp_gate gate_of(const struct gp_gangs *g, const struct gp_gang *gang,
			    const struct gp_rank *r)
{
	bool open = gang->is_stalled ? r->keeps : is_on(g, gang);

	return open ? GP_GATE_OPEN : GP_GATE_SHUT;
}

/* Return: the node has more news. */
static bool tell_gate(struct gp_gangs *g, struct gp_gang *gang, struct gp_rank *r,
		      enum gp_gate gate)
{
	const struct gp_gangs_ops *ops = g->config.ops;
	struct gp_act *a = ops->enter(g->config.data, r->node);
	bool more;

	gp_gang_count(gang, r, -1);
	r->gate = (u8)gate;
	gp_gang_count(gang, r, 1);
	gp_gang_look(g, gang);
	if (!a)
		return false;
	if (!gp_sched_entity_gate(a->sched, r->id, gate, g->now_ns, &a->acts))
		gp_act_run(a);
	pull(g, r->node, a);
	more = gp_sched_has_gang_news(a->sched, a->node);
	if (ops->leave)
		ops->leave(g->config.data, r->node);
	return more;
}

/* Return: nodes with more news. */
static u64 tell_gates(struct gp_gangs *g)
{
	u64 nodes = 0;

	while (g->dirty != GP_GANG_NONE) {
		struct gp_gang *gang = &g->gang[g->dirty];
		u32 i;

		g->dirty = gang->next_dirty;
		gang->is_dirty = false;
		for (i = gang->first; i != GP_GANG_NONE; i = g->rank[i].next) {
			struct gp_rank *r = &g->rank[i];
			enum gp_gate gate = gate_of(g, gang, r);

			if (r->gate != gate && tell_gate(g, gang, r, gate))
				nodes |= 1ULL << r->node;
		}
	}
	return nodes;
}

/* Is every gang of the decision where it is wanted? A stalled one is as far as it can be. */
static bool is_carried_out(const struct gp_gangs *g, const struct gp_gang_set *s)
{
	u32 i;

	for (i = 0; i < s->sw.nr_preempt + s->sw.nr_resume; i++) {
		const struct gp_gang *gang;
		u64 index;

		if (gp_sched_entity_cookie(g->up, s->sw.id[i], &index) || index == GP_GANG_LOCAL)
			continue;
		gang = &g->gang[index];
		if (gang->is_dirty || (gang->nr_unsettled && !gang->is_stalled))
			return false;
	}
	return true;
}

static void end_switch(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];
	u32 nr = s->sw.nr_preempt + s->sw.nr_resume;
	u8 *results = gp_sched_results(g->up, set);

	s->is_switching = false;
	memset(results, GP_RESULT_OK, nr);
	gp_sched_switch_done(g->up, set, s->sw.seq, results, nr, g->now_ns, &g->acts);
	gp_gang_act(g, set);
}

static void look_at_set(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];

	if (s->is_switching && !is_carried_out(g, s)) {
		if (g->now_ns < s->deadline_ns)
			return;
		g->stats.nr_late++;
	}
	if (s->is_switching)
		end_switch(g, set);
	if (g->now_ns < s->timer_ns)
		return;
	s->timer_ns = U64_MAX;
	gp_sched_timer(g->up, set, g->now_ns, &g->acts);
	gp_gang_act(g, set);
}

static u64 list_end_ns(const struct gp_gangs *g, enum gp_gang_list list)
{
	const struct gp_gang *gang = &g->gang[g->list[list].first];
	u64 ns;

	if (g->list[list].first == GP_GANG_NONE)
		return U64_MAX;
	ns = g->set[gang->set].stall_ns;
	return gang->since_ns + (list == GP_GANG_PAUSES ? PAUSE_STALLS * ns : ns);
}

static void look_at_stalls(struct gp_gangs *g)
{
	struct gp_gang *gang;

	while (list_end_ns(g, GP_GANG_AWAY) <= g->now_ns) {
		gang = &g->gang[g->list[GP_GANG_AWAY].first];
		make_room(g, gang);
		gp_gang_tell(g, gang);
	}
	while (list_end_ns(g, GP_GANG_PAUSES) <= g->now_ns) {
		gang = &g->gang[g->list[GP_GANG_PAUSES].first];
		stop_stalling(g, gang);
		gp_gang_tell(g, gang);
	}
}

u64 gp_gangs_run(struct gp_gangs *g, u64 nodes, u64 now_ns)
{
	u32 round;
	u32 set;

	g->now_ns = max(g->now_ns, now_ns);
	nodes |= g->noisy;
	g->noisy = 0;
	for (round = 0; round < ROUNDS_MAX; round++) {
		pull_nodes(g, nodes);
		look_at_stalls(g);
		for (set = 0; set < g->config.nr_nodes; set++)
			look_at_set(g, set);
		if (g->dirty == GP_GANG_NONE)
			return 0;
		nodes = tell_gates(g);
	}
	return nodes;
}

u64 gp_gangs_next_ns(const struct gp_gangs *g)
{
	u64 next = U64_MAX;
	u32 set;

	if (g->dirty != GP_GANG_NONE || g->noisy)
		return g->now_ns;
	for (set = 0; set < g->config.nr_nodes; set++) {
		const struct gp_gang_set *s = &g->set[set];

		next = min(next, s->is_switching ? s->deadline_ns : s->timer_ns);
	}
	next = min(next, list_end_ns(g, GP_GANG_AWAY));
	return min(next, list_end_ns(g, GP_GANG_PAUSES));
}
