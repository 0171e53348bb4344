/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The request of an entity: the oldest work it has not completed. A deadline
 * belongs to it, so it is renewed whenever work completes. Private to the core;
 * the caller of the event serialises.
 *
 * An entity that never tells of completions has one request for each time it is
 * busy. So that an endless one neither has a deadline long past for ever nor
 * starves, a deadline is worth a budget of run time (constant bandwidth): when
 * that is used up, the request counts as one that has just arrived. The budget is
 * the length of the deadline for an entity that tells of completions, for no
 * request can need more and be in time; and half of it for others, which then
 * never come near to the deadlines of shorter ones.
 *
 * Requests that are late already when their turn comes share one budget: a
 * backlog, however long, is no claim to the GPU.
 *
 * A late request is ranked as one that came a whole deadline later. It is lost anyway,
 * and would make those late that can still be in time, one after the other: an EDF that
 * is overloaded for a moment misses nearly all. It is ranked so once, or requests with
 * long deadlines would starve where there is always too much to do.
 */
#ifndef GP_CORE_REQUEST_H
#define GP_CORE_REQUEST_H

#include "core/sched_types.h"

/**
 * gp_request_look() - a queue completed work or became idle: which request is the oldest now?
 * @c: call
 * @e: entity with work
 *
 * O(queues of the entity).
 * Return: true if the node's policy has to be asked about the entity again.
 */
bool gp_request_look(struct gp_call *c, struct gp_entity *e);

/**
 * gp_request_restart() - gp_policy_ops.busy of policies with deadlines
 * @c: call
 * @e: entity
 */
void gp_request_restart(struct gp_call *c, struct gp_entity *e);

/**
 * gp_request_end() - gp_policy_ops.idle of policies with deadlines
 * @c: call
 * @e: entity
 */
void gp_request_end(struct gp_call *c, struct gp_entity *e);

/**
 * gp_request_charge() - gp_policy_ops.charge of policies with deadlines
 * @c: call
 * @e: entity
 * @ran_ns: run time
 */
void gp_request_charge(struct gp_call *c, struct gp_entity *e, u64 ran_ns);

/**
 * gp_request_rank_ns() - the deadline by which the entity is ranked
 * @c: call
 * @e: entity
 *
 * Return: gp_request_deadline_ns(), of a late request one deadline more; U64_MAX = it has
 * no deadline.
 */
u64 gp_request_rank_ns(const struct gp_call *c, const struct gp_entity *e);

/**
 * gp_request_clock_ns() - when can that change by itself?
 * @c: call
 * @e: entity
 *
 * Of what does not run nothing is asked: its deadline is later than that of what does, or
 * it is asked as soon as it runs.
 *
 * Return: the time it is late, or its budget is used up if it goes on running; U64_MAX =
 * never.
 */
u64 gp_request_clock_ns(const struct gp_call *c, const struct gp_entity *e);

/**
 * gp_request_left_ns() - run time that the request is expected to need still
 * @e: entity
 *
 * Return: duration; 0 if nothing is known.
 */
static inline u64 gp_request_left_ns(const struct gp_entity *e)
{
	return gp_since(e->mem.work_ns, e->mem.spent_ns);
}

/**
 * gp_request_deadline_ns() - when must the request be completed?
 * @e: entity
 *
 * Return: time, U64_MAX = it has no deadline.
 */
static inline u64 gp_request_deadline_ns(const struct gp_entity *e)
{
	if (!e->attr.deadline_ns)
		return U64_MAX;
	return gp_later(e->request_ns, e->attr.deadline_ns);
}

#endif
