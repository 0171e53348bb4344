/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: The scheduling core
 *
 * What contains what:
 *
 * 1. struct gp_sched is one scheduler. It lives in memory given by the caller.
 * 2. It has nodes (one per KFD gpu_id). A node is what is scheduled: it has a
 *    policy, guard parameters, statistics, and at most one switch in flight.
 * 3. A node has entities. An entity is preempted and resumed as one: by default
 *    all compute queues of one process on that node.
 * 4. An entity has queues. It is busy while any of its queues is busy.
 *
 * The core is a state machine: an event and the time go in, a bounded list of
 * actions comes out. It has no clock, no locks (the caller serialises all calls
 * on one struct gp_sched), no allocation, no logging, no floating point and no
 * recursion. The same calls give the same actions, bit for bit.
 *
 * What the caller does with actions: carry them out in order. A switch ends
 * with exactly one gp_sched_switch_done() that quotes its sequence number; a
 * timer ends with gp_sched_timer(). Actions may be carried out asynchronously.
 *
 * Switches of a node are carried out in the order of their sequence numbers,
 * never two at a time. A new one can come while an old one is still being
 * carried out: then the old one has missed its deadline. It must be dropped or
 * be over before the new one begins, or it would undo what the new one has set.
 *
 * Nodes share nothing but the tables of entities and queues. A caller that serves
 * each node from a thread of its own makes one struct gp_sched per node, with one
 * node in it, and needs no lock between them; gpreempt.ko does so.
 *
 * Detection: ARM and DISARM name an entity, busy and idle name a queue. ARM
 * means that no queue of the entity has work, as far as the core knows, and that
 * the first edge to busy of any of them is wanted; DISARM means that the last
 * edge to idle of all of them is wanted. A caller that looks at several queues
 * reports those that are busy before those that are idle, or the entity would
 * seem to be without work in between. After it has armed detection it looks at
 * all queues of the entity once more: work that came before detection was armed
 * makes no edge.
 *
 * Gangs: entities of several nodes that make progress only together. Which gang may run
 * is decided above the nodes (rules/gang.h); a node has a gate for each of its entities,
 * see core/sched_gang.h.
 *
 * Higher number = higher priority, everywhere.
 */
#ifndef GP_CORE_SCHED_H
#define GP_CORE_SCHED_H

#include "gp_port.h"
#include "core/hist.h"
#include "core/param.h"

/*
 * A switch can have every entity of the scheduler as a member. Only where many nodes
 * share many entities it is limited, to this or twice a node's part of all, whatever is
 * more; what does not fit goes with the next one.
 */
#define GP_SWITCH_LEAST 1024
/* Most actions one event can cause. What does not fit is told by the next one, at once. */
#define GP_ACTIONS_MAX 72

#define GP_PRIO_MAX 15
#define GP_PRIO_DEFAULT 7
#define GP_WEIGHT_DEFAULT 100
#define GP_WEIGHT_MAX 10000
#define GP_ID_NONE 0ULL

struct gp_sched;

/*
 * X(NAME, "text"): the states of an entity. Names in logs, traces and JSON come
 * from this list.
 *
 * IDLE        no work, on the GPU (mapped); leaves it if others need the room
 * WAITING     has work, mapped, not yet allowed to run by a decision
 * RUNNING     has work, mapped, allowed
 * PREEMPTING  in the preempt set of the switch in flight
 * PREEMPTED   off the GPU, state saved, or without work and no room for it
 * RESUMING    in the resume set of the switch in flight
 * LOST        its node is gone or the mechanism says it is gone; only removal follows
 */
#define GP_ENTITY_STATES(X)           \
	X(IDLE, "idle")               \
	X(WAITING, "waiting")         \
	X(RUNNING, "running")         \
	X(PREEMPTING, "preempting")   \
	X(PREEMPTED, "preempted")     \
	X(RESUMING, "resuming")       \
	X(LOST, "lost")

enum gp_entity_state {
#define X(name, text) GP_ENTITY_##name,
	GP_ENTITY_STATES(X)
#undef X
	GP_ENTITY_STATE_COUNT
};

