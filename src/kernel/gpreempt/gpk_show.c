// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * For people: /sys/kernel/gpreempt/GPU_ID/ with a value a file, and the last records of
 * a node's scheduler in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "gpk.h"

static struct kobject *root;
static struct dentry *debug_root;

/*
 * struct show_node - the folder of a node
 */
struct show_node {
	struct kobject kobj;
	struct gpk_node *node;
};

static struct show_node *folders[GPK_NODES_MAX];

/*
 * struct show_command - a value, read by the monitor
 */
struct show_command {
	struct gpk_command cmd;
	u64 (*value)(const struct gpk_node *n, const struct gp_node_stats *s);
	u64 result;
};

static int run_value(struct gpk_node *n, struct gpk_command *cmd)
{
	struct show_command *c = container_of(cmd, struct show_command, cmd);

	c->result = c->value(n, gp_sched_node_stats(n->sched, 0));
	return 0;
}

/*
 * SHOW_VALUES() - X(name, expression over n and s): the files of a node
 */
#define SHOW_VALUES(X)                                                                  \
	X(nr_entities, s->nr_entities)                                                  \
	X(nr_out, s->nr_out)                                                            \
	X(nr_switches, s->nr_switches)                                                  \
	X(nr_preemptions, s->nr_preemptions)                                            \
	X(nr_resumes, s->nr_resumes)                                                    \
	X(nr_failed, s->nr_failed)                                                      \
	X(nr_deadline, s->nr_deadline)                                                  \
	X(nr_starvation, s->nr_starvation)                                              \
	X(nr_wakeups, n->nr_wakeups)                                                    \
	X(nr_timer_wakeups, n->nr_timer_wakeups)                                        \
	X(nr_faults, atomic64_read(&n->nr_faults))                                      \
	X(cost_ns, s->cost_ns)                                                          \
	X(off_max_ns, s->off_max_ns)                                                    \
	X(switch_p50_ns, gp_hist_percentile(&s->switch_ns, 500000))                     \
	X(switch_p99_ns, gp_hist_percentile(&s->switch_ns, 990000))                     \
	X(detect_p50_ns, gp_hist_percentile(&n->detect_ns, 500000))                     \
	X(detect_p99_ns, gp_hist_percentile(&n->detect_ns, 990000))

static ssize_t show_value(struct kobject *kobj, char *buf,
			  u64 (*value)(const struct gpk_node *n, const struct gp_node_stats *s))
{
	struct show_command c = { .cmd.run = run_value, .value = value };

	gpk_command(container_of(kobj, struct show_node, kobj)->node, &c.cmd);
	return sysfs_emit(buf, "%llu\n", c.result);
}

#define X(name, expr)                                                                       \
	static u64 value_##name(const struct gpk_node *n, const struct gp_node_stats *s)    \
	{                                                                                   \
		return expr;                                                                \
	}                                                                                   \
	static ssize_t name##_show(struct kobject *kobj, struct kobj_attribute *attr,       \
				   char *buf)                                               \
	{                                                                                   \
		return show_value(kobj, buf, value_##name);                                 \
	}                                                                                   \
	static struct kobj_attribute name##_attr = __ATTR_RO(name);
SHOW_VALUES(X)
#undef X

static ssize_t breaker_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gpk_node *n = container_of(kobj, struct show_node, kobj)->node;
	const struct gp_node_stats *s = gp_sched_node_stats(n->sched, 0);
	enum gp_breaker_state state = READ_ONCE(s->breaker);

	if (state == GP_BREAKER_CLOSED)
		return sysfs_emit(buf, "%s\n", gp_breaker_state_name(state));
	return sysfs_emit(buf, "%s: %s\n", gp_breaker_state_name(state),
			  gp_report_name(READ_ONCE(s->breaker_reason)));
}
static struct kobj_attribute breaker_attr = __ATTR_RO(breaker);

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gpk_node *n = container_of(kobj, struct show_node, kobj)->node;

	return sysfs_emit(buf, "%s\n", gp_sched_node_policy(n->sched, 0));
}
static struct kobj_attribute policy_attr = __ATTR_RO(policy);

static struct attribute *show_attrs[] = {
#define X(name, expr) &name##_attr.attr,
	SHOW_VALUES(X)
#undef X
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

static int folder_add(u32 index)
{
	struct show_node *f = kzalloc(sizeof(*f), GFP_KERNEL);
	char name[16];
	int ret;

	if (!f)
		return -ENOMEM;
	f->node = gpk_node_at(index);
	folders[index] = f;
	snprintf(name, sizeof(name), "%u", f->node->gpu_id);
	ret = kobject_init_and_add(&f->kobj, &show_type, root, "%s", name);
	debugfs_create_file("timeline", 0400, debugfs_create_dir(name, debug_root), f->node,
			    &timeline_fops);
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
