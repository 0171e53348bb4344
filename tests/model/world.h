/* SPDX-License-Identifier: MIT */
/*
 * A small world around a scheduler, for the explorer and the fuzzer: it plays
 * the mechanism and the clock, and knows by itself what must hold. Guards that
 * excuse a decision are followed from reports, results and statistics alone; it
 * never looks into the scheduler to decide what is right, but for the
 * consistency of the scheduler's own memory (gp_sched_check()).
 *
 * Plain data, except the scheduler it points to: copy both to take a snapshot.
 */
#ifndef GP_TESTS_MODEL_WORLD_H
#define GP_TESTS_MODEL_WORLD_H

#include "core/sched.h"
#include "core/sched_types.h"

#define WORLD_NODES 3
#define WORLD_ENTITIES 8
#define WORLD_QUEUES 3
#define WORLD_NEVER U64_MAX

/* Where an entity is as the mechanism sees it. */
enum world_where {
	WORLD_MAPPED,
	WORLD_OFF,
	WORLD_UNKNOWN,	/* its switch was never answered */
};

/* How a switch ends. */
enum world_outcome {
	WORLD_ALL_OK,
	WORLD_FIRST_BUSY,
	WORLD_FIRST_ERROR,
	WORLD_FIRST_GONE,
	WORLD_LAST_BUSY,
	WORLD_ALL_ERROR,
	WORLD_OUTCOME_COUNT
};

/**
 * struct world_entity - one entity as the world knows it
 * @live: exists
 * @lost: the mechanism said so, or its node is lost
 * @armed: last of arm and disarm was arm
 * @failed: a resume was refused since it left the GPU
 * @hungry: in the resume set of the switch in flight because it starved
 * @starved: back because it starved, and has had work and the GPU ever since
 * @stubborn: refused so many resumes that no other waits for it
 * @begins_out: has been off the GPU since it came
 * @uncovered: got a queue while it was off the GPU or on its way
 * @untold: the mechanism said that it is lost, the scheduler has not
 * @paid: the rate limit counted its return
 * @fresh: got work since the last decision
 * @ran: was running after the last event
 * @nr_fail: refusals in a row
 * @where: as the mechanism sees it
 * @node: node
 * @id: id
 * @attr: attributes
 * @nr_queues: queues it has
 * @queue: their ids
 * @busy: queue has work
 * @off_ns: time it left the GPU
 * @resumed_ns: time it came back
 * @thaw_ns: it need not be switched before, because of that or of a refusal
 * @refused_ns: of a refusal alone
 */
struct world_entity {
	bool live;
	bool lost;
	bool armed;
	bool failed;
	bool hungry;
	bool starved;
	bool stubborn;
	bool begins_out;
	bool uncovered;
	bool untold;
	bool paid;
	bool fresh;
	bool ran;
	u32 nr_fail;
	enum world_where where;
	u32 node;
	u64 id;
	struct gp_attr attr;
	u32 nr_queues;
	u64 queue[WORLD_QUEUES];
	bool busy[WORLD_QUEUES];
	u64 off_ns;
	u64 work_ns;		/* when its work began */
	u64 resumed_ns;
	u64 thaw_ns;
	u64 refused_ns;
};

/**
 * struct world_node - one node as the world knows it
 * @timer_ns: the node's timer
 * @in_flight: a switch is being carried out
 * @stale: sequence number of a switch that was given up
 * @start_ns: when it began
 * @sw: the switch
 * @id: its members: the scheduler's own are gone when it gives the switch up
 * @nr_errors: member errors in a row
 * @nr_good: good switches on probation
 * @dead: it is lost
 * @opened_ns: when preemption was suspended
 * @reports: bit mask of the reports of the last event
 * @unread: a parameter changed, and no event since then that decides for sure
 * @enabled: scheduling is on
 * @room: most entities that fit on it, 0 = any number
 * @led_prio: priority of the last leader whose work ended
 * @led_until_ns: end of the hysteresis that began then
 * @idle_until_ns: end of any hysteresis
 * @alone_until_ns: end of the slice of starved entities, unless they stop before
 * @cut_ns: an entity that left the GPU up to then comes back in that slice
 * @rate_ns: rate limit: time at which all tokens are there again
 * @spared_until_ns: some victim may be left to finish until then
 * @nr_spared: victims left to finish so far
 */
