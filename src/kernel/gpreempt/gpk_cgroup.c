// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GPU time by cgroup: one of version 2 of which something is said is a share of each node
 * (core/sched_share.h) for the processes in it and below it. A cgroup of which nothing is
 * said is not there: its processes count for the next one above, or for none.
 *
 * A process is looked up when it comes to a node, when the queues of the node change, and when
 * something else is said of a cgroup. If something is said of one that has others in it, or not
 * any more, these get new shares. The old ones go when nothing is in them.
 */
#include <linux/cgroup.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "gpk.h"
#include "gpk_ioc.h"
#include "rules/cgroup.h"

/* A cgroup of which something is said. */
struct said {
	struct hlist_node by_id;
	struct cgroup *cgroup; /* with a reference */
	struct gp_cgroup_attr attr;
};

static DEFINE_HASHTABLE(saids, 10); /* @said_lock */
static u32 nr_said;		   /* how many; written with @said_lock and @say_mutex */
static DEFINE_SPINLOCK(said_lock); /* of monitors that read */
/* One caller says at a time, until all nodes have it. */
static DEFINE_MUTEX(say_mutex);

/* A cgroup on a node; the monitor's. */
struct gpk_share {
	struct hlist_node by_cgroup; /* in its node */
	struct list_head link;	     /* the same */
	struct gpk_share *above;     /* the share it is in, or NULL */
	u64 cgroup;		     /* number of the cgroup, which is never another's */
	u64 core;		     /* the scheduler's name */
	u64 version;		     /* changes with what @all means for processes */
	u32 nr;			     /* processes and shares in it */
	bool is_old;		     /* another has taken its place */
	struct gp_cgroup_attr said;  /* what is said of it */
	struct gp_cgroup_attr all;   /* what holds for its processes: inherited too */
};

/* The cgroups at and above that of a process of which something is said, the nearest first. */
struct gpk_path {
	u32 nr;
	struct {
		u64 cgroup;
		struct gp_cgroup_attr said;
	} of[GP_SHARE_DEPTH_MAX];
};

static struct said *find_said(u64 id)
{
	struct said *s;

	hash_for_each_possible(saids, s, by_id, id)
		if (cgroup_id(s->cgroup) == id)
			return s;
	return NULL;
}

bool gpk_cgroup_any(void)
{
	return READ_ONCE(nr_said);
}

/*
 * Shares of a node
 */

static struct gpk_share *find_share(struct gpk_node *n, u64 cgroup)
{
	struct gpk_share *g;

	hash_for_each_possible(n->by_cgroup, g, by_cgroup, cgroup)
		if (g->cgroup == cgroup && !g->is_old)
			return g;
	return NULL;
}

/* False if an entity of the core is in it still. */
static bool share_remove(struct gpk_node *n, struct gpk_share *g)
{
	if (gpk_act(n, gp_sched_share_remove(n->sched, g->core, ktime_get_ns(), &n->act.acts)))
		return false;
	if (g->above)
		g->above->nr--;
	list_del(&g->link);
	hash_del(&g->by_cgroup);
	n->nr_shares--;
	kfree(g);
	return true;
}

static bool is_said(u64 cgroup)
{
	bool is;

	spin_lock(&said_lock);
	is = find_said(cgroup);
	spin_unlock(&said_lock);
	return is;
}

/* Those with nothing in them: what they have used is kept while something is said of them. */
static void remove_empty(struct gpk_node *n, bool all)
{
	struct gpk_share *g, *next;

	list_for_each_entry_safe_reverse(g, next, &n->shares, link)
		if (!g->nr && (all || g->is_old || !is_said(g->cgroup)))
			share_remove(n, g);
}

