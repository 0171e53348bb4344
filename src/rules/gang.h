/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Gangs
 *
 * A gang is a set of entities, one per node, that make progress only together: the ranks of
 * a job that meet in collectives. Whether it may run is decided once for all its nodes,
 * and carried out by the gate of each rank (enum gp_gate).
 *
 * The decision is that of a scheduler one level up, which is the same core: a gang is an
 * entity of it, and so is, under policies that take turns, all work in no gang. So gangs
 * have the policy and the guards that their nodes have: turns, minimum run,
 * hysteresis, rate limit, starvation bound. Nodes that gangs connect are a set;
 * each set has one such scheduler, and one gang of a set runs at a time, whichever nodes of the
 * set it has. So two gangs never hold half of what they need each. Gangs without a node in
 * common, directly or by way of others, know nothing of each other.
 *
 * Urgent work of one node. Under prio, edf and laxity a rank has the key that its attributes
 * give it, and whatever is more urgent takes its node at once: nothing waits for
 * other nodes. The other ranks stay where they are, as to save and restore them for a request
 * that is over soon costs more than they waste at their barrier. After stall_ns they leave
 * too, and their nodes are free for other work, of other gangs too; when the
 * rank's node is free again, the gang waits for its turn. Under policies that take turns all
 * work in no gang has turns as one, of the weight of the node that has most of it, so that it
 * interrupts a gang on all nodes at the same time.
 *
 * A node that does not answer. What was decided counts as carried out when each rank is where
 * its gate wants it, its node refused, or the preemption of its node is suspended, and
 * at the latest after twice deadline_ns. Then the next decision is taken. A rank that does not
 * come back counts as one that is kept off: after stall_ns the gang makes room.
 *
 * Nodes may have one struct gp_sched together or one each, with locks of their own: what
 * is needed of a node is used between gp_gangs_ops.enter() and leave(), of one node at
 * a time. All calls are serialised by the caller, and none comes from inside of struct
 * gp_act_ops: there gp_act_ops.gang() only notes the node for gp_gangs_run().
 *
 * Every call takes O(log n) for each rank that is concerned, but for gp_gangs_join() and
 * gp_gangs_leave(), which look at all gangs if they change the sets of nodes.
 */
#ifndef GP_RULES_GANG_H
#define GP_RULES_GANG_H

#include "rules/act.h"
#include "rules/group.h"

#define GP_GANG_NODES_MAX 64U
#define GP_GANGS_MAX 65536U

struct gp_gangs;

/**
 * struct gp_gangs_ops - how nodes are reached
 * @enter: begin to use a node. Return: what carries out its actions, NULL = it is gone
 * @leave: the end of that. NULL = nothing to do
 */
struct gp_gangs_ops {
	struct gp_act *(*enter)(void *data, u32 node);
	void (*leave)(void *data, u32 node);
};

/**
 * struct gp_gangs_config - size and surroundings
 * @nr_nodes: nodes, 1..GP_GANG_NODES_MAX
 * @max_gangs: most gangs at a time, 1..GP_GANGS_MAX
 * @max_ranks: most ranks of all gangs at a time
 * @ops: operations; must outlive the gangs
 * @data: their first argument
 */
struct gp_gangs_config {
	u32 nr_nodes;
	u32 max_gangs;
	u32 max_ranks;
	const struct gp_gangs_ops *ops;
	void *data;
};

/* What has happened so far. */
struct gp_gangs_stats {
	u32 nr_gangs;	  /* gangs now */
	u64 nr_switches;  /* decisions that took a gang off, or brought one back */
	u64 nr_late;	  /* of these, not carried out everywhere in time */
	u64 nr_stalled;	  /* times a gang made room because a rank was kept off */
};

/**
 * gp_gangs_size() - memory that is needed
 * @config: the configuration
 *
 * Return: bytes, or 0 if the configuration is out of range.
 */
size_t gp_gangs_size(const struct gp_gangs_config *config);

/**
 * gp_gangs_init() - no gangs yet
 * @mem: gp_gangs_size() bytes, 64-byte aligned; the caller owns it
 * @config: copied
 *
 * Return: the gangs, NULL if the configuration is out of range.
 */
struct gp_gangs *gp_gangs_init(void *mem, const struct gp_gangs_config *config);

/**
 * gp_gangs_join() - an entity is a rank of a gang
 * @g: gangs
 * @key: of its group: the gang is made of the entities with an equal one
 * @node: its node
 * @id: its id there
 * @now_ns: time
 *
 * Return: 0, -EINVAL it can be in no group, -EEXIST the gang has a rank on this node, or it is a
 * rank already, -ENOSPC.
 */
int gp_gangs_join(struct gp_gangs *g, const struct gp_group_key *key, u32 node, u64 id,
		  u64 now_ns);

/**
 * gp_gangs_leave() - an entity is no rank any more, or is gone
 * @g: gangs
 * @node: its node
 * @id: its id there
 * @now_ns: time
 *
 * Return: 0 or -ENOENT.
 */
int gp_gangs_leave(struct gp_gangs *g, u32 node, u64 id, u64 now_ns);

/**
 * gp_gangs_run() - hear what is new on nodes, decide, and carry it out
 * @g: gangs
 * @nodes: bit mask of the nodes with news (gp_sched_has_gang_news())
 * @now_ns: time
 *
 * Return: bit mask of nodes that have more, for a further call.
 */
u64 gp_gangs_run(struct gp_gangs *g, u64 nodes, u64 now_ns);

/**
 * gp_gangs_next_ns() - when gp_gangs_run() must be called even without news
 * @g: gangs
 *
 * Return: time, U64_MAX = not before there are some.
 */
u64 gp_gangs_next_ns(const struct gp_gangs *g);

/**
 * gp_gangs_stats() - what has happened so far
 * @g: gangs
 * @stats: output
 */
void gp_gangs_stats(const struct gp_gangs *g, struct gp_gangs_stats *stats);

/* What a gang is doing. */
struct gp_gang_info {
	u32 nr_ranks;	 /* ranks */
	bool is_on;	 /* it may run */
	bool is_stalled; /* it made room as a rank is kept off */
	u64 nr_preempted; /* times it was taken off */
};

/**
 * gp_gangs_info() - look at the gang of a rank
 * @g: gangs
 * @node: node of the rank
 * @id: its id there
 * @info: output
 *
 * Return: 0 or -ENOENT.
 */
int gp_gangs_info(const struct gp_gangs *g, u32 node, u64 id, struct gp_gang_info *info);

/**
 * gp_gangs_check() - are counts, sets and gates consistent?
 * @g: gangs
 *
 * Meant for tests. Return: NULL, or the invariant that does not hold.
 */
const char *gp_gangs_check(const struct gp_gangs *g);

#endif
