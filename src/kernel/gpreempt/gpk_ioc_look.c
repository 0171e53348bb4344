// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that look: what there is, and what it has done.
 */
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk_access.h"
#include "gpk.h"
#include "gpk_ioc.h"
#include "kfd_gpreempt.h"

#define LIST_MAX 65536

static const u32 mode_caps[] = {
	[KFD_GPREEMPT_MODE_NONE] = 0,
	[KFD_GPREEMPT_MODE_HWS] = GPREEMPT_CAP_HWS,
	[KFD_GPREEMPT_MODE_NO_HWS] = GPREEMPT_CAP_NO_HWS,
	[KFD_GPREEMPT_MODE_MES] = GPREEMPT_CAP_MES,
};

int gpk_ioc_caps(void __user *uarg)
{
	struct gpreempt_ioc_caps arg;
	u32 i, size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.reserved)
		return -EINVAL;
	arg.version = GPREEMPT_ABI_VERSION;
	arg.caps = GPREEMPT_CAP_DOORBELL | (gpk_verify ? GPREEMPT_CAP_VERIFY : 0);
	arg.nr_nodes = gpk_nr_nodes();
	memset(arg.gpu_ids, 0, sizeof(arg.gpu_ids));
	memset(arg.node_caps, 0, sizeof(arg.node_caps));
	for (i = 0; i < arg.nr_nodes; i++) {
		arg.gpu_ids[i] = gpk_node_at(i)->gpu_id;
		arg.node_caps[i] = mode_caps[gpk_node_at(i)->mode];
		arg.caps |= arg.node_caps[i];
	}
	return gpk_put_arg(uarg, &arg, sizeof(arg), size);
}

/*
 * struct list_command - describe the queues of a node
 *
 * @pids: whose each is, with a reference
 */
struct list_command {
	struct gpk_command cmd;
	struct pid_namespace *ns;
	struct gpreempt_ioc_queue *out;
	struct pid **pids;
	u32 room;
	u32 nr;
};

static u32 abi_flags(struct gpk_node *n, const struct gpk_entity *e, const struct gpk_queue *q)
{
	u32 flags = 0;

	if (q->flags & KFD_GPREEMPT_AQL)
		flags |= GPREEMPT_QUEUE_F_AQL;
	if (q->flags & KFD_GPREEMPT_ACTIVE)
		flags |= GPREEMPT_QUEUE_F_ACTIVE;
	if (q->flags & KFD_GPREEMPT_PREEMPTED)
		flags |= GPREEMPT_QUEUE_F_PREEMPTED;
	if (q->flags & KFD_GPREEMPT_EVICTED)
		flags |= GPREEMPT_QUEUE_F_EVICTED;
	if (q->flags & KFD_GPREEMPT_SUSPENDED)
		flags |= GPREEMPT_QUEUE_F_SUSPENDED;
	if (q->busy)
		flags |= GPREEMPT_QUEUE_F_BUSY;
	if (e->nr_manual || gpk_hold_is_held(n, e, q))
		flags |= GPREEMPT_QUEUE_F_MANUAL;
	if (e->sched_out)
		flags |= GPREEMPT_QUEUE_F_SCHED;
	return flags;
}

/* The core counts a time when it is over; people want to see it grow. */
static void add_stint(const struct gpk_entity *e, struct gp_entity_info *info)
{
	u64 now = ktime_get_ns();
	u64 stint = e->since_ns && now > e->since_ns ? now - e->since_ns : 0;

	if (info->state == GP_ENTITY_RUNNING)
		info->run_ns += stint;
	if (info->state == GP_ENTITY_PREEMPTED && info->nr_busy) {
		info->off_ns += stint;
		info->off_max_ns = max(info->off_max_ns, stint);
	}
}

static void describe(struct gpreempt_ioc_queue *out, s32 pid, struct gpk_node *n,
		     const struct gpk_entity *e, const struct gpk_queue *q,
		     const struct gp_entity_info *info)
{
	*out = (struct gpreempt_ioc_queue){
		.pid = pid,
		.gpu_id = n->gpu_id,
		.queue_id = q->queue_id,
		.flags = abi_flags(n, e, q),
		.state = info->state,
		.prio = info->attr.prio,
		.pending = q->pending,
		.ring_bytes = q->ring_bytes,
		.rptr_addr = q->rptr,
		.wptr_addr = q->wptr,
		.nr_preempted = info->nr_preempted,
		.run_ns = info->run_ns,
		.off_ns = info->off_ns,
		.off_max_ns = info->off_max_ns,
	};
}

static int run_list(struct gpk_node *n, struct gpk_command *cmd)
{
	struct list_command *c = container_of(cmd, struct list_command, cmd);
	struct gp_entity_info info;
	struct gpk_entity *e;
	struct gpk_queue *q;

	gpk_resync(n);
	list_for_each_entry(e, &n->entities, link) {
		s32 pid = pid_nr_ns(e->pid, c->ns);

		/* Not in the caller's world. */
		if (!pid || gp_sched_entity_info(n->sched, e->core, &info))
			continue;
		add_stint(e, &info);
		list_for_each_entry(q, &e->queues, link) {
			if (c->nr < c->room) {
				describe(&c->out[c->nr], pid, n, e, q, &info);
				c->pids[c->nr] = get_pid(e->pid);
			}
			c->nr++;
		}
	}
	return 0;
}

/* Where things are in a process is for those who could read them; done with the pids. */
static void hide_addresses(struct list_command *c)
{
	u32 i, nr = min(c->nr, c->room);
	bool seen = false;

	for (i = 0; i < nr; i++) {
		if (!i || c->pids[i] != c->pids[i - 1])
			seen = gpk_may_see(c->pids[i]);
		if (seen)
			continue;
		c->out[i].rptr_addr = 0;
		c->out[i].wptr_addr = 0;
	}
	for (i = 0; i < nr; i++)
		put_pid(c->pids[i]);
}

