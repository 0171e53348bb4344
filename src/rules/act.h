/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Carrying out what the core wants
 *
 * One struct gp_act serves one node of a scheduler. The caller tells the core of an event
 * with &gp_act.acts as the output and then calls gp_act_run():
 *
 *	if (!gp_sched_queue_busy(act->sched, id, now_ns, &act->acts))
 *		gp_act_run(act);
 *
 * gp_act_run() carries out the actions in order through struct gp_act_ops. A mechanism
 * that is over with a switch before it returns says so, and the core hears of it at once,
 * as often as a switch follows a switch. A mechanism that takes its time calls
 * gp_act_done() later.
 *
 * What is kept here: every switch is told to the core once, and a switch that has missed its
 * deadline is dropped before the next begins. A mechanism that is over, but too late, is told
 * with its results: the core knows what became of each member and trusts it less.
 *
 * The operations must not call the core or this file, but for queries. The caller serialises.
 */
#ifndef GP_RULES_ACT_H
#define GP_RULES_ACT_H

#include "core/sched.h"

struct gp_act;

/**
 * struct gp_act_ops - how a home carries out actions
 * @now_ns: the time
 * @begin: carry out gp_act.sw; results go to gp_act.results, which are GP_RESULT_OK before.
 *	Return: true if it is over, false if gp_act_done() follows
 * @drop: the switch gp_act.sw is not waited for any more; its ids are gone already. NULL =
 *	nothing is to be done
 * @set_timer: gp_act.timer_ns has changed: call gp_act_timer() then; U64_MAX = never. NULL =
 *	the caller looks at gp_act.timer_ns itself
 * @watch: an entity has no work (@arm: look for the first edge to busy) or has work.
 *	NULL = both edges of every queue are told anyway
 * @report: something worth telling happened to an entity, or to the node if @id is
 *	GP_ID_NONE. NULL = nothing is to be told
 * @gang: the node has news for rules/gang.h: note that, gp_gangs_run() comes later. NULL =
 *	there are no gangs
 */
struct gp_act_ops {
	u64 (*now_ns)(struct gp_act *a);
	bool (*begin)(struct gp_act *a);
	void (*drop)(struct gp_act *a);
	void (*set_timer)(struct gp_act *a);
	void (*watch)(struct gp_act *a, u64 id, bool arm);
	void (*report)(struct gp_act *a, enum gp_report report, u64 id);
	void (*gang)(struct gp_act *a);
};

/*
 * A node of a scheduler and what carries out its actions.
 *
 * Callers embed it. Large (nearly 2 KiB): not for a kernel stack.
 */
struct gp_act {
	struct gp_sched *sched;	      /* scheduler */
	const struct gp_act_ops *ops; /* operations */
	u32 node;		      /* index of the node */
	bool is_switching;	      /* @sw is in flight */
	u64 timer_ns;		      /* time of the next call, U64_MAX = never */
	struct gp_switch sw;	      /* the switch in flight, or the last one */
	u8 *results;		      /* enum gp_result, in the order of gp_switch.id */
	struct gp_actions acts;	      /* output of the last event */
};

/**
 * gp_act_result() - what became of a member, from the errno of what was tried
 * @err: 0 or -errno
 *
 * Return: gone, busy for now, or a failure of the mechanism.
 */
static inline enum gp_result gp_act_result(int err)
{
	switch (err) {
	case 0:
		return GP_RESULT_OK;
	case -ESRCH:
	case -ENOENT:
	case -EPIPE:
		return GP_RESULT_GONE;
	case -EBUSY:
	case -EAGAIN:
		return GP_RESULT_BUSY;
	default:
		return GP_RESULT_ERROR;
	}
}

/**
 * gp_act_init() - begin to serve a node
 * @a: output
 * @sched: scheduler
 * @node: index of the node
 * @ops: operations; must outlive @a
 */
void gp_act_init(struct gp_act *a, struct gp_sched *sched, u32 node, const struct gp_act_ops *ops);

/**
 * gp_act_run() - carry out gp_act.acts, and what follows from it at once
 * @a: node; gp_act.acts was filled by the core just now
 *
 * Context: as the operations need. Each round ends a switch; the core bounds how many
 * follow each other without a timer.
 */
void gp_act_run(struct gp_act *a);

/**
 * gp_act_done() - the switch in flight is over
 * @a: node, results in gp_act.results; nothing happens if no switch is in flight
 */
void gp_act_done(struct gp_act *a);

/**
 * gp_act_timer() - call the core if it is time to
 * @a: node; early and spurious calls do nothing
 */
void gp_act_timer(struct gp_act *a);

#endif
