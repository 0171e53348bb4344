// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/gpreempt: see include/uapi/linux/gpreempt.h. What concerns a node is done by its
 * monitor; here arguments are checked, and nothing else is trusted.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access.h"
#include "event.h"
#include "gpk.h"
#include "kfd_gpreempt.h"

#define LIST_MAX 65536
#define LEASE_MAX_MS 60000

/* Copies a struct that begins with its size; what the caller's is longer by must be zero. */
static int get_arg(void *to, size_t size, void __user *arg, u32 *user_size)
{
	if (get_user(*user_size, (u32 __user *)arg))
		return -EFAULT;
	if (*user_size < 2 * sizeof(u32) || *user_size > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(to, size, arg, *user_size);
}

static int put_arg(void __user *arg, const void *from, size_t size, u32 user_size)
{
	return copy_to_user(arg, from, min_t(size_t, size, user_size)) ? -EFAULT : 0;
}

static int ioc_caps(void __user *uarg)
{
	struct gpreempt_ioc_caps arg;
	u32 i, size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.reserved)
		return -EINVAL;
	arg.version = GPREEMPT_ABI_VERSION;
	arg.caps = GPREEMPT_CAP_HWS | GPREEMPT_CAP_NO_HWS | GPREEMPT_CAP_DOORBELL |
		   (gpk_verify ? GPREEMPT_CAP_VERIFY : 0);
	arg.nr_nodes = gpk_nr_nodes();
	memset(arg.gpu_ids, 0, sizeof(arg.gpu_ids));
	for (i = 0; i < arg.nr_nodes; i++)
		arg.gpu_ids[i] = gpk_node_at(i)->gpu_id;
	return put_arg(uarg, &arg, sizeof(arg), size);
}

/**
 * struct list_command - describe the queues of a node
 */
struct list_command {
	struct gpk_command cmd;
	struct pid_namespace *ns;
	struct gpreempt_ioc_queue *out;
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
			if (c->nr < c->room)
				describe(&c->out[c->nr], pid, n, e, q, &info);
			c->nr++;
		}
	}
	return 0;
}

static int copy_list(const struct gpreempt_ioc_list *arg, const struct list_command *c)
{
	u32 i, bytes = min_t(u32, arg->entry_size, sizeof(c->out[0]));

	for (i = 0; i < min(c->nr, c->room); i++)
		if (copy_to_user(u64_to_user_ptr(arg->queues) + (u64)i * arg->entry_size,
				 &c->out[i], bytes))
			return -EFAULT;
	return 0;
}

static int ioc_list(void __user *uarg)
{
	struct list_command c = { .cmd.run = run_list, .ns = task_active_pid_ns(current) };
	struct gpreempt_ioc_list arg;
	u32 i, size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.nr > LIST_MAX || (arg.nr && !arg.entry_size) || arg.entry_size > PAGE_SIZE)
		return -EINVAL;
	if (arg.gpu_id && !gpk_node_find(arg.gpu_id))
		return -ENODEV;
	c.room = arg.nr;
	c.out = kvcalloc(max(c.room, 1u), sizeof(*c.out), GFP_KERNEL);
	if (!c.out)
		return -ENOMEM;
	for (i = 0; i < gpk_nr_nodes(); i++)
		if (!arg.gpu_id || gpk_node_at(i)->gpu_id == arg.gpu_id)
			gpk_command(gpk_node_at(i), &c.cmd);
	ret = copy_list(&arg, &c);
	arg.nr = c.nr;
	kvfree(c.out);
	return ret ? ret : put_arg(uarg, &arg, sizeof(arg), size);
}

#define ATTR_F_ALL                                                                          \
	(GPREEMPT_ATTR_F_PRIO | GPREEMPT_ATTR_F_WEIGHT | GPREEMPT_ATTR_F_SLICE |             \
	 GPREEMPT_ATTR_F_DEADLINE | GPREEMPT_ATTR_F_LATENCY_CRITICAL |                       \
	 GPREEMPT_ATTR_F_NO_PREEMPT | GPREEMPT_ATTR_F_DETECT)

