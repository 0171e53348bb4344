// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The table of gangs and ranks, and which nodes are one set. */
#include "core/sched_types.h"
#include "rules/gang_types.h"

#define LINE 64U

struct parts {
	size_t gang;
	size_t rank;
	size_t up;
	size_t end;
};

static size_t rounded(size_t bytes)
{
	return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

static struct gp_sched_config up_config(const struct gp_gangs_config *config, struct gp_gangs *g);

static bool lay_out(const struct gp_gangs_config *c, struct parts *p)
{
	struct gp_sched_config up = up_config(c, NULL);

	if (!c->nr_nodes || c->nr_nodes > GP_GANG_NODES_MAX || !c->max_gangs ||
	    c->max_gangs > GP_GANGS_MAX || !c->max_ranks ||
	    c->max_ranks > GP_GANGS_MAX * GP_GANG_NODES_MAX)
		return false;
	p->gang = rounded(sizeof(struct gp_gangs));
	p->rank = p->gang + rounded((size_t)c->max_gangs * sizeof(struct gp_gang));
	p->up = p->rank + rounded((size_t)c->max_ranks * sizeof(struct gp_rank));
	p->end = p->up + gp_sched_size(&up);
	return true;
}

size_t gp_gangs_size(const struct gp_gangs_config *config)
{
	struct parts p;

	return lay_out(config, &p) ? p.end : 0;
}

/* A gang that the scheduler of its set lets run or stops has other gates. */
static void on_trace(void *data, const struct gp_trace *t)
{
	struct gp_gangs *g = data;
	u64 index;

	if (t->kind != GP_TRACE_STATE || gp_sched_entity_cookie(g->up, t->id, &index) ||
	    index == GP_GANG_LOCAL)
		return;
	gp_gang_mark(g, &g->gang[index]);
}

static struct gp_sched_config up_config(const struct gp_gangs_config *config, struct gp_gangs *g)
{
	u32 nr = config->max_gangs + config->nr_nodes;

	return (struct gp_sched_config){
		.nr_nodes = config->nr_nodes,
		.max_entities = nr,
		.max_queues = nr,
		.trace = on_trace,
		.trace_data = g,
	};
}

static int by_id(const struct gp_tree_node *x, const struct gp_tree_node *y)
{
	const struct gp_rank *a = container_of(x, struct gp_rank, by_id);
	const struct gp_rank *b = container_of(y, struct gp_rank, by_id);

	return a->node != b->node ? gp_tree_order(a->node, b->node) : gp_tree_order(a->id, b->id);
}

static void init_slots(struct gp_gangs *g)
{
	const struct gp_gangs_config *c = &g->config;
	u32 i;

	for (i = 0; i < c->max_gangs; i++)
		g->gang[i].next_dirty = i + 1 < c->max_gangs ? i + 1 : GP_GANG_NONE;
	for (i = 0; i < c->max_ranks; i++)
		g->rank[i].gang = i + 1 < c->max_ranks ? i + 1 : GP_GANG_NONE;
	for (i = 0; i < c->nr_nodes; i++) {
		g->set_of[i] = i;
		g->set[i].local = GP_ID_NONE;
		g->set[i].timer_ns = U64_MAX;
	}
	g->dirty = GP_GANG_NONE;
	for (i = 0; i < GP_GANG_LISTS; i++)
		g->list[i].first = g->list[i].last = GP_GANG_NONE;
}

struct gp_gangs *gp_gangs_init(void *mem, const struct gp_gangs_config *config)
{
	struct gp_gangs *g = mem;
	struct gp_sched_config up = up_config(config, g);
	struct parts p;

	if (!lay_out(config, &p) || (size_t)mem % LINE)
		return NULL;
	memset(mem, 0, p.end);
	g->config = *config;
	g->gang = (void *)((char *)mem + p.gang);
	g->rank = (void *)((char *)mem + p.rank);
	g->ranks.cmp = by_id;
	gp_groups_init(&g->groups);
	init_slots(g);
	if (gp_sched_init((char *)mem + p.up, p.end - p.up, &up, &g->up))
		return NULL;
	return g;
}

struct gp_rank *gp_rank_find(const struct gp_gangs *g, u32 node, u64 id)
{
	const struct gp_rank probe = { .node = node, .id = id };
	struct gp_tree_node *n = gp_tree_find(&g->ranks, &probe.by_id);

	return n ? container_of(n, struct gp_rank, by_id) : NULL;
}

/* A gang is off the GPU, to the scheduler of its set. */
static bool is_off(const struct gp_gangs *g, const struct gp_gang *gang)
{
	struct gp_entity_info info;

	return !gp_sched_entity_info(g->up, gang->id, &info) &&
	       (info.state == GP_ENTITY_PREEMPTED || info.state == GP_ENTITY_PREEMPTING);
}

/* The set of a gang is another: it is an entity there, on or off as it was. */
static void move_in(struct gp_gangs *g, struct gp_gang *gang, u32 set, bool off)
{
	int (*add)(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
		   u64 now_ns, struct gp_actions *out, u64 *id) =
		off ? gp_sched_entity_add_out : gp_sched_entity_add;

	gang->set = set;
	gang->is_busy = false;
	/* There is room for every gang that there can be. */
	GP_WARN_ON(add(g->up, set, &gang->group.key.attr, gp_gang_index(g, gang), g->now_ns,
		       &g->acts, &gang->id));
	gp_gang_act(g, set);
	GP_WARN_ON(gp_sched_queue_add(g->up, gang->id, 0, g->now_ns, &g->acts, &gang->queue));
	gp_gang_act(g, set);
	gp_gang_tell(g, gang);
	gp_gang_mark(g, gang);
}

static void move_out(struct gp_gangs *g, struct gp_gang *gang)
{
	if (!gp_sched_entity_remove(g->up, gang->id, g->now_ns, &g->acts))
		gp_gang_act(g, gang->set);
}

/* Begin to schedule gangs on a set: one at a time, as the lowest node does. */
static void begin_set(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];
	struct gp_attr attr;

	s->has_config = false;
	gp_attr_default(&attr);
	gp_sched_set_alone(g->up, set, true, g->now_ns, &g->acts);
	gp_gang_act(g, set);
	gp_sched_set_room(g->up, set, 1, 0, g->now_ns, &g->acts);
	gp_gang_act(g, set);
	s->local_busy = false;
	GP_WARN_ON(gp_sched_entity_add(g->up, set, &attr, GP_GANG_LOCAL, g->now_ns, &g->acts,
				       &s->local));
	gp_gang_act(g, set);
	GP_WARN_ON(gp_sched_queue_add(g->up, s->local, 0, g->now_ns, &g->acts, &s->local_queue));
	gp_gang_act(g, set);
}