static int copy_list(const struct gpreempt_ioc_list *arg, const struct list_command *c)
{
	u32 i, bytes = min_t(u32, arg->entry_size, sizeof(c->out[0]));

	for (i = 0; i < min(c->nr, c->room); i++) {
		void __user *to = u64_to_user_ptr(arg->queues + (u64)i * arg->entry_size);

		if (copy_to_user(to, &c->out[i], bytes) ||
		    clear_user(to + bytes, arg->entry_size - bytes))
			return -EFAULT;
	}
	return 0;
}

int gpk_ioc_list(void __user *uarg)
{
	struct list_command c = { .cmd.run = run_list, .ns = task_active_pid_ns(current) };
	struct gpreempt_ioc_list arg;
	u32 i, size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.nr > LIST_MAX || (arg.nr && !arg.entry_size) || arg.entry_size > PAGE_SIZE)
		return -EINVAL;
	if (arg.gpu_id && !gpk_node_find(arg.gpu_id))
		return -ENODEV;
	c.room = arg.nr;
	c.out = kvcalloc(max(c.room, 1u), sizeof(*c.out), GFP_KERNEL);
	c.pids = kvcalloc(max(c.room, 1u), sizeof(*c.pids), GFP_KERNEL);
	ret = -ENOMEM;
	if (!c.out || !c.pids)
		goto out;
	for (i = 0; i < gpk_nr_nodes(); i++)
		if (!arg.gpu_id || gpk_node_at(i)->gpu_id == arg.gpu_id)
			gpk_command(gpk_node_at(i), &c.cmd);
	hide_addresses(&c);
	ret = copy_list(&arg, &c);
	arg.nr = c.nr;
	if (!ret)
		ret = gpk_put_arg(uarg, &arg, sizeof(arg), size);
out:
	kvfree(c.pids);
	kvfree(c.out);
	return ret;
}

/*
 * struct stats_command - copy the statistics of a node
 */
struct stats_command {
	struct gpk_command cmd;
	struct gpreempt_ioc_stats *arg;
};

static int run_stats(struct gpk_node *n, struct gpk_command *cmd)
{
	struct gpreempt_ioc_stats *a = container_of(cmd, struct stats_command, cmd)->arg;
	const struct gp_node_stats *s = gp_sched_node_stats(n->sched, 0);

	*a = (struct gpreempt_ioc_stats){
		.size = a->size,
		.gpu_id = n->gpu_id,
		.breaker = s->breaker,
		.breaker_reason = s->breaker_reason,
		.nr_events = s->nr_events,
		.nr_switches = s->nr_switches,
		.nr_preemptions = s->nr_preemptions,
		.nr_resumes = s->nr_resumes,
		.nr_failed = s->nr_failed,
		.nr_deadline = s->nr_deadline,
		.nr_starvation = s->nr_starvation,
		.nr_wakeups = n->nr_wakeups,
		.nr_timer_wakeups = n->nr_timer_wakeups,
		.nr_faults = atomic64_read(&n->nr_faults),
		.cost_ns = s->cost_ns,
		.off_max_ns = s->off_max_ns,
		.switch_p50_ns = gp_hist_percentile(&s->switch_ns, 500000),
		.switch_p99_ns = gp_hist_percentile(&s->switch_ns, 990000),
		.detect_p50_ns = gp_hist_percentile(&n->detect_ns, 500000),
		.detect_p99_ns = gp_hist_percentile(&n->detect_ns, 990000),
		.nr_entities = s->nr_entities,
		.nr_out = s->nr_out,
		.nr_rate_limited = s->nr_rate_limited,
		.nr_left_to_finish = s->nr_left_to_finish,
	};
	return 0;
}

int gpk_ioc_stats(void __user *uarg)
{
	struct gpreempt_ioc_stats arg;
	struct stats_command c = { .cmd.run = run_stats, .arg = &arg };
	struct gpk_node *n;
	u32 size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	n = gpk_node_find(arg.gpu_id);
	if (!n)
		return -ENODEV;
	gpk_command(n, &c.cmd);
	return gpk_put_arg(uarg, &arg, sizeof(arg), size);
}

/*
 * struct hist_command - copy a distribution of a node
 */
struct hist_command {
	struct gpk_command cmd;
	u32 which;
	struct gp_hist *out;
};

static int run_hist(struct gpk_node *n, struct gpk_command *cmd)
{
	struct hist_command *c = container_of(cmd, struct hist_command, cmd);
	const struct gp_node_stats *s = gp_sched_node_stats(n->sched, 0);

	if (c->which == GPREEMPT_HIST_SWITCH)
		*c->out = s->switch_ns;
	else if (c->which == GPREEMPT_HIST_OFF)
		*c->out = s->off_ns;
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

int gpk_ioc_hist(void __user *uarg)
{
	struct hist_command c = { .cmd.run = run_hist };
	struct gpreempt_ioc_hist arg;
	struct gpk_node *n;
	u32 size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	n = gpk_node_find(arg.gpu_id);
	if (!n || arg.which > GPREEMPT_HIST_DETECT)
		return n ? -EINVAL : -ENODEV;
	c.which = arg.which;
	c.out = kvmalloc(sizeof(*c.out), GFP_KERNEL);
	if (!c.out)
		return -ENOMEM;
	gpk_command(n, &c.cmd);
	ret = copy_hist(&arg, c.out);
	kvfree(c.out);
	return ret ? ret : gpk_put_arg(uarg, &arg, sizeof(arg), size);
}