/*
 * CLOSED     trusted
 * OPEN       a switch failed or missed its deadline: everything is resumed, no
 *            preemption until the open time is over (fail open)
 * PROBATION  preemption is tried again; enough successes close, one failure opens
 * DEAD       the node is lost (gp_sched_node_lost()) until gp_sched_node_back()
 */
#define GP_BREAKER_STATES(X)        \
	X(CLOSED, "closed")         \
	X(OPEN, "open")             \
	X(PROBATION, "probation")   \
	X(DEAD, "dead")

enum gp_breaker_state {
#define X(name, text) GP_BREAKER_##name,
	GP_BREAKER_STATES(X)
#undef X
	GP_BREAKER_STATE_COUNT
};

/*
 * Outcome of one member of a switch, as the mechanism reports it. After BUSY and
 * ERROR it is where it was, and is tried again after a pause that doubles up to
 * 64 times retry_ns. No entity leaves the GPU for one that refused its last resume.
 * One that refused eight resumes in a row is still tried, but the breaker does
 * not wait for it; it is never declared lost, as only the mechanism can know.
 */
#define GP_RESULTS(X)          \
	X(OK, "ok")            \
	X(GONE, "gone")        \
	X(BUSY, "busy")        \
	X(ERROR, "error")

enum gp_result {
#define X(name, text) GP_RESULT_##name,
	GP_RESULTS(X)
#undef X
	GP_RESULT_COUNT
};

/* Why something worth telling happened: the code of a report action. */
#define GP_REPORTS(X)                                    \
	X(SWITCH_DEADLINE, "switch missed its deadline") \
	X(SWITCH_ERROR, "switch failed")                 \
	X(BREAKER_OPEN, "preemption suspended")          \
	X(BREAKER_PROBATION, "preemption on probation")  \
	X(BREAKER_CLOSED, "preemption trusted again")    \
	X(STARVATION, "starvation bound enforced")       \
	X(RATE_LIMIT, "preemption rate limit reached")   \
	X(ENTITY_LOST, "entity lost")                    \
	X(NODE_LOST, "node lost")                        \
	X(NODE_BACK, "node back")

enum gp_report {
#define X(name, text) GP_REPORT_##name,
	GP_REPORTS(X)
#undef X
	GP_REPORT_COUNT
};

/* Names for people: the texts of the lists above, "unknown" for a value outside. */
const char *gp_entity_state_name(enum gp_entity_state state);
const char *gp_breaker_state_name(enum gp_breaker_state state);
const char *gp_result_name(enum gp_result result);
const char *gp_report_name(enum gp_report report);

/**
 * struct gp_attr - what a user can say about an entity
 * @prio: 0..GP_PRIO_MAX, higher is more urgent
 * @latency_critical: detection should be the fastest there is
 * @no_preempt: never take it off the GPU, whatever the policy says: its state
 *	cannot be saved, or it is being debugged. It runs and counts like any other
 * @weight: share under fair and slice, 1..GP_WEIGHT_MAX
 * @slice_ns: time slice under slice and mlfq; 0 = the policy's default
 * @deadline_ns: under edf and laxity, relative to the arrival of a request; 0 = none
 */
struct gp_attr {
	u8 prio;
	bool latency_critical;
	bool no_preempt;
	u32 weight;
	u64 slice_ns;
	u64 deadline_ns;
};

/**
 * gp_attr_default() - fill in the attributes of an entity that none were given for
 * @attr: output
 */
void gp_attr_default(struct gp_attr *attr);

/**
 * gp_attr_is_online() - is it work that people wait for?
 * @attr: attributes
 *
 * Return: true if it is more urgent than the default, or latency-critical.
 */
static inline bool gp_attr_is_online(const struct gp_attr *attr)
{
	return attr->latency_critical || attr->prio > GP_PRIO_DEFAULT;
}

/**
 * gp_attr_is_valid() - can an entity have these attributes?
 * @attr: attributes
 *
 * Return: false if priority or weight is out of range.
 */
bool gp_attr_is_valid(const struct gp_attr *attr);

/*
 * One change of a node: a set of its entities, see GP_SWITCH_LEAST. The ids are in the
 * scheduler's memory and stay there until the next switch of the node begins; an event
 * that gives a switch up for another leaves the ids of the other.
 */
