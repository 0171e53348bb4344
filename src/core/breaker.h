/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The circuit breaker of a node: whether the mechanism can be trusted. Private
 * to the core; the caller of the event serialises.
 *
 *   CLOSED --failure--> OPEN --time over, no entity off the GPU--> PROBATION
 *   PROBATION --failure--> OPEN, PROBATION --enough good switches--> CLOSED
 *
 * A failure is a switch that missed its deadline, or too many member errors in
 * a row; on probation one member error is enough. A resume that is refused as
 * busy for the second time or more in a row counts as an error.
 *
 * An entity that refused GP_REFUSALS_MAX resumes in a row is left out of all
 * this: it is tried again and again, but neither do its refusals count nor does
 * OPEN wait for it. One entity that cannot be brought back must not deprive
 * all others of the scheduler for ever.
 */
#ifndef GP_CORE_BREAKER_H
#define GP_CORE_BREAKER_H

#include "core/sched_types.h"

/**
 * gp_breaker_is_open() - must everything run under the stock driver?
 * @c: call
 *
 * Return: true if no entity may be preempted and all are to be resumed.
 */
static inline bool gp_breaker_is_open(const struct gp_call *c)
{
	return !c->n->enabled || c->stats->breaker == GP_BREAKER_OPEN ||
	       c->stats->breaker == GP_BREAKER_DEAD;
}

/**
 * gp_breaker_fail() - open, for a reason
 * @c: call
 * @reason: GP_REPORT_SWITCH_DEADLINE or GP_REPORT_SWITCH_ERROR
 */
void gp_breaker_fail(struct gp_call *c, enum gp_report reason);

/**
 * gp_breaker_is_error() - whether the result of a member counts against the mechanism
 * @e: the member, still in the state it has in the switch
 * @result: the result
 *
 * Return: true if it counts as an error.
 */
bool gp_breaker_is_error(const struct gp_entity *e, enum gp_result result);

/**
 * gp_breaker_switch() - a switch ended in time
 * @c: call
 * @nr_ok: members that did what they were told
 * @nr_errors: members that count as errors
 */
void gp_breaker_switch(struct gp_call *c, u32 nr_ok, u32 nr_errors);

/**
 * gp_breaker_tick() - go from OPEN to PROBATION if it is time
 * @c: call
 */
void gp_breaker_tick(struct gp_call *c);

/**
 * gp_breaker_lost() - the node is lost
 * @c: call
 */
void gp_breaker_lost(struct gp_call *c);

/**
 * gp_breaker_back() - a lost node is back, on probation; nothing if it was not lost
 * @c: call
 */
void gp_breaker_back(struct gp_call *c);

/**
 * gp_breaker_deadline_ns() - how long a switch may take now
 * @c: call
 *
 * A recovery switch that missed its deadline is sent again, each time with
 * twice the patience: bounded traffic to a mechanism that may be dead, without
 * ever giving an entity up.
 *
 * Return: duration.
 */
u64 gp_breaker_deadline_ns(const struct gp_call *c);

#endif
