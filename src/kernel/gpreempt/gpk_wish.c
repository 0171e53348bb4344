// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which process has which wish: see gpk_wish.h.
 *
 * A child gets its parent's wish when it is forked, by a probe on the kernel's trace
 * point: later its parent may have ended, and nothing would be left of where it came
 * from. A process that was forked before anything was said gets the wish of an ancestor
 * when that is set. A process that was left by its parents before that has none.
 *
 * If there was no memory in a fork, the wish of the nearest living ancestor counts.
 */
#include <linux/hashtable.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "gpk_user.h"
#include "gpk_wish.h"

/* Of the processes of a user. */
#define WISHES_MAX 1024

/*
 * struct heir - a process that has a wish
 *
 * @pass: of gpk_wish_hand_down() that came by
 */
struct heir {
	struct hlist_node hash;
	struct hlist_node of_wish;
	struct pid *pid;
	struct gpk_wish *wish;
	u64 pass;
};

DEFINE_SPINLOCK(gpk_wishes_lock);
static DEFINE_HASHTABLE(heirs, 10);
static struct gpk_users users; /* how many wishes each has */
static bool is_any_missed; /* a fork without memory */

/* Trace points of the kernel. */
static struct tracepoint *on_fork, *on_exit;

static struct heir *heir_find(const struct pid *pid)
{
	struct heir *h;

	hash_for_each_possible(heirs, h, hash, (unsigned long)pid)
		if (h->pid == pid)
			return h;
	return NULL;
}

static void wish_put(struct heir *h)
{
	struct gpk_wish *w = h->wish;

	hlist_del(&h->of_wish);
	if (--w->nr_heirs)
		return;
	gpk_user_put(w->user);
	put_pid(w->owner);
	kfree(w);
}

static void heir_remove(struct heir *h)
{
	hash_del(&h->hash);
	wish_put(h);
	put_pid(h->pid);
	kfree(h);
}

/* NULL: no memory. Not charged: a limit of memory must not end this one. */
static struct heir *heir_set(struct pid *pid, struct gpk_wish *w)
{
	struct heir *h = heir_find(pid);

	if (!h) {
		h = kzalloc(sizeof(*h), GFP_ATOMIC | __GFP_NOWARN);
		if (!h)
			return NULL;
		h->pid = get_pid(pid);
		hash_add(heirs, &h->hash, (unsigned long)pid);
	}
	w->nr_heirs++;
	if (h->wish)
		wish_put(h);
	h->wish = w;
	hlist_add_head(&h->of_wish, &w->heirs);
	return h;
}

struct gpk_wish *gpk_wish_of(struct pid *pid)
{
	struct heir *h = heir_find(pid);
	struct task_struct *task;

	if (h || !is_any_missed)
		return h ? h->wish : NULL;
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	while (!h && task && task_pid_nr(task) > 1) {
		task = rcu_dereference(task->real_parent);
		h = heir_find(task_tgid(task));
	}
	rcu_read_unlock();
	return h ? h->wish : NULL;
}

/*
 * A process is in the list of all until its parent asks for it, and exited() comes once. It
 * takes the lock after the last thread has been counted: one that lives now is forgotten then.
 */
static bool is_alive(const struct task_struct *task)
{
	return task && atomic_read(&task->signal->live);
}

int gpk_wish_give(struct gpk_wish *w, struct pid *pid, kuid_t uid, bool is_limited)
{
	struct gpk_user *u;
	int ret = -ENOMEM;
	bool alive;

	rcu_read_lock();
	alive = is_alive(pid_task(pid, PIDTYPE_TGID));
	rcu_read_unlock();
	if (!alive)
		return -ESRCH;
	/* Forks wait meanwhile, so wishes are not counted. */
	u = gpk_user_get(&users, uid, GFP_ATOMIC | __GFP_NOWARN);
	if (!u)
		return -ENOMEM;
	if (is_limited && u->nr > WISHES_MAX)
		ret = -ENOSPC;
	else if (heir_set(pid, w))
		ret = 0;
	if (ret) {
		gpk_user_put(u);
		return ret;
	}
	w->owner = get_pid(pid);
	w->user = u;
	return 0;
}