struct gp_switch {
	u64 seq;	/* quoted by gp_sched_switch_done(); never 0 */
	u32 nr_preempt; /* how many of @id are to be preempted; they come first */
	u32 nr_resume;	/* how many are to be resumed; they come after */
	const u64 *id;	/* entity ids, each once */
};

enum gp_action_kind {
	GP_ACTION_SWITCH,	/* carry out gp_actions.sw */
	GP_ACTION_SET_TIMER,	/* call gp_sched_timer() at @at_ns; replaces the node's timer */
	GP_ACTION_ARM,		/* @id has no work: tell me when it becomes busy */
	GP_ACTION_DISARM,	/* @id has work: tell me when it becomes idle */
	GP_ACTION_REPORT,	/* @report happened to @id (or to the node if GP_ID_NONE) */
};

/* One thing for the caller to do. */
struct gp_action {
	enum gp_action_kind kind; /* what */
	enum gp_report report;	  /* GP_ACTION_REPORT: why */
	u64 id;			  /* entity, or GP_ID_NONE */
	u64 at_ns;		  /* GP_ACTION_SET_TIMER: when; U64_MAX = none any more */
};

/*
 * What one event caused, on one node.
 *
 * The caller passes an uninitialised struct; every event call fills it anew.
 * Large (1760 bytes): not for a kernel stack.
 */
struct gp_actions {
	u32 node;			    /* the node all actions are about */
	u32 nr;				    /* how many of @a are valid */
	struct gp_switch sw;		    /* of the GP_ACTION_SWITCH among @a, if any */
	struct gp_action a[GP_ACTIONS_MAX]; /* the actions, in order */
};

/*
 * What the trace hook sees: every event, every transition, every action. A
 * record of an event has all that was said in it, so that the events of a trace
 * can be played into another scheduler of the same configuration, which then
 * gives the same ids and actions. Calls that were refused are not recorded:
 * they changed nothing.
 */
#define GP_TRACE_KINDS(X)                                                                          \
	X(EVENT_ADD, "add")                 /* arg: gp_trace_attr(), gp_trace_is_out(), cookie */  \
	X(EVENT_REMOVE, "remove")                                                                  \
	X(EVENT_ATTR, "attr")               /* arg: gp_trace_attr() */                             \
	X(EVENT_QUEUE_ADD, "queue_add")     /* arg0 queue, arg1 cookie */                          \
	X(EVENT_QUEUE_REMOVE, "queue_remove") /* arg0 queue */                                     \
	X(EVENT_BUSY, "busy")               /* arg0 queue */                                       \
	X(EVENT_IDLE, "idle")               /* arg0 queue */                                       \
	X(EVENT_PROGRESS, "progress")       /* arg0 queue, arg1 arrival of the oldest request */   \
	X(EVENT_RESULT, "result")           /* arg0 member, arg1 gp_result; before SWITCH_DONE */  \
	X(EVENT_SWITCH_DONE, "switch_done") /* arg0 seq, arg1 members */                           \
	X(EVENT_TIMER, "timer")                                                                    \
	X(EVENT_POLICY, "policy")           /* arg0 index for gp_policy_name_at() */               \
	X(EVENT_ENABLE, "enable")           /* arg0 enabled or not */                              \
	X(EVENT_ROOM, "room")               /* arg0 queues << 32 | entities */                     \
	X(EVENT_GATE, "gate")               /* arg0 enum gp_gate */                                \
	X(EVENT_ALONE, "alone")             /* arg0 one at a time or not */                        \
	X(EVENT_PARAM, "param")             /* arg0 index for gp_sched_param_desc(), arg1 value */ \
	X(EVENT_SHARE_ADD, "share_add")     /* id share, gp_trace_share(), arg3 parent */          \
	X(EVENT_SHARE_ATTR, "share_attr")   /* id share, gp_trace_share() */                       \
	X(EVENT_SHARE_REMOVE, "share_remove") /* id share */                                       \
	X(EVENT_JOIN, "join")               /* arg0 share */                                       \
	X(EVENT_NODE_LOST, "node_lost")                                                            \
	X(EVENT_NODE_BACK, "node_back")                                                            \
	X(STATE, "state")                   /* arg0 old state, arg1 new state */                   \
	X(WAITED, "waited")                 /* arg0 ns from its work to its first run */           \
	X(ACTION_SWITCH, "switch")          /* arg0 seq, arg1 nr_preempt << 32 | nr_resume */      \
	X(ACTION_TIMER, "set_timer")        /* arg0 time */                                        \
	X(ACTION_ARM, "arm")                                                                       \
	X(ACTION_DISARM, "disarm")                                                                 \
	X(ACTION_REPORT, "report")          /* arg0 enum gp_report */

