// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that look: what there is, and what it has done.
 */
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk.h"
#include "gpk_ioc.h"
#include "kfd_gpreempt.h"
#include "gpk_snapshot.h"

#define LIST_MAX 65536

static const u32 mode_caps[] = {
	[KFD_GPREEMPT_MODE_NONE] = 0,
	[KFD_GPREEMPT_MODE_HWS] = GPREEMPT_CAP_HWS,
	[KFD_GPREEMPT_MODE_NO_HWS] = GPREEMPT_CAP_NO_HWS,
	[KFD_GPREEMPT_MODE_MES] = GPREEMPT_CAP_MES,
};

int gpk_ioc_caps(const void *owner, union gpk_arg *arg)
{
	struct gpreempt_ioc_caps *caps = &arg->caps;
	u32 i;

	if (caps->reserved)
		return -EINVAL;
	caps->version = GPREEMPT_ABI_VERSION;
	caps->caps = GPREEMPT_CAP_DOORBELL | GPREEMPT_CAP_CGROUP |
		     (gpk_verify ? GPREEMPT_CAP_VERIFY : 0);
	caps->nr_nodes = gpk_nr_nodes();
	memset(caps->gpu_ids, 0, sizeof(caps->gpu_ids));
	memset(caps->node_caps, 0, sizeof(caps->node_caps));
	for (i = 0; i < caps->nr_nodes; i++) {
		caps->gpu_ids[i] = gpk_node_at(i)->gpu_id;
		caps->node_caps[i] = mode_caps[gpk_node_at(i)->mode];
		caps->caps |= caps->node_caps[i];
	}
	return 0;
}

/* Queues of a node, copied for the caller and charged to it. */
struct list_part {
	struct pid_namespace *ns; /* the caller's */
	struct {
		struct gpreempt_ioc_queue queue;
		struct pid *pid; /* with a reference */
	} *out;
	u32 room; /* of @out */
	u32 nr;	  /* how many there are */
};

/* The core counts a time when it is over; a reader wants to see it grow. */
static void add_times(const struct gpk_seen *seen, struct gpreempt_ioc_queue *q)
{
	u64 now = ktime_get_ns();
	u64 stint = seen->since_ns && now > seen->since_ns ? now - seen->since_ns : 0;

	q->run_ns = seen->info.run_ns;
	q->off_ns = seen->info.off_ns;
	q->off_max_ns = seen->info.off_max_ns;
	if (seen->info.state == GP_ENTITY_RUNNING)
		q->run_ns += stint;
	if (seen->info.state == GP_ENTITY_PREEMPTED && seen->info.nr_busy) {
		q->off_ns += stint;
		q->off_max_ns = max(q->off_max_ns, stint);
	}
}

static void part_add(struct list_part *p, const struct gpk_snapshot *s, const struct gpk_seen *seen,
		     s32 pid)
{
	u32 i;

	for (i = seen->first; i < seen->first + seen->nr; i++, p->nr++) {
		if (p->nr >= p->room)
			continue;
		p->out[p->nr].queue = s->queues[i];
		p->out[p->nr].queue.pid = pid;
		add_times(seen, &p->out[p->nr].queue);
		p->out[p->nr].pid = get_pid(seen->pid);
	}
}

/* False: there are more than there is room for. */
static bool part_fill(struct list_part *p, struct gpk_node *n)
{
	const struct gpk_snapshot *s;
	u32 i;

	p->nr = 0;
	rcu_read_lock();
	s = rcu_dereference(n->snapshot);
	for (i = 0; i < s->nr_seen; i++) {
		s32 pid = pid_nr_ns(s->seen[i].pid, p->ns);

		/* A process outside of the caller's namespace is not shown. */
		if (pid)
			part_add(p, s, &s->seen[i], pid);
	}
	rcu_read_unlock();
	return p->nr <= p->room;
}

static void part_free(struct list_part *p)
{
	u32 i;

	for (i = 0; p->out && i < min(p->nr, p->room); i++)
		put_pid(p->out[i].pid);
	kvfree(p->out);
	p->out = NULL;
}

/* Copies a snapshot, or of a large one the first @max queues. */
static int part_get(struct list_part *p, struct gpk_node *n, u32 max)
{
	int ret = gpk_look(n);

	if (ret)
		return ret;
	/* First it is counted; another snapshot may come in between. */
	while (!part_fill(p, n) && p->room < max) {
		u32 room = min(p->nr, max);

		part_free(p);
		p->room = room;
		p->out = kvcalloc(room, sizeof(*p->out), GFP_KERNEL_ACCOUNT);
		if (!p->out) {
			p->nr = 0;
			return -ENOMEM;
		}
	}
	return 0;
}

