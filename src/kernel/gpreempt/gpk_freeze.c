// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A process that was stopped by a signal or frozen by a cgroup expects that all of it
 * stops: its queues leave the GPU until it goes on, as if they were held by hand. So no
 * room is made for its work meanwhile, however urgent it is. A stop by a debugger is not
 * meant: the process may be traced in order to be preempted.
 *
 * Every user can stop its processes as often as it likes, and each change is a cycle of the GPU
 * in which all are taken off it. So what is to change is collected, and changes in one cycle
 * when its time has come: cycles of this kind take a small part of the time, and no process
 * waits for another's turn.
 */
#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/sched/jobctl.h>
#include <linux/sched/signal.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

/* After a cycle there is none for so many times as long, but not for longer than a second. */
#define PAUSE_FACTOR 32
#define PAUSE_MAX_NS ((u64)NSEC_PER_SEC)
/* In one cycle, of those that leave and of those that come back. */
#define EACH_WAY 128
/* Of a process: with more of them than this the others are taken to do as these do. */
#define THREADS_MAX 64

/* In place of a file. */
static const char owner;

/* Processes that are to leave the GPU, then those that are to come back. */
struct gpk_freeze_batch {
	struct gpk_by_hand by_hand;
	struct gpk_named named[2 * EACH_WAY];
	struct kfd_gpreempt_ref refs[2 * EACH_WAY];
};

static bool is_still(struct task_struct *t)
{
	/*
	 * By cgroup v1, where frozen() is not for modules; by cgroup v2, to which one that a
	 * debugger stops is frozen too.
	 */
	return READ_ONCE(t->__state) & TASK_FROZEN ||
	       (cgroup_task_frozen(t) && READ_ONCE(t->jobctl) & JOBCTL_TRAP_FREEZE);
}

/* Of one that runs the first thread that does says so. */
static bool are_all_still(struct task_struct *p)
{
	struct task_struct *t;
	u32 nr = 0;

	for_each_thread(p, t) {
		if (t->exit_state)
			continue;
		if (!is_still(t))
			return false;
		if (++nr == THREADS_MAX)
			break;
	}
	return nr;
}

/* Where scheduling is switched off, nothing is held. */
static bool is_frozen(const struct gpk_node *n, const struct gpk_entity *e)
{
	struct task_struct *p;
	bool is;

	if (n->disabled)
		return false;
	rcu_read_lock();
	p = pid_task(e->pid, PIDTYPE_TGID);
	/* Set when a signal has stopped the last thread. */
	is = p && (READ_ONCE(p->signal->flags) & SIGNAL_STOP_STOPPED || are_all_still(p));
	rcu_read_unlock();
	return is;
}

static bool is_held(const struct gpk_node *n, const struct gpk_entity *e)
{
	return gpk_hold_of(n, &owner, e->pid);
}

bool gpk_freeze_look(struct gpk_node *n, struct gpk_entity *e)
{
	bool is_now = is_frozen(n, e);

	if (is_now == is_held(n, e))
		list_del_init(&e->freeze);
	else if (list_empty(&e->freeze))
		list_add_tail(&e->freeze, &n->freezes);
	return is_now;
}

u64 gpk_freeze_next(const struct gpk_node *n)
{
	return list_empty(&n->freezes) ? U64_MAX : n->freeze_pause_ns;
}

void gpk_freeze_forget(struct gpk_entity *e)
{
	list_del_init(&e->freeze);
}

/* What cannot be held for want of memory is tried at the next look. */
static void batch_put(struct gpk_freeze_batch *b, struct gpk_entity *e, bool is_out)
{
	struct gpk_named *what = &b->named[b->by_hand.nr];

	*what = (struct gpk_named){
		.pid = e->pid,
		.queue_id = GPREEMPT_ABI_QUEUE_ALL,
		.process = e->generation,
		.queue = KFD_GPREEMPT_ALL,
	};
	if (is_out)
		what->hold = gpk_hold_alloc(&owner, e->pid, what->queue_id, KTIME_MAX);
	if (is_out && !what->hold)
		return;
	b->by_hand.nr_out += is_out;
	b->by_hand.nr++;
}

/*
 * Of those that wait: to be held, or to go on. Some have changed back since they were looked at.
 */
static void batch_fill(struct gpk_node *n, struct gpk_freeze_batch *b, bool is_out)
{
	struct gpk_entity *e, *next;
	u32 max = b->by_hand.nr + EACH_WAY;

	list_for_each_entry_safe(e, next, &n->freezes, freeze) {
		if (is_held(n, e) == is_out)
			continue;
		if (b->by_hand.nr == max)
			return;
		list_del_init(&e->freeze);
		if (is_frozen(n, e) == is_out)
			batch_put(b, e, is_out);
		else
			gpk_look_soon(n, e);
	}
}

static void change(struct gpk_node *n, struct gpk_freeze_batch *b)
{
	u32 i;

	b->by_hand = (struct gpk_by_hand){ .owner = &owner, .named = b->named, .refs = b->refs };
	batch_fill(n, b, true);
	batch_fill(n, b, false);
	gpk_hold_switch(n, &b->by_hand);
	for (i = 0; i < b->by_hand.nr_out; i++)
		gpk_hold_free(b->named[i].hold);
}

void gpk_freeze_run(struct gpk_node *n)
{
	u64 start = ktime_get_ns(), end;

	if (start < gpk_freeze_next(n))
		return;
	change(n, n->freeze_batch);
	end = ktime_get_ns();
	n->freeze_pause_ns = end + min(PAUSE_FACTOR * (end - start), PAUSE_MAX_NS);
}

int gpk_freeze_init(struct gpk_node *n)
{
	INIT_LIST_HEAD(&n->freezes);
	n->freeze_batch = kvzalloc(sizeof(*n->freeze_batch), GFP_KERNEL);
	return n->freeze_batch ? 0 : -ENOMEM;
}

void gpk_freeze_fini(struct gpk_node *n)
{
	kvfree(n->freeze_batch);
}
