/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: gpreempt.ko
 *
 * A node is a GPU as amdkfd knows it. Each has a scheduler of its own (core/) and a
 * thread, the monitor, which is the only one that touches either: nothing of a node
 * is locked. A caller that wants something of a node hands the monitor a command and
 * waits, or reads a snapshot (gpk_snapshot.h); what amdkfd tells sets a flag and wakes it.
 *
 * An entity is a process on a node. Entities and queues are found again by asking
 * amdkfd whenever it says that something changed, and are named by its generations.
 */
#ifndef GPK_H
#define GPK_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "uapi/linux/gpreempt.h"

#include "core/sched.h"
#include "rules/act.h"
#include "rules/arrival.h"
#include "rules/hold.h"
#include "rules/idle.h"

struct kfd_gpreempt_queue;
struct kfd_gpreempt_ref;

#define GPK_NODES_MAX 64
#define GPK_ENTITIES_MAX 1024
#define GPK_QUEUES_MAX 4096
#define GPK_TIMELINE 4096
/* Command queues: the first is for administrators, users share the others. */
#define GPK_LANES 16

enum gpk_kick {
	GPK_KICK_CHANGED = 1 << 0,
	GPK_KICK_HINT = 1 << 1,
	GPK_KICK_COMMAND = 1 << 2,
	GPK_KICK_RESET = 1 << 3,
	GPK_KICK_BACK = 1 << 4,
	GPK_KICK_WATCHDOG = 1 << 5,
	GPK_KICK_LOOK = 1 << 6,
};

/* Bits of gpk_entity.hints: look at it now; something of it ended. */
#define GPK_HINT_LOOK 0
#define GPK_HINT_ENDED 1

/**
 * struct gpk_queue - a compute queue; the monitor's
 * @link: in its entity
 * @generation: amdkfd's name
 * @core: the scheduler's name
 * @rptr: user address of the read pointer
 * @wptr: user address of the write pointer
 * @ring: user address of its ring
 * @pending: what was between its pointers when they were last read; U64_MAX = not known
 * @idle: the proof whether it has work
 * @look: what was last seen of it
 * @answer: what follows from that
 * @arrivals: its requests
 * @queue_id: as user space knows it
 * @flags: KFD_GPREEMPT_*
 * @ring_bytes: size
 * @distrust: waves were seen when its memory said that there was no work
 * @busy: has work, as the scheduler was told
 * @seen: mark while asking amdkfd
 */
struct gpk_queue {
	struct list_head link;
	u64 generation;
	u64 core;
	u64 rptr;
	u64 wptr;
	u64 ring;
	u64 pending;
	struct gp_idle idle;
	struct gp_idle_seen look;
	enum gp_idle_answer answer;
	struct gp_arrivals arrivals;
	u32 queue_id;
	u32 flags;
	u32 ring_bytes;
	bool distrust;
	bool busy;
	bool seen;
};

/* All attributes of a process. */
#define GPK_ATTR_F_ALL                                                           \
	(GPREEMPT_ATTR_F_PRIO | GPREEMPT_ATTR_F_WEIGHT | GPREEMPT_ATTR_F_SLICE | \
	 GPREEMPT_ATTR_F_DEADLINE | GPREEMPT_ATTR_F_LATENCY_CRITICAL |           \
	 GPREEMPT_ATTR_F_NO_PREEMPT | GPREEMPT_ATTR_F_DETECT | GPREEMPT_ATTR_F_GROUP)

/**
 * struct gpk_said - what can be said of a process
 * @attr: attributes
 * @group: number, 0 = none
 * @detect: GPREEMPT_DETECT_*
 */
struct gpk_said {
	struct gp_attr attr;
	u64 group;
	u8 detect;
};

