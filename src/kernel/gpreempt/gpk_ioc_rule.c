// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of /dev/gpreempt that rule: attributes of processes, policies of nodes.
 */
#include <linux/mm.h>

#include "gpk_access.h"
#include "gpk.h"
#include "gpk_ioc.h"

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

int gpk_ioc_attr(void __user *uarg, bool set)
{
	struct gpreempt_ioc_attr arg;
	struct pid *pid;
	u32 size;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (!ret)
		ret = check_attr(&arg, set);
	if (ret)
		return ret;
	pid = gpk_pidfd_get(arg.pidfd);
	if (IS_ERR(pid))
		return PTR_ERR(pid);
	if (set) {
		ret = gpk_may_control(pid);
		if (!ret)
			ret = gpk_attr_set(pid, &arg);
	} else {
		gpk_attr_get(pid, &arg);
		ret = gpk_put_arg(uarg, &arg, sizeof(arg), size);
	}
	put_pid(pid);
	return ret;
}

/*
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
		ret = gp_sched_set_policy(n->sched, 0, arg->policy, now, &n->act.acts);
		if (ret)
			return ret;
		gp_act_run(&n->act);
	}
	if (arg->valid & GPREEMPT_POLICY_F_ENABLED) {
		ret = gp_sched_set_enabled(n->sched, 0, arg->enabled, now, &n->act.acts);
		if (ret)
			return ret;
		n->disabled = !arg->enabled;
		gp_act_run(&n->act);
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

static bool is_policy(const char *name)
{
	const char *known;
	u32 i;

	for (i = 0; (known = gp_policy_name_at(i)); i++)
		if (!strcmp(known, name))
			return true;
	return false;
}

int gpk_ioc_policy(void __user *uarg, bool set)
{
	struct gpreempt_ioc_policy arg;
	struct policy_command c = { .cmd.run = run_policy, .arg = &arg, .set = set };
	u32 i, size, nr = 0;
	int ret = gpk_get_arg(&arg, sizeof(arg), uarg, &size);

	if (ret)
		return ret;
	if (!is_text(arg.policy) || !is_text(arg.param) || arg.enabled > 1 ||
	    arg.valid & ~(GPREEMPT_POLICY_F_POLICY | GPREEMPT_POLICY_F_ENABLED |
			  GPREEMPT_POLICY_F_PARAM))
		return -EINVAL;
	if (set && gpk_may_govern())
		return -EPERM;
	/* Before any node is changed: what follows fails on the first one or on none. */
	if (set && arg.valid & GPREEMPT_POLICY_F_POLICY && !is_policy(arg.policy))
		return -ENOENT;
	for (i = 0; i < gpk_nr_nodes() && !ret; i++) {
		struct gpk_node *n = gpk_node_at(i);

		if (n->gpu_id != arg.gpu_id && (arg.gpu_id || !set))
			continue;
		nr++;
		ret = gpk_command(n, &c.cmd);
	}
	if (!ret && !nr)
		ret = -ENODEV;
	return ret || set ? ret : gpk_put_arg(uarg, &arg, sizeof(arg), size);
}
