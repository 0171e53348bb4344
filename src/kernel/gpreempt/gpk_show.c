// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * For people: /sys/kernel/gpreempt/GPU_ID/ with a value a file, and in debugfs the last
 * records of a node's scheduler and dumps of its state. Values come from a snapshot: no
 * file is read beside the monitor.
 */
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "gpk.h"
#include "gpk_snapshot.h"

static struct kobject *root;
static struct dentry *debug_root;

/* The folder of a node. */
struct show_node {
	struct kobject kobj;
	struct gpk_node *node;
};

static struct show_node *folders[GPK_NODES_MAX];

/* A file: where its value is in the statistics of a node. */
struct show_value {
	struct kobj_attribute attr;
	u32 offset;
	u32 bytes;
};

static struct gpk_node *node_of(struct kobject *kobj)
{
	return container_of(kobj, struct show_node, kobj)->node;
}

static ssize_t value_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct show_value *v = container_of(attr, struct show_value, attr);
	struct gpreempt_ioc_stats stats;
	int ret = gpk_look_stats(node_of(kobj), &stats);
	const void *at = (const void *)&stats + v->offset;

	if (ret)
		return ret;
	return sysfs_emit(buf, "%llu\n", v->bytes == sizeof(u32) ? *(const u32 *)at :
								   *(const u64 *)at);
}

static ssize_t breaker_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct gpreempt_ioc_stats stats;
	int ret = gpk_look_stats(node_of(kobj), &stats);

	if (ret)
		return ret;
	if (stats.breaker == GP_BREAKER_CLOSED)
		return sysfs_emit(buf, "%s\n", gp_breaker_state_name(stats.breaker));
	return sysfs_emit(buf, "%s: %s\n", gp_breaker_state_name(stats.breaker),
			  gp_report_name(stats.breaker_reason));
}
static struct kobj_attribute breaker_attr = __ATTR_RO(breaker);

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct gpk_node *n = node_of(kobj);
	ssize_t ret = gpk_look(n);

	if (ret)
		return ret;
	rcu_read_lock();
	ret = sysfs_emit(buf, "%s\n", rcu_dereference(n->snapshot)->policy);
	rcu_read_unlock();
	return ret;
}
static struct kobj_attribute policy_attr = __ATTR_RO(policy);

/* A member of the statistics; the compound literal is as static as the table. */
#define VALUE(name)                                                     \
	(&(struct show_value){                                          \
		.attr = __ATTR(name, 0444, value_show, NULL),           \
		.offset = offsetof(struct gpreempt_ioc_stats, name),    \
		.bytes = sizeof_field(struct gpreempt_ioc_stats, name), \
	}.attr.attr)

static struct attribute *show_attrs[] = {
	VALUE(nr_entities),
	VALUE(nr_out),
	VALUE(nr_switches),
	VALUE(nr_preemptions),
	VALUE(nr_resumes),
	VALUE(nr_failed),
	VALUE(nr_deadline),
	VALUE(nr_starvation),
	VALUE(nr_wakeups),
	VALUE(nr_timer_wakeups),
	VALUE(nr_faults),
	VALUE(cost_ns),
	VALUE(off_max_ns),
	VALUE(switch_p50_ns),
	VALUE(switch_p99_ns),
	VALUE(detect_p50_ns),
	VALUE(detect_p99_ns),
	&breaker_attr.attr,
	&policy_attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(show);

static void show_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct show_node, kobj));
}

static const struct kobj_type show_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = show_release,
	.default_groups = show_groups,
};

/* A few at a time: the monitor takes the same lock. */
#define COPIED 32

/* Copies records from @from on, or the oldest after it that is there. Return: how many. */
static u32 timeline_copy(struct gpk_node *n, u64 *from, u64 end, struct gp_trace *to)
{
	u32 nr = 0;

	spin_lock(&n->lock);
	if (n->nr_timeline > GPK_TIMELINE)
		*from = max(*from, n->nr_timeline - GPK_TIMELINE);
	for (; nr < COPIED && *from < end; (*from)++)
		to[nr++] = n->timeline[*from % GPK_TIMELINE];
	spin_unlock(&n->lock);
	return nr;
}

static int timeline_show(struct seq_file *m, void *unused)
{
	struct gp_trace *copy = kcalloc(COPIED, sizeof(*copy), GFP_KERNEL);
	struct gpk_node *n = m->private;
	u64 from = 0, end;
	u32 i, nr;

	if (!copy)
		return -ENOMEM;
	spin_lock(&n->lock);
	end = n->nr_timeline;
	spin_unlock(&n->lock);
	while ((nr = timeline_copy(n, &from, end, copy))) {
		for (i = 0; i < nr; i++) {
			const struct gp_trace *t = &copy[i];

			seq_printf(m, "%llu %u %llx %llu %llu %llu %llu\n", t->now_ns, t->kind,
				   t->id, t->arg[0], t->arg[1], t->arg[2], t->arg[3]);
		}
	}
	kfree(copy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(timeline);

DEFINE_SHOW_ATTRIBUTE(gpk_dump);
DEFINE_SHOW_ATTRIBUTE(gpk_last_dump);

static int folder_add(u32 index)
{
	struct show_node *f = kzalloc(sizeof(*f), GFP_KERNEL);
	struct dentry *dir;
	char name[16];
	int ret;

	if (!f)
		return -ENOMEM;
	f->node = gpk_node_at(index);
	folders[index] = f;
	snprintf(name, sizeof(name), "%u", f->node->gpu_id);
	ret = kobject_init_and_add(&f->kobj, &show_type, root, "%s", name);
	dir = debugfs_create_dir(name, debug_root);
	debugfs_create_file("timeline", 0400, dir, f->node, &timeline_fops);
	debugfs_create_file("dump", 0400, dir, f->node, &gpk_dump_fops);
	debugfs_create_file("last_dump", 0400, dir, f->node, &gpk_last_dump_fops);
	return ret;
}

void gpk_show_fini(void)
{
	u32 i;

	debugfs_remove(debug_root);
	for (i = 0; i < GPK_NODES_MAX; i++) {
		if (folders[i])
			kobject_put(&folders[i]->kobj);
		folders[i] = NULL;
	}
	kobject_put(root);
}

int gpk_show_init(void)
{
	int ret = 0;
	u32 i;

	root = kobject_create_and_add("gpreempt", kernel_kobj);
	if (!root)
		return -ENOMEM;
	debug_root = debugfs_create_dir("gpreempt", NULL);
	for (i = 0; i < gpk_nr_nodes() && !ret; i++)
		ret = folder_add(i);
	if (ret)
		gpk_show_fini();
	return ret;
}
