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
/* Cgroups of which something is said, and shares of a node. */
#define GPK_CGROUPS_MAX 4096
#define GPK_TIMELINE 4096
/* Of commands: the first is for administrators, users share the others. */
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
/* Of gpk_node.by_generation: set after one of these bits. */
#define GPK_HINTED XA_MARK_0

/* A compute queue; the monitor's. */
struct gpk_queue {
	struct list_head link;		 /* in its entity */
	struct hlist_node by_generation; /* in its node */
	u64 generation;			 /* amdkfd's name */
	u64 core;			 /* the scheduler's name */
	u64 rptr;	       /* user address of the read pointer */
	u64 wptr;	       /* user address of the write pointer */
	u64 ring;	       /* user address of its ring */
	/* what was between its pointers when they were last read; U64_MAX = not known */
	u64 pending;
	struct gp_idle idle;	     /* the proof whether it has work */
	struct gp_idle_seen look;    /* what was last seen of it */
	enum gp_idle_answer answer;  /* what follows from that */
	struct gp_arrivals arrivals; /* its requests */
	u32 queue_id;		     /* as user space knows it */
	u32 flags;		     /* KFD_GPREEMPT_* */
	u32 ring_bytes;		     /* size */
	bool distrust;		     /* had waves when its memory said: no work */
	bool busy;		     /* has work, as the scheduler was told */
	bool seen;		     /* mark while asking amdkfd */
};

/* All attributes of a process. */
#define GPK_ATTR_F_ALL                                                           \
	(GPREEMPT_ATTR_F_PRIO | GPREEMPT_ATTR_F_WEIGHT | GPREEMPT_ATTR_F_SLICE | \
	 GPREEMPT_ATTR_F_DEADLINE | GPREEMPT_ATTR_F_LATENCY_CRITICAL |           \
	 GPREEMPT_ATTR_F_NO_PREEMPT | GPREEMPT_ATTR_F_DETECT | GPREEMPT_ATTR_F_GROUP)

/* What can be said of a process. */
struct gpk_said {
	struct gp_attr attr; /* attributes */
	u64 group;	     /* number, 0 = none */
	u8 detect;	     /* GPREEMPT_DETECT_* */
	bool is_ordered;     /* said last by a caller with CAP_SYS_NICE */
};

/* A process on a node; the monitor's, but for @hint_ns and @hints. */
struct gpk_entity {
	struct list_head link;	 /* in its node */
	struct hlist_node by_pid; /* in its node */
	struct hlist_node by_core;  /* in its node, while it has @core */
	struct hlist_node by_group; /* in its node, while it has @core and @group */
	struct list_head apart;	 /* in its node, of one that waits to join its group */
	struct rcu_head rcu;	 /* callbacks may still look at it when it is gone */
	u64 generation;		 /* amdkfd's name */
	u64 core;		 /* the scheduler's name; that of others too if it is in a group */
	u64 group;		 /* number of that, 0 = none */
	u64 version;		 /* of the wish that it has */
	kuid_t uid;		 /* whose process it was when it came */
	struct pid *pid;	 /* process */
	struct mm_struct *mm;	 /* its memory map when it got its first queue; grabbed */
	struct list_head queues; /* its queues */
	/* when to look at its pointers again; U64_MAX = only on a hint. Callbacks read it */
	u64 look_ns;
	struct gp_tree_node due; /* in its node, by @look_ns */
	u64 looked_ns;		 /* when that was last done */
	u64 flags_ns;		 /* when amdkfd was last asked for the flags of its queues */
	u64 touch_ns;		 /* when pages with its pointers were last asked for */
	struct gpk_touch *touch; /* work item that asks for them; NULL = never was needed */
	u64 since_ns;		 /* when its state changed last */
	u64 hint_ns;		 /* when its doorbell faulted */
	u64 ended_ns;		 /* when an interrupt last said that something ended, or 0 */
	unsigned long hints;	 /* GPK_HINT_* */
	u8 detect;		 /* GPREEMPT_DETECT_* */
	u32 nr_manual;		 /* holds by hand of all its queues */
	bool has_deadline;	 /* the scheduler wants to know of its requests */
	bool sched_out;		 /* preempted by the scheduler */
	bool armed;		 /* its doorbells are */
	bool cannot_arm;	 /* they cannot be */
	bool restart;		 /* it goes on after it was off the GPU or could not run */
	/* its memory is gone, though it still has queues: its work is not waited for */
	bool is_gone;
	/* amdkfd does not know it any more: it is removed before amdkfd is asked again */
	bool is_lost;
	bool seen; /* mark while asking amdkfd */
	u32 nr_regroups; /* changes of group since @regroup_ns */
	u64 regroup_ns;	 /* when these were first counted */
	struct list_head freeze; /* in its node, of one that gpk_freeze_run() is to change */
	struct gpk_share *share; /* of the nearest cgroup of which something is said, or NULL */
	u64 share_version;	 /* of what that said when it was last applied */
	bool in_share;		 /* the core's entity may be in a share */
};