static int check_attr(const struct gpreempt_ioc_attr *arg)
{
	if (arg->valid & ~ATTR_F_ALL || memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return -EINVAL;
	/* Attributes are a process's, on all its nodes. */
	if (arg->gpu_id || arg->latency_critical > 1 || arg->no_preempt > 1 ||
	    arg->detect > GPREEMPT_DETECT_MANUAL)
		return -EINVAL;
	return 0;
}

static int ioc_attr(void __user *uarg, bool set)
{
	struct gpreempt_ioc_attr arg;
	struct pid *pid;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (!ret)
		ret = check_attr(&arg);
	if (ret)
		return ret;
	pid = gpk_pidfd_get(arg.pidfd);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	if (set) {
		ret = gpk_may_control(pid);
		if (!ret)
			ret = gpk_may_set(&arg);
		if (!ret)
			ret = gpk_attr_set(pid, &arg);
	} else {
		ret = gpk_attr_get(pid, &arg);
		if (!ret)
			ret = put_arg(uarg, &arg, sizeof(arg), size);
	}
	put_pid(pid);
	return ret;
}

/**
 * struct policy_command - read or change a node's policy
 */
struct policy_command {
	struct gpk_command cmd;
	struct gpreempt_ioc_policy *arg;
	bool set;
};

static int policy_set(struct gpk_node *n, const struct gpreempt_ioc_policy *arg)
{
	u64 now = ktime_get_ns();
	int ret;

	if (arg->valid & GPREEMPT_POLICY_F_PARAM) {
		ret = gp_sched_param_set(n->sched, 0, arg->param, arg->value, NULL);
		if (ret)
			return ret;
	}
	if (arg->valid & GPREEMPT_POLICY_F_POLICY) {
		ret = gp_sched_set_policy(n->sched, 0, arg->policy, now, &n->acts);
		if (ret)
			return ret;
		gpk_carry_out(n);
	}
	if (arg->valid & GPREEMPT_POLICY_F_ENABLED) {
		ret = gp_sched_set_enabled(n->sched, 0, arg->enabled, now, &n->acts);
		if (ret)
			return ret;
		n->disabled = !arg->enabled;
		gpk_carry_out(n);
	}
	return 0;
}

static int run_policy(struct gpk_node *n, struct gpk_command *cmd)
{
	struct policy_command *c = container_of(cmd, struct policy_command, cmd);

	if (c->set)
		return policy_set(n, c->arg);
	c->arg->enabled = !n->disabled;
	strscpy(c->arg->policy, gp_sched_node_policy(n->sched, 0), sizeof(c->arg->policy));
	if (!c->arg->param[0])
		return 0;
	return gp_sched_param_get(n->sched, 0, c->arg->param, &c->arg->value);
}

static bool is_text(const char *text)
{
	return strnlen(text, GPREEMPT_ABI_NAME_LEN) < GPREEMPT_ABI_NAME_LEN;
}

static int ioc_policy(void __user *uarg, bool set)
{
	struct gpreempt_ioc_policy arg;
	struct policy_command c = { .cmd.run = run_policy, .arg = &arg, .set = set };
	u32 i, size, nr = 0;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (!is_text(arg.policy) || !is_text(arg.param) || arg.enabled > 1 ||
	    arg.valid & ~(GPREEMPT_POLICY_F_POLICY | GPREEMPT_POLICY_F_ENABLED |
			  GPREEMPT_POLICY_F_PARAM))
		return -EINVAL;
	if (set && gpk_may_govern())
		return -EPERM;
	for (i = 0; i < gpk_nr_nodes() && !ret; i++) {
		struct gpk_node *n = gpk_node_at(i);

		if (n->gpu_id != arg.gpu_id && (arg.gpu_id || !set))
			continue;
		nr++;
		ret = gpk_command(n, &c.cmd);
	}
	if (!ret && !nr)
		ret = -ENODEV;
	return ret || set ? ret : put_arg(uarg, &arg, sizeof(arg), size);
}

/**
 * struct switch_command - preempt and resume by hand
 */
struct switch_command {
	struct gpk_command cmd;
	const void *owner;
	struct pid **pids;
	struct gpreempt_ioc_ref *refs;
	u32 nr_out;
	u32 nr;
	u64 until_ns;
};

static int switch_one(struct gpk_node *n, struct switch_command *c, u32 i)
{
	struct gpk_entity *e = gpk_entity_by_pid(n, c->pids[i]);
	struct gpk_queue *q = NULL;
	u64 queue;

	if (!e)
		return -ESRCH;
	if (c->refs[i].queue_id != GPREEMPT_ABI_QUEUE_ALL) {
		q = gpk_queue_by_id(e, c->refs[i].queue_id);
		if (!q)
			return -ESRCH;
	}
	queue = q ? q->generation : KFD_GPREEMPT_ALL;
	if (i < c->nr_out)
		return gpk_hold_add(n, c->owner, e, queue, c->until_ns);
	return gpk_hold_remove(n, c->owner, e, queue);
}

static int run_switch(struct gpk_node *n, struct gpk_command *cmd)
{
	struct switch_command *c = container_of(cmd, struct switch_command, cmd);
	u32 i;

	gpk_resync(n);
	for (i = 0; i < c->nr; i++)
		if (!c->refs[i].result)
			c->refs[i].result = switch_one(n, c, i);
	return 0;
}

/* Finds the processes, and whether the caller may. */
static void get_pids(struct switch_command *c, u32 gpu_id)
{
	u32 i;

	for (i = 0; i < c->nr; i++) {
		struct pid *pid = gpk_pidfd_get(c->refs[i].pidfd);

		c->refs[i].result = c->refs[i].gpu_id != gpu_id ? -EINVAL : 0;
		if (IS_ERR(pid)) {
			c->refs[i].result = PTR_ERR(pid);
			continue;
		}
		c->pids[i] = pid;
		if (!c->refs[i].result)
			c->refs[i].result = gpk_may_control(pid);
	}
}

static int do_switch(struct gpk_node *n, struct switch_command *c, u64 urefs)
{
	u32 i;

	c->refs = vmemdup_array_user(u64_to_user_ptr(urefs), c->nr, sizeof(*c->refs));
	if (IS_ERR(c->refs))
		return PTR_ERR(c->refs);
	c->pids = kvcalloc(c->nr, sizeof(*c->pids), GFP_KERNEL);
	if (!c->pids) {
		kvfree(c->refs);
		return -ENOMEM;
	}
	get_pids(c, n->gpu_id);
	gpk_command(n, &c->cmd);
	for (i = 0; i < c->nr; i++)
		put_pid(c->pids[i]);
	i = copy_to_user(u64_to_user_ptr(urefs), c->refs, c->nr * sizeof(*c->refs));
	kvfree(c->pids);
	kvfree(c->refs);
	return i ? -EFAULT : 0;
}

static int ioc_switch(const void *owner, void __user *uarg)
{
	struct switch_command c = { .cmd.run = run_switch, .owner = owner };
	struct gpreempt_ioc_switch arg;
	struct gpk_node *n;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.nr_out > KFD_GPREEMPT_REFS_MAX || arg.nr_in > KFD_GPREEMPT_REFS_MAX ||
	    !(arg.nr_out + arg.nr_in) || arg.grace > 255 || arg.lease_ms > LEASE_MAX_MS ||
	    (arg.nr_out && !arg.lease_ms))
		return -EINVAL;
	n = gpk_node_find(arg.gpu_id);
	if (!n)
		return -ENODEV;
	c.nr_out = arg.nr_out;
	c.nr = arg.nr_out + arg.nr_in;
	c.until_ns = ktime_get_ns() + arg.lease_ms * NSEC_PER_MSEC;
	return do_switch(n, &c, arg.refs);
}

