// SPDX-License-Identifier: MIT
/*
 * The daemon's core schedules, and clients carry out what it wants: which there are, and what
 * the core does for each operation.
 */
#include "daemon/gpd_ops.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

const struct gpd_mech_ops gpd_shim_ops = { .name = "shim" };
const struct gpd_mech_ops gpd_sim_ops = { .name = "sim" };

bool gpd_mech_is_sim(const struct gpd_client *c)
{
	return c->ops == &gpd_sim_ops;
}

bool gpd_mech_is_dbg(const struct gpd_client *c)
{
	return c->ops == &gpd_dbg_ops;
}

static int refuse(const char **why, const char *reason, int err)
{
	*why = reason;
	return err;
}

/*
 * A simulated process is the one that connected, or one with a number that no
 * real process can have.
 */
static int admit_sim(struct gpd_client *c, const struct wire_hello *m, const char **why)
{
	if (!c->d->config->nr_sim)
		return refuse(why, "there are no simulated nodes", -EOPNOTSUPP);
	c->ops = &gpd_sim_ops;
	if (!m->pid || m->pid == (uint32_t)c->cred.pid)
		return 0;
	if (m->pid <= GPD_PID_MAX || m->pid > INT_MAX)
		return refuse(why, "says that it is another process", -EPERM);
	if (gpd_client_find(c->d, (pid_t)m->pid))
		return refuse(why, "there is a simulated process with this number", -EEXIST);
	c->pid = (pid_t)m->pid;
	c->start_time = 0;
	return 0;
}

/* Its own number for itself may differ, in a container: credentials say which it is. */
static int admit_shim(struct gpd_client *c, const struct wire_hello *m)
{
	struct gpd_client *other = gpd_client_find(c->d, c->cred.pid);

	c->ops = &gpd_shim_ops;
	/* From inside it is cheaper, and both at once would get into each other's way. */
	if (other && gpd_mech_is_dbg(other))
		gpd_client_close(other);
	if (m->pid && m->pid != (uint32_t)c->cred.pid)
		gpd_client_note(c, "calls itself process %" PRIu32, m->pid);
	return 0;
}

int gpd_mech_admit(struct gpd_client *c, const struct wire_hello *m, const char **why)
{
	if (gpd_mech_is_dbg(c))
		return m->mech == WIRE_MECH_DBG && m->pid == (uint32_t)c->pid ? 0 :
			       refuse(why, "not the tracer it was started as", -EPERM);
	/* A child may have its socket, and another process its number. */
	if (!gpd_proc_is(c->cred.pid, c->cred.start_time))
		return refuse(why, "the process that connected is gone", -ESRCH);
	if (m->mech == WIRE_MECH_SIM)
		return admit_sim(c, m, why);
	if (m->mech == WIRE_MECH_SHIM)
		return admit_shim(c, m);
	return refuse(why, "only the daemon starts tracers", -EPERM);
}

static int set_policy(struct gpd_node *n, const char *name)
{
	int err = gp_sched_set_policy(n->d->sched, n->index, name, gpd_now_ns(), &n->act.acts);

	if (!err)
		gpd_fanout_settle(n);
	return err;
}

static int set_param(struct gpd_node *n, const char *name, uint64_t value)
{
	return gp_sched_param_set(n->d->sched, n->index, name, value, NULL);
}

static int set_enabled(struct gpd_node *n, bool enabled)
{
	int err = gp_sched_set_enabled(n->d->sched, n->index, enabled, gpd_now_ns(), &n->act.acts);

	if (!err)
		gpd_fanout_settle(n);
	return err;
}

static int get_param(struct gpd_node *n, const char *name, u64 *value)
{
	return gp_sched_param_get(n->d->sched, n->index, name, value);
}

static const char *policy(struct gpd_node *n)
{
	return gp_sched_node_policy(n->d->sched, n->index);
}

static const struct gp_node_stats *stats(struct gpd_node *n)
{
	return gp_sched_node_stats(n->d->sched, n->index);
}

static const struct gp_hist *detect(struct gpd_node *n)
{
	return &n->decision;
}

static void count_queues(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy)
{
	*nr = n->nr_queues;
	*nr_busy = n->nr_busy;
}

const struct gpd_node_ops gpd_client_node_ops = {
	.scheduler = "daemon",
	.is_core = true,
	.set_policy = set_policy,
	.set_param = set_param,
	.set_enabled = set_enabled,
	.get_param = get_param,
	.policy = policy,
	.stats = stats,
	.detect = detect,
	.count_queues = count_queues,
};

static int find(struct gpd_conn *conn, uint64_t pid, struct gpd_subject *s)
{
	s->pid = (pid_t)pid;
	s->client = gpd_client_find(conn->d, s->pid);
	if (!s->client)
		return -ESRCH;
	return gpd_trust_may_touch(&conn->cred, &s->client->owner) ? 0 : -EPERM;
}

static int get(struct gpd *d, struct gpd_subject *s, struct gpd_attrs *attrs)
{
	*attrs = s->client->attrs;
	return 0;
}

/* A process of the same group and user that may have the same attributes. */
static bool changes_too(struct gpd_conn *conn, const struct gpd_client *c,
			const struct gpd_client *other, const struct gpd_attrs *attrs)
{
	char why[GPD_NOTE_LEN];

	return other != c && other->state == GPD_CLIENT_KNOWN && attrs->group[0] &&
	       !strcmp(other->attrs.group, attrs->group) &&
	       gpd_trust_may_touch(&conn->cred, &other->owner) &&
	       gpd_auth_check(conn->d->config, &conn->cred, other->grant, &other->attrs, attrs,
			      why, sizeof(why));
}

static void set_one(struct gpd_client *c, const struct gpd_attrs *attrs)
{
	c->by_hand = true;
	c->attrs = *attrs;
	gpd_engine_attrs(c);
	gpd_monitor_attrs(c->d, c->pid, attrs);
}

/* Processes of a group are one: all of them change, unless that would raise one of them. */
static int set(struct gpd_conn *conn, struct gpd_subject *s, const struct gpd_attrs *attrs,
	       bool keep_group)
{
	struct gpd_client *c = s->client;
	struct gpd_client *other;

	c->attrs = *attrs;
	LIST_FOREACH(other, &c->user->clients, of_user)
	if (changes_too(conn, c, other, attrs))
		other->attrs = *attrs;
	LIST_FOREACH(other, &c->user->clients, of_user)
	if (changes_too(conn, c, other, attrs))
		set_one(other, attrs);
	set_one(c, attrs);
	return 0;
}

/* A module that was there may have heard of others. */
static void save(struct gpd *d, json_t *processes)
{
	const struct gpd_client *c;

	LIST_FOREACH(c, &d->clients, link)
	if (c->by_hand && c->ops)
		gpd_state_add(processes, c->pid, c->start_time, c->owner.uid, &c->attrs);
	gpd_module_ops.save(d, processes);
}

const struct gpd_process_ops gpd_client_ops = {
	.scheduler = "daemon",
	.mechanism = "shim",
	.hold = &gpd_client_hold_ops,
	.is_traced = true,
	.find = find,
	.get = get,
	.set = set,
	.attach = gpd_attach_call,
	.detach = gpd_attach_detach,
	.save = save,
};