/* A process is after its parents in the list of all: these have been passed. */
static struct heir *hand_down(struct task_struct *task, u64 pass, gpk_limit_fn limit,
			      const struct gpreempt_ioc_attr *arg)
{
	const struct heir *parent = heir_find(task_tgid(rcu_dereference(task->real_parent)));
	struct heir *h = heir_find(task_tgid(task));

	if (!is_alive(task) || !parent || parent->pass != pass)
		return NULL;
	if (!h || h->wish->owner != h->pid)
		return heir_set(task_tgid(task), parent->wish);
	if (limit)
		limit(h->wish, arg);
	return h;
}

u32 gpk_wish_heirs(struct pid *pid, struct pid **heirs, u32 room)
{
	const struct heir *h;
	u32 nr = 0;

	spin_lock(&gpk_wishes_lock);
	h = heir_find(pid);
	if (h && h->wish->owner == pid)
		hlist_for_each_entry(h, &h->wish->heirs, of_wish) {
			if (nr < room)
				heirs[nr] = get_pid(h->pid);
			nr++;
		}
	spin_unlock(&gpk_wishes_lock);
	return nr;
}

/* A child that comes after this gets the wish of its parent from forked(). */
static bool has_children(struct pid *pid)
{
	struct task_struct *task, *thread;
	bool found = false;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	if (task)
		for_each_thread(task, thread)
			found |= !list_empty(&thread->children);
	rcu_read_unlock();
	return found;
}

void gpk_wish_hand_down(struct pid *pid, gpk_limit_fn limit, const struct gpreempt_ioc_attr *arg)
{
	static u64 pass;
	struct task_struct *task;
	struct heir *h;

	if (!has_children(pid))
		return;
	pass++;
	rcu_read_lock();
	for_each_process(task) {
		spin_lock(&gpk_wishes_lock);
		h = task_tgid(task) == pid ? heir_find(pid) : hand_down(task, pass, limit, arg);
		if (h)
			h->pass = pass;
		spin_unlock(&gpk_wishes_lock);
	}
	rcu_read_unlock();
}

/* The child is among all processes already: either this or gpk_wish_hand_down() finds it. */
static void forked(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct heir *h;

	if (!thread_group_leader(child))
		return;
	spin_lock(&gpk_wishes_lock);
	h = heir_find(task_tgid(parent));
	if (h && !heir_set(task_tgid(child), h->wish))
		is_any_missed = true;
	spin_unlock(&gpk_wishes_lock);
}

static void exited(void *data, struct task_struct *task)
{
	struct heir *h;

	/* Other threads go on. */
	if (atomic_read(&task->signal->live))
		return;
	spin_lock(&gpk_wishes_lock);
	h = heir_find(task_tgid(task));
	if (h)
		heir_remove(h);
	spin_unlock(&gpk_wishes_lock);
}

static void find_tracepoint(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_process_fork"))
		on_fork = tp;
	if (!strcmp(tp->name, "sched_process_exit"))
		on_exit = tp;
}

int gpk_wish_init(void)
{
	int ret;

	check_trace_callback_type_sched_process_fork(forked);
	check_trace_callback_type_sched_process_exit(exited);
	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!on_fork || !on_exit)
		return -ENOENT;
	/* First the ends: a process that is noticed is also forgotten. */
	ret = tracepoint_probe_register(on_exit, exited, NULL);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(on_fork, forked, NULL);
	if (ret)
		tracepoint_probe_unregister(on_exit, exited, NULL);
	return ret;
}

void gpk_wish_fini(void)
{
	struct hlist_node *next;
	struct heir *h;
	u32 i;

	tracepoint_probe_unregister(on_fork, forked, NULL);
	tracepoint_probe_unregister(on_exit, exited, NULL);
	tracepoint_synchronize_unregister();
	hash_for_each_safe(heirs, i, next, h, hash)
		heir_remove(h);
}