static void end_set(struct gp_gangs *g, u32 set)
{
	struct gp_gang_set *s = &g->set[set];

	if (!gp_sched_entity_remove(g->up, s->local, g->now_ns, &g->acts))
		gp_gang_act(g, set);
	s->local = GP_ID_NONE;
}

static void configure(struct gp_gangs *g, u32 set)
{
	const struct gp_gangs_ops *ops = g->config.ops;
	struct gp_act *a = ops->enter(g->config.data, set);

	if (a) {
		gp_gang_configure(g, set, a);
		g->weight[set] = gp_sched_local_weight(a->sched, a->node);
	}
	if (a && ops->leave)
		ops->leave(g->config.data, set);
}

static void find_sets(const struct gp_gangs *g, u32 *set_of, u64 *nodes)
{
	u32 i, n, low;

	for (n = 0; n < g->config.nr_nodes; n++)
		nodes[n] = 1ULL << n;
	for (i = 0; i < g->config.max_gangs; i++) {
		u64 all = 0;

		if (!g->gang[i].live || !g->gang[i].nodes)
			continue;
		for (n = 0; n < g->config.nr_nodes; n++)
			if (nodes[n] & g->gang[i].nodes)
				all |= nodes[n];
		low = (u32)__builtin_ctzll(all);
		for (n = 0; n < g->config.nr_nodes; n++)
			if (all >> n & 1)
				nodes[n] = n == low ? all : 0;
	}
	for (n = 0; n < g->config.nr_nodes; n++)
		for (i = 0; i < g->config.nr_nodes; i++)
			if (nodes[n] >> i & 1)
				set_of[i] = n;
}

/* The ranks of a gang are others: so may be what gangs connect. */
static void divide(struct gp_gangs *g)
{
	u64 nodes[GP_GANG_NODES_MAX];
	u32 nr[GP_GANG_NODES_MAX] = { 0 };
	u32 i;

	find_sets(g, g->set_of, nodes);
	for (i = 0; i < g->config.max_gangs; i++)
		if (g->gang[i].live)
			nr[g->set_of[__builtin_ctzll(g->gang[i].nodes)]]++;
	for (i = 0; i < g->config.nr_nodes; i++) {
		struct gp_gang_set *s = &g->set[i];

		s->nodes = nodes[i];
		if (nr[i] && !s->nr_gangs) {
			begin_set(g, i);
			configure(g, i);
		}
	}
	for (i = 0; i < g->config.max_gangs; i++) {
		struct gp_gang *gang = &g->gang[i];
		u32 set = gang->live ? g->set_of[__builtin_ctzll(gang->nodes)] : 0;
		bool off = gang->live && is_off(g, gang);

		if (!gang->live || gang->set == set)
			continue;
		if (gang->set != GP_GANG_NONE)
			move_out(g, gang);
		move_in(g, gang, set, off);
	}
	for (i = 0; i < g->config.nr_nodes; i++) {
		if (!nr[i] && g->set[i].nr_gangs)
			end_set(g, i);
		g->set[i].nr_gangs = nr[i];
		gp_gang_tell_local(g, i);
	}
}

