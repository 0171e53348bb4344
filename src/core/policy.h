/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Policies
 *
 * A policy answers one question: which entities may run now, and when must you
 * be asked again? It answers by giving each entity with work a key (smaller = more
 * entitled) and a time at which the key has to be made anew. From the keys the
 * core finds the bar: the entities up to the bar may run.
 *
 * A policy is either shared (all that tie with the best run together; @tie_bar)
 * or exclusive (the first few by key run; @width).
 *
 * Policies keep what they know of an entity in struct gp_policy_mem and never
 * touch states, heaps or actions. They have no say over the guards.
 */
#ifndef GP_CORE_POLICY_H
#define GP_CORE_POLICY_H

#include "core/sched_types.h"

#define GP_WIDTH_MAX GP_HEAP_FIRST_MAX

/**
 * struct gp_policy_ops - one policy
 * @name: name
 * @params: its parameters
 * @nr_params: how many
 * @attach: the node changes to this policy; rekey() and then busy() follow for
 *	each entity with work. NULL = nothing to do
 * @busy: an entity without work got some. NULL = nothing to do
 * @idle: an entity has no work left. NULL = nothing to do
 * @gone: an entity is removed or lost; after idle(). NULL = nothing to do
 * @back: a share kept an entity with work away, and does so no longer. NULL = nothing
 *	to do
 * @charge: a running entity has run for so long; called at least whenever it
 *	stops and before rekey(). NULL = nothing to do
 * @rekey: set gp_entity.key, and gp_entity.clock_ns to the time it must be made
 *	anew (later than now) or U64_MAX. Called after each of the above and at
 *	each start and stop of running, for entities with work
 * @tie_bar: shared policies: the largest key that ties with this one. NULL = exclusive
 * @width: exclusive policies: offset in gp_params of how many may run, 1..GP_WIDTH_MAX
 * @turns: entities take turns, and none is more urgent than others: the rate limit is
 *	on taking the GPU away. Else it is on giving it back, see plan_policy()
 * @by_request: wants to be asked when the oldest request of an entity is another
 * @end_of_peers: the first key that is not that of a peer of an entity with this
 *	key: when it has no work left, peers have the GPU at once, and hysteresis
 *	keeps it from others for a while. NULL = entities have no peers
 *
 * Context of all: the caller of the event serialises.
 */
struct gp_policy_ops {
	const char *name;
	const struct gp_param_desc *params;
	u32 nr_params;
	void (*attach)(struct gp_call *c);
	void (*busy)(struct gp_call *c, struct gp_entity *e);
	void (*idle)(struct gp_call *c, struct gp_entity *e);
	void (*gone)(struct gp_call *c, struct gp_entity *e);
	void (*back)(struct gp_call *c, struct gp_entity *e);
	void (*charge)(struct gp_call *c, struct gp_entity *e, u64 ran_ns);
	void (*rekey)(struct gp_call *c, struct gp_entity *e);
	u64 (*tie_bar)(u64 key);
	size_t width;
	bool turns;
	bool by_request;
	u64 (*end_of_peers)(u64 key);
};

extern const struct gp_policy_ops gp_policy_prio;
extern const struct gp_policy_ops gp_policy_fair;
extern const struct gp_policy_ops gp_policy_slice;
extern const struct gp_policy_ops gp_policy_edf;
extern const struct gp_policy_ops gp_policy_laxity;
extern const struct gp_policy_ops gp_policy_mlfq;

#define GP_PARAM(member_name, member, lo, hi, preset, text)                 \
	{                                                                   \
		.name = member_name, .doc = text, .min = lo, .max = hi,     \
		.def = preset, .offset = offsetof(struct gp_params, member) \
	}

#define GP_POLICY_PARAM(policy, member, lo, hi, preset, text) \
	GP_PARAM(#member, policy.member, lo, hi, preset, text)

/**
 * gp_params_default() - set all parameters to their defaults
 * @p: parameters
 */
void gp_params_default(struct gp_params *p);

/**
 * gp_params_at() - where a parameter's value is
 * @p: parameters of a node
 * @offset: gp_param_desc.offset
 *
 * Return: pointer to the value.
 */
static inline u64 *gp_params_at(struct gp_params *p, size_t offset)
{
	return (u64 *)((char *)p + offset);
}

/* Shared by the policies with levels: a key is the inverted level, then the order of arrival. */
#define GP_LEVEL_SHIFT 56

/**
 * gp_level_key() - key of a level
 * @rank: 0 = best level
 * @order: arrival number
 *
 * Return: the key.
 */
static inline u64 gp_level_key(u64 rank, u64 order)
{
	return rank << GP_LEVEL_SHIFT | (order & ((1ULL << GP_LEVEL_SHIFT) - 1));
}

/**
 * gp_level_tie_bar() - gp_policy_ops.tie_bar of policies with levels
 * @key: key of the leader
 *
 * Return: the last key of its level.
 */
static inline u64 gp_level_tie_bar(u64 key)
{
	return key | ((1ULL << GP_LEVEL_SHIFT) - 1);
}

/**
 * gp_level_turn_ns() - of those of a level that run one at a time, has one had its turn?
 * @c: call
 * @e: entity with work; if it has, it goes behind the others of its level
 *
 * Return: when its turn ends, later than now; U64_MAX if it does not run or needs no turn.
 */
u64 gp_level_turn_ns(struct gp_call *c, struct gp_entity *e);

/* Bits of gp_incumbent_key() below the rank. */
#define GP_INCUMBENT_BITS 2

/**
 * gp_incumbent_key() - key of an exclusive policy
 * @e: entity
 * @rank: its place, below 2^62
 *
 * Among equals the one that runs stays, and one that is on the GPU comes before
 * one that is not: a change costs a switch and gains nothing.
 *
 * Return: the key.
 */
static inline u64 gp_incumbent_key(const struct gp_entity *e, u64 rank)
{
	u64 where = e->state == GP_ENTITY_RUNNING ? 0 : e->state == GP_ENTITY_WAITING ? 1 : 2;

	return rank << GP_INCUMBENT_BITS | where;
}

/**
 * gp_policy_least_ns() - the shortest turn that makes sense
 * @c: call
 *
 * The minimum run time, which the guards grant anyway; never nothing, or an
 * entity with a tiny share would have the policy asked all the time.
 *
 * Return: duration.
 */
static inline u64 gp_policy_least_ns(const struct gp_call *c)
{
	return max(c->n->params.min_run_ns, 10 * GP_US);
}

/**
 * gp_policy_at() - walk all policies
 * @index: 0, 1, …
 *
 * Return: the policy, NULL past the end.
 */
const struct gp_policy_ops *gp_policy_at(u32 index);

/**
 * gp_policy_attach() - give a node a policy and make all keys anew
 * @c: call
 * @policy: the policy
 *
 * O(n log n) in the entities of the node.
 */
void gp_policy_attach(struct gp_call *c, const struct gp_policy_ops *policy);

/**
 * gp_policy_expire() - ask the policy again about entities whose time has come
 * @c: call
 *
 * At most GP_STEP_MAX entities; if there are more, gp_node.more is set.
 */
void gp_policy_expire(struct gp_call *c);

#endif
