/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The structs of the core, private to it and to its tests. Everything lives in
 * the one block of memory given to gp_sched_init(); see layout.c. References
 * between objects are slot numbers, so that a block can be copied away and back.
 *
 * What an entity is a member of follows from its state alone, and only
 * gp_entity_place() changes it:
 *
 *   pool   heap       entities                              first is
 *   BEST   WAITING    WAITING                               most entitled
 *   BEST   RUNNING    RUNNING                               most entitled
 *   BEST   OUT        PREEMPTED, with work, not frozen      most entitled
 *   BEST   RETRY      the same, but refused before          most entitled
 *   BEST   OUT_IDLE   PREEMPTED, without work, not frozen   lowest slot
 *   MOVE   WORST      WAITING or RUNNING, not frozen, may   least entitled
 *                     be preempted
 *   MOVE   FROZEN     any of these three, frozen            first to thaw
 *   STARVE STARVE     PREEMPTED, not frozen                 longest off the GPU
 *   CLOCK  CLOCK      any of these three, with work,        first policy deadline
 *                     if the policy wants to be asked
 *
 * A frozen entity must not be switched until a time, because a guard says so: it
 * was resumed a moment ago, the mechanism refused it a moment ago, or it is left
 * to finish. (An entity that is off the GPU by order is PREEMPTED.)
 */
#ifndef GP_CORE_SCHED_TYPES_H
#define GP_CORE_SCHED_TYPES_H

#include "core/heap.h"
#include "core/sched.h"

#define GP_SLOT_NONE 0xffffffffU
/* gp_entity.off_since_ns of an entity that is on the GPU or has no work. */
#define GP_NOT_OFF U64_MAX
/* Durations in nanoseconds. */
#define GP_US ((u64)1000)
#define GP_MS (1000 * GP_US)
#define GP_SEC (1000 * GP_MS)
#define GP_NODES_MAX 64U
#define GP_ENTITIES_MAX (1U << 19)
#define GP_QUEUES_MAX (1U << 24)

enum gp_pool {
	GP_POOL_BEST,
	GP_POOL_MOVE,
	GP_POOL_STARVE,
	GP_POOL_CLOCK,
	GP_POOL_COUNT
};

enum gp_heap_kind {
	GP_HEAP_WAITING,
	GP_HEAP_RUNNING,
	GP_HEAP_OUT,
	GP_HEAP_RETRY,
	GP_HEAP_OUT_IDLE,
	GP_HEAP_WORST,
	GP_HEAP_FROZEN,
	GP_HEAP_STARVE,
	GP_HEAP_CLOCK,
	GP_HEAP_KIND_COUNT,
	GP_HEAP_NOWHERE = GP_HEAP_KIND_COUNT
};

/**
 * struct gp_params - all parameters of a node; described in guard.c and policy_*.c
 * @min_run_ns: no preemption for this long after a resume
 * @hysteresis_ns: no resume of lower ones for this long after a leader went idle
 * @max_wait_ns: longest time off the GPU
 * @min_slice_ns: time alone on the GPU after that
 * @deadline_ns: longest time a switch may take
 * @rate_per_s: most preempting switches a second
 * @rate_burst: as many at once
 * @breaker_errors: member errors in a row that open the breaker
 * @open_ns: first time the breaker stays open
 * @open_max_ns: longest time it stays open
 * @probation_ok: good switches that close it
 * @retry_ns: pause before a member that failed is tried again
 * @spare_victims: bool: leave a victim that is nearly finished
 * @prio: parameters of policy prio
 * @fair: parameters of policy fair
 * @slice: parameters of policy slice
 * @edf: parameters of policy edf
 * @laxity: parameters of policy laxity
 * @mlfq: parameters of policy mlfq
 */
struct gp_params {
	u64 min_run_ns;
	u64 hysteresis_ns;
	u64 max_wait_ns;
	u64 min_slice_ns;
	u64 deadline_ns;
	u64 rate_per_s;
	u64 rate_burst;
	u64 breaker_errors;
	u64 open_ns;
	u64 open_max_ns;
	u64 probation_ok;
	u64 retry_ns;
	u64 spare_victims;
	struct {
		u64 age_ns;
	} prio;
	struct {
		u64 granularity_ns;
		u64 sleeper_ns;
		u64 width;
	} fair;
	struct {
		u64 period_ns;
		u64 bank_max;
		u64 width;
	} slice;
	struct {
		u64 width;
	} edf;
	struct {
		u64 margin_ns;
	} laxity;
	struct {
		u64 slice_ns;
		u64 promote_ns;
		u64 width;
	} mlfq;
};

