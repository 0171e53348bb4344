// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that rule: attributes of processes, policies of nodes.
 */
#include <linux/mm.h>

#include "gpk.h"
#include "gpk_ioc.h"
#include "rules/text.h"

static int check_attr(const struct gpreempt_ioc_attr *arg, bool set)
{
	u32 flags = set ? GPREEMPT_ATTR_AS_OWNER : 0;

	if (arg->valid & ~GPK_ATTR_F_ALL || memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return -EINVAL;
	if (arg->flags & ~flags || arg->latency_critical > 1 || arg->no_preempt > 1 ||
	    arg->detect > GPREEMPT_DETECT_MANUAL)
		return -EINVAL;
	return 0;
}

int gpk_ioc_get_attr(const void *owner, union gpk_arg *arg)
{
	int ret = check_attr(&arg->attr, false);
	struct pid *pid = ret ? ERR_PTR(ret) : gpk_pidfd_get(arg->attr.pidfd);

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	gpk_attr_get(pid, &arg->attr);
	put_pid(pid);
	return 0;
}

int gpk_ioc_set_attr(const void *owner, union gpk_arg *arg)
{
	int ret = check_attr(&arg->attr, true);
	struct pid *pid = ret ? ERR_PTR(ret) : gpk_pidfd_get(arg->attr.pidfd);

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	ret = gpk_may_control(pid);
	if (!ret)
		ret = gpk_attr_set(pid, &arg->attr);
	put_pid(pid);
	return ret;
}

static int run_set_policy(struct gpk_node *n, void *data)
{
	const struct gpreempt_ioc_policy *arg = data;
	u64 now = ktime_get_ns();
	int ret;

	if (arg->valid & GPREEMPT_POLICY_F_PARAM) {
		ret = gp_sched_param_set(n->sched, 0, arg->param, arg->value, NULL);
		if (ret)
			return ret;
	}
	if (arg->valid & GPREEMPT_POLICY_F_POLICY) {
		ret = gpk_act(n, gp_sched_set_policy(n->sched, 0, arg->policy, now, &n->act.acts));
		if (ret)
			return ret;
	}
	if (!(arg->valid & GPREEMPT_POLICY_F_ENABLED))
		return 0;
	ret = gp_sched_set_enabled(n->sched, 0, arg->enabled, now, &n->act.acts);
	if (!ret)
		n->disabled = !arg->enabled;
	return gpk_act(n, ret);
}

static int run_get_policy(struct gpk_node *n, void *data)
{
	struct gpreempt_ioc_policy *arg = data;

	arg->enabled = !n->disabled;
	strscpy(arg->policy, gp_sched_node_policy(n->sched, 0), sizeof(arg->policy));
	if (!arg->param[0])
		return 0;
	return gp_sched_param_get(n->sched, 0, arg->param, &arg->value);
}

static bool is_text(const char *text)
{
	return strnlen(text, GPREEMPT_ABI_NAME_LEN) < GPREEMPT_ABI_NAME_LEN;
}

/* Of the node that is named; a change is of every one, if none is. */
static int for_nodes(struct gpreempt_ioc_policy *arg, bool set)
{
	u32 i, gpu_id = arg->gpu_id, nr = 0;
	int ret = 0;

	if (!is_text(arg->policy) || !is_text(arg->param) || arg->enabled > 1 ||
	    arg->valid & ~(GPREEMPT_POLICY_F_POLICY | GPREEMPT_POLICY_F_ENABLED |
			   GPREEMPT_POLICY_F_PARAM))
		return -EINVAL;
	if (set && gpk_may_govern())
		return -EPERM;
	/* Before any node is changed: what follows fails on the first one or on none. */
	if (set && arg->valid & GPREEMPT_POLICY_F_POLICY && !gp_text_is_policy(arg->policy))
		return -ENOENT;
	for (i = 0; i < gpk_nr_nodes() && !ret; i++) {
		if (gpk_node_at(i)->gpu_id != gpu_id && (gpu_id || !set))
			continue;
		nr++;
		ret = gpk_command(gpk_node_at(i), set ? run_set_policy : run_get_policy, arg);
	}
	return ret || nr ? ret : -ENODEV;
}

int gpk_ioc_get_policy(const void *owner, union gpk_arg *arg)
{
	return for_nodes(&arg->policy, false);
}

int gpk_ioc_set_policy(const void *owner, union gpk_arg *arg)
{
	return for_nodes(&arg->policy, true);
}
