// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that act: preempt and resume by hand, and look at once.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk_access.h"
#include "gpk.h"
#include "gpk_ioc.h"
#include "kfd_gpreempt.h"

#define LEASE_MAX_MS 60000
/* Room for a reference to grow. */
#define REF_MAX 256

/*
 * struct switch_command - preempt and resume by hand
 */
struct switch_command {
	struct gpk_command cmd;
	struct gpk_by_hand by_hand;
	struct pid **pids;
	struct gpreempt_ioc_ref *refs;
	u32 nr;
};

/* The generations of what a reference names; 0 or -errno. */
static int resolve(struct gpk_node *n, const struct switch_command *c, u32 i)
{
	struct gpk_entity *e = gpk_entity_by_pid(n, c->pids[i]);
	struct kfd_gpreempt_ref *ref = &c->by_hand.refs[i];
	struct gpk_queue *q;

	ref->queue = KFD_GPREEMPT_ALL;
	if (!e) {
		/* It has no queues now: a hold can end nevertheless. */
		ref->process = gpk_hold_of(n, c->by_hand.owner, c->pids[i]);
		return i < c->by_hand.nr_out || !ref->process ? -ESRCH : 0;
	}
	ref->process = e->generation;
	if (c->refs[i].queue_id == GPREEMPT_ABI_QUEUE_ALL)
		return 0;
	q = gpk_queue_by_id(e, c->refs[i].queue_id);
	if (!q)
		return -ESRCH;
	ref->queue = q->generation;
	return 0;
}

static int run_switch(struct gpk_node *n, struct gpk_command *cmd)
{
	struct switch_command *c = container_of(cmd, struct switch_command, cmd);
	int ret;
	u32 i;

	gpk_catch_up(n);
	for (i = 0; i < c->nr; i++) {
		if (!c->refs[i].result)
			c->refs[i].result = resolve(n, c, i);
		c->by_hand.refs[i].result = c->refs[i].result;
	}
	ret = gpk_hold_switch(n, &c->by_hand);
	for (i = 0; i < c->nr; i++)
		c->refs[i].result = c->by_hand.refs[i].result;
	return ret;
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

static struct gpreempt_ioc_ref __user *ref_at(const struct gpreempt_ioc_switch *arg, u32 i)
{
	return u64_to_user_ptr(arg->refs + (u64)i * arg->ref_size);
}

static int copy_refs(struct switch_command *c, const struct gpreempt_ioc_switch *arg)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < c->nr && !ret; i++)
		ret = copy_struct_from_user(&c->refs[i], sizeof(c->refs[i]), ref_at(arg, i),
					    arg->ref_size);
	return ret;
}

static int copy_results(const struct switch_command *c, const struct gpreempt_ioc_switch *arg)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (put_user(c->refs[i].result, &ref_at(arg, i)->result))
			return -EFAULT;
	return 0;
}

static int do_switch(struct gpk_node *n, struct switch_command *c,
		     const struct gpreempt_ioc_switch *arg)
{
	int ret = -ENOMEM;
	u32 i;

	c->refs = kvcalloc(c->nr, sizeof(*c->refs), GFP_KERNEL_ACCOUNT);
	c->pids = kvcalloc(c->nr, sizeof(*c->pids), GFP_KERNEL_ACCOUNT);
	c->by_hand.refs = kvcalloc(c->nr, sizeof(*c->by_hand.refs), GFP_KERNEL_ACCOUNT);
	if (!c->refs || !c->pids || !c->by_hand.refs)
		goto out;
	ret = copy_refs(c, arg);
	if (ret)
		goto out;
	get_pids(c, n->gpu_id);
	ret = gpk_command(n, &c->cmd);
	for (i = 0; i < c->nr; i++)
		put_pid(c->pids[i]);
	if (!ret)
		ret = copy_results(c, arg);
out:
	kvfree(c->by_hand.refs);
	kvfree(c->pids);
	kvfree(c->refs);
	return ret;
}

int gpk_ioc_switch(const void *owner, void __user *uarg)
{
	struct switch_command c = { .cmd.run = run_switch, .by_hand.owner = owner,
				    .by_hand.uid = current_uid() };
	struct gpreempt_ioc_switch arg;
	struct gpk_node *n;
	u32 size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (arg.nr_out > KFD_GPREEMPT_REFS_MAX || arg.nr_in > KFD_GPREEMPT_REFS_MAX ||
	    !(arg.nr_out + arg.nr_in) || arg.grace > 255 || arg.lease_ms > LEASE_MAX_MS ||
	    (arg.nr_out && !arg.lease_ms) || arg.reserved ||
	    arg.ref_size < sizeof(struct gpreempt_ioc_ref) || arg.ref_size > REF_MAX)
		return -EINVAL;
	n = gpk_node_find(arg.gpu_id);
	if (!n)
		return -ENODEV;
	c.nr = arg.nr_out + arg.nr_in;
	c.by_hand.nr_out = arg.nr_out;
	c.by_hand.nr_in = arg.nr_in;
	c.by_hand.grace = arg.grace;
	c.by_hand.until_ns = ktime_get_ns() + arg.lease_ms * NSEC_PER_MSEC;
	return do_switch(n, &c, &arg);
}

/*
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

int gpk_ioc_trigger(void __user *uarg)
{
	struct pid_command c = { .cmd.run = run_trigger };
	struct gpreempt_ioc_trigger arg;
	struct gpk_node *n;
	u32 size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	n = gpk_node_find(arg.gpu_id);
	if (!n || arg.reserved)
		return n ? -EINVAL : -ENODEV;
	if (arg.pidfd == -2) {
		ret = gpk_may_govern();
	} else {
		c.pid = gpk_pidfd_get(arg.pidfd);
		if (IS_ERR(c.pid))
			return PTR_ERR(c.pid);
		/* A process that is often looked at in vain is taken for idle. */
		ret = gpk_may_control(c.pid);
	}
	if (!ret)
		gpk_command(n, &c.cmd);
	put_pid(c.pid);
	return ret;
}