/**
 * struct pid_command - something about one process, or all of them if @pid is NULL
 */
struct pid_command {
	struct gpk_command cmd;
	struct pid *pid;
};

static int run_trigger(struct gpk_node *n, struct gpk_command *cmd)
{
	struct pid *pid = container_of(cmd, struct pid_command, cmd)->pid;
	struct gpk_entity *e;

	list_for_each_entry(e, &n->entities, link)
		if (!pid || e->pid == pid)
			e->look_ns = 0;
	return 0;
}

static int ioc_trigger(void __user *uarg)
{
	struct pid_command c = { .cmd.run = run_trigger };
	struct gpreempt_ioc_trigger arg;
	struct gpk_node *n;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	n = gpk_node_find(arg.gpu_id);
	if (!n || arg.reserved)
		return n ? -EINVAL : -ENODEV;
	if (arg.pidfd != -2) {
		c.pid = gpk_pidfd_get(arg.pidfd);
		if (IS_ERR(c.pid))
			return PTR_ERR(c.pid);
	}
	gpk_command(n, &c.cmd);
	put_pid(c.pid);
	return 0;
}

/**
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

static int ioc_stats(void __user *uarg)
{
	struct gpreempt_ioc_stats arg;
	struct stats_command c = { .cmd.run = run_stats, .arg = &arg };
	struct gpk_node *n;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	n = gpk_node_find(arg.gpu_id);
	if (!n)
		return -ENODEV;
	gpk_command(n, &c.cmd);
	return put_arg(uarg, &arg, sizeof(arg), size);
}

/**
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

static int ioc_hist(void __user *uarg)
{
	struct hist_command c = { .cmd.run = run_hist };
	struct gpreempt_ioc_hist arg;
	struct gpk_node *n;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

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
	return ret ? ret : put_arg(uarg, &arg, sizeof(arg), size);
}

static int ioc_eventfd(struct gpk_stream *s, void __user *uarg)
{
	struct gpreempt_ioc_eventfd arg;
	u32 size;
	int ret = get_arg(&arg, sizeof(arg), uarg, &size);

	return ret ? ret : gpk_stream_set_eventfd(s, arg.fd);
}

/* By number: the size in the code is that of the caller's struct. */
static long gpk_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	if (_IOC_TYPE(cmd) != GPREEMPT_IOC_MAGIC)
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(GPREEMPT_IOC_CAPS):
		return ioc_caps(uarg);
	case _IOC_NR(GPREEMPT_IOC_LIST):
		return ioc_list(uarg);
	case _IOC_NR(GPREEMPT_IOC_GET_ATTR):
		return ioc_attr(uarg, false);
	case _IOC_NR(GPREEMPT_IOC_SET_ATTR):
		return ioc_attr(uarg, true);
	case _IOC_NR(GPREEMPT_IOC_GET_POLICY):
		return ioc_policy(uarg, false);
	case _IOC_NR(GPREEMPT_IOC_SET_POLICY):
		return ioc_policy(uarg, true);
	case _IOC_NR(GPREEMPT_IOC_SWITCH):
		return ioc_switch(file->private_data, uarg);
	case _IOC_NR(GPREEMPT_IOC_TRIGGER):
		return ioc_trigger(uarg);
	case _IOC_NR(GPREEMPT_IOC_STATS):
		return ioc_stats(uarg);
	case _IOC_NR(GPREEMPT_IOC_EVENTFD):
		return ioc_eventfd(file->private_data, uarg);
	case _IOC_NR(GPREEMPT_IOC_HIST):
		return ioc_hist(uarg);
	default:
		return -ENOTTY;
	}
}