static struct gpk_share *share_add(struct gpk_node *n, u64 cgroup, struct gpk_share *above,
				   const struct gp_cgroup_attr *said)
{
	struct gpk_share *g = kzalloc(sizeof(*g), GFP_KERNEL);
	struct gp_share_attr attr;

	if (!g)
		return NULL;
	/* So that it is not empty. */
	if (above)
		above->nr++;
	if (n->nr_shares == GPK_CGROUPS_MAX)
		remove_empty(n, true);
	gp_cgroup_share(said, &attr);
	if (gpk_act(n, gp_sched_share_add(n->sched, 0, above ? above->core : GP_ID_NONE, &attr,
					  cgroup, ktime_get_ns(), &n->act.acts, &g->core))) {
		if (above)
			above->nr--;
		kfree(g);
		return NULL;
	}
	g->cgroup = cgroup;
	g->above = above;
	g->said = *said;
	list_add_tail(&g->link, &n->shares);
	hash_add(n->by_cgroup, &g->by_cgroup, cgroup);
	n->nr_shares++;
	return g;
}

static void share_say(struct gpk_node *n, struct gpk_share *g, const struct gp_cgroup_attr *said)
{
	struct gp_cgroup_attr all = *said;
	struct gp_share_attr attr;

	if (g->above)
		gp_cgroup_inherit(&all, &g->above->all);
	if (all.latency_ns != g->all.latency_ns || all.idle != g->all.idle)
		g->version++;
	g->all = all;
	if (!gp_cgroup_differ(said, &g->said))
		return;
	g->said = *said;
	gp_cgroup_share(said, &attr);
	gpk_act(n, gp_sched_share_set_attr(n->sched, g->core, &attr, ktime_get_ns(),
					   &n->act.acts));
}

/* In the one above, which it has if there is no memory, or if there are too many. */
static struct gpk_share *share_get(struct gpk_node *n, u64 cgroup, struct gpk_share *above,
				   const struct gp_cgroup_attr *said)
{
	struct gpk_share *g = find_share(n, cgroup);

	if (g && g->above != above) {
		g->is_old = true;
		g = NULL;
	}
	if (!g)
		g = share_add(n, cgroup, above, said);
	if (!g)
		return above;
	share_say(n, g, said);
	return g;
}

static void put_in_path(struct gpk_path *path, struct cgroup *cg)
{
	struct said *s = find_said(cgroup_id(cg));

	if (!s)
		return;
	path->of[path->nr].cgroup = cgroup_id(cg);
	path->of[path->nr++].said = s->attr;
}

/* What is deeper than shares can be is not looked at. */
static void read_path(struct pid *pid, struct gpk_path *path)
{
	struct task_struct *p;
	struct cgroup *cg;

	path->nr = 0;
	rcu_read_lock();
	spin_lock(&said_lock);
	p = pid_task(pid, PIDTYPE_TGID);
	for (cg = p ? task_dfl_cgroup(p) : NULL; cg; cg = cgroup_parent(cg))
		if (cg->level <= GP_SHARE_DEPTH_MAX && cg->level)
			put_in_path(path, cg);
	spin_unlock(&said_lock);
	rcu_read_unlock();
}

struct gpk_share *gpk_cgroup_find(struct gpk_node *n, struct pid *pid)
{
	struct gpk_share *g = NULL;
	u32 i;

	if (!gpk_cgroup_any())
		return NULL;
	read_path(pid, n->path);
	for (i = n->path->nr; i-- > 0;)
		g = share_get(n, n->path->of[i].cgroup, g, &n->path->of[i].said);
	return g;
}

bool gpk_cgroup_is_news(const struct gpk_entity *e, const struct gpk_share *g)
{
	return e->share != g || (g && e->share_version != g->version);
}

void gpk_cgroup_enter(struct gpk_entity *e, struct gpk_share *g)
{
	if (g)
		g->nr++;
	if (e->share)
		e->share->nr--;
	e->share = g;
	e->share_version = g ? g->version : 0;
}

void gpk_cgroup_apply(const struct gpk_entity *e, struct gp_attr *attr)
{
	if (e->share)
		gp_cgroup_apply(&e->share->all, attr);
}

void gpk_cgroup_settle(struct gpk_node *n, struct gpk_entity *e)
{
	if (!e->share && !e->in_share)
		return;
	e->in_share = e->share;
	gpk_act(n, gp_sched_entity_join(n->sched, e->core, e->share ? e->share->core : GP_ID_NONE,
					ktime_get_ns(), &n->act.acts));
}

int gpk_cgroup_init(struct gpk_node *n)
{
	hash_init(n->by_cgroup);
	n->path = kzalloc(sizeof(*n->path), GFP_KERNEL);
	return n->path ? 0 : -ENOMEM;
}