/**
 * struct gpk_entity - a process on a node; the monitor's, but for @hint_ns and @hints
 * @link: in its node
 * @rcu: callbacks may still look at it when it is gone
 * @generation: amdkfd's name
 * @core: the scheduler's name; that of others too if it is in a group
 * @group: number of that, 0 = none
 * @version: of the wish that it has
 * @uid: whose process it was when it came
 * @pid: process
 * @mm: its memory map when it got its first queue; grabbed
 * @queues: its queues
 * @look_ns: when to look at its pointers again; U64_MAX = only on a hint. Callbacks read it
 * @looked_ns: when that was last done
 * @flags_ns: when amdkfd was last asked for the flags of its queues
 * @touch_ns: when pages with its pointers were last asked for
 * @touch: work item that asks for them; NULL = never was needed
 * @since_ns: when its state changed last
 * @hint_ns: when its doorbell faulted
 * @hints: GPK_HINT_*
 * @ended_ns: when an interrupt last said that something of it ended, 0 = never
 * @restart: it goes on after it was off the GPU or could not run
 * @detect: GPREEMPT_DETECT_*
 * @has_deadline: the scheduler wants to know of its requests
 * @nr_manual: holds by hand of all its queues
 * @sched_out: preempted by the scheduler
 * @armed: its doorbells are
 * @cannot_arm: they cannot be
 * @is_gone: its memory is, though it still has queues: its work is not waited for
 * @is_lost: amdkfd does not know it any more: it is removed before amdkfd is asked again
 * @seen: mark while asking amdkfd
 */
struct gpk_entity {
	struct list_head link;
	struct rcu_head rcu;
	u64 generation;
	u64 core;
	u64 group;
	u64 version;
	kuid_t uid;
	struct pid *pid;
	struct mm_struct *mm;
	struct list_head queues;
	u64 look_ns;
	u64 looked_ns;
	u64 flags_ns;
	u64 touch_ns;
	struct gpk_touch *touch;
	u64 since_ns;
	u64 hint_ns;
	u64 ended_ns;
	unsigned long hints;
	u8 detect;
	u32 nr_manual;
	bool has_deadline;
	bool sched_out;
	bool armed;
	bool cannot_arm;
	bool restart;
	bool is_gone;
	bool is_lost;
	bool seen;
};

/**
 * struct gpk_named - what a reference of user space names
 * @pid: process
 * @queue_id: queue, or GPREEMPT_ABI_QUEUE_ALL
 * @process: generation of it
 * @queue: generation, or KFD_GPREEMPT_ALL
 * @hold: of one that is to be preempted, taken when it is
 * @result: 0 or -errno
 * @is_told: amdkfd is
 */
struct gpk_named {
	struct pid *pid;
	u32 queue_id;
	u64 process;
	u64 queue;
	struct gpk_hold *hold;
	int result;
	bool is_told;
};

/**
 * struct gpk_by_hand - what is to be preempted and resumed by hand
 * @owner: file
 * @named: first those to preempt
 * @refs: room for as many
 * @nr_out: how many of them
 * @nr_in: to resume
 * @grace: of those to preempt
 */
struct gpk_by_hand {
	const void *owner;
	struct gpk_named *named;
	struct kfd_gpreempt_ref *refs;
	u32 nr_out;
	u32 nr_in;
	u32 grace;
};

struct gpk_batch;

/**
 * struct gpk_node - a GPU
 * @gpu_id: amdkfd's name
 * @mode: how its queues are scheduled: KFD_GPREEMPT_MODE_*
 * @thread: monitor
 * @wait: where it sleeps
 * @kick: enum gpk_kick: why it should not
 * @round: how often the monitor has begun to run; written before @kick is taken
 * @lock: protects @timeline
 * @commands_lock: protects @commands
 * @commands: for the monitor to run, by lane
 * @lane: lane whose turn it is
 * @snapshot: for readers, or NULL; RCU
 * @looks: callers that wait for a snapshot
 * @looks_wanted: how many there ever were
 * @looks_done: how many of them have been served
 * @look_pause_ns: no snapshot before
 * @look_failed: there was no memory for the last one
 * @is_any_out: the scheduler has preempted something; callbacks read it
 * @moved: queues were switched since amdkfd was last asked for their flags
 * @sched: scheduler
 * @sched_mem: its memory
 * @act: carries out what it wants
 * @batch: what a switch means to amdkfd
 * @entities: all of them
 * @nr_entities: how many; at most GPK_ENTITIES_MAX
 * @by_generation: the same, for callbacks
 * @resync_ns: when to ask amdkfd again, as it did not work; U64_MAX = not
 * @hidden_ns: when those that seem idle were last asked for waves
 * @holds: by hand
 * @held: of these, the holds of whole processes, by process
 * @heard_ns: when amdkfd was last told that the monitor lives
 * @disabled: switched off: all processes run, the driver schedules
 * @nr_wakeups: times the monitor ran
 * @nr_timer_wakeups: of these, by a timer
 * @nr_faults: armed doorbells that were rung
 * @detect_ns: from a fault to the monitor
 * @timeline: last records of the scheduler; @lock
 * @nr_timeline: how many there ever were
 * @dump: text of the last dump, or NULL; @dump_mutex
 * @dump_mutex: protects @dump
 * @dump_work: writes it to the log
 * @dump_ns: when that was made
 * @dumps_left_out: dumps that were not made since, as they came too soon
 */
