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
 *   BEST   WAITING    WAITING, not capped                   most entitled
 *   BEST   RUNNING    RUNNING, not capped                   most entitled
 *   BEST   OUT        PREEMPTED, with work, not frozen      most entitled
 *   BEST   RETRY      the same, but refused before          most entitled
 *   BEST   OUT_IDLE   PREEMPTED, without work, not frozen   longest off the GPU
 *   BEST   SHUT       PREEMPTED, not frozen, gate shut      longest off the GPU
 *   MOVE   WORST      WAITING or RUNNING, not frozen, may   least entitled
 *                     be preempted
 *   MOVE   FROZEN     any of these three, frozen; IDLE ones first to thaw
 *                     too, if room is limited
 *   STARVE STARVE     PREEMPTED, not frozen                 longest off the GPU
 *   CLOCK  CLOCK      any of these three, with work,        first policy deadline
 *                     if the policy wants to be asked
 *
 * One whose gate is shut is in SHUT or FROZEN or in none of these.
 *
 * A frozen entity must not be switched until a time, because a guard says so: it
 * was resumed a moment ago and was wanted off since, the mechanism refused it a
 * moment ago, or it is left to finish. (An entity that is off the GPU by order is
 * PREEMPTED.) A capped one is kept away by the budget of a share: off the GPU it is in
 * no heap but FROZEN, on the GPU it comes first in WORST.
 */
#ifndef GP_CORE_SCHED_TYPES_H
#define GP_CORE_SCHED_TYPES_H

#include "core/heap.h"
#include "core/sched_gang.h"
#include "core/sched_share.h"

#define GP_SLOT_NONE 0xffffffffU
/* Most entities one event thaws, asks about or lets run; the next one follows at once. */
#define GP_STEP_MAX 64U
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
	GP_HEAP_SHUT,
	GP_HEAP_WORST,
	GP_HEAP_FROZEN,
	GP_HEAP_STARVE,
	GP_HEAP_CLOCK,
	GP_HEAP_KIND_COUNT,
	GP_HEAP_NOWHERE = GP_HEAP_KIND_COUNT
};

/*
 * Lists of a node. An entity is in one at most, which follows from its state:
 * AGAIN of PREEMPTED or PREEMPTING ones, IDLE of those in that state, UNTOLD of
 * LOST ones, SHUT of IDLE, WAITING and RUNNING ones.
 */
enum gp_list_kind {
	GP_LIST_NONE,
	GP_LIST_AGAIN,	/* to be preempted once more, for a queue that was not covered */
	GP_LIST_IDLE,	/* may leave to make room, longest without work first; if room is limited */
	GP_LIST_UNTOLD, /* to be reported as lost */
	GP_LIST_SHUT,	/* on the GPU, not frozen, though the gate is shut */
	GP_LIST_COUNT
};

/* The ends of a list, slot numbers. */
struct gp_list {
	u32 first;
	u32 last;
};

/* The pool of a heap, by the table above. */
static inline enum gp_pool gp_pool_of(enum gp_heap_kind kind)
{
	if (kind >= GP_HEAP_STARVE)
		return kind == GP_HEAP_STARVE ? GP_POOL_STARVE : GP_POOL_CLOCK;
	return kind < GP_HEAP_WORST ? GP_POOL_BEST : GP_POOL_MOVE;
}

/* All parameters of a node. What each means is said in the tables of guard.c and policy_*.c. */
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
	u64 learn_gaps;
	u64 turn_ns;
	u64 stall_ns;
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

/* What policies remember about an entity, kept across changes of policy. */
struct gp_policy_mem {
	u64 order;	/* arrival number within the node, for first come, first served */
	u16 rest;	/* fair: remainder of @vruntime, in no share */
	u16 weight;	/* it contends: its weight, counted in its share or the node; else 0 */
	u8 boost;	/* prio: levels gained by waiting */
	bool fresh;	/* slice: the turn has not begun */
	bool overdrawn; /* edf, laxity: @spent_ns is not that of one request */
	u64 vruntime;	/* fair: run time divided by the weight */
	u64 turn;	/* slice: place in the round */
	u64 left_ns;	/* slice: time left of the turn */
	u64 bank_ns;	/* slice: unused time of earlier turns */
	u64 used_ns;	/* mlfq: run time that counts against it */
	u64 mark_ns;	/* mlfq: last time it got work or was promoted; or sleeps since then */
	u64 spent_ns;	/* edf, laxity: run time since the deadline was renewed */
	u64 work_ns;	/* edf, laxity: run time that a request is expected to need, 0 = unknown */
	u64 claim_ns;	/* laxity: work counted in gp_node.claims_ns */
};

