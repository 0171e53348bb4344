// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Attributes of processes: what was said of a process is applied to every entity that the
 * process has or gets. As with nice values, children have what their parent had.
 *
 * The value that a caller with CAP_SYS_NICE gives to an attribute is also the most that
 * other callers may set it to afterwards. Before that, the default is.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "gpk_wish.h"
#include "rules/right.h"

/*
 * A change of group takes a process off the GPU and gives it to another entity, as a newcomer:
 * so often in a second, or it would be a way to another turn. What is set in excess counts later.
 */
#define REGROUPS 8

/* One at a time says something, which takes a pass over all processes. */
static DEFINE_MUTEX(say_mutex);
/* Taken first by all but administrators, which so wait for one pass at most. */
static DEFINE_MUTEX(users_mutex);
static u64 last_version; /* gpk_wishes_lock */

static void said_default(struct gpk_said *s)
{
	*s = (struct gpk_said){ .detect = GPREEMPT_DETECT_POLL };
	gp_attr_default(&s->attr);
}

/* What was said of detection is said of one process; what is critical is so in its children. */
static void said_inherit(struct gpk_said *to, const struct gpk_said *from)
{
	*to = *from;
	to->detect = from->attr.latency_critical ? GPREEMPT_DETECT_DOORBELL : GPREEMPT_DETECT_POLL;
}

u64 gpk_attr_wish(struct pid *pid, struct gpk_said *said)
{
	const struct gpk_wish *w;
	u64 version = 0;

	said_default(said);
	spin_lock(&gpk_wishes_lock);
	w = gpk_wish_of(pid);
	if (w) {
		version = w->version;
		if (w->owner == pid)
			*said = w->now;
		else
			said_inherit(said, &w->now);
	}
	spin_unlock(&gpk_wishes_lock);
	return version;
}

static void apply(struct gpk_node *n, struct gpk_entity *e, const struct gpk_said *said)
{
	struct gp_attr attr = said->attr;

	gpk_cgroup_apply(e, &attr);
	gpk_detect_set(n, e, said->detect);
	e->has_deadline = attr.deadline_ns;
	gpk_group_change(n, e, said->group, &attr);
}

/*
 * Whether the owner of this process has changed its group too often; counts one more otherwise.
 * The word of an administrator counts at once.
 */
static bool is_too_often(struct gpk_node *n, struct gpk_entity *e, const struct gpk_said *said,
			 u64 now)
{
	if (said->is_ordered || (!said->group && !e->group))
		return false;
	if (now - e->regroup_ns >= NSEC_PER_SEC) {
		e->regroup_ns = now;
		e->nr_regroups = 0;
	}
	if (e->nr_regroups++ < REGROUPS)
		return false;
	n->apply_ns = min(n->apply_ns, e->regroup_ns + NSEC_PER_SEC);
	return true;
}

static void apply_to(struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_share *share = gpk_cgroup_find(n, e->pid);
	struct gpk_said said;
	u64 version = gpk_attr_wish(e->pid, &said);

	if (version == e->version && !gpk_cgroup_is_news(e, share))
		return;
	if (is_too_often(n, e, &said, ktime_get_ns()))
		return;
	e->version = version;
	gpk_cgroup_enter(e, share);
	apply(n, e, &said);
}

/* Of all of them, what is not as was said. */
static int run_apply_all(struct gpk_node *n, void *data)
{
	struct gpk_entity *e;

	list_for_each_entry(e, &n->entities, link)
		apply_to(n, e);
	return 0;
}

void gpk_attr_look(struct gpk_node *n)
{
	run_apply_all(n, NULL);
}

/* Processes whose wish was changed. */
struct heirs {
	struct pid **pid;
	u32 nr;
};

/* These, and what earlier programs of them left behind. */
static int run_apply(struct gpk_node *n, void *data)
{
	const struct heirs *heirs = data;
	struct gpk_entity *e;
	u32 i;

	for (i = 0; i < heirs->nr; i++) {
		hash_for_each_possible(n->by_pid, e, by_pid, (unsigned long)heirs->pid[i]) {
			if (e->pid == heirs->pid[i])
				apply_to(n, e);
		}
	}
	return 0;
}

