/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Actions and trace records: everything an event tells the outside. Private to
 * the core; the caller of the event serialises.
 */
#ifndef GP_CORE_EMIT_H
#define GP_CORE_EMIT_H

#include "core/sched_types.h"

/**
 * gp_trace_record() - give a record to the trace hook, which there must be
 * @c: call
 * @kind: what
 * @id: entity or GP_ID_NONE
 * @arg0: see enum gp_trace_kind
 * @arg1: see enum gp_trace_kind
 */
void gp_trace_record(const struct gp_call *c, enum gp_trace_kind kind, u64 id, u64 arg0, u64 arg1);

/**
 * gp_trace_emit() - give a record to the trace hook, if there is one
 * @c: call
 * @kind: what
 * @id: entity or GP_ID_NONE
 * @arg0: see enum gp_trace_kind
 * @arg1: see enum gp_trace_kind
 */
static inline void gp_trace_emit(const struct gp_call *c, enum gp_trace_kind kind, u64 id,
				 u64 arg0, u64 arg1)
{
	if (c->s->config.trace)
		gp_trace_record(c, kind, id, arg0, arg1);
}

/**
 * gp_trace_emit_attr() - as gp_trace_emit(), for events with attributes
 * @c: call
 * @kind: what
 * @id: entity
 * @attr: attributes
 * @cookie: the caller's name, 0 if the event has none
 * @is_out: the event says that the entity is off the GPU
 */
void gp_trace_emit_attr(const struct gp_call *c, enum gp_trace_kind kind, u64 id,
			const struct gp_attr *attr, u64 cookie, bool is_out);

/**
 * gp_trace_emit_share() - as gp_trace_emit(), for events of shares
 * @c: call
 * @kind: what
 * @id: share
 * @attr: attributes
 * @parent: share it is in, GP_ID_NONE
 */
void gp_trace_emit_share(const struct gp_call *c, enum gp_trace_kind kind, u64 id,
			 const struct gp_share_attr *attr, u64 parent);

/**
 * gp_trace_emit_done() - as gp_trace_emit(), for the end of the switch in flight
 * @c: call
 * @results: one per member
 */
void gp_trace_emit_done(const struct gp_call *c, const u8 *results);

/**
 * gp_result_checked() - a result a mechanism can have meant
 * @result: what it said
 *
 * Return: the result, GP_RESULT_ERROR if there is no such value.
 */
static inline enum gp_result gp_result_checked(u8 result)
{
	return result < GP_RESULT_COUNT ? (enum gp_result)result : GP_RESULT_ERROR;
}

/**
 * gp_emit_arm() - action: tell me about the next edge
 * @c: call
 * @id: entity
 * @arm: true: when it becomes busy; false: when it becomes idle
 */
void gp_emit_arm(struct gp_call *c, u64 id, bool arm);

/**
 * gp_emit_report() - action: tell people
 * @c: call
 * @report: what happened
 * @id: to which entity, GP_ID_NONE = the node
 */
void gp_emit_report(struct gp_call *c, enum gp_report report, u64 id);

/**
 * gp_emit_lost() - actions: tell people of the entities on list UNTOLD
 * @c: call
 *
 * As many as there is room for; if there are more, gp_node.more is set.
 */
void gp_emit_lost(struct gp_call *c);

/**
 * gp_emit_switch() - action: carry out gp_node.sw
 * @c: call
 */
void gp_emit_switch(struct gp_call *c);

/**
 * gp_emit_timer() - action: set the node's timer, unless it is set so already
 * @c: call
 * @at_ns: when, U64_MAX = never
 */
void gp_emit_timer(struct gp_call *c, u64 at_ns);

#endif
