// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Looking at a scheduler without changing it. */
#include "core/policy.h"
#include "core/slot.h"

/* Entities that run or are off have time that no transition has accounted yet. */
static void add_open_times(const struct gp_node *n, const struct gp_entity *e,
			   struct gp_entity_info *info)
{
	u64 off_ns;

	if (e->state == GP_ENTITY_RUNNING)
		info->run_ns += gp_since(n->now_ns, e->since_ns);
	if (e->off_since_ns == GP_NOT_OFF)
		return;
	off_ns = gp_since(n->now_ns, e->off_since_ns);
	info->off_ns += off_ns;
	info->off_max_ns = max(info->off_max_ns, off_ns);
}

int gp_sched_entity_info(const struct gp_sched *s, u64 id, struct gp_entity_info *info)
{
	const struct gp_entity *e = gp_entity_find(s, id);

	if (!e)
		return -ENOENT;
	*info = (struct gp_entity_info){
		.id = id,
		.cookie = e->cookie,
		.node = e->node,
		.state = e->state,
		.attr = e->attr,
		.nr_queues = e->nr_queues,
		.nr_busy = e->nr_busy,
		.nr_preempted = e->nr_preempted,
		.nr_resumed = e->nr_resumed,
		.run_ns = e->total_run_ns,
		.off_ns = e->total_off_ns,
		.off_max_ns = e->off_max_ns,
		.at_ns = s->node[e->node].now_ns,
	};
	add_open_times(&s->node[e->node], e, info);
	return 0;
}

int gp_sched_entity_cookie(const struct gp_sched *s, u64 id, u64 *cookie)
{
	const struct gp_entity *e = gp_entity_find(s, id);

	if (!e)
		return -ENOENT;
	*cookie = e->cookie;
	return 0;
}

const struct gp_node_stats *gp_sched_node_stats(const struct gp_sched *s, u32 node)
{
	return node < s->config.nr_nodes ? &s->stats[node] : NULL;
}

u32 gp_sched_nr_kept_off(const struct gp_sched *s, u32 node)
{
	return s->stats[node].nr_out - s->node[node].heap[GP_HEAP_OUT_IDLE].nr;
}

u8 *gp_sched_results(const struct gp_sched *s, u32 node)
{
	return node < s->config.nr_nodes ? s->node[node].results : NULL;
}

const char *gp_sched_node_policy(const struct gp_sched *s, u32 node)
{
	return node < s->config.nr_nodes ? s->node[node].policy->name : NULL;
}
