/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: What the core knows of gangs
 *
 * A gang has entities on several nodes, a node none of the others. What is decided of a gang
 * (rules/gang.h) its entities are told by their gates, and what that decision has to know
 * of a node is taken here.
 */
#ifndef GP_CORE_SCHED_GANG_H
#define GP_CORE_SCHED_GANG_H

#include "core/sched.h"

/*
 * The gate of an entity: what was decided of its gang.
 *
 * NONE  it is in no gang
 * OPEN  it runs as soon as the policy lets it: under policies that take turns that is at
 *       once, under others its own key decides. It comes back whatever the rate limit is
 *       and whatever went idle a moment ago: the decision is not this node's
 * SHUT  it leaves the GPU at once, with work or without, and stays off, without a bound
 *       of this node on how long
 *
 * As long as preemption is suspended on a node, all gates are as good as open.
 */
enum gp_gate {
	GP_GATE_NONE,
	GP_GATE_OPEN,
	GP_GATE_SHUT,
	GP_GATE_COUNT
};

/**
 * gp_sched_entity_gate() - what was decided of the gang of an entity
 * @s: scheduler
 * @id: entity
 * @gate: the gate from now on; idempotent
 * @now_ns: time
 * @out: actions
 *
 * Return: 0, -ENOENT, -EINVAL no such gate, or the scheduler has none.
 */
int gp_sched_entity_gate(struct gp_sched *s, u64 id, enum gp_gate gate, u64 now_ns,
			 struct gp_actions *out);

/**
 * gp_sched_set_alone() - let entities of a level run one at a time, or together
 * @s: scheduler
 * @node: node index
 * @alone: one at a time: under prio and laxity, which let all of a level run together
 *	else, those of a level take turns of turn_ns; and none stays, as it came back a
 *	moment ago or is about to end, beside one that comes
 * @now_ns: time
 * @out: actions
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_set_alone(struct gp_sched *s, u32 node, bool alone, u64 now_ns,
		       struct gp_actions *out);

/* What has changed of an entity that has a gate. */
struct gp_gang_news {
	u64 id;		 /* entity */
	bool has_work;	 /* it has work and is not lost */
	bool is_out;	 /* it is off the GPU or leaves it, and does not come back just now */
	bool is_settled; /* it is where its gate wants it, as far as the node can bring it there */
};

/**
 * gp_sched_has_gang_news() - is there anything that concerns gangs?
 * @s: scheduler
 * @node: node index, valid
 *
 * Return: true if gp_sched_gang_news() gives something or gp_sched_local_weight() has changed
 * since it was asked last.
 */
bool gp_sched_has_gang_news(const struct gp_sched *s, u32 node);

/**
 * gp_sched_gang_news() - take the next change of an entity that has a gate
 * @s: scheduler
 * @node: node index, valid
 * @news: output
 *
 * O(1). An entity that has changed several times since is told once.
 *
 * Return: false if there is none.
 */
bool gp_sched_gang_news(struct gp_sched *s, u32 node, struct gp_gang_news *news);

/**
 * gp_sched_local_weight() - how much work there is on a node that is in no gang
 * @s: scheduler
 * @node: node index, valid
 *
 * Return: sum of the weights of the entities with work and without a gate.
 */
u64 gp_sched_local_weight(struct gp_sched *s, u32 node);

/**
 * gp_sched_node_takes_turns() - do entities of a node take turns, more urgent ones too?
 * @s: scheduler
 * @node: node index, valid
 *
 * Return: true under policies of turns: fair, slice, mlfq.
 */
bool gp_sched_node_takes_turns(const struct gp_sched *s, u32 node);

#endif
