/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Guards: what the core enforces whatever the policy says. Minimum run time,
 * rate limit, hysteresis, starvation bound, and the time at which any of them
 * changes its mind. Private to the core; the caller of the event serialises.
 */
#ifndef GP_CORE_GUARD_H
#define GP_CORE_GUARD_H

#include "core/sched_types.h"

/*
 * Refused resumes in a row after which the breaker waits for an entity no
 * longer. It is still tried, with the longest pause, but its refusals say nothing
 * new about the mechanism and keep no other entity from being scheduled.
 */
#define GP_REFUSALS_MAX 8U

extern const struct gp_param_desc gp_guard_params[];
extern const u32 gp_guard_nr_params;

/**
 * gp_guard_expire() - thaw the entities for which it is time
 * @c: call
 *
 * At most GP_STEP_MAX entities; if there are more, gp_node.more is set.
 */
void gp_guard_expire(struct gp_call *c);

/**
 * gp_guard_take_token() - may a switch that counts begin now, as far as the rate goes?
 * @c: call
 *
 * Return: true: yes, and it is counted; false: not before gp_guard_next_ns().
 */
bool gp_guard_take_token(struct gp_call *c);

/**
 * gp_guard_force_token() - a switch begins whatever the rate is, and is counted
 * @c: call
 *
 * The debt has a bound: however many switches are forced, the next one that
 * asks has a token after one period.
 */
void gp_guard_force_token(struct gp_call *c);

/**
 * gp_guard_leader_idle() - a running entity has no work left: hysteresis begins
 * @c: call
 * @e: entity
 * @key: its key while it ran
 */
void gp_guard_leader_idle(struct gp_call *c, const struct gp_entity *e, u64 key);

/**
 * gp_guard_got_work() - an entity has work: a gap may be over
 * @c: call
 * @e: entity; its key is up to date
 */
void gp_guard_got_work(struct gp_call *c, const struct gp_entity *e);

/**
 * gp_guard_may_resume() - may an entity off the GPU come back because of its key?
 * @c: call
 * @key: its key
 *
 * Return: true if neither hysteresis nor a starved entity forbids it.
 */
static inline bool gp_guard_may_resume(const struct gp_call *c, u64 key)
{
	if (c->now_ns < c->n->alone_ns)
		return false;
	return c->now_ns >= c->n->resume_ns || key < c->n->resume_key;
}

/**
 * gp_guard_is_starving() - must an entity be resumed for the starvation bound?
 * @c: call
 *
 * Return: true if the first of heap STARVE has to be resumed now.
 */
bool gp_guard_is_starving(const struct gp_call *c);

/**
 * gp_guard_cut() - say which entities are resumed for the starvation bound
 * @c: call
 *
 * It is all that left the GPU up to gp_node.alone_cut_ns: those that have waited
 * half of the bound come along with the first that has waited for all of it.
 * However many there are and whenever they left, this takes the GPU away from
 * others at most twice per bound.
 *
 * Only while gp_guard_is_starving().
 */
void gp_guard_cut(struct gp_call *c);

/**
 * gp_guard_forget() - the node is lost: nothing that was promised holds any more
 * @c: call
 */
void gp_guard_forget(struct gp_call *c);

/**
 * gp_guard_resumed() - an entity is back on the GPU: minimum run time begins
 * @c: call
 * @e: entity
 */
void gp_guard_resumed(struct gp_call *c, struct gp_entity *e);

/**
 * gp_guard_keeps() - does a victim stay, as it came back a moment ago?
 * @c: call
 * @e: victim
 * @critical: it is to leave for a latency-critical one
 *
 * Return: true: it stays, and is frozen for as long.
 */
bool gp_guard_keeps(struct gp_call *c, struct gp_entity *e, bool critical);

/**
 * gp_guard_unsettle() - undo gp_guard_keeps() where it does not hold for latency-critical ones
 * @c: call
 *
 * Of the first GP_STEP_MAX that are frozen.
 */
void gp_guard_unsettle(struct gp_call *c);

/**
 * gp_guard_refused() - the mechanism refused an entity: pause before the next try
 * @c: call
 * @e: entity
 */
void gp_guard_refused(struct gp_call *c, struct gp_entity *e);

/**
 * gp_guard_next_ns() - when must the node be looked at again?
 * @c: call
 *
 * Return: time, U64_MAX = not before the next event.
 */
u64 gp_guard_next_ns(const struct gp_call *c);

/* cost.c: how long a switch takes on a node, and how long an entity is busy at a time. */

/**
 * gp_cost_learn_switch() - a switch that preempted entities has ended well
 * @c: call
 * @took_ns: how long it took
 */
void gp_cost_learn_switch(struct gp_call *c, u64 took_ns);

/**
 * gp_cost_learn_gap() - a gap of a level is over
 * @c: call
 * @level: level
 */
void gp_cost_learn_gap(struct gp_call *c, u32 level);

/**
 * gp_cost_pays_ns() - the shortest gap for which it pays to give the GPU back
 * @c: call
 *
 * Return: duration, at most hysteresis_ns; 0 if nothing is known.
 */
u64 gp_cost_pays_ns(const struct gp_call *c);

/**
 * gp_cost_wait_ns() - how long to wait before the GPU is given back in a gap
 * @c: call
 * @level: of what had work until now
 *
 * To give it back costs a switch there and another one back. That is dearer if the next
 * work comes before it has paid, as that work is delayed. Waiting costs the time waited.
 * Three ways are compared by what each would have cost in past gaps: not to wait, to wait
 * for a quarter of gp_cost_pays_ns(), and to wait for all of it; so that a GPU is not given
 * back for gaps that do not pay, and is at once where nearly all do. What one gap can
 * change is bounded, and what is waited is no more than hysteresis_ns whatever was learned.
 *
 * Return: duration.
 */
u64 gp_cost_wait_ns(const struct gp_call *c, u32 level);

/**
 * gp_cost_learn_burst() - an entity has done all its work
 * @e: entity; gp_entity.burst_ns is the time it ran for that
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
 * Return: the time it is expected to end, 0 = preempt it.
 */
u64 gp_cost_spare_until(const struct gp_call *c, const struct gp_entity *e);

#endif