enum gp_trace_kind {
#define X(name, text) GP_TRACE_##name,
	GP_TRACE_KINDS(X)
#undef X
	GP_TRACE_KIND_COUNT
};

/* As the names above. */
const char *gp_trace_kind_name(enum gp_trace_kind kind);

/* One record for the trace hook. */
struct gp_trace {
	u64 now_ns;		 /* time of the event */
	u64 id;			 /* entity, or GP_ID_NONE */
	u64 arg[4];		 /* see enum gp_trace_kind */
	u32 node;		 /* node */
	enum gp_trace_kind kind; /* what */
};

/**
 * gp_trace_attr() - the attributes in a record
 * @t: GP_TRACE_EVENT_ADD or GP_TRACE_EVENT_ATTR
 * @attr: output
 */
void gp_trace_attr(const struct gp_trace *t, struct gp_attr *attr);

/**
 * gp_trace_is_out() - which call a record is of
 * @t: GP_TRACE_EVENT_ADD
 *
 * Return: true of gp_sched_entity_add_out(), false of gp_sched_entity_add().
 */
bool gp_trace_is_out(const struct gp_trace *t);

/**
 * struct gp_sched_config - size and hooks of a scheduler
 * @nr_nodes: how many nodes, 1..64
 * @max_entities: most entities at a time, over all nodes
 * @max_queues: most queues at a time
 * @has_gates: entities may have gates (gp_sched_entity_gate())
 * @max_shares: most shares at a time, see core/sched_share.h; 0 = none
 * @trace: called for every struct gp_trace; NULL = no trace. Must not call back.
 * @trace_data: first argument of @trace
 */
struct gp_sched_config {
	u32 nr_nodes;
	u32 max_entities;
	u32 max_queues;
	bool has_gates;
	u32 max_shares;
	void (*trace)(void *trace_data, const struct gp_trace *t);
	void *trace_data;
};

/**
 * gp_sched_size() - memory a scheduler of this size needs
 * @config: the configuration
 *
 * Return: bytes, or 0 if the configuration is out of range.
 */
size_t gp_sched_size(const struct gp_sched_config *config);

/**
 * gp_sched_init() - make a scheduler
 * @mem: memory of at least gp_sched_size() bytes, 64-byte aligned; the caller owns it
 * @size: its size
 * @config: copied
 * @out: the scheduler, a pointer into @mem
 *
 * All nodes start enabled, with policy "prio" and default parameters.
 * There is no fini: the caller frees @mem.
 *
 * Return: 0, -EINVAL configuration out of range, -ENOSPC @size too small.
 */
int gp_sched_init(void *mem, size_t size, const struct gp_sched_config *config,
		  struct gp_sched **out);

/*
 * Events. Each fills @out. Ids carry a generation: an id of something removed
 * is refused with -ENOENT for ever.
 */

/**
 * gp_sched_entity_add() - an entity appeared, idle and mapped
 * @s: scheduler
 * @node: node index
 * @attr: its attributes, checked
 * @cookie: the caller's name for it, returned by gp_sched_entity_info()
 * @now_ns: time
 * @out: actions
 * @id: its id
 *
 * Return: 0, -EINVAL bad node or attribute, -ENOSPC table full.
 */
int gp_sched_entity_add(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
			u64 now_ns, struct gp_actions *out, u64 *id);

/**
 * gp_sched_entity_add_out() - an entity appeared that is off the GPU: part of another one
 * @s: scheduler
 * @node: node index
 * @attr: its attributes, checked
 * @cookie: the caller's name for it, returned by gp_sched_entity_info()
 * @now_ns: time
 * @out: actions
 * @id: its id
 *
 * It is PREEMPTED, and is resumed as if the scheduler had preempted it now, but not before
 * min_run_ns. Queues that are added before are off the GPU too.
 *
 * Return: 0, -EINVAL bad node or attribute, -ENOSPC table full.
 */