/* The scheduler goes as well. */
void gpk_cgroup_fini(struct gpk_node *n)
{
	struct gpk_share *g, *next;

	list_for_each_entry_safe(g, next, &n->shares, link)
		kfree(g);
	kfree(n->path);
}

/*
 * What is said
 */

static void said_free(struct said *s)
{
	if (!s)
		return;
	cgroup_put(s->cgroup);
	kfree(s);
}

/* Out of the table; said_lock is held. */
static struct said *said_take(struct said *s)
{
	hash_del(&s->by_id);
	WRITE_ONCE(nr_said, nr_said - 1);
	return s;
}

/* Those whose cgroup was removed, or all. */
static void forget(bool only_removed)
{
	struct hlist_node *next;
	struct said *s;
	u32 i;

	spin_lock(&said_lock);
	hash_for_each_safe(saids, i, next, s, by_id)
		if (!only_removed || !(s->cgroup->self.flags & CSS_ONLINE))
			said_free(said_take(s));
	spin_unlock(&said_lock);
}

void gpk_cgroup_forget_all(void)
{
	forget(false);
}

/* Return: 0 or -ENOSPC; @spare is what is to be freed. */
static int say(struct said **spare)
{
	struct said *s = find_said(cgroup_id((*spare)->cgroup));

	if (s && (*spare)->attr.mask) {
		s->attr = (*spare)->attr;
		return 0;
	}
	if (s) {
		said_free(*spare);
		*spare = said_take(s);
		return 0;
	}
	if (!(*spare)->attr.mask)
		return 0;
	if (nr_said == GPK_CGROUPS_MAX)
		return -ENOSPC;
	hash_add(saids, &(*spare)->by_id, cgroup_id((*spare)->cgroup));
	WRITE_ONCE(nr_said, nr_said + 1);
	*spare = NULL;
	return 0;
}

static int run_look(struct gpk_node *n, void *data)
{
	gpk_attr_look(n);
	remove_empty(n, false);
	return 0;
}

/* Takes over the reference to the cgroup. */
static int cgroup_set(struct cgroup *cg, const struct gp_cgroup_attr *attr)
{
	struct said *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	int ret;
	u32 i;

	if (!spare) {
		cgroup_put(cg);
		return -ENOMEM;
	}
	spare->cgroup = cg;
	spare->attr = *attr;
	mutex_lock(&say_mutex);
	forget(true);
	spin_lock(&said_lock);
	ret = say(&spare);
	spin_unlock(&said_lock);
	for (i = 0; i < gpk_nr_nodes() && !ret; i++)
		gpk_command(gpk_node_at(i), run_look, NULL);
	mutex_unlock(&say_mutex);
	said_free(spare);
	return ret;
}

/*
 * Calls
 */

static const u32 bits[] = {
	[GP_CGROUP_INDEX_WEIGHT] = GPREEMPT_CGROUP_F_WEIGHT,
	[GP_CGROUP_INDEX_MAX] = GPREEMPT_CGROUP_F_MAX,
	[GP_CGROUP_INDEX_LATENCY] = GPREEMPT_CGROUP_F_LATENCY,
	[GP_CGROUP_INDEX_IDLE] = GPREEMPT_CGROUP_F_IDLE,
};
static_assert(ARRAY_SIZE(bits) == GP_CGROUP_COUNT);

#define F_ALL                                                                           \
	(GPREEMPT_CGROUP_F_WEIGHT | GPREEMPT_CGROUP_F_MAX | GPREEMPT_CGROUP_F_LATENCY | \
	 GPREEMPT_CGROUP_F_IDLE)
/* An hour. */
#define LATENCY_MAX_NS (3600 * (u64)NSEC_PER_SEC)

