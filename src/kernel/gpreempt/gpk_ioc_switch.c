// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that act: preempt and resume by hand, and look at once.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk.h"
#include "gpk_ioc.h"
#include "kfd_gpreempt.h"

#define LEASE_MAX_MS 60000
/* What a reference had at first, and room for it to grow. */
#define REF_MIN 16
#define REF_MAX 256

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

static int run_switch(struct gpk_node *n, void *data)
{
	const struct gpk_by_hand *c = data;
	u32 i;

	gpk_catch_up(n);
	for (i = 0; i < c->nr; i++) {
		struct gpk_named *what = &c->named[i];

		if (!what->result)
			what->result = resolve(n, c, what, i < c->nr_out);
	}
	gpk_hold_switch(n, c);
	return 0;
}

static struct gpreempt_ioc_ref __user *ref_at(const struct gpreempt_ioc_switch *arg, u32 i)
{
	return u64_to_user_ptr(arg->refs + (u64)i * arg->ref_size);
}

/* What a reference names, whether the caller may, and a hold for it. 0 or -errno. */
static int name_one(const struct gpk_by_hand *c, const struct gpreempt_ioc_switch *arg, u32 i)
{
	struct gpk_named *what = &c->named[i];
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
	what->hold = gpk_hold_alloc(c->owner, pid, ref.queue_id,
				    ktime_get_ns() + arg->lease_ms * NSEC_PER_MSEC);
	return what->hold ? 0 : -ENOMEM;
}

/* What is said of one reference is true of those that name the same. */
static void tell_result(const struct gpk_by_hand *c, u32 member)
{
	const struct gpk_named *what = &c->named[member];
	u32 i, end = member < c->nr_out ? c->nr_out : c->nr;

	for (i = member + 1; i < end; i++)
		if (!c->named[i].result && c->named[i].process == what->process &&
		    c->named[i].queue == what->queue)
			c->named[i].result = what->result;
}

static int copy_results(const struct gpk_by_hand *c, const struct gpreempt_ioc_switch *arg)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (c->named[i].is_told && c->named[i].result)
			tell_result(c, i);
	for (i = 0; i < c->nr; i++)
		if (put_user(c->named[i].result, &ref_at(arg, i)->result))
			return -EFAULT;
	return 0;
}

static int do_switch(struct gpk_node *n, struct gpk_by_hand *c,
		     const struct gpreempt_ioc_switch *arg)
{
	int ret = -ENOMEM;
	u32 i;

	c->named = kvcalloc(c->nr, sizeof(*c->named), GFP_KERNEL_ACCOUNT);
	c->refs = kvcalloc(c->nr, sizeof(*c->refs), GFP_KERNEL_ACCOUNT);
	if (!c->named || !c->refs)
		goto out;
	for (i = 0, ret = 0; i < c->nr && !ret; i++)
		ret = name_one(c, arg, i);
	if (!ret)
		ret = gpk_command_by_hand(n, run_switch, c);
	if (!ret)
		ret = copy_results(c, arg);
	for (i = 0; i < c->nr; i++) {
		gpk_hold_free(c->named[i].hold);
		put_pid(c->named[i].pid);
	}
out:
	kvfree(c->refs);
	kvfree(c->named);
	return ret;
}

int gpk_ioc_switch(const void *owner, union gpk_arg *arg)
{
	const struct gpreempt_ioc_switch *sw = &arg->sw;
	struct gpk_node *n = gpk_node_find(sw->gpu_id);
	struct gpk_by_hand c = {
		.owner = owner,
		.nr_out = sw->nr_out,
		.grace = sw->grace,
		.nr = sw->nr_out + sw->nr_in,
	};

	if (sw->nr_out > KFD_GPREEMPT_REFS_MAX || sw->nr_in > KFD_GPREEMPT_REFS_MAX || !c.nr ||
	    sw->grace > 255 || sw->lease_ms > LEASE_MAX_MS || (sw->nr_out && !sw->lease_ms) ||
	    sw->reserved || sw->ref_size < REF_MIN || sw->ref_size > REF_MAX)
		return -EINVAL;
	return n ? do_switch(n, &c, sw) : -ENODEV;
}

/* Of one process, or all of them if @pid is NULL. */
static int run_trigger(struct gpk_node *n, void *pid)
{
	struct gpk_entity *e;

	if (pid) {
		hash_for_each_possible(n->by_pid, e, by_pid, (unsigned long)pid)
			if (e->pid == pid)
				gpk_look_soon(n, e);
		return 0;
	}
	list_for_each_entry(e, &n->entities, link)
		gpk_look_soon(n, e);
	return 0;
}

int gpk_ioc_trigger(const void *owner, union gpk_arg *arg)
{
	struct gpk_node *n = gpk_node_find(arg->trigger.gpu_id);
	struct pid *pid = NULL;
	int ret;

	if (!n || arg->trigger.reserved)
		return n ? -EINVAL : -ENODEV;
	if (arg->trigger.pidfd == -2) {
		ret = gpk_may_govern();
	} else {
		pid = gpk_pidfd_get(arg->trigger.pidfd);
		if (IS_ERR(pid))
			return PTR_ERR(pid);
		/* A process that is often looked at in vain is taken for idle. */
		ret = gpk_may_control(pid);
	}
	if (!ret)
		gpk_command(n, run_trigger, pid);
	put_pid(pid);
	return ret;
}
