// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * gpreempt: priority preemption for AMD GPUs, inside the kernel.
 *
 * When the module is unloaded, amdkfd resumes everything before kfd_gpreempt_unregister()
 * returns. It refuses calls of monitors that still run meanwhile.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "gpk.h"
#include "gpk_wish.h"
#include "gpreempt_trace.h"
#include "kfd_gpreempt.h"

bool gpk_verify;
module_param_named(verify, gpk_verify, bool, 0444);
MODULE_PARM_DESC(verify, "verify before a resume that saved state was not altered (default off)");

char *gpk_policy = "prio";
module_param_named(policy, gpk_policy, charp, 0444);
MODULE_PARM_DESC(policy, "policy of every node at the start (default prio)");

static struct gpk_node *nodes[GPK_NODES_MAX];
static u32 nr_nodes; /* written before amdkfd's callbacks find a new node */

struct gpk_node *gpk_node_at(u32 index)
{
	return index < nr_nodes ? nodes[index] : NULL;
}

u32 gpk_nr_nodes(void)
{
	return nr_nodes;
}

struct gpk_node *gpk_node_find(u32 gpu_id)
{
	/* Pairs with the release in node_add(): the node is there before it is counted. */
	u32 i, nr = smp_load_acquire(&nr_nodes);

	for (i = 0; i < nr; i++)
		if (nodes[i]->gpu_id == gpu_id)
			return nodes[i];
	return NULL;
}

static void kick(u32 gpu_id, u32 why)
{
	struct gpk_node *n = gpk_node_find(gpu_id);

	if (n)
		gpk_kick(n, why);
}

static void on_changed(u32 gpu_id)
{
	kick(gpu_id, GPK_KICK_CHANGED);
}

/* In an RCU read section: the entity may be going, its memory is not. */
static void on_doorbell(u32 gpu_id, u64 process)
{
	struct gpk_node *n = gpk_node_find(gpu_id);
	struct gpk_entity *e = n ? xa_load(&n->by_generation, process) : NULL;

	trace_gpreempt_fault(gpu_id, task_tgid_nr(current), 0);
	if (!e)
		return;
	xchg(&e->hint_ns, ktime_get_ns());
	atomic64_inc(&n->nr_faults);
	set_bit(GPK_HINT_LOOK, &e->hints);
	xa_set_mark(&n->by_generation, process, GPK_HINTED);
	gpk_kick(n, GPK_KICK_HINT);
}

/*
 * Something of a process ended: it may be idle. There are many of these. If a process is off
 * the GPU, it may return now. Otherwise the process is looked at when its time comes. If no
 * time is set, nothing is known of its work, which another GPU may have submitted.
 */
static void on_completion(u32 gpu_id, u64 process)
{
	struct gpk_node *n = gpk_node_find(gpu_id);
	struct gpk_entity *e = n ? xa_load(&n->by_generation, process) : NULL;
	bool news;

	if (!e)
		return;
	news = !test_and_set_bit(GPK_HINT_ENDED, &e->hints);
	if (READ_ONCE(n->is_any_out))
		news = !test_and_set_bit(GPK_HINT_LOOK, &e->hints);
	else if (READ_ONCE(e->look_ns) != U64_MAX)
		news = false;
	xa_set_mark(&n->by_generation, process, GPK_HINTED);
	if (news)
		gpk_kick(n, GPK_KICK_HINT);
}

static void on_reset(u32 gpu_id, bool done)
{
	kick(gpu_id, done ? GPK_KICK_BACK : GPK_KICK_RESET);
}

static void on_watchdog(u32 gpu_id)
{
	kick(gpu_id, GPK_KICK_WATCHDOG);
}

static const struct kfd_gpreempt_ops kfd_ops = {
	.changed = on_changed,
	.doorbell = on_doorbell,
	.completion = on_completion,
	.reset = on_reset,
	.watchdog = on_watchdog,
};

static void nodes_stop(void)
{
	while (nr_nodes) {
		nr_nodes--;
		gpk_node_stop(nodes[nr_nodes]);
		kvfree(nodes[nr_nodes]);
	}
	gpk_cgroup_forget_all();
	/* Snapshots are freed by functions of this module. */
	rcu_barrier();
}

static int node_add(const struct kfd_gpreempt_gpu *gpu)
{
	struct gpk_node *n = kvzalloc(sizeof(*n), GFP_KERNEL);
	int ret;

	if (!n)
		return -ENOMEM;
	n->mode = gpu->mode;
	n->max_processes = gpu->max_processes;
	n->max_queues = gpu->max_queues;
	ret = gpk_node_start(n, gpu->gpu_id);
	if (ret) {
		kvfree(n);
		return ret;
	}
	nodes[nr_nodes] = n;
	/* Pairs with the acquire in gpk_node_find(). */
	smp_store_release(&nr_nodes, nr_nodes + 1);
	return 0;
}

static int __init gpk_init(void)
{
	static struct kfd_gpreempt_gpu gpus[GPK_NODES_MAX] __initdata;
	u32 i, nr = GPK_NODES_MAX;
	int ret;

	ret = gpk_event_init();
	if (ret)
		return ret;
	ret = gpk_wish_init();
	if (ret)
		goto err_event;
	ret = gpk_pointer_init();
	if (ret)
		goto err_wish;
	ret = kfd_gpreempt_register(&kfd_ops, gpk_verify, gpus, &nr);
	if (ret)
		goto err_pointer;
	for (i = 0; i < nr && !ret; i++)
		ret = node_add(&gpus[i]);
	if (!ret)
		ret = gpk_show_init();
	if (ret)
		goto err_nodes;
	ret = gpk_device_init();
	if (ret)
		goto err_show;
	for (i = 0; i < nr_nodes; i++)
		gpk_kick(nodes[i], GPK_KICK_CHANGED);
	return 0;

err_show:
	gpk_show_fini();
err_nodes:
	kfd_gpreempt_unregister(&kfd_ops);
	nodes_stop();
err_pointer:
	gpk_pointer_fini();
err_wish:
	gpk_wish_fini();
err_event:
	gpk_event_fini();
	return ret;
}

static void __exit gpk_exit(void)
{
	gpk_device_fini();
	kfd_gpreempt_unregister(&kfd_ops);
	gpk_show_fini();
	nodes_stop();
	gpk_pointer_fini();
	gpk_event_fini();
	gpk_wish_fini();
}

module_init(gpk_init);
module_exit(gpk_exit);
MODULE_DESCRIPTION("Priority preemption for AMD GPUs");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_IMPORT_NS(GPREEMPT);