/* What a reference of user space names. */
struct gpk_named {
	struct pid *pid;       /* process */
	u32 queue_id;	       /* queue, or GPREEMPT_ABI_QUEUE_ALL */
	u64 process;	       /* generation of it */
	u64 queue;	       /* generation, or KFD_GPREEMPT_ALL */
	struct gpk_hold *hold; /* of one that is to be preempted, taken when it is */
	int result;	       /* 0 or -errno */
	bool is_told;	       /* amdkfd is */
};

/* What is to be preempted and resumed by hand. */
struct gpk_by_hand {
	const void *owner;	       /* file */
	struct gpk_named *named;       /* first those to preempt */
	struct kfd_gpreempt_ref *refs; /* room for as many */
	u32 nr_out;		       /* how many to preempt */
	u32 nr;			       /* how many, with those to resume */
	u32 grace;		       /* of those to preempt */
};

struct gpk_batch;
struct gpk_freeze_batch;
struct gpk_path;

/* A GPU. */
struct gpk_node {
	u32 gpu_id; /* amdkfd's name */
	/* how its queues are scheduled: KFD_GPREEMPT_MODE_* */
	u32 mode;
	u32 max_processes;		      /* that fit on it at a time, 0 = any number */
	u32 max_queues;			      /* the same for compute queues */
	struct task_struct *thread;	      /* monitor */
	wait_queue_head_t wait;		      /* where it sleeps */
	atomic_t kick;			      /* enum gpk_kick: why it should not */
	u64 round;			      /* rounds of the monitor; before @kick is taken */
	spinlock_t lock;		      /* protects @timeline */
	spinlock_t commands_lock;	      /* protects @commands */
	struct list_head commands[GPK_LANES]; /* for the monitor to run, by lane */
	u32 lane;			      /* lane whose turn it is */
	u64 hand_pause_ns;		      /* until then no user switches by hand */
	u64 put_off_ns;			      /* when commands that wait for that go on */
	struct gpk_snapshot __rcu *snapshot;  /* for readers, or NULL; RCU */
	wait_queue_head_t looks;	      /* callers that wait for a snapshot */
	atomic64_t looks_wanted;	      /* how many there ever were */
	u64 looks_done;			      /* how many of them have been served */
	u64 look_pause_ns;		      /* no snapshot before */
	bool look_failed;		      /* there was no memory for the last one */
	bool is_any_out;		      /* something is preempted; callbacks read it */
	bool moved;			      /* queues were, since their flags were asked for */
	struct gp_sched *sched;		      /* scheduler */
	void *sched_mem;		      /* its memory */
	struct gp_act act;		      /* carries out what it wants */
	struct gpk_batch *batch;	      /* what a switch means to amdkfd */
	struct list_head entities;	      /* all */
	struct list_head apart;		      /* of these, those that wait to join their groups */
	u32 nr_entities;		      /* how many; at most GPK_ENTITIES_MAX */
	struct xarray by_generation;	      /* the same, for callbacks, which mark hints */
	DECLARE_HASHTABLE(by_pid, 8);	      /* the same, by process */
	DECLARE_HASHTABLE(by_core, 8);	      /* the same, by the scheduler's name */
	DECLARE_HASHTABLE(by_group, 8);	      /* of these, those in groups, by user and group */
	DECLARE_HASHTABLE(queues, 10);	      /* queues of all of them */
	struct kfd_gpreempt_queue *answer;    /* what amdkfd answered last: see gpk_ask() */
	u32 answer_room;		      /* how many queues fit */
	struct gp_tree due;		      /* entities that are to be looked at, by time */
	u32 nr_busy;			      /* queues with work */
	u64 resync_ns;			      /* when to ask amdkfd again; U64_MAX = not */
	u64 apply_ns;			      /* when wishes are looked at again; the same */
	/* when those that seem idle were last asked for waves */
	u64 hidden_ns;
	struct gp_holds holds;	      /* by hand */
	struct gp_tree held;	      /* of these, those of whole processes, by owner and process */
	struct list_head freezes;     /* processes that were stopped or go on, in turn */
	u64 freeze_pause_ns;	      /* until then none of these changes */
	struct gpk_freeze_batch *freeze_batch; /* those that change at once */
	struct list_head shares;      /* of cgroups; one comes after the one it is in */
	u32 nr_shares;		      /* how many; at most GPK_CGROUPS_MAX */
	DECLARE_HASHTABLE(by_cgroup, 8); /* the same, by the number of the cgroup */
	struct gpk_path *path;	      /* of the process that is looked up */
	u64 heard_ns;		      /* when amdkfd was last told that the monitor lives */
	bool disabled;		      /* switched off: the driver schedules */
	u64 nr_wakeups;		      /* times the monitor ran */
	u64 nr_timer_wakeups;	      /* of these, by a timer */
	atomic64_t nr_faults;	      /* armed doorbells that were rung */
	struct gp_hist detect_ns;     /* from a fault to the monitor */
	struct gp_trace *timeline;    /* last records of the scheduler; @lock */
	u64 nr_timeline;	      /* how many there ever were */
	char *dump;		      /* text of the last dump, or NULL; @dump_mutex */
	struct mutex dump_mutex;      /* protects @dump */
	struct work_struct dump_work; /* writes it to the log */
	u64 dump_ns;		      /* when that was made */
	u32 dumps_left_out;	      /* dumps since that came too soon */
};

