// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/emit.h"
#include "core/guard.h"
#include "core/policy.h"

const struct gp_param_desc *gp_sched_param_desc(u32 index, const char **policy)
{
	const struct gp_policy_ops *ops;
	u32 i;

	*policy = NULL;
	if (index < gp_guard_nr_params)
		return &gp_guard_params[index];
	index -= gp_guard_nr_params;
	for (i = 0; (ops = gp_policy_at(i)); i++) {
		if (index < ops->nr_params) {
			*policy = ops->name;
			return &ops->params[index];
		}
		index -= ops->nr_params;
	}
	return NULL;
}

void gp_params_default(struct gp_params *p)
{
	const struct gp_param_desc *desc;
	const char *policy;
	u32 i;

	for (i = 0; (desc = gp_sched_param_desc(i, &policy)); i++)
		*gp_params_at(p, desc->offset) = desc->def;
}

/* Is @name "<policy>.<param>", or "<param>" for a guard? */
static bool is_named(const char *name, const char *policy, const char *param)
{
	if (policy) {
		for (; *policy; policy++, name++)
			if (*name != *policy)
				return false;
		if (*name++ != '.')
			return false;
	}
	return !strcmp(name, param);
}

const struct gp_param_desc *gp_params_find(const char *name)
{
	const struct gp_param_desc *desc;
	const char *policy;
	u32 i;

	for (i = 0; (desc = gp_sched_param_desc(i, &policy)); i++)
		if (is_named(name, policy, desc->name))
			return desc;
	return NULL;
}

static void trace_set(struct gp_sched *s, u32 node, const struct gp_param_desc *desc, u64 value)
{
	struct gp_node *n = &s->node[node];
	struct gp_call c = { .s = s, .n = n, .now_ns = n->now_ns };
	const char *policy;
	u32 i = 0;

	if (!s->config.trace)
		return;
	while (gp_sched_param_desc(i, &policy) != desc)
		i++;
	gp_trace_emit(&c, GP_TRACE_EVENT_PARAM, GP_ID_NONE, i, value);
}

int gp_sched_param_set(struct gp_sched *s, u32 node, const char *name, u64 value,
		       const struct gp_param_desc **desc)
{
	const struct gp_param_desc *found;

	if (node >= s->config.nr_nodes)
		return -EINVAL;
	found = gp_params_find(name);
	if (!found)
		return -ENOENT;
	if (desc)
		*desc = found;
	if (value < found->min || value > found->max)
		return -ERANGE;
	trace_set(s, node, found, value);
	*gp_params_at(&s->node[node].params, found->offset) = value;
	s->node[node].config_seq++;
	s->node[node].local_news = true;
	return 0;
}

u32 gp_sched_config_seq(const struct gp_sched *s, u32 node)
{
	return s->node[node].config_seq;
}

void gp_sched_params_copy(struct gp_sched *to, u32 to_node, const struct gp_sched *from,
			  u32 from_node)
{
	to->node[to_node].params = from->node[from_node].params;
}

int gp_sched_param_get(const struct gp_sched *s, u32 node, const char *name, u64 *value)
{
	const struct gp_param_desc *found;

	if (node >= s->config.nr_nodes)
		return -EINVAL;
	found = gp_params_find(name);
	if (!found)
		return -ENOENT;
	*value = *gp_params_at(&s->node[node].params, found->offset);
	return 0;
}