static struct gp_gang *gang_of(struct gp_gangs *g, const struct gp_group_key *key)
{
	struct gp_group *found = gp_groups_find(&g->groups, key);
	struct gp_gang *gang;

	if (found)
		return container_of(found, struct gp_gang, group);
	if (g->free_gang == GP_GANG_NONE)
		return NULL;
	gang = &g->gang[g->free_gang];
	g->free_gang = gang->next_dirty;
	*gang = (struct gp_gang){
		.group.key = *key,
		.first = GP_GANG_NONE,
		.set = GP_GANG_NONE,
		.live = true,
	};
	gp_groups_add(&g->groups, &gang->group);
	g->stats.nr_gangs++;
	return gang;
}

static void unmark(struct gp_gangs *g, struct gp_gang *gang)
{
	u32 *at = &g->dirty;

	if (!gang->is_dirty)
		return;
	while (&g->gang[*at] != gang)
		at = &g->gang[*at].next_dirty;
	*at = gang->next_dirty;
	gang->is_dirty = false;
}

static void free_gang(struct gp_gangs *g, struct gp_gang *gang)
{
	if (gang->set != GP_GANG_NONE)
		move_out(g, gang);
	gp_gang_enlist(g, gang, GP_GANG_LISTS_NONE);
	unmark(g, gang);
	gp_groups_remove(&g->groups, &gang->group);
	gang->live = false;
	gang->next_dirty = g->free_gang;
	g->free_gang = gp_gang_index(g, gang);
	g->stats.nr_gangs--;
}

int gp_gangs_join(struct gp_gangs *g, const struct gp_group_key *key, u32 node, u64 id,
		  u64 now_ns)
{
	struct gp_gang *gang;
	struct gp_rank *r;

	g->now_ns = max(g->now_ns, now_ns);
	if (node >= g->config.nr_nodes || !gp_group_is_one(key, key))
		return -EINVAL;
	if (gp_rank_find(g, node, id))
		return -EEXIST;
	if (g->free_rank == GP_GANG_NONE)
		return -ENOSPC;
	gang = gang_of(g, key);
	if (!gang)
		return -ENOSPC;
	if (gang->nodes >> node & 1)
		return -EEXIST;
	r = &g->rank[g->free_rank];
	g->free_rank = r->gang;
	*r = (struct gp_rank){
		.id = id,
		.node = node,
		.gang = gp_gang_index(g, gang),
		.next = gang->first,
		.is_settled = true,
	};
	gp_tree_insert(&g->ranks, &r->by_id);
	gang->first = (u32)(r - g->rank);
	gang->nr_ranks++;
	gang->nodes |= 1ULL << node;
	gp_gang_count(gang, r, 1);
	divide(g);
	gp_gang_mark(g, gang);
	g->noisy |= 1ULL << node;
	return 0;
}

/* Its node may be gone, or the entity. */
static void free_gate(struct gp_gangs *g, const struct gp_rank *r)
{
	const struct gp_gangs_ops *ops = g->config.ops;
	struct gp_act *a = ops->enter(g->config.data, r->node);

	if (!a)
		return;
	if (!gp_sched_entity_gate(a->sched, r->id, GP_GATE_NONE, g->now_ns, &a->acts))
		gp_act_run(a);
	if (ops->leave)
		ops->leave(g->config.data, r->node);
}

int gp_gangs_leave(struct gp_gangs *g, u32 node, u64 id, u64 now_ns)
{
	struct gp_rank *r = gp_rank_find(g, node, id);
	struct gp_gang *gang;
	u32 *at;

	g->now_ns = max(g->now_ns, now_ns);
	if (!r)
		return -ENOENT;
	gang = &g->gang[r->gang];
	for (at = &gang->first; &g->rank[*at] != r; at = &g->rank[*at].next)
		;
	*at = r->next;
	gp_gang_count(gang, r, -1);
	gang->nr_ranks--;
	gang->nodes &= ~(1ULL << node);
	gp_tree_remove(&g->ranks, &r->by_id);
	free_gate(g, r);
	r->gang = g->free_rank;
	g->free_rank = (u32)(r - g->rank);
	if (!gang->nr_ranks)
		free_gang(g, gang);
	else
		gp_gang_look(g, gang);
	divide(g);
	return 0;
}

void gp_gangs_stats(const struct gp_gangs *g, struct gp_gangs_stats *stats)
{
	*stats = g->stats;
}

int gp_gangs_info(const struct gp_gangs *g, u32 node, u64 id, struct gp_gang_info *info)
{
	const struct gp_rank *r = gp_rank_find(g, node, id);
	const struct gp_gang *gang = r ? &g->gang[r->gang] : NULL;
	struct gp_entity_info up;

	if (!r || gp_sched_entity_info(g->up, gang->id, &up))
		return -ENOENT;
	*info = (struct gp_gang_info){
		.nr_ranks = gang->nr_ranks,
		.is_on = !gang->is_stalled && !is_off(g, gang),
		.is_stalled = gang->is_stalled,
		.nr_preempted = up.nr_preempted,
	};
	return 0;
}