/* One entity. What every event reads comes first, up to @mem.vruntime; see fetch(). */
struct gp_entity {
	u32 gen;	      /* generation of the slot; part of the id */
	u8 state;	      /* enum gp_entity_state */
	u8 was;		      /* state before it became PREEMPTING */
	u8 node;	      /* node index */
	bool live;	      /* slot in use */
	u8 in[GP_POOL_COUNT]; /* for each pool, the enum gp_heap_kind it is in */
	u8 nr_fail;	      /* refusals in a row, saturating */
	bool frozen;	      /* guards forbid to switch it until @thaw_ns */
	bool spared;	      /* left to finish once in this burst */
	bool finishing : 1;   /* frozen for no other reason than that */
	bool settling : 1;    /* frozen for no other reason than @safe_ns */
	bool capped : 1;      /* a budget above it is used up: it must not run */
	bool in_share : 1;    /* it is in a share; see struct gp_place */
	bool sheltered;	      /* @safe_ns holds against latency-critical ones too */
	bool paid;	      /* the rate limit counted its return, and does not its leaving */
	bool starved;	      /* being resumed because it waited too long */
	u8 list;	      /* enum gp_list_kind */
	u8 gate : 2;	      /* enum gp_gate */
	bool stubborn : 1;    /* refused so many resumes that the breaker waits no longer */
	bool redo : 1;	      /* as GP_LIST_AGAIN, but frozen or not to be preempted */
	bool tells : 1;	      /* completions are told, with gp_sched_queue_progress() */
	bool opening : 1;     /* the gate was opened while it was off, and it is off still */
	bool has_news : 1;    /* in gp_node.news */
	u16 local;	      /* weight counted in gp_node.local_weight */
	u32 nr_busy;	      /* busy queues */
	u32 alone;	      /* RUNNING: exclusive slice it has a part in, 0 = none */
	u64 key;	      /* the policy's answer; smaller = more entitled */
	u64 clock_ns;	      /* ask the policy again then; U64_MAX = never */
	u64 thaw_ns;	      /* see @frozen */
	u64 safe_ns;	      /* came back: not preempted before */
	u64 since_ns;	      /* RUNNING: run time is accounted up to here */
	u64 there_ns;	      /* RUNNING: since when; PREEMPTED: time it left the GPU or got work */
	u64 request_ns;	      /* with work: arrival of the oldest request not completed */
	u64 wait_ns;	      /* with work: time it last stopped running or got work */
	u64 off_since_ns;     /* off the GPU with work since then */
	u64 burst_ns;	      /* run time since it got work */
	u64 burst_avg_ns;     /* average of that over past bursts, 0 = unknown */
	u64 total_run_ns;     /* time in RUNNING */
	u64 nr_preempted;     /* times preempted */
	u64 nr_resumed;	      /* times resumed */
	u64 total_off_ns;     /* time off the GPU with work */
	u64 off_max_ns;	      /* longest of these */
	struct gp_attr attr;  /* attributes */
	struct gp_policy_mem mem;
	u32 nr_queues;	/* queues */
	u32 queue;	/* first queue slot */
	u32 next;	/* next entity of the node, or next free slot */
	u32 prev;	/* previous entity of the node */
	u32 list_next;	/* in @list */
	u32 list_prev;
	u64 cookie; /* the caller's name */
};

/* One queue. */
struct gp_queue {
	u64 since_ns;	 /* busy: arrival of its oldest request that is not completed */
	u32 gen;	 /* generation of the slot; part of the id */
	u32 entity : 30; /* slot of its entity */
	u32 live : 1;	 /* slot in use */
	u32 busy : 1;	 /* has work */
	u32 next;	 /* next queue of the entity, or next free slot */
	u32 prev;	 /* previous queue of the entity */
};

_Static_assert(GP_ENTITIES_MAX <= 1U << 30, "a slot does not fit into a queue");

/* Levels whose gaps are told apart; see gp_cost_learn_gap(). */
#define GP_GAP_LEVELS 17U