static int gpk_open(struct inode *inode, struct file *file)
{
	struct gpk_stream *s = kvzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	if (!s)
		return -ENOMEM;
	gpk_stream_init(s);
	file->private_data = s;
	return stream_open(inode, file);
}

/**
 * struct owner_command - a file is closed
 */
struct owner_command {
	struct gpk_command cmd;
	const void *owner;
};

static int run_drop(struct gpk_node *n, struct gpk_command *cmd)
{
	gpk_hold_drop_owner(n, container_of(cmd, struct owner_command, cmd)->owner);
	return 0;
}

static int gpk_release(struct inode *inode, struct file *file)
{
	struct owner_command c = { .cmd.run = run_drop, .owner = file->private_data };
	u32 i;

	for (i = 0; i < gpk_nr_nodes(); i++)
		gpk_command(gpk_node_at(i), &c.cmd);
	gpk_stream_fini(file->private_data);
	kvfree(file->private_data);
	return 0;
}

static ssize_t gpk_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct gpk_stream *s = file->private_data;
	struct gpreempt_abi_event event;
	size_t done = 0;
	int ret;

	if (room < sizeof(event))
		return -EINVAL;
	if (!gpk_stream_ready(s)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(s->wait, gpk_stream_ready(s));
		if (ret)
			return ret;
	}
	while (room - done >= sizeof(event) && gpk_stream_take(s, &event)) {
		if (copy_to_user(to + done, &event, sizeof(event)))
			return done ? done : -EFAULT;
		done += sizeof(event);
	}
	return done ? done : -EAGAIN;
}

static __poll_t gpk_poll(struct file *file, poll_table *table)
{
	struct gpk_stream *s = file->private_data;

	poll_wait(file, &s->wait, table);
	return gpk_stream_ready(s) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations gpk_fops = {
	.owner = THIS_MODULE,
	.open = gpk_open,
	.release = gpk_release,
	.read = gpk_read,
	.poll = gpk_poll,
	.unlocked_ioctl = gpk_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice gpk_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gpreempt",
	.mode = 0660,
	.fops = &gpk_fops,
};

int gpk_device_init(void)
{
	return misc_register(&gpk_device);
}

void gpk_device_fini(void)
{
	misc_deregister(&gpk_device);
}