/**
 * struct gp_policy_mem - what policies remember about an entity, kept across changes of policy
 * @order: arrival number within the node, for first come, first served
 * @rest: fair: remainder of @vruntime
 * @weight: slice: weight counted in gp_node.slice_weights
 * @boost: prio: levels gained by waiting
 * @fresh: slice: the turn has not begun
 * @overdrawn: edf, laxity: @spent_ns is not that of one request
 * @vruntime: fair: run time divided by the weight
 * @turn: slice: place in the round
 * @left_ns: slice: time left of the turn
 * @bank_ns: slice: unused time of earlier turns
 * @used_ns: mlfq: run time that counts against it
 * @mark_ns: mlfq: with work: last time it got work or was promoted; else since when it sleeps
 * @spent_ns: edf, laxity: run time since the deadline was renewed
 * @work_ns: edf, laxity: run time that a request is expected to need, 0 = unknown
 * @claim_ns: laxity: work counted in gp_node.claims_ns
 */
struct gp_policy_mem {
	u64 order;
	u16 rest;
	u16 weight;
	u8 boost;
	bool fresh;
	bool overdrawn;
	u64 vruntime;
	u64 turn;
	u64 left_ns;
	u64 bank_ns;
	u64 used_ns;
	u64 mark_ns;
	u64 spent_ns;
	u64 work_ns;
	u64 claim_ns;
};

/**
 * struct gp_entity - one entity
 * @gen: generation of the slot; part of the id
 * @state: enum gp_entity_state
 * @node: node index
 * @live: slot in use
 * @in: for each pool, the enum gp_heap_kind it is in
 * @frozen: guards forbid to switch it until @thaw_ns
 * @spared: left to finish once in this burst
 * @finishing: frozen for no other reason than that
 * @starved: being resumed because it waited too long
 * @stubborn: refused so many resumes that the breaker waits for it no longer
 * @again: has a queue that the last preemption did not cover; on the list of these
 * @redo: as @again, but frozen
 * @tells: its completions are told, with gp_sched_queue_progress()
 * @was: state before it became PREEMPTING
 * @nr_fail: refusals in a row, saturating
 * @nr_busy: busy queues
 * @alone: RUNNING: number of the exclusive slice it has a part in, 0 = none
 * @key: the policy's answer; smaller = more entitled
 * @clock_ns: ask the policy again then; U64_MAX = never
 * @thaw_ns: see @frozen
 * @since_ns: RUNNING: run time is accounted up to here
 * @run_ns: RUNNING: since when
 * @request_ns: with work: arrival of its oldest request that is not completed
 * @wait_ns: with work: time it last stopped running or got work
 * @out_ns: PREEMPTED: time it left the GPU
 * @off_since_ns: off the GPU with work since then
 * @burst_ns: run time since it got work
 * @burst_avg_ns: average of that over past bursts, 0 = unknown
 * @total_run_ns: time in RUNNING
 * @attr: attributes
 * @mem: the policies' memory
 * @nr_queues: queues
 * @queue: first queue slot
 * @next: next entity of the node, or next free slot
 * @prev: previous entity of the node
 * @again_next: list of entities to preempt once more
 * @again_prev: as above
 * @cookie: the caller's name
 * @nr_preempted: times preempted
 * @nr_resumed: times resumed
 * @total_off_ns: time off the GPU with work
 * @off_max_ns: longest of these
 *
 * The first three cache lines are what an event reads; counters come last.
 */
struct gp_entity {
	u32 gen;
	u8 state;
	u8 node;
	bool live;
	u8 in[GP_POOL_COUNT];
	bool frozen;
	bool spared;
	bool finishing;
	bool starved;
	bool stubborn;
	bool again;
	bool redo;
	bool tells;
	u8 was;
	u8 nr_fail;
	u32 nr_busy;
	u32 alone;
	u64 key;
	u64 clock_ns;
	u64 thaw_ns;
	u64 since_ns;
	u64 run_ns;
	u64 request_ns;
	u64 wait_ns;
	u64 out_ns;
	u64 off_since_ns;
	u64 burst_ns;
	u64 burst_avg_ns;
	u64 total_run_ns;
	struct gp_attr attr;
	struct gp_policy_mem mem;
	u32 nr_queues;
	u32 queue;
	u32 next;
	u32 prev;
	u32 again_next;
	u32 again_prev;
	u64 cookie;
	u64 nr_preempted;
	u64 nr_resumed;
	u64 total_off_ns;
	u64 off_max_ns;
};

/**
 * struct gp_queue - one queue
 * @cookie: the caller's name
 * @since_ns: busy: arrival of its oldest request that is not completed
 * @gen: generation of the slot; part of the id
 * @entity: slot of its entity
 * @live: slot in use
 * @busy: has work
 * @next: next queue of the entity, or next free slot
 * @prev: previous queue of the entity
 *
 * Two share a cache line.
 */
struct gp_queue {
	u64 cookie;
	u64 since_ns;
	u32 gen;
	u32 entity : 30;
	u32 live : 1;
	u32 busy : 1;
	u32 next;
	u32 prev;
};

