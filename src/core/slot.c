// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/slot.h"

/* Tell queue ids and share ids from entity ids, whose slot numbers are smaller. */
#define QUEUE_TAG 0x80000000U
#define SHARE_TAG 0x40000000U
#define GEN_LAST 0xffffffffU

struct gp_entity *gp_entity_find(const struct gp_sched *s, u64 id)
{
	u32 slot = (u32)id;
	struct gp_entity *e;

	if (slot >= s->config.max_entities)
		return NULL;
	e = &s->entity[slot];
	return e->live && e->gen == id >> 32 ? e : NULL;
}

static void link_entity(struct gp_sched *s, struct gp_node *n, struct gp_entity *e)
{
	u32 slot = gp_entity_slot(s, e);

	e->prev = GP_SLOT_NONE;
	e->next = n->entities;
	if (e->next != GP_SLOT_NONE)
		s->entity[e->next].prev = slot;
	n->entities = slot;
	n->nr_live++;
	n->nr_on++;
}

static void unlink_entity(struct gp_sched *s, struct gp_node *n, struct gp_entity *e)
{
	if (e->prev == GP_SLOT_NONE)
		n->entities = e->next;
	else
		s->entity[e->prev].next = e->next;
	if (e->next != GP_SLOT_NONE)
		s->entity[e->next].prev = e->prev;
	n->nr_live--;
}

struct gp_entity *gp_entity_alloc(struct gp_sched *s, struct gp_node *n)
{
	struct gp_entity *e;
	u32 gen;

	if (s->free_entity == GP_SLOT_NONE)
		return NULL;
	e = &s->entity[s->free_entity];
	s->free_entity = e->next;
	gen = e->gen + 1;
	memset(e, 0, sizeof(*e));
	memset(e->in, GP_HEAP_NOWHERE, sizeof(e->in));
	e->gen = gen;
	e->live = true;
	e->node = (u8)n->index;
	e->queue = GP_SLOT_NONE;
	e->off_since_ns = GP_NOT_OFF;
	e->clock_ns = U64_MAX;
	link_entity(s, n, e);
	return e;
}

void gp_entity_free(struct gp_sched *s, struct gp_node *n, struct gp_entity *e)
{
	while (e->queue != GP_SLOT_NONE)
		gp_queue_free(s, &s->queue[e->queue]);
	unlink_entity(s, n, e);
	e->live = false;
	if (e->gen == GEN_LAST)
		return;
	e->next = s->free_entity;
	s->free_entity = gp_entity_slot(s, e);
}

u64 gp_queue_id(const struct gp_sched *s, const struct gp_queue *q)
{
	return (u64)q->gen << 32 | QUEUE_TAG | (u32)(q - s->queue);
}

struct gp_queue *gp_queue_find(const struct gp_sched *s, u64 id)
{
	u32 slot = (u32)id ^ QUEUE_TAG;
	struct gp_queue *q;

	if (slot >= s->config.max_queues)
		return NULL;
	q = &s->queue[slot];
	return q->live && q->gen == id >> 32 ? q : NULL;
}

struct gp_queue *gp_queue_alloc(struct gp_sched *s, struct gp_entity *e)
{
	u32 slot = s->free_queue;
	struct gp_queue *q;

	if (slot == GP_SLOT_NONE)
		return NULL;
	q = &s->queue[slot];
	s->free_queue = q->next;
	*q = (struct gp_queue){
		.gen = q->gen + 1,
		.entity = gp_entity_slot(s, e) & (GP_ENTITIES_MAX - 1),
		.next = e->queue,
		.prev = GP_SLOT_NONE,
		.live = true,
	};
	if (e->queue != GP_SLOT_NONE)
		s->queue[e->queue].prev = slot;
	e->queue = slot;
	e->nr_queues++;
	s->node[e->node].nr_on_queues += gp_is_on(e);
	return q;
}

void gp_queue_free(struct gp_sched *s, struct gp_queue *q)
{
	struct gp_entity *e = &s->entity[q->entity];

	if (q->prev == GP_SLOT_NONE)
		e->queue = q->next;
	else
		s->queue[q->prev].next = q->next;
	if (q->next != GP_SLOT_NONE)
		s->queue[q->next].prev = q->prev;
	e->nr_queues--;
	s->node[e->node].nr_on_queues -= gp_is_on(e);
	q->live = false;
	if (q->gen == GEN_LAST)
		return;
	q->next = s->free_queue;
	s->free_queue = (u32)(q - s->queue);
}

u64 gp_share_id(const struct gp_sched *s, const struct gp_share *g)
{
	return (u64)g->gen << 32 | SHARE_TAG | gp_share_slot(s, g);
}

struct gp_share *gp_share_find(const struct gp_sched *s, u64 id)
{
	u32 slot = (u32)id ^ SHARE_TAG;
	struct gp_share *g;

	if (slot >= s->config.max_shares)
		return NULL;
	g = &s->share[slot];
	return g->live && g->gen == id >> 32 ? g : NULL;
}

struct gp_share *gp_share_alloc(struct gp_sched *s, const struct gp_node *n,
				struct gp_share *parent)
{
	struct gp_share *g;

	if (s->free_share == GP_SLOT_NONE)
		return NULL;
	g = &s->share[s->free_share];
	s->free_share = g->next;
	*g = (struct gp_share){
		.gen = g->gen + 1,
		.live = true,
		.node = (u8)n->index,
		.depth = parent ? (u8)(parent->depth + 1) : 0,
		.parent = parent ? gp_share_slot(s, parent) : GP_SLOT_NONE,
		.entity = GP_SLOT_NONE,
		.child = GP_SLOT_NONE,
		.capped = GP_SLOT_NONE,
		.at_ns = n->now_ns,
		.period_ns = n->now_ns,
		.next_ns = U64_MAX,
	};
	if (parent)
		parent->nr_children++;
	return g;
}

void gp_share_free(struct gp_sched *s, struct gp_share *g)
{
	if (g->parent != GP_SLOT_NONE)
		s->share[g->parent].nr_children--;
	g->live = false;
	if (g->gen == GEN_LAST)
		return;
	g->next = s->free_share;
	s->free_share = gp_share_slot(s, g);
}