void gpk_attr_run(struct gpk_node *n)
{
	if (ktime_get_ns() < n->apply_ns)
		return;
	n->apply_ns = U64_MAX;
	run_apply_all(n, NULL);
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
	if (arg->valid & GPREEMPT_ATTR_F_GROUP)
		said->group = arg->group;
	return gp_attr_is_valid(attr) ? 0 : -EINVAL;
}

/* What a detection mode costs others: manual the least, then as they are numbered. */
static u32 rank_of(u8 detect)
{
	return detect == GPREEMPT_DETECT_MANUAL ? 0 : 1 + detect;
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
	now.is_ordered = governs;
	w->now = now;
	w->version = ++last_version;
	return 0;
}

/* Of a process whose ancestor got a limit: it counts for each attribute that was named. */
static void limit(struct gpk_wish *w, const struct gpreempt_ioc_attr *arg)
{
	struct gpreempt_ioc_attr most = *arg;

	most.valid &= ~GPREEMPT_ATTR_F_DETECT;
	merge(&w->most, &most);
	gp_attr_copy(&w->now.attr, &w->most.attr,
		     gp_right_excess(&w->now.attr, &w->most.attr));
	if (rank_of(w->now.detect) > rank_of(w->most.detect))
		w->now.detect = w->most.detect;
	w->now.is_ordered = true;
	w->version = ++last_version;
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
static int remember(struct pid *pid, const struct gpreempt_ioc_attr *arg, bool governs)
{
	kuid_t uid = gpk_group_uid(pid);
	struct gpk_wish *new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!new)
		return -ENOMEM;
	if (!governs)
		mutex_lock(&users_mutex);
	mutex_lock(&say_mutex);
	spin_lock(&gpk_wishes_lock);
	ret = say(pid, arg, governs, uid, new);
	spin_unlock(&gpk_wishes_lock);
	/* Those that share a wish have what is said of it. */
	if (!ret || (ret == 1 && governs))
		gpk_wish_hand_down(pid, governs ? limit : NULL, arg);
	mutex_unlock(&say_mutex);
	if (!governs)
		mutex_unlock(&users_mutex);
	if (!ret)
		return 0;
	kfree(new);
	/* For the audit log. */
	if (ret == -EPERM && !(arg->flags & GPREEMPT_ATTR_AS_OWNER))
		return gpk_may_govern();
	return ret < 0 ? ret : 0;
}

static void for_nodes(int (*run)(struct gpk_node *n, void *data), void *data)
{
	u32 i;

	for (i = 0; i < gpk_nr_nodes(); i++)
		gpk_command(gpk_node_at(i), run, data);
}

/* Those that are forked meanwhile have the wish when they come to a node. */
static void apply_to_heirs(struct pid *pid)
{
	u32 i, room = gpk_wish_heirs(pid, NULL, 0);
	struct heirs heirs = {};

	heirs.pid = kvcalloc(room, sizeof(*heirs.pid), GFP_KERNEL_ACCOUNT);
	if (!heirs.pid) {
		for_nodes(run_apply_all, NULL);
		return;
	}
	heirs.nr = min(gpk_wish_heirs(pid, heirs.pid, room), room);
	for_nodes(run_apply, &heirs);
	for (i = 0; i < heirs.nr; i++)
		put_pid(heirs.pid[i]);
	kvfree(heirs.pid);
}

int gpk_attr_set(struct pid *pid, const struct gpreempt_ioc_attr *arg)
{
	bool governs = !(arg->flags & GPREEMPT_ATTR_AS_OWNER) && gpk_is_governor();
	int ret = remember(pid, arg, governs);

	if (ret)
		return ret;
	/* A limit changes the wishes of descendants too. */
	if (governs)
		for_nodes(run_apply_all, NULL);
	else
		apply_to_heirs(pid);
	return 0;
}

void gpk_attr_get(struct pid *pid, struct gpreempt_ioc_attr *arg)
{
	struct gpk_said said;

	gpk_attr_wish(pid, &said);
	arg->valid = GPK_ATTR_F_ALL;
	arg->prio = said.attr.prio;
	arg->weight = said.attr.weight;
	arg->latency_critical = said.attr.latency_critical;
	arg->no_preempt = said.attr.no_preempt;
	arg->detect = said.detect;
	arg->slice_ns = said.attr.slice_ns;
	arg->deadline_ns = said.attr.deadline_ns;
	arg->group = said.group;
}