struct gpk_node {
	u32 gpu_id;
	u32 mode;
	struct task_struct *thread;
	wait_queue_head_t wait;
	atomic_t kick;
	u64 round;
	spinlock_t lock;
	spinlock_t commands_lock;
	struct list_head commands[GPK_LANES];
	u32 lane;
	struct gpk_snapshot __rcu *snapshot;
	wait_queue_head_t looks;
	atomic64_t looks_wanted;
	u64 looks_done;
	u64 look_pause_ns;
	bool look_failed;
	bool is_any_out;
	bool moved;
	struct gp_sched *sched;
	void *sched_mem;
	struct gp_act act;
	struct gpk_batch *batch;
	struct list_head entities;
	u32 nr_entities;
	struct xarray by_generation;
	u64 resync_ns;
	u64 hidden_ns;
	struct gp_holds holds;
	DECLARE_HASHTABLE(held, 8);
	u64 heard_ns;
	bool disabled;
	u64 nr_wakeups;
	u64 nr_timer_wakeups;
	atomic64_t nr_faults;
	struct gp_hist detect_ns;
	struct gp_trace *timeline;
	u64 nr_timeline;
	char *dump;
	struct mutex dump_mutex;
	struct work_struct dump_work;
	u64 dump_ns;
	u32 dumps_left_out;
};

/**
 * struct gpk_command - something the monitor is to do
 * @link: in the node
 * @run: does it, in the monitor
 * @done: completed afterwards
 * @ret: what @run gave
 */
struct gpk_command {
	struct list_head link;
	int (*run)(struct gpk_node *n, struct gpk_command *cmd);
	struct completion done;
	int ret;
};

/* main.c */
extern bool gpk_verify;
extern char *gpk_policy;
struct gpk_node *gpk_node_at(u32 index);
struct gpk_node *gpk_node_find(u32 gpu_id);
u32 gpk_nr_nodes(void);

/* monitor.c */
/* What a record of the scheduler is called; see enum gp_trace_kind. */
const char *gpk_trace_name(u32 kind);
int gpk_node_start(struct gpk_node *n, u32 gpu_id);
void gpk_node_stop(struct gpk_node *n);
void gpk_kick(struct gpk_node *n, u32 why);
int gpk_command(struct gpk_node *n, struct gpk_command *cmd);

/* entity.c */
/* Asks amdkfd what there is; sets n->resync_ns if that does not work for now. */
void gpk_resync(struct gpk_node *n);
/* The same, if amdkfd has told of a change since it was last asked, or a switch made one. */
void gpk_catch_up(struct gpk_node *n);
/* In a moment: there is no memory, or something failed, and amdkfd will not tell of it. */
void gpk_resync_later(struct gpk_node *n);
void gpk_forget_all(struct gpk_node *n);
struct gpk_entity *gpk_entity_of(struct gpk_node *n, u64 core);
/* After an exec there may be two: the one of the program that runs. */
struct gpk_entity *gpk_entity_by_pid(struct gpk_node *n, struct pid *pid);
struct gpk_queue *gpk_queue_by_id(struct gpk_entity *e, u32 queue_id);
/*
 * The queues of a process, of all (0) or of all with their waves (KFD_GPREEMPT_EVERY), for
 * gpk_desc_put() each and kvfree(). -EAGAIN if more came meanwhile, -ENOMEM, -ENODEV.
 */
struct kfd_gpreempt_queue *gpk_ask(struct gpk_node *n, u64 process, u32 *nr);
/* The references that amdkfd gave with a queue. */
void gpk_desc_put(const struct kfd_gpreempt_queue *desc);

/* pointer.c */
struct gpk_touch;
void gpk_touch_put(struct gpk_touch *t);
int gpk_pointer_init(void);
void gpk_pointer_fini(void);
/*
 * Looks at all queues of an entity, as far as memory can tell: gpk_queue.look and answer.
 * 0, -EAGAIN not of all, -ESRCH there is no memory.
 */
