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
/* What a reference had at first, and room for it to grow. */
#define REF_MIN 16
#define REF_MAX 256

/*
 * struct switch_command - preempt and resume by hand
 */
struct switch_command {
	struct gpk_command cmd;
	struct gpk_by_hand by_hand;
	u32 nr;
};

/* The generations of what a reference names; 0 or -errno. */
static int resolve(struct gpk_node *n, const struct gpk_by_hand *c, struct gpk_named *what,
		   bool out)
{
	struct gpk_entity *e = gpk_entity_by_pid(n, what->pid);
	struct gpk_queue *q;

	what->queue = KFD_GPREEMPT_ALL;
	if (!e) {
		/* It has no queues now: a hold can end nevertheless. */
		what->process = gpk_hold_of(n, c->owner, what->pid);
		return out || !what->process ? -ESRCH : 0;
	}
	what->process = e->generation;
	if (what->queue_id == GPREEMPT_ABI_QUEUE_ALL)
		return 0;
	q = gpk_queue_by_id(e, what->queue_id);
	if (!q)
		return -ESRCH;
	what->queue = q->generation;
	return 0;
}

static int run_switch(struct gpk_node *n, struct gpk_command *cmd)
{
	struct switch_command *c = container_of(cmd, struct switch_command, cmd);
	u32 i;

	gpk_catch_up(n);
	for (i = 0; i < c->nr; i++) {
		struct gpk_named *what = &c->by_hand.named[i];

		if (!what->result)
			what->result = resolve(n, &c->by_hand, what, i < c->by_hand.nr_out);
	}
	gpk_hold_switch(n, &c->by_hand);
	return 0;
}

static struct gpreempt_ioc_ref __user *ref_at(const struct gpreempt_ioc_switch *arg, u32 i)
{
	return u64_to_user_ptr(arg->refs + (u64)i * arg->ref_size);
}

/* What a reference names, whether the caller may, and a hold for it. 0 or -errno. */
static int name_one(const struct switch_command *c, const struct gpreempt_ioc_switch *arg, u32 i)
{
	struct gpk_named *what = &c->by_hand.named[i];
	struct gpreempt_ioc_ref ref;
	struct pid *pid;
	int ret = copy_struct_from_user(&ref, sizeof(ref), ref_at(arg, i), arg->ref_size);

	if (ret)
		return ret;
	what->queue_id = ref.queue_id;
	pid = gpk_pidfd_get(ref.pidfd);
	if (IS_ERR(pid)) {
		what->result = PTR_ERR(pid);
		return 0;
	}
	what->pid = pid;
	what->result = ref.gpu_id == arg->gpu_id ? gpk_may_control(pid) : -EINVAL;
	if (what->result || i >= arg->nr_out)
		return 0;
	what->hold = gpk_hold_alloc(c->by_hand.owner, pid, ref.queue_id,
				    ktime_get_ns() + arg->lease_ms * NSEC_PER_MSEC);
	return what->hold ? 0 : -ENOMEM;
}

static int copy_results(const struct switch_command *c, const struct gpreempt_ioc_switch *arg)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (put_user(c->by_hand.named[i].result, &ref_at(arg, i)->result))
			return -EFAULT;
	return 0;
}

static int do_switch(struct gpk_node *n, struct switch_command *c,
		     const struct gpreempt_ioc_switch *arg)
{
	struct gpk_by_hand *b = &c->by_hand;
	int ret = -ENOMEM;
	u32 i;

	b->named = kvcalloc(c->nr, sizeof(*b->named), GFP_KERNEL_ACCOUNT);
	b->refs = kvcalloc(c->nr, sizeof(*b->refs), GFP_KERNEL_ACCOUNT);
	if (!b->named || !b->refs)
		goto out;
	for (i = 0, ret = 0; i < c->nr && !ret; i++)
		ret = name_one(c, arg, i);
	if (!ret)
		ret = gpk_command(n, &c->cmd);
	if (!ret)
		ret = copy_results(c, arg);
	for (i = 0; i < c->nr; i++) {
		gpk_hold_free(b->named[i].hold);
		put_pid(b->named[i].pid);
	}
out:
	kvfree(b->refs);
	kvfree(b->named);
	return ret;
}

int gpk_ioc_switch(const void *owner, union gpk_arg *arg)
{
	const struct gpreempt_ioc_switch *sw = &arg->sw;
	struct gpk_node *n = gpk_node_find(sw->gpu_id);
	struct switch_command c = {
		.cmd.run = run_switch,
		.by_hand.owner = owner,
		.by_hand.nr_out = sw->nr_out,
		.by_hand.nr_in = sw->nr_in,
		.by_hand.grace = sw->grace,
		.nr = sw->nr_out + sw->nr_in,
	};

	if (sw->nr_out > KFD_GPREEMPT_REFS_MAX || sw->nr_in > KFD_GPREEMPT_REFS_MAX || !c.nr ||
	    sw->grace > 255 || sw->lease_ms > LEASE_MAX_MS || (sw->nr_out && !sw->lease_ms) ||
	    sw->reserved || sw->ref_size < REF_MIN || sw->ref_size > REF_MAX)
		return -EINVAL;
	return n ? do_switch(n, &c, sw) : -ENODEV;
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

int gpk_ioc_trigger(const void *owner, union gpk_arg *arg)
{
	struct gpk_node *n = gpk_node_find(arg->trigger.gpu_id);
	struct pid_command c = { .cmd.run = run_trigger };
	int ret;

	if (!n || arg->trigger.reserved)
		return n ? -EINVAL : -ENODEV;
	if (arg->trigger.pidfd == -2) {
		ret = gpk_may_govern();
	} else {
		c.pid = gpk_pidfd_get(arg->trigger.pidfd);
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