/* Return: 0 or -EINVAL. */
static int read_arg(const struct gpreempt_ioc_cgroup *arg, struct gp_cgroup_attr *attr)
{
	struct gp_share_attr share;
	u32 i;

	if (arg->valid & ~F_ALL || arg->reserved || arg->gpu_id || arg->idle > 1)
		return -EINVAL;
	gp_cgroup_default(attr);
	for (i = 0; i < GP_CGROUP_COUNT; i++)
		attr->mask |= arg->valid & bits[i] ? 1U << i : 0;
	if (attr->mask & GP_CGROUP_WEIGHT)
		attr->weight = arg->weight;
	if (attr->mask & GP_CGROUP_MAX) {
		attr->quota_ns = arg->quota_ns;
		attr->period_ns = arg->period_ns;
	}
	if (attr->mask & GP_CGROUP_LATENCY)
		attr->latency_ns = arg->latency_ns;
	if (attr->mask & GP_CGROUP_IDLE)
		attr->idle = arg->idle;
	if (attr->weight < 1 || attr->weight > GP_WEIGHT_MAX || attr->latency_ns > LATENCY_MAX_NS)
		return -EINVAL;
	gp_cgroup_share(attr, &share);
	return gp_share_attr_is_valid(&share) ? 0 : -EINVAL;
}

int gpk_ioc_set_cgroup(const void *owner, union gpk_arg *arg)
{
	struct gp_cgroup_attr attr;
	struct cgroup *cg;
	int ret = read_arg(&arg->cgroup, &attr);

	if (!ret)
		ret = gpk_may_govern();
	if (ret)
		return ret;
	cg = cgroup_get_from_fd(arg->cgroup.cgroup_fd);
	return IS_ERR(cg) ? PTR_ERR(cg) : cgroup_set(cg, &attr);
}

/* Whose usage is wanted. */
struct usage {
	u64 cgroup;
	struct gpreempt_ioc_cgroup *arg;
};

static int run_use(struct gpk_node *n, void *data)
{
	const struct usage *use = data;
	struct gpreempt_ioc_cgroup *arg = use->arg;
	struct gp_share_info info;
	struct gpk_share *g;

	hash_for_each_possible(n->by_cgroup, g, by_cgroup, use->cgroup) {
		if (g->cgroup != use->cgroup ||
		    gp_sched_share_info(n->sched, g->core, ktime_get_ns(), &info))
			continue;
		arg->usage_ns += info.usage_ns;
		arg->nr_periods += info.nr_periods;
		arg->nr_throttled += info.nr_throttled;
		arg->throttled_ns += info.throttled_ns;
		arg->some_ns += info.some_ns;
		arg->full_ns += info.full_ns;
		arg->nr_throttled_nodes += info.is_throttled;
	}
	return 0;
}

/* What is said; -ENOENT nothing is. */
static int write_arg(u64 cgroup, struct gpreempt_ioc_cgroup *arg)
{
	struct said *s;
	u32 i;

	memset_startat(arg, 0, valid);
	spin_lock(&said_lock);
	s = find_said(cgroup);
	if (s) {
		for (i = 0; i < GP_CGROUP_COUNT; i++)
			arg->valid |= s->attr.mask & 1U << i ? bits[i] : 0;
		arg->weight = s->attr.weight;
		arg->idle = s->attr.idle;
		arg->quota_ns = s->attr.quota_ns;
		arg->period_ns = s->attr.period_ns;
		arg->latency_ns = s->attr.latency_ns;
	}
	spin_unlock(&said_lock);
	return s ? 0 : -ENOENT;
}

int gpk_ioc_get_cgroup(const void *owner, union gpk_arg *arg)
{
	struct usage use = { .arg = &arg->cgroup };
	u32 i, nr = 0, gpu_id = arg->cgroup.gpu_id;
	struct cgroup *cg;
	int ret;

	if (arg->cgroup.reserved)
		return -EINVAL;
	cg = cgroup_get_from_fd(arg->cgroup.cgroup_fd);
	if (IS_ERR(cg))
		return PTR_ERR(cg);
	use.cgroup = cgroup_id(cg);
	cgroup_put(cg);
	ret = write_arg(use.cgroup, use.arg);
	for (i = 0; i < gpk_nr_nodes() && !ret; i++) {
		if (gpu_id && gpk_node_at(i)->gpu_id != gpu_id)
			continue;
		nr++;
		ret = gpk_command(gpk_node_at(i), run_use, &use);
	}
	return ret || nr || !gpu_id ? ret : -ENODEV;
}
