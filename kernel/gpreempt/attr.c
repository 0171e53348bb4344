// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What was said about processes, whether they have queues or not: a wish each, found
 * by struct pid, applied to every entity the process has or gets. As with nice values,
 * children have what their parent had, until something is said of them.
 */
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "gpk.h"

/* Wishes of processes that ended are thrown away when there are as many as this. */
#define WISHES_MAX 4096

struct gpk_wish {
	struct list_head link;
	struct pid *pid;
	struct gp_attr attr;
	u64 group;
	u8 detect;
};

static LIST_HEAD(wishes);
static u32 nr_wishes;
static DEFINE_MUTEX(wishes_mutex);

static struct gpk_wish *wish_find(struct pid *pid)
{
	struct gpk_wish *w;

	list_for_each_entry(w, &wishes, link)
		if (w->pid == pid)
			return w;
	return NULL;
}

/* The wish of a process, or of the nearest parent that has one. */
static struct gpk_wish *wish_of(struct pid *pid)
{
	struct gpk_wish *w = wish_find(pid);
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	while (!w && task && task_pid_nr(task) > 1) {
		task = rcu_dereference(task->real_parent);
		w = wish_find(task_tgid(task));
	}
	rcu_read_unlock();
	return w;
}

static void wish_free(struct gpk_wish *w)
{
	list_del(&w->link);
	nr_wishes--;
	put_pid(w->pid);
	kfree(w);
}

static void throw_away_dead(void)
{
	struct gpk_wish *w, *next;

	list_for_each_entry_safe(w, next, &wishes, link)
		if (!pid_has_task(w->pid, PIDTYPE_TGID))
			wish_free(w);
}

/* What was said of detection is said of one process; what is critical is so in its children. */
static u8 detect_of(const struct gpk_wish *w, struct pid *pid)
{
	if (w->pid == pid)
		return w->detect;
	return w->attr.latency_critical ? GPREEMPT_DETECT_DOORBELL : GPREEMPT_DETECT_POLL;
}

static struct gpk_wish *wish_get(struct pid *pid)
{
	struct gpk_wish *w = wish_find(pid), *of_parent;

	if (w)
		return w;
	if (nr_wishes >= WISHES_MAX)
		throw_away_dead();
	if (nr_wishes >= WISHES_MAX)
		return NULL;
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w)
		return NULL;
	w->pid = get_pid(pid);
	gp_attr_default(&w->attr);
	w->detect = GPREEMPT_DETECT_POLL;
	of_parent = wish_of(pid);
	if (of_parent) {
		w->attr = of_parent->attr;
		w->group = of_parent->group;
		w->detect = detect_of(of_parent, pid);
	}
	list_add(&w->link, &wishes);
	nr_wishes++;
	return w;
}

void gpk_attr_wish(struct pid *pid, struct gp_attr *attr, u64 *group, u8 *detect)
{
	struct gpk_wish *w;

	gp_attr_default(attr);
	*group = 0;
	*detect = GPREEMPT_DETECT_POLL;
	mutex_lock(&wishes_mutex);
	w = wish_of(pid);
	if (w) {
		*attr = w->attr;
		*group = w->group;
		*detect = detect_of(w, pid);
	}
	mutex_unlock(&wishes_mutex);
}

void gpk_attr_apply(struct gpk_node *n, struct gpk_entity *e)
{
	struct gp_attr attr;
	u64 group;
	u8 detect;

	gpk_attr_wish(e->pid, &attr, &group, &detect);
	gpk_detect_set(n, e, detect);
	/* Who is in a group may not be of one mind with it any more. */
	if (group || e->group)
		gpk_group_change(n, e, group, &attr);
	else if (!gp_sched_entity_set_attr(n->sched, e->core, &attr, ktime_get_ns(), &n->acts))
		gpk_carry_out(n);
}

/*
 * struct attr_command - apply the wish of a process on a node
 */
struct attr_command {
	struct gpk_command cmd;
	struct pid *pid;
};

static int run_apply(struct gpk_node *n, struct gpk_command *cmd)
{
	struct pid *pid = container_of(cmd, struct attr_command, cmd)->pid;
	struct gpk_entity *e = gpk_entity_by_pid(n, pid);

	if (e)
		gpk_attr_apply(n, e);
	return 0;
}

static int merge(struct gpk_wish *w, const struct gpreempt_ioc_attr *arg)
{
	struct gp_attr attr = w->attr;

	if (arg->valid & GPREEMPT_ATTR_F_PRIO)
		attr.prio = min_t(u32, arg->prio, GP_PRIO_MAX + 1);
	if (arg->valid & GPREEMPT_ATTR_F_WEIGHT)
		attr.weight = arg->weight;
	if (arg->valid & GPREEMPT_ATTR_F_SLICE)
		attr.slice_ns = arg->slice_ns;
	if (arg->valid & GPREEMPT_ATTR_F_DEADLINE)
		attr.deadline_ns = arg->deadline_ns;
	if (arg->valid & GPREEMPT_ATTR_F_LATENCY_CRITICAL)
		attr.latency_critical = arg->latency_critical;
	if (arg->valid & GPREEMPT_ATTR_F_NO_PREEMPT)
		attr.no_preempt = arg->no_preempt;
	if (attr.prio > GP_PRIO_MAX || !attr.weight || attr.weight > GP_WEIGHT_MAX)
		return -EINVAL;
	w->attr = attr;
	if (arg->valid & GPREEMPT_ATTR_F_GROUP)
		w->group = arg->group;
	if (arg->valid & GPREEMPT_ATTR_F_LATENCY_CRITICAL)
		w->detect = arg->latency_critical ? GPREEMPT_DETECT_DOORBELL : GPREEMPT_DETECT_POLL;
	if (arg->valid & GPREEMPT_ATTR_F_DETECT)
		w->detect = arg->detect;
	return 0;
}

int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg)
{
	struct attr_command c = { .cmd.run = run_apply, .pid = pid };
	struct gpk_wish *w;
	int ret = -ENOMEM;
	u32 i;

	mutex_lock(&wishes_mutex);
	w = wish_get(pid);
	if (w)
		ret = merge(w, arg);
	mutex_unlock(&wishes_mutex);
	for (i = 0; !ret && i < gpk_nr_nodes(); i++)
		gpk_command(gpk_node_at(i), &c.cmd);
	return ret;
}

int gpk_attr_get(struct pid *pid, struct gpreempt_ioc_attr *arg)
{
	struct gp_attr attr;
	u64 group;
	u8 detect;

	gpk_attr_wish(pid, &attr, &group, &detect);
	arg->valid = GPREEMPT_ATTR_F_PRIO | GPREEMPT_ATTR_F_WEIGHT | GPREEMPT_ATTR_F_SLICE |
		     GPREEMPT_ATTR_F_DEADLINE | GPREEMPT_ATTR_F_LATENCY_CRITICAL |
		     GPREEMPT_ATTR_F_NO_PREEMPT | GPREEMPT_ATTR_F_DETECT | GPREEMPT_ATTR_F_GROUP;
	arg->prio = attr.prio;
	arg->weight = attr.weight;
	arg->latency_critical = attr.latency_critical;
	arg->no_preempt = attr.no_preempt;
	arg->detect = detect;
	arg->slice_ns = attr.slice_ns;
	arg->deadline_ns = attr.deadline_ns;
	arg->group = group;
	return 0;
}

void gpk_attr_free_all(void)
{
	struct gpk_wish *w, *next;

	list_for_each_entry_safe(w, next, &wishes, link)
		wish_free(w);
}
