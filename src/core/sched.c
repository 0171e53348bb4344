// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The events. Each finds what it is about, changes that, and ends in
 * gp_decide(), which turns the new situation into actions.
 */
#include "core/breaker.h"
#include "core/emit.h"
#include "core/entity.h"
#include "core/gate.h"
#include "core/guard.h"
#include "core/policy.h"
#include "core/request.h"
#include "core/share.h"
#include "core/switch.h"

void gp_attr_default(struct gp_attr *attr)
{
	*attr = (struct gp_attr){
		.prio = GP_PRIO_DEFAULT,
		.weight = GP_WEIGHT_DEFAULT,
	};
}

bool gp_attr_is_valid(const struct gp_attr *attr)
{
	return attr->prio <= GP_PRIO_MAX && attr->weight >= 1 && attr->weight <= GP_WEIGHT_MAX;
}

static void clear(struct gp_actions *out)
{
	out->node = 0;
	out->nr = 0;
}

/* A clock that goes back is taken to stand still. */
static struct gp_call begin(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out)
{
	struct gp_node *n = &s->node[node];

	n->now_ns = max(n->now_ns, now_ns);
	out->node = node;
	s->stats[node].nr_events++;
	return (struct gp_call){
		.s = s,
		.n = n,
		.stats = &s->stats[node],
		.now_ns = n->now_ns,
		.out = out,
	};
}

static int end(struct gp_call *c)
{
	gp_decide(c, false);
	return 0;
}

static int entity_add(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
		      bool is_out, u64 now_ns, struct gp_actions *out, u64 *id)
{
	struct gp_entity *e;
	struct gp_call c;

	clear(out);
	if (node >= s->config.nr_nodes || !gp_attr_is_valid(attr))
		return -EINVAL;
	e = gp_entity_alloc(s, &s->node[node]);
	if (!e)
		return -ENOSPC;
	c = begin(s, node, now_ns, out);
	e->attr = *attr;
	e->cookie = cookie;
	*id = gp_entity_id(s, e);
	c.stats->nr_entities = c.n->nr_live;
	gp_trace_emit_attr(&c, GP_TRACE_EVENT_ADD, *id, attr, cookie, is_out);
	if (is_out)
		gp_entity_begin_out(&c, e);
	gp_entity_place(&c, e);
	gp_emit_arm(&c, *id, true);
	return end(&c);
}

int gp_sched_entity_add(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
			u64 now_ns, struct gp_actions *out, u64 *id)
{
	return entity_add(s, node, attr, cookie, false, now_ns, out, id);
}

int gp_sched_entity_add_out(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
			    u64 now_ns, struct gp_actions *out, u64 *id)
{
	return entity_add(s, node, attr, cookie, true, now_ns, out, id);
}

int gp_sched_entity_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out)
{
	struct gp_entity *e = gp_entity_find(s, id);
	struct gp_call c;

	clear(out);
	if (!e)
		return -ENOENT;
	c = begin(s, e->node, now_ns, out);
	gp_trace_emit(&c, GP_TRACE_EVENT_REMOVE, id, 0, 0);
	gp_entity_detach(&c, e);
	gp_entity_enlist(&c, e, GP_LIST_NONE);
	gp_gate_forget(&c, e);
	gp_entity_free(s, c.n, e);
	c.stats->nr_entities = c.n->nr_live;
	return end(&c);
}

int gp_sched_entity_set_attr(struct gp_sched *s, u64 id, const struct gp_attr *attr, u64 now_ns,
			     struct gp_actions *out)
{
	struct gp_entity *e = gp_entity_find(s, id);
	struct gp_call c;

	clear(out);
	if (!e)
		return -ENOENT;
	if (!gp_attr_is_valid(attr))
		return -EINVAL;
	c = begin(s, e->node, now_ns, out);
	gp_trace_emit_attr(&c, GP_TRACE_EVENT_ATTR, id, attr, 0, false);
	/* What has run so far is charged by the old attributes. */
	gp_entity_rekey(&c, e);
	e->attr = *attr;
	gp_share_reweigh(&c, e);
	gp_entity_rekey(&c, e);
	if (e->state == GP_ENTITY_PREEMPTED && !e->frozen)
		gp_entity_redo(&c, e);
	return end(&c);
}

int gp_sched_entity_gate(struct gp_sched *s, u64 id, enum gp_gate gate, u64 now_ns,
			 struct gp_actions *out)
{
	struct gp_entity *e = gp_entity_find(s, id);
	struct gp_call c;

