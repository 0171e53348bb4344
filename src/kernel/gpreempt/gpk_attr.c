// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What was said about processes, whether they have queues or not: a wish each, found
 * by struct pid, applied to every entity the process has or gets. As with nice values,
 * children have what their parent had, until something is said of them.
 *
 * What whoever may raise says of an attribute is also the most that others may set it to
 * afterwards; the default is, as long as he has said nothing.
 */
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "gpk_access.h"
#include "gpk.h"

/* Of the processes of a user; nobody takes room from others. */
#define WISHES_MAX 1024

/*
 * struct said - what can be more or less
 */
struct said {
	struct gp_attr attr;
	u8 detect;
};

/*
 * struct gpk_wish - what was said of a process
 *
 * @uid: whose it was then
 * @now: what it has
 * @most: what anybody who may control it can give it
 */
struct gpk_wish {
	struct list_head link;
	struct pid *pid;
	kuid_t uid;
	struct said now;
	struct said most;
	u64 group;
};

static LIST_HEAD(wishes);
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

static u32 count_of(kuid_t uid)
{
	const struct gpk_wish *w;
	u32 nr = 0;

	list_for_each_entry(w, &wishes, link)
		nr += uid_eq(w->uid, uid);
	return nr;
}

static void said_default(struct said *s)
{
	gp_attr_default(&s->attr);
	s->detect = GPREEMPT_DETECT_POLL;
}

/* What was said of detection is said of one process; what is critical is so in its children. */
static void said_inherit(struct said *to, const struct said *from)
{
	to->attr = from->attr;
	to->detect = from->attr.latency_critical ? GPREEMPT_DETECT_DOORBELL : GPREEMPT_DETECT_POLL;
}

/* A new one, with what its process has from its parents. */
static struct gpk_wish *wish_add(struct pid *pid)
{
	kuid_t uid = gpk_group_uid(pid);
	struct gpk_wish *w, *of_parent;

	throw_away_dead();
	if (count_of(uid) >= WISHES_MAX)
		return NULL;
	w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return NULL;
	w->pid = get_pid(pid);
	w->uid = uid;
	said_default(&w->now);
	said_default(&w->most);
	of_parent = wish_of(pid);
	if (of_parent) {
		said_inherit(&w->now, &of_parent->now);
		said_inherit(&w->most, &of_parent->most);
		w->group = of_parent->group;
	}
	list_add(&w->link, &wishes);
	return w;
}

void gpk_attr_wish(struct pid *pid, struct gp_attr *attr, u64 *group, u8 *detect)
{
	struct gpk_wish *w;
	struct said said;

	said_default(&said);
	*group = 0;
	mutex_lock(&wishes_mutex);
	w = wish_of(pid);
	if (w) {
		if (w->pid == pid)
			said = w->now;
		else
			said_inherit(&said, &w->now);
		*group = w->group;
	}
	mutex_unlock(&wishes_mutex);
	*attr = said.attr;
	*detect = said.detect;
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
	struct gpk_entity *e;

	/* Also to what an earlier program of it left behind. */
	list_for_each_entry(e, &n->entities, link)
		if (e->pid == pid)
			gpk_attr_apply(n, e);
	return 0;
}

/* Return: -EINVAL for values that are none; then @said is not of use. */
static int merge(struct said *said, const struct gpreempt_ioc_attr *arg)
{
	struct gp_attr *attr = &said->attr;

	if (arg->valid & GPREEMPT_ATTR_F_PRIO)
		attr->prio = min_t(u32, arg->prio, GP_PRIO_MAX + 1);
	if (arg->valid & GPREEMPT_ATTR_F_WEIGHT)
		attr->weight = arg->weight;
	if (arg->valid & GPREEMPT_ATTR_F_SLICE)
		attr->slice_ns = arg->slice_ns;
	if (arg->valid & GPREEMPT_ATTR_F_DEADLINE)
		attr->deadline_ns = arg->deadline_ns;
	if (arg->valid & GPREEMPT_ATTR_F_LATENCY_CRITICAL) {
		attr->latency_critical = arg->latency_critical;
		said->detect = arg->latency_critical ? GPREEMPT_DETECT_DOORBELL :
						       GPREEMPT_DETECT_POLL;
	}
	if (arg->valid & GPREEMPT_ATTR_F_NO_PREEMPT)
		attr->no_preempt = arg->no_preempt;
	if (arg->valid & GPREEMPT_ATTR_F_DETECT)
		said->detect = arg->detect;
	if (attr->prio > GP_PRIO_MAX || !attr->weight || attr->weight > GP_WEIGHT_MAX)
		return -EINVAL;
	return 0;
}

/* What a detection mode costs others. */
static u32 rank_of(u8 detect)
{
	static const u8 ranks[] = {
		[GPREEMPT_DETECT_MANUAL] = 0,
		[GPREEMPT_DETECT_POLL] = 1,
		[GPREEMPT_DETECT_CRITICAL] = 2,
		[GPREEMPT_DETECT_DOORBELL] = 3,
	};

	return ranks[detect];
}

/* A deadline is more the sooner it is, and none is least; a slice is what it is, or less. */
static bool is_within(const struct said *said, const struct said *most)
{
	const struct gp_attr *a = &said->attr, *m = &most->attr;

	return a->prio <= m->prio && a->weight <= m->weight &&
	       (!a->latency_critical || m->latency_critical) &&
	       (!a->no_preempt || m->no_preempt) &&
	       (!a->deadline_ns || (m->deadline_ns && a->deadline_ns >= m->deadline_ns)) &&
	       (a->slice_ns == m->slice_ns || (a->slice_ns && a->slice_ns < m->slice_ns)) &&
	       rank_of(said->detect) <= rank_of(most->detect);
}

static int wish_change(struct gpk_wish *w, const struct gpreempt_ioc_attr *arg)
{
	struct said now = w->now;
	int ret = merge(&now, arg);

	if (ret)
		return ret;
	if (gpk_is_governor())
		merge(&w->most, arg);
	else if (!is_within(&now, &w->most))
		return gpk_may_govern();
	w->now = now;
	if (arg->valid & GPREEMPT_ATTR_F_GROUP)
		w->group = arg->group;
	return 0;
}

int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg)
{
	struct attr_command c = { .cmd.run = run_apply, .pid = pid };
	struct gpk_wish *w;
	bool added;
	int ret = -ENOMEM;
	u32 i;

	mutex_lock(&wishes_mutex);
	w = wish_find(pid);
	added = !w;
	if (added)
		w = wish_add(pid);
	if (w)
		ret = wish_change(w, arg);
	/* Nothing was said. */
	if (ret && w && added)
		wish_free(w);
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
