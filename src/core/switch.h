/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Switches: the decision for one, its start, its results, and what happens if
 * there are none. Private to the core; the caller of the event serialises.
 */
#ifndef GP_CORE_SWITCH_H
#define GP_CORE_SWITCH_H

#include "core/sched_types.h"

/**
 * gp_decide() - last step of every event: start a switch if one is due, set the timer
 * @c: call
 * @settled: a switch has just ended, so that those it was for may run now even
 *	if the next switch begins at once
 *
 * O(log n) per member of the switch.
 */
void gp_decide(struct gp_call *c, bool settled);

/**
 * gp_switch_plan() - begin to plan a switch, in gp_node.sw
 * @c: call
 *
 * No switch is in flight.
 */
void gp_switch_plan(struct gp_call *c);

/**
 * gp_switch_is_planned() - has the planned switch members?
 * @c: call
 *
 * A switch is being planned.
 * Return: true if it has any.
 */
static inline bool gp_switch_is_planned(const struct gp_call *c)
{
	return c->n->sw.nr_preempt || c->n->sw.nr_resume;
}

/**
 * gp_switch_room() - how many more members the planned switch can have
 * @c: call
 *
 * A switch is being planned.
 * Return: number of members.
 */
static inline u32 gp_switch_room(const struct gp_call *c)
{
	return gp_switch_max(&c->s->config) - c->n->sw.nr_preempt - c->n->sw.nr_resume;
}

/**
 * gp_switch_preempt() - plan to preempt an entity; it is PREEMPTING from now on
 * @c: call
 * @e: entity; there is room for it
 *
 * A switch is being planned.
 */
void gp_switch_preempt(struct gp_call *c, struct gp_entity *e);

/**
 * gp_switch_resume() - plan to resume an entity; it is RESUMING from now on
 * @c: call
 * @e: entity; there is room for it
 *
 * A switch is being planned.
 */
void gp_switch_resume(struct gp_call *c, struct gp_entity *e);

/**
 * gp_switch_start() - make the planned switch the one in flight
 * @c: call
 *
 * The plan has at least one member.
 */
void gp_switch_start(struct gp_call *c);

/**
 * gp_switch_forget() - no switch is in flight any more, whatever became of its members
 * @c: call
 */
void gp_switch_forget(struct gp_call *c);

/**
 * gp_switch_end() - the mechanism has answered
 * @c: call
 * @results: one per member
 *
 * A switch is in flight.
 */
void gp_switch_end(struct gp_call *c, const u8 *results);

/**
 * gp_switch_is_late() - has the switch in flight missed its deadline?
 * @c: call
 *
 * Return: true if it has; false also if there is none.
 */
static inline bool gp_switch_is_late(const struct gp_call *c)
{
	return c->n->sw.seq && c->now_ns >= c->n->sw_deadline_ns;
}

/**
 * gp_switch_expire() - give the switch in flight up if it missed its deadline
 * @c: call
 *
 * What happened to its members is not known. They count as off the GPU, so
 * that the recovery switch that follows sets the level of each anew.
 */
void gp_switch_expire(struct gp_call *c);

#endif