	clear(out);
	if (!e)
		return -ENOENT;
	if ((u32)gate >= GP_GATE_COUNT || !s->config.has_gates)
		return -EINVAL;
	c = begin(s, e->node, now_ns, out);
	gp_trace_emit(&c, GP_TRACE_EVENT_GATE, id, gate, 0);
	if (e->gate != (u8)gate)
		gp_gate_set(&c, e, gate);
	return end(&c);
}

int gp_sched_entity_join(struct gp_sched *s, u64 id, u64 share, u64 now_ns,
			 struct gp_actions *out)
{
	struct gp_entity *e = gp_entity_find(s, id);
	struct gp_share *g = gp_share_find(s, share);
	struct gp_call c;

	clear(out);
	if (!e || (!g && share != GP_ID_NONE))
		return -ENOENT;
	if (g && g->node != e->node)
		return -EINVAL;
	c = begin(s, e->node, now_ns, out);
	gp_trace_emit(&c, GP_TRACE_EVENT_JOIN, id, share, 0);
	if (e->state != GP_ENTITY_LOST) {
		/* What has run so far is charged by the old share. */
		gp_entity_rekey(&c, e);
		gp_share_join(&c, e, g);
		gp_entity_rekey(&c, e);
	}
	return end(&c);
}

static int find_parent(struct gp_sched *s, u32 node, u64 id, struct gp_share **parent)
{
	*parent = gp_share_find(s, id);
	if (id == GP_ID_NONE)
		return 0;
	if (!*parent)
		return -ENOENT;
	return (*parent)->node != node || (*parent)->depth + 1U >= GP_SHARE_DEPTH_MAX ? -EINVAL : 0;
}

int gp_sched_share_add(struct gp_sched *s, u32 node, u64 parent, const struct gp_share_attr *attr,
		       u64 cookie, u64 now_ns, struct gp_actions *out, u64 *id)
{
	struct gp_share *up, *g;
	struct gp_call c;
	int err;

	clear(out);
	if (node >= s->config.nr_nodes || !gp_share_attr_is_valid(attr))
		return -EINVAL;
	err = find_parent(s, node, parent, &up);
	if (err)
		return err;
	c = begin(s, node, now_ns, out);
	g = gp_share_alloc(s, c.n, up);
	if (!g)
		return -ENOSPC;
	g->attr = *attr;
	g->info.cookie = cookie;
	g->info.node = node;
	*id = gp_share_id(s, g);
	gp_trace_emit_share(&c, GP_TRACE_EVENT_SHARE_ADD, *id, attr, parent);
	return end(&c);
}

int gp_sched_share_set_attr(struct gp_sched *s, u64 id, const struct gp_share_attr *attr,
			    u64 now_ns, struct gp_actions *out)
{
	struct gp_share *g = gp_share_find(s, id);
	struct gp_call c;

	clear(out);
	if (!g)
		return -ENOENT;
	if (!gp_share_attr_is_valid(attr))
		return -EINVAL;
	c = begin(s, g->node, now_ns, out);
	gp_trace_emit_share(&c, GP_TRACE_EVENT_SHARE_ATTR, id, attr, GP_ID_NONE);
	gp_share_set_attr(&c, g, attr);
	return end(&c);
}

int gp_sched_share_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out)
{
	struct gp_share *g = gp_share_find(s, id);
	struct gp_call c;

	clear(out);
	if (!g)
		return -ENOENT;
	if (g->nr_entities || g->nr_children)
		return -EBUSY;
	c = begin(s, g->node, now_ns, out);
	gp_trace_emit(&c, GP_TRACE_EVENT_SHARE_REMOVE, id, 0, 0);
	gp_share_forget(&c, g);
	gp_share_free(s, g);
	return end(&c);
}

/* What an entity brings along that began off the GPU is off it too. */
static bool brings_along(const struct gp_call *c, const struct gp_entity *e)
{
	return e->frozen && e->thaw_ns > c->now_ns && !e->nr_preempted && !e->nr_resumed &&
	       !e->nr_fail;
}

int gp_sched_queue_add(struct gp_sched *s, u64 entity, u64 cookie, u64 now_ns,
		       struct gp_actions *out, u64 *id)
{
	struct gp_entity *e = gp_entity_find(s, entity);
	struct gp_queue *q;
	struct gp_call c;