int gp_sched_entity_add_out(struct gp_sched *s, u32 node, const struct gp_attr *attr, u64 cookie,
			    u64 now_ns, struct gp_actions *out, u64 *id);

/**
 * gp_sched_entity_remove() - an entity is gone, with all its queues
 * @s: scheduler
 * @id: entity, in any state
 * @now_ns: time
 * @out: actions
 *
 * Legal while it is a member of the switch in flight: its result is ignored.
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_entity_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_entity_set_attr() - the user changed an entity's attributes
 * @s: scheduler
 * @id: entity
 * @attr: new attributes, checked
 * @now_ns: time
 * @out: actions
 *
 * Return: 0, -ENOENT, -EINVAL.
 */
int gp_sched_entity_set_attr(struct gp_sched *s, u64 id, const struct gp_attr *attr, u64 now_ns,
			     struct gp_actions *out);

/**
 * gp_sched_queue_add() - an entity got another queue, idle
 * @s: scheduler
 * @entity: its entity
 * @cookie: the caller's name for it, in the trace
 * @now_ns: time
 * @out: actions; if the entity is preempted, a switch that preempts it once more
 *       (mechanisms are level-set) so that the new queue is stopped too
 * @id: id of the queue
 *
 * Return: 0, -ENOENT, -ENOSPC.
 */
int gp_sched_queue_add(struct gp_sched *s, u64 entity, u64 cookie, u64 now_ns,
		       struct gp_actions *out, u64 *id);

/**
 * gp_sched_queue_remove() - a queue is gone; a busy queue goes idle first
 * @s: scheduler
 * @id: queue
 * @now_ns: time
 * @out: actions
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_queue_remove(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_queue_busy() - a queue got work
 * @s: scheduler
 * @id: queue
 * @now_ns: time
 * @out: actions
 *
 * Idempotent: a queue that is busy already changes nothing.
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_queue_busy(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_queue_idle() - a queue has no work left, proven
 * @s: scheduler
 * @id: queue
 * @now_ns: time
 * @out: actions
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_queue_idle(struct gp_sched *s, u64 id, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_queue_progress() - a queue completed a request and has more
 * @s: scheduler
 * @id: queue, busy
 * @since_ns: when the oldest request that it has not completed arrived: the time
 *	of its doorbell, or the first time the caller saw it
 * @now_ns: time
 * @out: actions
 *
 * Under edf and laxity a deadline belongs to a request; this is how the scheduler
 * learns that the next one's turn has come. A caller that cannot see completions
 * leaves it out: then a request lasts until the queue is idle. It costs least if
 * it is told of entities with a deadline only. A time before what is known
 * already, and that of a queue that is not busy, change nothing.
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_queue_progress(struct gp_sched *s, u64 id, u64 since_ns, u64 now_ns,
			    struct gp_actions *out);

/**
 * gp_sched_switch_done() - the mechanism finished a switch
 * @s: scheduler
 * @node: node index
 * @seq: gp_switch.seq of the action
 * @results: enum gp_result of each member, in the order of gp_switch.id
 * @nr: how many; must be nr_preempt + nr_resume of that switch
 * @now_ns: time
 * @out: actions
 *
 * A late answer to a switch that missed its deadline is refused with -ESTALE and
 * changes nothing: the recovery that followed sets the level of every member
 * anew. It does so only if the late switch was dropped or over before the
 * recovery began; see the order of switches above.
 *
 * Return: 0, -EINVAL bad node or count, -ESTALE not the switch in flight.
 */
