/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the core learns from the past: how long a switch takes on a node, and
 * how long an entity is busy at a time. Private to the core; the caller of the
 * event serialises.
 */
#ifndef GP_CORE_COST_H
#define GP_CORE_COST_H

#include "core/sched_types.h"

/**
 * gp_cost_learn_switch() - a switch that preempted entities has ended well
 * @c: call
 * @took_ns: how long it took
 *
 * Context: caller serialises.
 */
void gp_cost_learn_switch(struct gp_call *c, u64 took_ns);

/**
 * gp_cost_learn_burst() - an entity has done all its work
 * @e: entity; gp_entity.burst_ns is the time it ran for that
 *
 * Context: caller serialises.
 */
void gp_cost_learn_burst(struct gp_entity *e);

/**
 * gp_cost_spare_until() - is a victim expected to end before a switch would?
 * @c: call
 * @e: victim
 *
 * Only one that was running before: one that came back while others have the
 * GPU would otherwise never leave if its bursts are short. Once per burst.
 *
 * Context: caller serialises.
 * Return: the time it is expected to end, 0 = preempt it.
 */
u64 gp_cost_spare_until(const struct gp_call *c, const struct gp_entity *e);

#endif
