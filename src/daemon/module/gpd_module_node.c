// SPDX-License-Identifier: MIT
/*
 * A node that the module schedules: what is read of it, and what is changed.
 */
#include "daemon/module/gpd_module_types.h"
#include "driver/list_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void read_hist(int fd, const struct gpd_node *n, uint32_t which, struct gp_hist *h)
{
	struct gpreempt_ioc_hist arg;

	memset(h, 0, sizeof(*h));
	if (drv_module_hist(fd, n->gpu_id, which, h->bucket, GP_HIST_BUCKETS, &arg) ||
	    arg.nr != GP_HIST_BUCKETS) {
		memset(h, 0, sizeof(*h));
		return;
	}
	h->nr = arg.count;
	h->sum = arg.sum;
	h->min = arg.min;
	h->max = arg.max;
}

static void copy_stats(struct gpd_module_node *v, const struct gpreempt_ioc_stats *s)
{
	v->stats.nr_entities = s->nr_entities;
	v->stats.nr_out = s->nr_out;
#define X(member) v->stats.member = s->member;
	DRV_STATS_ALL(X)
#undef X
	v->stats.breaker = s->breaker < GP_BREAKER_STATE_COUNT ?
				   (enum gp_breaker_state)s->breaker : GP_BREAKER_CLOSED;
	v->stats.breaker_reason = (enum gp_report)s->breaker_reason;
	v->counts.nr_wakeups = s->nr_wakeups;
	v->counts.nr_timer_wakeups = s->nr_timer_wakeups;
	v->counts.nr_faults = s->nr_faults;
}

/* Read at most once a turn of the loop. */
static int read_node(struct gpd_node *n)
{
	struct gpd_module_node *v = n->module_view;
	struct gpreempt_ioc_policy policy;
	struct gpreempt_ioc_stats stats;
	int fd = gpd_module_fd(n->d);
	int err;

	if (fd < 0)
		return fd;
	if (!v)
		v = n->module_view = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	if (v->turn == n->d->module->turn)
		return 0;
	err = drv_module_stats(fd, n->gpu_id, &stats);
	if (!err)
		err = drv_module_get_policy(fd, n->gpu_id, NULL, &policy);
	if (err)
		return err;
	copy_stats(v, &stats);
	read_hist(fd, n, GPREEMPT_HIST_SWITCH, &v->stats.switch_ns);
	read_hist(fd, n, GPREEMPT_HIST_OFF, &v->stats.off_ns);
	read_hist(fd, n, GPREEMPT_HIST_WAIT, &v->detect);
	gp_small_hist_narrow(&v->detect, &v->stats.wait_ns);
	read_hist(fd, n, GPREEMPT_HIST_DETECT, &v->detect);
	memcpy(v->policy, policy.policy, sizeof(v->policy));
	v->policy[sizeof(v->policy) - 1] = '\0';
	n->enabled = policy.enabled;
	v->turn = n->d->module->turn;
	return 0;
}

/* What cannot be read any more is as the daemon's core has it. */
static const struct gp_node_stats *stats(struct gpd_node *n)
{
	return read_node(n) ? gpd_client_node_ops.stats(n) : &n->module_view->stats;
}

static const struct gp_hist *detect(struct gpd_node *n)
{
	return read_node(n) ? gpd_client_node_ops.detect(n) : &n->module_view->detect;
}

static const char *policy(struct gpd_node *n)
{
	return read_node(n) ? gpd_client_node_ops.policy(n) : n->module_view->policy;
}

static void refresh(struct gpd_node *n)
{
	read_node(n);
}

static int counts(struct gpd_node *n, struct gpd_counts *counts)
{
	int err = read_node(n);

	if (!err)
		*counts = n->module_view->counts;
	return err;
}

static int get_param(struct gpd_node *n, const char *name, u64 *value)
{
	struct gpreempt_ioc_policy policy;
	int fd = gpd_module_fd(n->d);

	if (fd < 0 || drv_module_get_policy(fd, n->gpu_id, name, &policy))
		return gpd_client_node_ops.get_param(n, name, value);
	*value = policy.value;
	return 0;
}

/* What is set here the core gets too: it may have to take over. */
static int set_policy(struct gpd_node *n, const char *name)
{
	int fd = gpd_module_fd(n->d);
	int err = fd < 0 ? fd : drv_module_set_policy(fd, n->gpu_id, name);

	gpd_module_forget(n->d);
	return err ? err : gpd_client_node_ops.set_policy(n, name);
}

static int set_param(struct gpd_node *n, const char *name, uint64_t value)
{
	int fd = gpd_module_fd(n->d);
	int err = fd < 0 ? fd : drv_module_set_param(fd, n->gpu_id, name, value);

	gpd_module_forget(n->d);
	return err ? err : gpd_client_node_ops.set_param(n, name, value);
}

static int set_enabled(struct gpd_node *n, bool enabled)
{
	int fd = gpd_module_fd(n->d);
	int err = fd < 0 ? fd : drv_module_set_enabled(fd, n->gpu_id, enabled);

	gpd_module_forget(n->d);
	return err;
}

const struct gpd_node_ops gpd_module_node_ops = {
	.scheduler = "kernel",
	.set_policy = set_policy,
	.set_param = set_param,
	.set_enabled = set_enabled,
	.get_param = get_param,
	.policy = policy,
	.refresh = refresh,
	.stats = stats,
	.detect = detect,
	.counts = counts,
	.count_queues = gpd_module_count,
};
