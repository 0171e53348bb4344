/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Entities: the table of legal transitions, what each transition accounts, and
 * which heaps an entity is in. Private to the core; the caller of the event
 * serialises. Whatever moves an entity between heaps takes O(log n).
 */
#ifndef GP_CORE_ENTITY_H
#define GP_CORE_ENTITY_H

#include "core/sched_types.h"
#include "core/slot.h"

/**
 * gp_entity_may_become() - the table of legal transitions
 * @from: state
 * @to: next state
 *
 * Return: true if the transition is legal.
 */
bool gp_entity_may_become(enum gp_entity_state from, enum gp_entity_state to);

/**
 * gp_entity_set_state() - change the state, with all that belongs to it
 * @c: call
 * @e: entity
 * @to: next state
 *
 * Return: true; false and a warning if the table forbids it, nothing is changed.
 */
bool gp_entity_set_state(struct gp_call *c, struct gp_entity *e, enum gp_entity_state to);

/**
 * gp_entity_detach() - take an entity out of scheduling without a word, before it is freed
 * @c: call
 * @e: entity in any state
 */
void gp_entity_detach(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_begin_out() - a new entity is off the GPU, and stays there for min_run_ns
 * @c: call
 * @e: entity
 */
void gp_entity_begin_out(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_lose() - an entity is LOST
 * @c: call
 * @e: entity in any state
 */
void gp_entity_lose(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_place() - put an entity into the heaps its state asks for
 * @c: call
 * @e: entity
 */
void gp_entity_place(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_rekey() - charge the entity, ask the policy for its key, and place it
 * @c: call
 * @e: entity
 */
void gp_entity_rekey(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_freeze() - forbid to switch an entity until a time
 * @c: call
 * @e: entity
 * @until_ns: time
 */
void gp_entity_freeze(struct gp_call *c, struct gp_entity *e, u64 until_ns);

/**
 * gp_entity_set_stubborn() - the breaker waits for its return no longer, or again
 * @c: call
 * @e: entity
 * @on: it refused too many resumes; idempotent
 */
void gp_entity_set_stubborn(struct gp_call *c, struct gp_entity *e, bool on);

/**
 * gp_entity_thaw() - the end of gp_entity_freeze()
 * @c: call
 * @e: entity
 */
void gp_entity_thaw(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_redo() - nothing is in the way any more of preempting it once more
 * @c: call
 * @e: entity, PREEMPTED
 */
void gp_entity_redo(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_got_work() - the first queue became busy
 * @c: call
 * @e: entity; its count of busy queues is up to date
 */
void gp_entity_got_work(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_wait_again() - the bound on the time off the GPU begins anew
 * @c: call
 * @e: entity, PREEMPTED
 */
void gp_entity_wait_again(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_lost_work() - the last queue became idle
 * @c: call
 * @e: entity; its count of busy queues is up to date
 */
void gp_entity_lost_work(struct gp_call *c, struct gp_entity *e);

/**
 * gp_entity_enlist() - put an entity at the end of a list, and take it off any other
 * @c: call
 * @e: entity
 * @kind: list, GP_LIST_NONE = none; idempotent
 */
void gp_entity_enlist(struct gp_call *c, struct gp_entity *e, enum gp_list_kind kind);

/**
 * gp_entity_listed() - the first entity of a list of the node
 * @c: call
 * @kind: list
 *
 * Return: the entity, NULL if the list is empty.
 */
static inline struct gp_entity *gp_entity_listed(const struct gp_call *c, enum gp_list_kind kind)
{
	u32 slot = c->n->list[kind].first;

	return slot == GP_SLOT_NONE ? NULL : &c->s->entity[slot];
}

/**
 * gp_entity_first() - the first entry of a heap of the node
 * @c: call
 * @kind: heap
 *
 * Return: the entry, NULL if the heap is empty.
 */
static inline const struct gp_heap_entry *gp_entity_first(const struct gp_call *c,
							  enum gp_heap_kind kind)
{
	return gp_heap_top(&c->s->pool[gp_pool_of(kind)], &c->n->heap[kind]);
}

/**
 * gp_entity_top() - the first entity of a heap of the node
 * @c: call
 * @kind: heap
 *
 * Return: the entity, NULL if the heap is empty.
 */
static inline struct gp_entity *gp_entity_top(const struct gp_call *c, enum gp_heap_kind kind)
{
	const struct gp_heap_entry *top = gp_entity_first(c, kind);

	return top ? &c->s->entity[top->item] : NULL;
}

/**
 * gp_entity_is_in_flight() - is it a member of the switch in flight?
 * @e: entity
 *
 * Return: true if it is.
 */
static inline bool gp_entity_is_in_flight(const struct gp_entity *e)
{
	return e->state == GP_ENTITY_PREEMPTING || e->state == GP_ENTITY_RESUMING;
}

#endif
