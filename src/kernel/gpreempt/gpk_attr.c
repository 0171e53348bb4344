// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Attributes of processes: what was said of a process is applied to every entity that the
 * process has or gets. As with nice values, children have what their parent had.
 *
 * The value that a caller with CAP_SYS_NICE gives to an attribute is also the most that
 * other callers may set it to afterwards. Before that, the default is.
 */
#include <linux/slab.h>

#include "gpk_access.h"
#include "gpk.h"
#include "gpk_wish.h"
#include "rules/right.h"

static void said_default(struct gpk_said *s)
{
	gp_attr_default(&s->attr);
	s->detect = GPREEMPT_DETECT_POLL;
}

/* What was said of detection is said of one process; what is critical is so in its children. */
static void said_inherit(struct gpk_said *to, const struct gpk_said *from)
{
	to->attr = from->attr;
	to->detect = from->attr.latency_critical ? GPREEMPT_DETECT_DOORBELL : GPREEMPT_DETECT_POLL;
}

void gpk_attr_wish(struct pid *pid, struct gp_attr *attr, u64 *group, u8 *detect)
{
	struct gpk_wish *w;
	struct gpk_said said;

	said_default(&said);
	*group = 0;
	spin_lock(&gpk_wishes_lock);
	w = gpk_wish_of(pid);
	if (w) {
		if (w->owner == pid)
			said = w->now;
		else
			said_inherit(&said, &w->now);
		*group = w->group;
	}
	spin_unlock(&gpk_wishes_lock);
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
	e->has_deadline = attr.deadline_ns;
	/* A member of a group may have other attributes than the group now. */
	if (group || e->group)
		gpk_group_change(n, e, group, &attr);
	else if (!gp_sched_entity_set_attr(n->sched, e->core, &attr, ktime_get_ns(), &n->act.acts))
		gp_act_run(&n->act);
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
static int merge(struct gpk_said *said, const struct gpreempt_ioc_attr *arg)
{
	struct gp_attr *attr = &said->attr;
	const struct gp_attr wish = {
		.prio = min_t(u32, arg->prio, GP_PRIO_MAX + 1),
		.weight = arg->weight,
		.slice_ns = arg->slice_ns,
		.deadline_ns = arg->deadline_ns,
		.latency_critical = arg->latency_critical,
		.no_preempt = arg->no_preempt,
	};

	gp_attr_copy(attr, &wish, arg->valid & GP_ATTR_ALL);
	if (arg->valid & GPREEMPT_ATTR_F_LATENCY_CRITICAL)
		said->detect = arg->latency_critical ? GPREEMPT_DETECT_DOORBELL :
						       GPREEMPT_DETECT_POLL;
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

static bool is_within(const struct gpk_said *said, const struct gpk_said *most)
{
	return !gp_right_excess(&said->attr, &most->attr) &&
	       rank_of(said->detect) <= rank_of(most->detect);
}

/* Return: 0, -EINVAL, -EPERM: @w is as it was. */
static int wish_change(struct gpk_wish *w, const struct gpreempt_ioc_attr *arg, bool governs)
{
	struct gpk_said now = w->now;
	int ret = merge(&now, arg);

	if (ret)
		return ret;
	if (governs)
		merge(&w->most, arg);
	else if (!is_within(&now, &w->most))
		return -EPERM;
	w->now = now;
	if (arg->valid & GPREEMPT_ATTR_F_GROUP)
		w->group = arg->group;
	return 0;
}

/* A new wish begins with what its process has from its parents. */
static void wish_begin(struct gpk_wish *w, struct pid *pid)
{
	const struct gpk_wish *of_parent = gpk_wish_of(pid);

	said_default(&w->now);
	said_default(&w->most);
	if (!of_parent)
		return;
	said_inherit(&w->now, &of_parent->now);
	said_inherit(&w->most, &of_parent->most);
	w->group = of_parent->group;
}

/* Return: 0 @new was given away, 1 it was not needed, or -errno. */
static int say(struct pid *pid, const struct gpreempt_ioc_attr *arg, bool governs, kuid_t uid,
	       struct gpk_wish *new)
{
	struct gpk_wish *w = gpk_wish_of(pid);
	int ret;

	if (w && w->owner == pid) {
		ret = wish_change(w, arg, governs);
		return ret ? ret : 1;
	}
	wish_begin(new, pid);
	ret = wish_change(new, arg, governs);
	/* What a user has said of its processes does not keep an administrator from it. */
	return ret ? ret : gpk_wish_give(new, pid, uid, !governs);
}

/* Return: 0 or -errno. */
static int remember(struct pid *pid, const struct gpreempt_ioc_attr *arg)
{
	bool as_owner = arg->flags & GPREEMPT_ATTR_AS_OWNER;
	bool governs = !as_owner && gpk_is_governor();
	kuid_t uid = gpk_group_uid(pid);
	struct gpk_wish *new = gpk_wish_alloc();
	int ret;

	if (!new)
		return -ENOMEM;
	gpk_wish_watch();
	spin_lock(&gpk_wishes_lock);
	ret = say(pid, arg, governs, uid, new);
	spin_unlock(&gpk_wishes_lock);
	if (!ret) {
		gpk_wish_inherit(pid);
		return 0;
	}
	kfree(new);
	/* For the audit log. */
	if (ret == -EPERM && !as_owner)
		return gpk_may_govern();
	return ret < 0 ? ret : 0;
}

int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg)
{
	struct attr_command c = { .cmd.run = run_apply, .pid = pid };
	int ret = remember(pid, arg);
	u32 i;

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