struct world_node {
	u64 timer_ns;
	bool in_flight;
	u64 stale;
	u64 start_ns;
	struct gp_switch sw;
	u64 id[WORLD_ENTITIES];
	u32 nr_errors;
	u32 nr_good;
	bool dead;
	u64 opened_ns;
	u32 reports;
	bool unread;
	bool enabled;
	u32 room;
	u8 led_prio;
	u64 led_until_ns;
	u64 idle_until_ns;
	u64 alone_until_ns;
	u64 cut_ns;
	u64 rate_ns;
	u64 spared_until_ns;
	u64 nr_spared;
};

/**
 * struct world - the world
 * @s: scheduler
 * @bounds: the guards' parameters as they were set, whatever happens to the scheduler's copy
 * @now_ns: time
 * @nr_nodes: nodes
 * @nr_entities: entity places in use or not
 * @nr_queues: queues an entity starts with
 * @strict: the policy is prio without ageing: order can be checked too
 * @node: nodes
 * @entity: entities
 * @bad: first violation, NULL = none
 */
struct world {
	struct gp_sched *s;
	struct gp_params bounds;
	u64 now_ns;
	u32 nr_nodes;
	u32 nr_entities;
	u32 nr_queues;
	bool strict;
	struct world_node node[WORLD_NODES];
	struct world_entity entity[WORLD_ENTITIES];
	const char *bad;
};

/* The size of every world's scheduler. */
extern const struct gp_sched_config world_config;

/* Makes the world around fresh memory; entities are added by world_add(). */
void world_init(struct world *w, void *mem, u32 nr_nodes, u32 nr_entities, u32 nr_queues);
/* Parameters for @node, by name, noted as bounds. */
void world_param(struct world *w, u32 node, const char *name, u64 value);

/* Events. Each is legal at any time; impossible ones do nothing and return false. */
bool world_add(struct world *w, u32 e, u32 node, const struct gp_attr *attr);
/* The same, off the GPU: a part of another. */
bool world_add_out(struct world *w, u32 e, u32 node, const struct gp_attr *attr);
bool world_remove(struct world *w, u32 e);
bool world_attr(struct world *w, u32 e, const struct gp_attr *attr);
bool world_queue_add(struct world *w, u32 e);
bool world_queue_remove(struct world *w, u32 e);
bool world_busy(struct world *w, u32 e, u32 queue);
bool world_idle(struct world *w, u32 e, u32 queue);
/* A request of a busy queue ended; the next one arrived so long ago. */
bool world_progress(struct world *w, u32 e, u32 queue, u64 ago_ns);
bool world_done(struct world *w, u32 node, enum world_outcome outcome, u64 took_ns);
bool world_stale_done(struct world *w, u32 node);
bool world_timer(struct world *w, u32 node);
/* The timer fires now, before its time. */
bool world_early_timer(struct world *w, u32 node);
/* The timer that is due first fires. */
bool world_next_timer(struct world *w);
bool world_policy(struct world *w, u32 node, const char *name);
bool world_enable(struct world *w, u32 node, bool enabled);
bool world_room(struct world *w, u32 node, u32 entities);
bool world_lose(struct world *w, u32 node);
bool world_back(struct world *w, u32 node);
/* Time passes, but not past a timer. */
bool world_wait(struct world *w, u64 ns);

/* May an entity stay off the GPU, as it has no work and room is limited? */
bool world_may_stay_off(const struct world *w, const struct world_entity *e);
/* Is an entity off the GPU that is not lost? */
bool world_has_off(const struct world *w);
/*
 * Fair continuations: switches end well and timers fire. True if all come back:
 * with @quiet, after all work has ended; else while all keep working.
 */
bool world_settles(struct world *w, bool quiet);

#endif