int gpk_pointer_look(struct gpk_entity *e, const struct gp_idle_pace *pace);

/* detect.c */
extern uint gpk_poll_us, gpk_critical_us, gpk_tick_us;
/* KFD_GPREEMPT_* of a queue that cannot run, whatever the scheduler does. */
bool gpk_is_blocked(u32 flags);
void gpk_detect_run(struct gpk_node *n);
u64 gpk_detect_next(const struct gpk_node *n);
void gpk_detect_set(struct gpk_node *n, struct gpk_entity *e, u8 mode);

/* batch.c */
/*
 * kfd_gpreempt_switch(); the flags of queues are asked for before they are next shown. What
 * amdkfd could not do now is tried again: see gpk_resync_later().
 */
int gpk_switch(struct gpk_node *n, struct kfd_gpreempt_ref *refs, u32 nr_out, u32 nr_in,
	       u32 grace);
void gpk_switch_do(struct gpk_node *n);
struct gpk_batch *gpk_batch_alloc(void); /* for kvfree() */
/* Room for KFD_GPREEMPT_REFS_MAX of them, of the monitor, between switches of the scheduler. */
struct kfd_gpreempt_ref *gpk_batch_refs(struct gpk_node *n);

/* hold.c */
void gpk_hold_init(struct gpk_node *n);
/* Holds of a queue, or (0) of all queues of a process. */
u32 gpk_hold_count(const struct gpk_node *n, u64 process, u64 queue);
/* The generation of a process that @owner holds, and that may have no queues; or 0. */
u64 gpk_hold_of(const struct gpk_node *n, const void *owner, const struct pid *pid);
/* For the caller, which it is charged to; or NULL. */
struct gpk_hold *gpk_hold_alloc(const void *owner, struct pid *pid, u32 queue_id, u64 until_ns);
void gpk_hold_free(struct gpk_hold *h);
/* In one cycle: all that have no result yet. */
void gpk_hold_switch(struct gpk_node *n, const struct gpk_by_hand *c);
void gpk_hold_drop_owner(struct gpk_node *n, const void *owner);
/* amdkfd has let go of everything by itself. */
void gpk_hold_forget(struct gpk_node *n);
/* Processes have ended: nothing of them can be held any more. */
void gpk_hold_forget_dead(struct gpk_node *n);
void gpk_hold_run(struct gpk_node *n);
u64 gpk_hold_next(const struct gpk_node *n);

/* attr.c: attributes by process, also of those that have no queue yet */
/* What a process has. Return: a number that changes with it, 0 = the defaults. */
u64 gpk_attr_wish(struct pid *pid, struct gpk_said *said);
int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg);
void gpk_attr_get(struct pid *pid, struct gpreempt_ioc_attr *arg);

/* group.c: processes that are one entity of the core */
kuid_t gpk_group_uid(struct pid *pid);
/* Finds or makes the core's entity; what follows from it is in n->act.acts. 0 or -errno. */
int gpk_group_join(struct gpk_node *n, struct gpk_entity *e, const struct gp_attr *attr);
void gpk_group_leave(struct gpk_node *n, struct gpk_entity *e);
void gpk_group_change(struct gpk_node *n, struct gpk_entity *e, u64 group,
		      const struct gp_attr *attr);
bool gpk_group_is_shared(struct gpk_node *n, const struct gpk_entity *e);

/* event.c: costs the monitor the same for any number of listeners */
int gpk_event_init(void);
void gpk_event_fini(void);
void gpk_event(struct gpk_node *n, struct pid *pid, u32 kind, u32 code, u64 value);

/* device.c */
int gpk_device_init(void);
void gpk_device_fini(void);

/* dump.c: the state of a node as text, for the log and for debugfs */
/* In the monitor: keeps one that a worker writes to the log, if the last was long ago. */
void gpk_dump(struct gpk_node *n, const char *why);
struct seq_file;
/* The node now; and the one that was kept. */
int gpk_dump_show(struct gpk_node *n, struct seq_file *m);
int gpk_dump_show_last(struct gpk_node *n, struct seq_file *m);
void gpk_dump_init(struct gpk_node *n);
void gpk_dump_fini(struct gpk_node *n);

/* show.c */
int gpk_show_init(void);
void gpk_show_fini(void);

#endif