/* Ways to wait in a gap; see gp_cost_wait_ns(). */
#define GP_WAYS 3U

/* Gaps in the work of a level and of those above it. */
struct gp_gap {
	u64 since_ns;	   /* begin of the one that goes on, if gp_node.gaps says so */
	u16 cost[GP_WAYS]; /* what past ones would have cost by each way */
};

/* Where an entity is among the shares; there are some only if there can be shares. */
struct gp_place {
	u32 share;  /* gp_entity.in_share: the share it is in */
	u32 capper; /* gp_entity.capped: share without budget on whose list it is */
	u32 next;   /* in the list of one of these */
	u32 prev;
	u64 rest;   /* fair: remainder of gp_policy_mem.vruntime, in a share */
};

/* One share. */
struct gp_share {
	u32 gen;	  /* generation of the slot; part of the id */
	bool live;	  /* slot in use */
	u8 node;	  /* node index */
	u8 depth;	  /* shares above it */
	bool throttled;	  /* its budget is used up; on gp_node.throttled */
	bool pending;	  /* on gp_node.pending */
	u32 parent;	  /* share it is in, or GP_SLOT_NONE */
	u32 nr_entities;  /* entities in it */
	u32 nr_children;  /* shares in it */
	u32 nr_contend;	  /* entities and shares in it that contend */
	u32 nr_work;	  /* entities below with work */
	u32 nr_run;	  /* of these, running */
	u32 entity;	  /* first entity in it that contends */
	u32 child;	  /* first share in it that contends */
	u32 capped;	  /* first entity that it keeps away */
	u32 next;	  /* next of those beside it that contend, or next free slot */
	u32 prev;	  /* previous of those beside it that contend */
	u32 pending_next; /* in gp_node.pending */
	u32 pending_prev;
	u32 throttled_next; /* in gp_node.throttled */
	u32 throttled_prev;
	u64 weights;	    /* of those in it that contend */
	u64 at_ns;	    /* times are counted up to here */
	u64 period_ns;	    /* when the period began */
	u64 used_ns;	    /* of the budget, in this period */
	u64 next_ns;	    /* key in gp_node.share_heap, U64_MAX = not in it */
	struct gp_share_attr attr;
	struct gp_share_info info; /* totals; attr and counts of entities are not kept here */
};

/* One node. */
struct gp_node {
	const struct gp_policy_ops *policy;
	struct gp_heap heap[GP_HEAP_KIND_COUNT]; /* see the table above */
	u32 index;
	bool enabled;	     /* scheduling is on */
	bool limited;	     /* a decision waits for the rate limit */
	bool more;	     /* an event left work for a later one */
	bool one;	     /* entities of a level run one at a time */
	bool local_news;     /* @local_weight has changed since it was asked */
	u32 urgent;	     /* latency-critical entity that got work since the last decision */
	u32 nr_live;	     /* entities */
	u32 nr_on;	     /* of these, on the GPU or coming back */
	u32 nr_on_queues;    /* queues of those */
	u32 room;	     /* most of @nr_on that fit, 0 = any number */
	u32 room_queues;     /* most of @nr_on_queues that fit, 0 = any number */
	u32 nr_stubborn;     /* entities that refused too many resumes */
	u32 nr_alone;	     /* running entities that have a part in the exclusive slice */
	u32 alone;	     /* number of the exclusive slice, for gp_entity.alone */
	u32 entities;	     /* first entity */
	struct gp_list list[GP_LIST_COUNT];
	u32 config_seq;	     /* changes of policy and parameters */
	struct gp_list news; /* entities with a gate that have changed */
	u64 local_weight;    /* weights of those with work and without a gate */
	struct gp_heap share_heap; /* shares whose budget or period ends, by time */
	u32 throttled;	     /* first share without budget */
	u32 pending;	     /* first share that has entities to keep away, or to let go */
	u64 now_ns;	     /* time of the last event */
	u64 timer_ns;	     /* time the caller's timer is set to, U64_MAX = not set */
	u64 order;	     /* next arrival number */
	u64 resume_ns;	     /* hysteresis: no resume of keys above @resume_key before this */
	u64 resume_key;	     /* see @resume_ns */
	u32 resume_slot;     /* entity of that hysteresis */
	u32 gaps;	     /* bit mask of the levels of which a gap goes on */
	struct gp_gap gap[GP_GAP_LEVELS]; /* by level, most urgent first */
	u64 alone_ns;	     /* starved entities have the GPU alone until then, or their end */
	u64 alone_cut_ns;    /* entities that left the GPU up to this time belong to them */
	u64 rate_ns;	     /* rate limit: theoretical time of the next token (GCRA) */
	u64 open_until_ns;   /* breaker: earliest end of OPEN */
	u32 nr_openings;     /* breaker: openings since it was last closed */
	u32 nr_errors;	     /* breaker: member errors in a row */
	u32 nr_good;	     /* breaker: good switches on probation */
	u32 nr_missed;	     /* breaker: recovery switches in a row that missed their deadline */
	u64 fair_floor;	     /* fair: virtual time of the node, never falls */
	u64 weights;	     /* of the entities in no share and the top shares that contend */
	u32 slice_owner;     /* slice: slot of the entity that ran last */
	u64 mlfq_left_ns;    /* mlfq: what counted against those that left */
	u64 mlfq_mark_ns;    /* mlfq: when that was so */
	u64 claims_ns;	     /* laxity: work expected of all entities with deadlines */
	u64 sw_start_ns;     /* time the switch in flight began */
	u64 sw_deadline_ns;  /* time it must be done */
	struct gp_switch sw; /* the switch in flight; seq 0 = none */
	u64 *member;	     /* its ids, gp_switch.id; room for gp_switch_max() */
	u8 *results;	     /* of the caller, see gp_sched_results() */
	struct gp_params params;
};