/* main.c */
extern bool gpk_verify;
extern char *gpk_policy;
struct gpk_node *gpk_node_at(u32 index);
struct gpk_node *gpk_node_find(u32 gpu_id);
u32 gpk_nr_nodes(void);

/* monitor.c */
int gpk_node_start(struct gpk_node *n, u32 gpu_id);
void gpk_node_stop(struct gpk_node *n);
void gpk_kick(struct gpk_node *n, u32 why);
/* Has the monitor call @run, and waits. Return: what it gave. */
int gpk_command(struct gpk_node *n, int (*run)(struct gpk_node *n, void *data), void *data);
/* The same for what takes all off the GPU for a moment: users have a small part of the time. */
int gpk_command_by_hand(struct gpk_node *n, int (*run)(struct gpk_node *n, void *data), void *data);

/* What follows from an event of the core, whose result is @ret. Return: @ret. */
static inline int gpk_act(struct gpk_node *n, int ret)
{
	if (!ret)
		gp_act_run(&n->act);
	return ret;
}

/* entity.c */
/* Asks amdkfd what there is; sets n->resync_ns if that does not work for now. */
void gpk_resync(struct gpk_node *n);
/* The same, if amdkfd has told of a change since it was last asked. */
void gpk_catch_up(struct gpk_node *n);
/* In a moment: there is no memory, or something failed, and amdkfd will not tell of it. */
void gpk_resync_later(struct gpk_node *n);
void gpk_forget_all(struct gpk_node *n);
struct gpk_entity *gpk_entity_of(struct gpk_node *n, u64 core);
/* The processes that are one entity of the core: one, or those of a group. After @e, or NULL. */
struct gpk_entity *gpk_member_next(struct gpk_node *n, u64 core, struct gpk_entity *e);
#define gpk_for_each_member(e, n, core)                 \
	for ((e) = gpk_member_next(n, core, NULL); (e); \
	     (e) = gpk_member_next(n, core, e))