	clear(out);
	if (!e)
		return -ENOENT;
	q = gp_queue_alloc(s, e);
	if (!q)
		return -ENOSPC;
	c = begin(s, e->node, now_ns, out);
	*id = gp_queue_id(s, q);
	gp_trace_emit(&c, GP_TRACE_EVENT_QUEUE_ADD, entity, *id, cookie);
	if ((e->state == GP_ENTITY_PREEMPTED && !brings_along(&c, e)) ||
	    e->state == GP_ENTITY_PREEMPTING)
		gp_entity_enlist(&c, e, GP_LIST_AGAIN);
	/* Matters only if the resume is refused. */
	if (e->state == GP_ENTITY_RESUMING)
		e->redo = true;
	return end(&c);
}

static void lost_work(struct gp_call *c, struct gp_entity *e)
{
	bool ran = e->state == GP_ENTITY_RUNNING;
	u64 key = e->key;

	gp_entity_lost_work(c, e);
	if (ran)
		gp_guard_leader_idle(c, e, key);
}

/* Returns true if that is news to the entity. A lost one hears of nothing. */
static bool queue_set_busy(struct gp_call *c, struct gp_queue *q, bool busy)
{
	struct gp_entity *e = &c->s->entity[q->entity];

	if (q->busy == busy)
		return false;
	q->busy = busy;
	if (busy) {
		q->since_ns = c->now_ns;
		if (e->nr_busy++)
			return false;
		if (e->state != GP_ENTITY_LOST)
			gp_entity_got_work(c, e);
	} else {
		if (--e->nr_busy)
			return gp_request_look(c, e);
		if (e->state != GP_ENTITY_LOST)
			lost_work(c, e);
	}
	return true;
}

/* Among thousands of entities the one of an event is in no cache: all its parts at once. */
static void fetch(const struct gp_sched *s, u32 slot)
{
	const char *e = (const char *)&s->entity[slot];

	__builtin_prefetch(e);
	__builtin_prefetch(e + 64);
	__builtin_prefetch(e + 128);
	__builtin_prefetch(e + offsetof(struct gp_entity, mem.vruntime));
	__builtin_prefetch(&s->pool[GP_POOL_BEST].pos[slot]);
	__builtin_prefetch(&s->pool[GP_POOL_MOVE].pos[slot]);
}

/* The beginning of an event of a queue; NULL if there is no such queue. */
static struct gp_queue *queue_begin(struct gp_call *c, struct gp_sched *s, u64 id, u64 now_ns,
				    struct gp_actions *out, enum gp_trace_kind kind, u64 arg)
{
	struct gp_queue *q = gp_queue_find(s, id);

	clear(out);
	if (!q)
		return NULL;
	fetch(s, q->entity);
	*c = begin(s, s->entity[q->entity].node, now_ns, out);
	gp_trace_emit(c, kind, gp_entity_id(s, &s->entity[q->entity]), id, arg);
	return q;
}

/* Without news there is nothing to decide, unless it is late for the switch. */
static int queue_end(struct gp_call *c, bool news)
{
	if (news || gp_switch_is_late(c))
		gp_decide(c, false);
	return 0;
}

int gp_sched_queue_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;
	struct gp_queue *q = queue_begin(&c, s, id, now_ns, out, GP_TRACE_EVENT_QUEUE_REMOVE, 0);
	bool news;

	if (!q)
		return -ENOENT;
	news = queue_set_busy(&c, q, false);
	gp_queue_free(s, q);
	return queue_end(&c, news);
}

int gp_sched_queue_busy(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;
	struct gp_queue *q = queue_begin(&c, s, id, now_ns, out, GP_TRACE_EVENT_BUSY, 0);

	return q ? queue_end(&c, queue_set_busy(&c, q, true)) : -ENOENT;
}

int gp_sched_queue_idle(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;
	struct gp_queue *q = queue_begin(&c, s, id, now_ns, out, GP_TRACE_EVENT_IDLE, 0);

	return q ? queue_end(&c, queue_set_busy(&c, q, false)) : -ENOENT;
}

/* A time that cannot be true makes an entity less urgent, never more. */
static bool queue_progress(struct gp_call *c, struct gp_queue *q, u64 since_ns)
{
	struct gp_entity *e = &c->s->entity[q->entity];

	if (!q->busy)
		return false;
	e->tells = true;
	q->since_ns = max(q->since_ns, min(since_ns, c->now_ns));
	return gp_request_look(c, e);
}