/* The scheduler; first thing in its memory. */
struct gp_sched {
	struct gp_sched_config config; /* as given */
	u64 seq;		       /* sequence number of the last switch */
	u32 free_entity;	       /* first free entity slot */
	u32 free_queue;		       /* first free queue slot */
	u32 free_share;		       /* first free share slot */
	struct gp_heap_pool pool[GP_POOL_COUNT];
	struct gp_heap_pool share_pool;
	struct gp_node *node;
	struct gp_entity *entity;
	struct gp_queue *queue;
	/* For each entity its neighbours in gp_node.news; NULL = there are no gates. */
	struct gp_list *news;
	struct gp_share *share;
	struct gp_place *place; /* per entity */
	struct gp_node_stats *stats; /* per node */
};

/* What every function of one event needs. */
struct gp_call {
	struct gp_sched *s;
	struct gp_node *n;	     /* node the event is about */
	struct gp_node_stats *stats; /* its statistics */
	u64 now_ns;		     /* never less than that of the event before */
	struct gp_actions *out;
};

/**
 * gp_sched_check() - are states, heaps, lists and the switches in flight consistent?
 * @s: scheduler
 *
 * Meant for tests and for a home that wants to look at itself after something odd; never
 * called by an event. O(n log n); changes nothing.
 *
 * Return: NULL, or the invariant that does not hold.
 */
const char *gp_sched_check(const struct gp_sched *s);

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
 * gp_switch_max() - most members of a switch
 * @config: configuration of the scheduler
 *
 * Return: how many; all entities, unless that takes too much memory for many nodes.
 */
static inline u32 gp_switch_max(const struct gp_sched_config *config)
{
	u32 part = 2 * (config->max_entities / config->nr_nodes);

	return min(config->max_entities, max(part, (u32)GP_SWITCH_LEAST));
}

/**
 * gp_is_on() - does an entity take up room on the GPU?
 * @e: entity
 *
 * Return: true if it is there or on its way.
 */
static inline bool gp_is_on(const struct gp_entity *e)
{
	return e->state != GP_ENTITY_PREEMPTING && e->state != GP_ENTITY_PREEMPTED &&
	       e->state != GP_ENTITY_LOST;
}

/**
 * gp_is_shut() - may an entity not run for its gang's sake?
 * @e: entity
 *
 * Return: true if so.
 */
static inline bool gp_is_shut(const struct gp_entity *e)
{
	return e->gate == GP_GATE_SHUT;
}

/**
 * gp_has_limit() - is there less room on the GPU than there may be entities?
 * @n: node
 *
 * Return: true if so.
 */
static inline bool gp_has_limit(const struct gp_node *n)
{
	return n->room || n->room_queues;
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