int gp_sched_switch_done(struct gp_sched *s, u32 node, u64 seq, const u8 *results, u32 nr,
			 u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_results() - room for the results of a switch
 * @s: scheduler
 * @node: node index
 *
 * In the scheduler's memory, for the caller alone: nothing is written there.
 *
 * Return: room for the node's largest switch, or NULL for a bad node.
 */
u8 *gp_sched_results(const struct gp_sched *s, u32 node);

/**
 * gp_sched_timer() - the node's timer fired (early or spurious calls are harmless)
 * @s: scheduler
 * @node: node index
 * @now_ns: time
 * @out: actions
 *
 * Each call uses the node's timer up, even an early one: if a timer is still
 * wanted, @out sets it again.
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_timer(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_set_policy() - change the policy of a node at run time
 * @s: scheduler
 * @node: node index
 * @name: "prio", "fair", "slice", "edf", "laxity", "mlfq"
 * @now_ns: time
 * @out: actions
 *
 * Attributes, states and each policy's own memory of an entity are kept.
 * O(n log n) in the entities of the node, as only gp_sched_node_lost() is.
 *
 * Return: 0, -EINVAL bad node, -ENOENT no such policy.
 */
int gp_sched_set_policy(struct gp_sched *s, u32 node, const char *name, u64 now_ns,
			struct gp_actions *out);

/**
 * gp_sched_set_enabled() - switch scheduling of a node on or off
 * @s: scheduler
 * @node: node index
 * @enabled: false: everything is resumed, the stock driver schedules
 * @now_ns: time
 * @out: actions
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_set_enabled(struct gp_sched *s, u32 node, bool enabled, u64 now_ns,
			 struct gp_actions *out);

/**
 * gp_sched_set_room() - say how much fits on a node at a time
 * @s: scheduler
 * @node: node index
 * @entities: most entities (address spaces of the GPU), 0 = any number
 * @queues: most queues (queue slots), 0 = any number
 * @now_ns: time
 * @out: actions
 *
 * Where more is mapped than fits, the firmware takes turns among all of it, work
 * or not. With a limit, entities without work leave the GPU when others need the
 * room, those first that have been without the longest; with the next switch, or
 * by one of their own if any entity has work. They are armed like all without
 * work, and come back for it. Without a limit they stay. Entities with work never
 * leave for want of room. Starts without a limit; O(n log n).
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_set_room(struct gp_sched *s, u32 node, u32 entities, u32 queues, u64 now_ns,
		      struct gp_actions *out);

/**
 * gp_sched_node_lost() - the node was reset or hangs: all its entities are LOST
 * @s: scheduler
 * @node: node index
 * @now_ns: time
 * @out: actions
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_node_lost(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out);

/**
 * gp_sched_node_back() - the node works again; it starts on probation
 * @s: scheduler
 * @node: node index
 * @now_ns: time
 * @out: actions
 *
 * LOST entities stay lost: a reset GPU has lost their state.
 *
 * Return: 0 or -EINVAL.
 */
int gp_sched_node_back(struct gp_sched *s, u32 node, u64 now_ns, struct gp_actions *out);

/*
 * Parameters: those of the guards ("min_run_ns", …) and of every policy
 * ("fair.granularity_ns", …), by name. They take effect at the next event.
 */

/**
 * gp_sched_param_set() - set a parameter of a node
 * @s: scheduler
 * @node: node index
 * @name: name, with the policy's name and a dot in front for a policy's own
 * @value: value
 * @desc: if not NULL, the parameter's description (range, unit), for a message
 *
 * Return: 0, -EINVAL bad node, -ENOENT no such parameter, -ERANGE value out of range.
 */
int gp_sched_param_set(struct gp_sched *s, u32 node, const char *name, u64 value,
		       const struct gp_param_desc **desc);

/**
 * gp_sched_param_get() - read a parameter of a node
 * @s: scheduler
 * @node: node index
 * @name: as above
 * @value: output
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int gp_sched_param_get(const struct gp_sched *s, u32 node, const char *name, u64 *value);

/**
 * gp_sched_config_seq() - has the policy or a parameter of a node changed?
 * @s: scheduler
 * @node: node index, valid
 *
 * Return: another number than before if so.
 */
u32 gp_sched_config_seq(const struct gp_sched *s, u32 node);

/**
 * gp_sched_params_copy() - give a node all parameters of another
 * @to: scheduler
 * @to_node: node index, valid
 * @from: scheduler, may be @to
 * @from_node: node index, valid
 */
void gp_sched_params_copy(struct gp_sched *to, u32 to_node, const struct gp_sched *from,
			  u32 from_node);

/**
 * gp_sched_param_desc() - walk all parameters
 * @index: 0, 1, …
 * @policy: output: name of the policy it belongs to, NULL = a guard
 *
 * Return: description, or NULL past the end.
 */
const struct gp_param_desc *gp_sched_param_desc(u32 index, const char **policy);

/**
 * gp_params_find() - a parameter by name
 * @name: "<param>" or "<policy>.<param>"
 *
 * Return: its description, NULL if there is none.
 */
const struct gp_param_desc *gp_params_find(const char *name);

/**
 * gp_policy_name_at() - walk all policies
 * @index: 0, 1, …
 *
 * Return: name, or NULL past the end.
 */
const char *gp_policy_name_at(u32 index);

/*
 * Looking. None of these changes anything.
 */

/* A snapshot of an entity. */
struct gp_entity_info {
	u64 id;			    /* id */
	u64 cookie;		    /* the caller's name */
	u32 node;		    /* node index */
	enum gp_entity_state state; /* state */
	struct gp_attr attr;	    /* attributes */
	u32 nr_queues;		    /* queues it has */
	u32 nr_busy;		    /* of these, busy */
	u64 nr_preempted;	    /* times preempted */
	u64 nr_resumed;		    /* times resumed */
	u64 run_ns;		    /* time in RUNNING */
	u64 off_ns;		    /* time off the GPU with work */
	u64 off_max_ns;		    /* longest single wait off the GPU */
	u64 at_ns;		    /* up to when these times count: the last event of the node */
};

/**
 * gp_sched_entity_info() - look at an entity
 * @s: scheduler
 * @id: entity
 * @info: output
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_entity_info(const struct gp_sched *s, u64 id, struct gp_entity_info *info);

/**
 * gp_sched_entity_cookie() - the caller's name for an entity
 * @s: scheduler
 * @id: entity
 * @cookie: output
 *
 * Return: 0 or -ENOENT.
 */
int gp_sched_entity_cookie(const struct gp_sched *s, u64 id, u64 *cookie);

/* Counters and distributions of a node. */
struct gp_node_stats {
	u32 nr_entities;	       /* entities now */
	u32 nr_out;		       /* of these, PREEMPTED now */
	bool switching;		       /* a switch is in flight now */
	u64 nr_events;		       /* events */
	u64 nr_switches;	       /* switches started */
	u64 nr_preemptions;	       /* entities preempted (result ok) */
	u64 nr_resumes;		       /* entities resumed (result ok) */
	u64 nr_failed;		       /* members that ended gone, busy or error */
	u64 nr_deadline;	       /* switches that missed their deadline */
	u64 nr_starvation;	       /* times the starvation bound was enforced */
	u64 nr_rate_limited;	       /* decisions put off by the rate limit */
	u64 nr_left_to_finish;	       /* victims spared because they were expected to end soon */
	u64 cost_ns;		       /* learned cost of a switch */
	u64 off_max_ns;		       /* longest time any entity was kept off the GPU */
	enum gp_breaker_state breaker; /* state of the circuit breaker */
	enum gp_report breaker_reason; /* enum gp_report of the last opening */
	/*
	 * Online work (gp_attr_is_online()): from the moment it was told to its first run,
	 * or to its end if that came first.
	 */
	struct gp_small_hist wait_ns;
	struct gp_hist switch_ns;      /* distribution of switch durations */
	struct gp_hist off_ns;	       /* distribution of times off the GPU */
};

/**
 * gp_sched_node_stats() - the live statistics of a node
 * @s: scheduler
 * @node: node index
 *
 * Return: a pointer valid until the next event, or NULL for a bad node.
 */
const struct gp_node_stats *gp_sched_node_stats(const struct gp_sched *s, u32 node);

/**
 * gp_sched_nr_kept_off() - how many entities are off the GPU though they may have work
 * @s: scheduler
 * @node: node index, valid
 *
 * Return: gp_node_stats.nr_out, but for those that are only left out for want of work.
 */
u32 gp_sched_nr_kept_off(const struct gp_sched *s, u32 node);

/**
 * gp_sched_node_policy() - the policy of a node
 * @s: scheduler
 * @node: node index
 *
 * Return: its name, or NULL for a bad node.
 */
const char *gp_sched_node_policy(const struct gp_sched *s, u32 node);

#endif