int gp_sched_queue_progress(struct gp_sched *s, u64 id, u64 since_ns, u64 now_ns,
			    struct gp_actions *out)
{
	struct gp_call c;
	struct gp_queue *q =
		queue_begin(&c, s, id, now_ns, out, GP_TRACE_EVENT_PROGRESS, since_ns);

	return q ? queue_end(&c, queue_progress(&c, q, since_ns)) : -ENOENT;
}

int gp_sched_switch_done(struct gp_sched *s, u32 node, u64 seq, const u8 *results, u32 nr,
			 u64 now_ns, struct gp_actions *out)
{
	const struct gp_switch *sw;
	struct gp_call c;

	clear(out);
	if (node >= s->config.nr_nodes)
		return -EINVAL;
	sw = &s->node[node].sw;
	if (!seq || sw->seq != seq)
		return -ESTALE;
	if (nr != sw->nr_preempt + sw->nr_resume)
		return -EINVAL;
	c = begin(s, node, now_ns, out);
	gp_trace_emit_done(&c, results);
	gp_switch_end(&c, results);
	gp_decide(&c, true);
	return 0;
}

/* The beginning of an event of a node; false if there is no such node. */
static bool node_begin(struct gp_call *c, struct gp_sched *s, u32 node, u64 now_ns,
		       struct gp_actions *out, enum gp_trace_kind kind, u64 arg)
{
	clear(out);
	if (node >= s->config.nr_nodes)
		return false;
	*c = begin(s, node, now_ns, out);
	gp_trace_emit(c, kind, GP_ID_NONE, arg, 0);
	return true;
}

int gp_sched_timer(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_TIMER, 0))
		return -EINVAL;
	/* Early or not, the caller's timer may be spent: what is still wanted is said again. */
	c.n->timer_ns = U64_MAX;
	return end(&c);
}

int gp_sched_set_policy(struct gp_sched *s, u32 node, const char *name, u64 now_ns,
			struct gp_actions *out)
{
	const struct gp_policy_ops *policy;
	struct gp_call c;
	u32 i;

	clear(out);
	if (node >= s->config.nr_nodes)
		return -EINVAL;
	for (i = 0; (policy = gp_policy_at(i)); i++)
		if (!strcmp(policy->name, name))
			break;
	if (!policy)
		return -ENOENT;
	node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_POLICY, i);
	if (policy != c.n->policy)
		gp_policy_attach(&c, policy);
	return end(&c);
}

int gp_sched_set_enabled(struct gp_sched *s, u32 node, bool enabled, u64 now_ns,
			 struct gp_actions *out)
{
	struct gp_call c;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_ENABLE, enabled))
		return -EINVAL;
	c.n->enabled = enabled;
	return end(&c);
}

int gp_sched_set_room(struct gp_sched *s, u32 node, u32 entities, u32 queues, u64 now_ns,
		      struct gp_actions *out)
{
	u64 both = (u64)queues << 32 | entities;
	struct gp_call c;
	u32 slot;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_ROOM, both))
		return -EINVAL;
	c.n->room = entities;
	c.n->room_queues = queues;
	for (slot = c.n->entities; slot != GP_SLOT_NONE; slot = s->entity[slot].next) {
		struct gp_entity *e = &s->entity[slot];

		/* Those that were left out were not kept waiting. */
		if (e->state == GP_ENTITY_PREEMPTED && !e->nr_busy)
			gp_entity_wait_again(&c, e);
		else
			gp_entity_place(&c, e);
	}
	return end(&c);
}

int gp_sched_set_alone(struct gp_sched *s, u32 node, bool alone, u64 now_ns,
		       struct gp_actions *out)
{
	struct gp_call c;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_ALONE, alone))
		return -EINVAL;
	c.n->one = alone;
	gp_policy_attach(&c, c.n->policy);
	return end(&c);
}

int gp_sched_node_lost(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;
	u32 slot;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_NODE_LOST, 0))
		return -EINVAL;
	for (slot = c.n->entities; slot != GP_SLOT_NONE; slot = s->entity[slot].next)
		gp_entity_lose(&c, &s->entity[slot]);
	gp_switch_forget(&c);
	gp_guard_forget(&c);
	gp_breaker_lost(&c);
	return end(&c);
}

int gp_sched_node_back(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out)
{
	struct gp_call c;

	if (!node_begin(&c, s, node, now_ns, out, GP_TRACE_EVENT_NODE_BACK, 0))
		return -EINVAL;
	gp_breaker_back(&c);
	return end(&c);
}