/* Addresses in a process are for callers that could read what is there. */
static void hide_addresses(struct list_part *p)
{
	u32 i, nr = min(p->nr, p->room);
	bool seen = false;

	for (i = 0; i < nr; i++) {
		if (!i || p->out[i].pid != p->out[i - 1].pid)
			seen = gpk_may_see(p->out[i].pid);
		if (seen)
			continue;
		p->out[i].queue.rptr_addr = 0;
		p->out[i].queue.wptr_addr = 0;
	}
}

/* From entry @from on. */
static int part_copy(const struct list_part *p, const struct gpreempt_ioc_list *arg, u32 from)
{
	u32 i, bytes = min_t(u32, arg->entry_size, sizeof(p->out[0].queue));

	for (i = 0; i < min(p->nr, p->room); i++) {
		void __user *to = u64_to_user_ptr(arg->queues + (u64)(from + i) * arg->entry_size);

		if (copy_to_user(to, &p->out[i].queue, bytes) ||
		    clear_user(to + bytes, arg->entry_size - bytes))
			return -EFAULT;
	}
	return 0;
}

/* Adds the queues of a node; @nr: how many there are so far. */
static int list_node(struct gpk_node *n, const struct gpreempt_ioc_list *arg, u32 *nr)
{
	struct list_part p = { .ns = task_active_pid_ns(current) };
	int ret = part_get(&p, n, arg->nr - min(*nr, arg->nr));

	if (!ret) {
		hide_addresses(&p);
		ret = part_copy(&p, arg, *nr);
	}
	*nr += p.nr;
	part_free(&p);
	return ret;
}

int gpk_ioc_list(const void *owner, union gpk_arg *arg)
{
	struct gpreempt_ioc_list *list = &arg->list;
	u32 i, nr = 0;
	int ret = 0;

	if (list->nr > LIST_MAX || (list->nr && !list->entry_size) ||
	    list->entry_size > PAGE_SIZE)
		return -EINVAL;
	if (list->gpu_id && !gpk_node_find(list->gpu_id))
		return -ENODEV;
	for (i = 0; i < gpk_nr_nodes() && !ret; i++)
		if (!list->gpu_id || gpk_node_at(i)->gpu_id == list->gpu_id)
			ret = list_node(gpk_node_at(i), list, &nr);
	list->nr = nr;
	return ret;
}

int gpk_ioc_stats(const void *owner, union gpk_arg *arg)
{
	struct gpk_node *n = gpk_node_find(arg->stats.gpu_id);
	u32 size = arg->stats.size;
	int ret = n ? gpk_look_stats(n, &arg->stats) : -ENODEV;

	arg->stats.size = size;
	return ret;
}

/* A copy of a distribution of a node. */
struct hist_copy {
	u32 which;
	struct gp_hist *out;
};

static int run_hist(struct gpk_node *n, void *data)
{
	struct hist_copy *c = data;
	const struct gp_node_stats *s = gp_sched_node_stats(n->sched, 0);

	if (c->which == GPREEMPT_HIST_SWITCH)
		*c->out = s->switch_ns;
	else if (c->which == GPREEMPT_HIST_OFF)
		*c->out = s->off_ns;
	else if (c->which == GPREEMPT_HIST_WAIT)
		gp_small_hist_widen(&s->wait_ns, c->out);
	else
		*c->out = n->detect_ns;
	return 0;
}

static int copy_hist(struct gpreempt_ioc_hist *arg, const struct gp_hist *h)
{
	u32 nr = min_t(u32, arg->nr, GP_HIST_BUCKETS);

	if (copy_to_user(u64_to_user_ptr(arg->buckets), h->bucket, nr * sizeof(h->bucket[0])))
		return -EFAULT;
	arg->nr = GP_HIST_BUCKETS;
	arg->count = h->nr;
	arg->sum = h->sum;
	arg->min = h->min;
	arg->max = h->max;
	return 0;
}

int gpk_ioc_hist(const void *owner, union gpk_arg *arg)
{
	struct hist_copy c = { .which = arg->hist.which };
	struct gpk_node *n = gpk_node_find(arg->hist.gpu_id);
	int ret;

	if (!n || c.which > GPREEMPT_HIST_WAIT)
		return n ? -EINVAL : -ENODEV;
	c.out = kvmalloc(sizeof(*c.out), GFP_KERNEL_ACCOUNT);
	if (!c.out)
		return -ENOMEM;
	gpk_command(n, run_hist, &c);
	ret = copy_hist(&arg->hist, c.out);
	kvfree(c.out);
	return ret;
}
