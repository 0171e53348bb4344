/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Slots and ids of entities, queues and shares. An id is the slot number and its
 * generation; a slot whose generations are used up is never given out again,
 * so that an id is never valid twice. Private to the core; the caller of the
 * event serialises.
 */
#ifndef GP_CORE_SLOT_H
#define GP_CORE_SLOT_H

#include "core/sched_types.h"

/**
 * gp_entity_slot() - slot number of an entity
 * @s: scheduler
 * @e: entity
 *
 * Return: the slot number.
 */
static inline u32 gp_entity_slot(const struct gp_sched *s, const struct gp_entity *e)
{
	return (u32)(e - s->entity);
}

/**
 * gp_entity_id() - id of an entity
 * @s: scheduler
 * @e: entity
 *
 * Return: the id.
 */
static inline u64 gp_entity_id(const struct gp_sched *s, const struct gp_entity *e)
{
	return (u64)e->gen << 32 | gp_entity_slot(s, e);
}

/**
 * gp_entity_find() - entity of an id
 * @s: scheduler
 * @id: id
 *
 * Return: the entity, NULL if there is none (any more).
 */
struct gp_entity *gp_entity_find(const struct gp_sched *s, u64 id);

/**
 * gp_entity_alloc() - take a slot, all zero but its generation: idle and on the GPU
 * @s: scheduler
 * @n: node it is linked to
 *
 * Return: the entity, NULL if the table is full.
 */
struct gp_entity *gp_entity_alloc(struct gp_sched *s, struct gp_node *n);

/**
 * gp_entity_free() - give a slot and those of its queues back
 * @s: scheduler
 * @n: its node
 * @e: entity that is in no heap and no list, LOST
 *
 * O(1) plus its queues.
 */
void gp_entity_free(struct gp_sched *s, struct gp_node *n, struct gp_entity *e);

/**
 * gp_share_slot() - slot number of a share
 * @s: scheduler
 * @g: share
 *
 * Return: the slot number.
 */
static inline u32 gp_share_slot(const struct gp_sched *s, const struct gp_share *g)
{
	return (u32)(g - s->share);
}

/**
 * gp_share_of() - share of an entity
 * @s: scheduler
 * @e: entity
 *
 * Return: slot number, GP_SLOT_NONE if it is in none.
 */
static inline u32 gp_share_of(const struct gp_sched *s, const struct gp_entity *e)
{
	return e->in_share ? s->place[gp_entity_slot(s, e)].share : GP_SLOT_NONE;
}

/**
 * gp_share_id() - id of a share
 * @s: scheduler
 * @g: share
 *
 * Return: the id.
 */
u64 gp_share_id(const struct gp_sched *s, const struct gp_share *g);

/**
 * gp_share_find() - share of an id
 * @s: scheduler
 * @id: id
 *
 * Return: the share, NULL if there is none (any more).
 */
struct gp_share *gp_share_find(const struct gp_sched *s, u64 id);

/**
 * gp_share_alloc() - take a slot, all zero but its generation and links
 * @s: scheduler
 * @n: node it is of
 * @parent: share it is in, NULL = none
 *
 * Return: the share, NULL if the table is full.
 */
struct gp_share *gp_share_alloc(struct gp_sched *s, const struct gp_node *n,
				struct gp_share *parent);

/**
 * gp_share_free() - give a slot back
 * @s: scheduler
 * @g: share with nothing in it, that is in no heap and no list
 */
void gp_share_free(struct gp_sched *s, struct gp_share *g);

/**
 * gp_queue_id() - id of a queue
 * @s: scheduler
 * @q: queue
 *
 * Return: the id; never equal to that of an entity.
 */
u64 gp_queue_id(const struct gp_sched *s, const struct gp_queue *q);

/**
 * gp_queue_find() - queue of an id
 * @s: scheduler
 * @id: id
 *
 * Return: the queue, NULL if there is none (any more).
 */
struct gp_queue *gp_queue_find(const struct gp_sched *s, u64 id);

/**
 * gp_queue_alloc() - take a queue slot
 * @s: scheduler
 * @e: entity it is linked to
 *
 * Return: the queue, NULL if the table is full.
 */
struct gp_queue *gp_queue_alloc(struct gp_sched *s, struct gp_entity *e);

/**
 * gp_queue_free() - give a queue slot back
 * @s: scheduler
 * @q: queue
 */
void gp_queue_free(struct gp_sched *s, struct gp_queue *q);

#endif