/* After an exec there may be two: the one of the program that runs. */
struct gpk_entity *gpk_entity_by_pid(struct gpk_node *n, struct pid *pid);
struct gpk_queue *gpk_queue_by_id(struct gpk_entity *e, u32 queue_id);
struct gpk_queue *gpk_queue_of(struct gpk_node *n, u64 generation);

/* answer.c */
/*
 * The queues of a process, of all (0) or of all with their waves (KFD_GPREEMPT_EVERY), in
 * n->answer until gpk_answer_put(). amdkfd is asked once, so its lock is taken once: again only
 * if there are more queues than there ever were. 0, -EAGAIN ever more came, -ENOMEM, -ENODEV.
 */
int gpk_ask(struct gpk_node *n, u64 process, u32 *nr);
void gpk_answer_put(struct gpk_node *n, u32 nr);
int gpk_answer_init(struct gpk_node *n);

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
void gpk_detect_init(struct gpk_node *n);
void gpk_detect_run(struct gpk_node *n);
u64 gpk_detect_next(const struct gpk_node *n);
/* A process is about to go. */
void gpk_detect_forget(struct gpk_node *n, struct gpk_entity *e);
void gpk_detect_set(struct gpk_node *n, struct gpk_entity *e, u8 mode);
/* Looks at it soon. */
void gpk_look_soon(struct gpk_node *n, struct gpk_entity *e);
/* The same, if it has no work as far as the scheduler knows. */
void gpk_look_if_idle(struct gpk_node *n, struct gpk_entity *e);
/* A queue has work, or none; one that goes has none. */
void gpk_set_busy(struct gpk_node *n, struct gpk_queue *q, bool busy);

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
u64 gpk_hold_of(const struct gpk_node *n, const void *owner, struct pid *pid);
/* For the caller, which it is charged to; or NULL. */
struct gpk_hold *gpk_hold_alloc(const void *owner, struct pid *pid, u32 queue_id, u64 until_ns);
void gpk_hold_free(struct gpk_hold *h);
/* In one cycle: all that have no result yet. */
void gpk_hold_switch(struct gpk_node *n, const struct gpk_by_hand *c);
void gpk_hold_drop_owner(struct gpk_node *n, const void *owner);
/* amdkfd has let go of everything by itself. */
void gpk_hold_forget(struct gpk_node *n);
/* A process goes: if it has ended, nothing of it can be held any more. */
void gpk_hold_forget_dead(struct gpk_node *n, const struct gpk_entity *e);
void gpk_hold_run(struct gpk_node *n);

/* freeze.c */
int gpk_freeze_init(struct gpk_node *n);
void gpk_freeze_fini(struct gpk_node *n);
/* Whether a process is stopped or frozen; notes what is to be done about it. */
bool gpk_freeze_look(struct gpk_node *n, struct gpk_entity *e);
/* Holds those that are, and lets go of those that are not any more. */
void gpk_freeze_run(struct gpk_node *n);
/* When that is to be done; U64_MAX = nothing is noted. */
u64 gpk_freeze_next(const struct gpk_node *n);
void gpk_freeze_forget(struct gpk_entity *e);