_Static_assert(sizeof(struct gp_queue) == 32, "a queue is half a cache line");
_Static_assert(GP_ENTITIES_MAX <= 1U << 30, "a slot does not fit into a queue");

/**
 * struct gp_node - one node
 * @policy: its policy
 * @heap: see the table above
 * @index: its index
 * @enabled: scheduling is on
 * @limited: a decision waits for the rate limit
 * @more: an event left work for a later one
 * @nr_live: entities
 * @nr_stubborn: entities that refused too many resumes
 * @nr_alone: running entities that have a part in the exclusive slice
 * @alone: number of the exclusive slice, for gp_entity.alone
 * @entities: first entity
 * @again: first entity to be preempted once more
 * @again_last: last of these
 * @now_ns: time of the last event
 * @timer_ns: time the caller's timer is set to, U64_MAX = not set
 * @order: next arrival number
 * @resume_ns: hysteresis: no resume of keys above @resume_key before this time
 * @resume_key: see @resume_ns
 * @resume_slot: entity of that hysteresis
 * @alone_ns: starved entities have the GPU alone until then, or until none of
 *	them has work
 * @alone_cut_ns: entities that left the GPU up to this time belong to them
 * @rate_ns: rate limit: theoretical time of the next token (GCRA)
 * @open_until_ns: breaker: earliest end of OPEN
 * @nr_openings: breaker: openings since it was last closed
 * @nr_errors: breaker: member errors in a row
 * @nr_good: breaker: good switches on probation
 * @nr_missed: breaker: recovery switches in a row that missed their deadline
 * @fair_floor: fair: virtual time of the node, never falls
 * @slice_weights: slice: sum of the weights of entities with work
 * @slice_owner: slice: slot of the entity that ran last
 * @claims_ns: laxity: work that is expected of all entities with deadlines
 * @sw_start_ns: time the switch in flight began
 * @sw_deadline_ns: time it must be done
 * @sw: the switch in flight; seq 0 = none
 * @params: parameters
 */
struct gp_node {
	const struct gp_policy_ops *policy;
	struct gp_heap heap[GP_HEAP_KIND_COUNT];
	u32 index;
	bool enabled;
	bool limited;
	bool more;
	u32 nr_live;
	u32 nr_stubborn;
	u32 nr_alone;
	u32 alone;
	u32 entities;
	u32 again;
	u32 again_last;
	u64 now_ns;
	u64 timer_ns;
	u64 order;
	u64 resume_ns;
	u64 resume_key;
	u32 resume_slot;
	u64 alone_ns;
	u64 alone_cut_ns;
	u64 rate_ns;
	u64 open_until_ns;
	u32 nr_openings;
	u32 nr_errors;
	u32 nr_good;
	u32 nr_missed;
	u64 fair_floor;
	u64 slice_weights;
	u32 slice_owner;
	u64 claims_ns;
	u64 sw_start_ns;
	u64 sw_deadline_ns;
	struct gp_switch sw;
	struct gp_params params;
};

/**
 * struct gp_sched - the scheduler; first thing in its memory
 * @config: as given
 * @seq: sequence number of the last switch
 * @free_entity: first free entity slot
 * @free_queue: first free queue slot
 * @pool: heap memory
 * @node: nodes
 * @entity: entity slots
 * @queue: queue slots
 * @live: bitmap of entity slots in use, for listing
 * @stats: statistics per node
 */
struct gp_sched {
	struct gp_sched_config config;
	u64 seq;
	u32 free_entity;
	u32 free_queue;
	struct gp_heap_pool pool[GP_POOL_COUNT];
	struct gp_node *node;
	struct gp_entity *entity;
	struct gp_queue *queue;
	u64 *live;
	struct gp_node_stats *stats;
};

/**
 * struct gp_call - what every function of one event needs
 * @s: scheduler
 * @n: node the event is about
 * @stats: its statistics
 * @now_ns: time of the event; never less than that of the event before
 * @out: the actions
 */
struct gp_call {
	struct gp_sched *s;
	struct gp_node *n;
	struct gp_node_stats *stats;
	u64 now_ns;
	struct gp_actions *out;
};

/**
 * gp_has_work() - does the policy know the entity as one with work?
 * @e: entity
 *
 * Return: true if it has work and is not lost.
 */
static inline bool gp_has_work(const struct gp_entity *e)
{
	return e->nr_busy && e->state != GP_ENTITY_LOST;
}

/**
 * gp_later() - a time plus a duration
 * @ns: time
 * @delta_ns: duration
 *
 * Return: the sum, "never" if it does not fit.
 */
static inline u64 gp_later(u64 ns, u64 delta_ns)
{
	return ns > U64_MAX - delta_ns ? U64_MAX : ns + delta_ns;
}

/**
 * gp_since() - time passed
 * @now_ns: now
 * @then_ns: then
 *
 * Return: the difference, 0 if @then_ns is in the future.
 */
static inline u64 gp_since(u64 now_ns, u64 then_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

#endif
