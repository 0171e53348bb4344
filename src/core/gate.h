/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Gates: what was decided of an entity's gang, and the news of it that a decision
 * needs (rules/gang.h). Private to the core; the caller of the event serialises. Each call
 * takes O(log n).
 */
#ifndef GP_CORE_GATE_H
#define GP_CORE_GATE_H

#include "core/sched_types.h"

/**
 * gp_gate_must_leave() - is an entity on the GPU though its gate is shut?
 * @e: entity
 *
 * Return: true if so, and it is not on its way.
 */
static inline bool gp_gate_must_leave(const struct gp_entity *e)
{
	return gp_is_shut(e) && (e->state == GP_ENTITY_IDLE || e->state == GP_ENTITY_WAITING ||
				 e->state == GP_ENTITY_RUNNING);
}

/**
 * gp_gate_set() - the gate of an entity is another
 * @c: call
 * @e: entity
 * @gate: gate
 */
void gp_gate_set(struct gp_call *c, struct gp_entity *e, enum gp_gate gate);

/**
 * gp_gate_note() - something of an entity has changed that may concern gangs
 * @c: call
 * @e: entity
 */
void gp_gate_note(struct gp_call *c, struct gp_entity *e);

/**
 * gp_gate_forget() - an entity is about to be freed
 * @c: call
 * @e: entity, LOST
 */
void gp_gate_forget(struct gp_call *c, struct gp_entity *e);

#endif