/* attr.c: attributes by process, also of those that have no queue yet */
/* What a process has. Return: a number that changes with it, 0 = the defaults. */
u64 gpk_attr_wish(struct pid *pid, struct gpk_said *said);
int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg);
/* Wishes whose time was not come when they were set. */
void gpk_attr_run(struct gpk_node *n);
void gpk_attr_get(struct pid *pid, struct gpreempt_ioc_attr *arg);
/* What of all processes is not as was said of them and of their cgroups. */
void gpk_attr_look(struct gpk_node *n);

/* group.c: processes that are one entity of the core */
kuid_t gpk_group_uid(struct pid *pid);
/* Finds or makes the core's entity; what follows from it is in n->act.acts. 0 or -errno. */
int gpk_group_join(struct gpk_node *n, struct gpk_entity *e, const struct gp_attr *attr);
void gpk_group_leave(struct gpk_node *n, struct gpk_entity *e);
/* A process has another group or other attributes, or the same. */
void gpk_group_change(struct gpk_node *n, struct gpk_entity *e, u64 group,
		      const struct gp_attr *attr);
/* Those that have come back to the GPU join their groups. */
void gpk_group_run(struct gpk_node *n);
bool gpk_group_is_shared(struct gpk_node *n, const struct gpk_entity *e);

/* cgroup.c: cgroups of which something is said */
struct gp_cgroup_attr;
int gpk_cgroup_init(struct gpk_node *n);
void gpk_cgroup_fini(struct gpk_node *n);
/* Forgets what was said; there are no nodes any more. */
void gpk_cgroup_forget_all(void);
/* Is anything said of any? */
bool gpk_cgroup_any(void);
/* The share of the nearest one at or above that of a process, made if it was not there; or NULL. */
struct gpk_share *gpk_cgroup_find(struct gpk_node *n, struct pid *pid);
/* Whether a process is not in it, or was before something else was said. */
bool gpk_cgroup_is_news(const struct gpk_entity *e, const struct gpk_share *g);
/* It is from now on, NULL = in none; the core has not heard of it. */
void gpk_cgroup_enter(struct gpk_entity *e, struct gpk_share *g);
/* What that means for the attributes of the process. */
void gpk_cgroup_apply(const struct gpk_entity *e, struct gp_attr *attr);
/* Tells the core, of a process that may have another entity or another share. */
void gpk_cgroup_settle(struct gpk_node *n, struct gpk_entity *e);

/* event.c: costs the monitor the same for any number of listeners */
int gpk_event_init(void);
void gpk_event_fini(void);
void gpk_event(struct gpk_node *n, struct pid *pid, u32 kind, u32 code, u64 value);

/* access.c: rights of a caller over a process */
/* The process of a pidfd, -1 = the caller, with a reference; or ERR_PTR(-EBADF, -ESRCH). */
struct pid *gpk_pidfd_get(int pidfd);
/* May the caller stop and continue this process? 0, -EPERM, -ESRCH. */
int gpk_may_control(struct pid *pid);
/* The same for what is to be seen of it. */
bool gpk_may_see(struct pid *pid);
/* May the caller change policies and raise processes? 0 or -EPERM. */
int gpk_may_govern(void);
/* The same without a record in the audit log: for callers that can do without. */
bool gpk_is_governor(void);

/* device.c */
int gpk_device_init(void);
void gpk_device_fini(void);

/* dump.c: the state of a node as text, for the log and for debugfs */
/* In the monitor: keeps one that a worker writes to the log, if the last was long ago. */
void gpk_dump(struct gpk_node *n, const char *why);
struct seq_file;
/* Of a node, m->private: now; and the one that was kept. */
int gpk_dump_show(struct seq_file *m, void *unused);
int gpk_last_dump_show(struct seq_file *m, void *unused);
void gpk_dump_init(struct gpk_node *n);
void gpk_dump_fini(struct gpk_node *n);

/* show.c */
int gpk_show_init(void);
void gpk_show_fini(void);

#endif
