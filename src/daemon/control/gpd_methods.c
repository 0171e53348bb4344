// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_event.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_metrics.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_ops.h"
#include "rules/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void get_metrics(struct gpd_conn *conn, const struct gpd_request *r)
{
	bool is_inside = conn->cred.owner.is_foreign;
	enum gpd_metrics_of of = is_inside ? GPD_METRICS_NODES : GPD_METRICS_ALL;
	bool fresh = conn->user->privileged;
	char *text = fresh ? gpd_metrics_text(conn->d, of) : NULL;
	const char *recent = fresh ? NULL : gpd_metrics_recent(conn->d, of, true);

	if (text)
		gpd_control_reply(conn, json_pack("{s:s}", "text", text));
	else if (recent)
		gpd_control_send(conn, recent);
	else
		gpd_control_error(conn, "Failed", "reason", "out of memory");
	free(text);
}

/* The first event says that from now on nothing is missed. */
static void monitor(struct gpd_conn *conn, const struct gpd_request *r)
{
	if (!gpd_control_monitor(conn, r->trace)) {
		gpd_control_error(conn, "Failed", "reason", "too many subscriptions of this user");
		return;
	}
	gpd_module_monitor(conn->d);
	gpd_event_greet(conn);
}

bool gpd_methods_apply(struct gpd_conn *conn, const struct gpd_attr_change *change,
		       const struct gpd_grant *grant, const struct gpd_attrs *old,
		       struct gpd_attrs *attrs)
{
	const struct gpd_config *config = conn->d->config;
	char why[GPD_NOTE_LEN];

	/* A class brings all its values; what is said beside it counts more. */
	if (change->has & GPD_ATTR_CLASS && !gpd_auth_class(config, change->klass, attrs)) {
		gpd_control_error(conn, "NotFound", "what", "class %s", change->klass);
		return false;
	}
	gp_attr_copy(&attrs->core, &change->attr, change->has & GP_ATTR_ALL);
	if (change->has & GPD_ATTR_GROUP)
		memcpy(attrs->group, change->group, sizeof(attrs->group));
	if (gpd_auth_check(config, &conn->cred, grant, old, attrs, why, sizeof(why)))
		return true;
	gpd_control_error(conn, "PermissionDenied", "reason", "%s", why);
	return false;
}

bool gpd_methods_refuse(struct gpd_conn *conn, uint64_t pid, int err)
{
	if (err == -ESRCH)
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, pid);
	else
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	return false;
}

bool gpd_methods_change(struct gpd_conn *conn, const struct gpd_request *r, struct gpd_attrs *old,
			struct gpd_attrs *new)
{
	const struct gpd_process_ops *ops =
		gpd_ops_of(conn->d, gpd_client_find(conn->d, (pid_t)r->pid));
	struct gpd_subject s = { .pidfd = -1 };
	bool is_good;
	int err = ops->find(conn, r->pid, &s);

	if (err)
		return gpd_methods_refuse(conn, r->pid, err);
	err = ops->get(conn->d, &s, old);
	*new = *old;
	is_good = !err && gpd_methods_apply(conn, &r->attributes,
					       s.client ? s.client->grant : NULL, old, new);
	if (is_good && !r->dry_run)
		err = ops->set(conn, &s, new, !(r->attributes.has & GPD_ATTR_GROUP));
	if (ops->put)
		ops->put(&s);
	if (err)
		gpd_control_error(conn, err == -EPERM ? "PermissionDenied" : "Failed", "reason",
				  "%s%s", ops->hold->says, strerror(-err));
	else if (is_good && !r->dry_run)
		gpd_state_changed(conn);
	return is_good && !err;
}

static void set_attributes(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs old;
	struct gpd_attrs new;

	if (gpd_methods_change(conn, r, &old, &new))
		gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", gpd_list_attributes(&old),
						  "new", gpd_list_attributes(&new)));
}

static void attach(struct gpd_conn *conn, const struct gpd_request *r)
{
	conn->d->ops->attach(conn, r);
}

static void detach(struct gpd_conn *conn, const struct gpd_request *r)
{
	conn->d->ops->detach(conn, r);
}

/* Parameters of a node, read a few a turn: each may be a question to the kernel module. */
struct parameters {
	struct gpd_node *n;
	json_t *array; /* in the reply */
	u32 next;
};

static json_t *parameters_step(struct gpd_conn *conn, void *cursor)
{
	struct parameters *p = cursor;
	char name[GP_TEXT_PARAM_MAX];
	const struct gp_param_desc *desc = gp_text_param(p->next++, name);
	u64 value;

	if (!desc)
		return NULL;
	value = desc->def;
	p->n->ops->get_param(p->n, name, &value);
	json_array_append_new(
		p->array,
		json_pack("{s:s, s:I, s:I, s:I, s:I, s:s?, s:s}", "name", name, "value",
			  (json_int_t)value, "min", (json_int_t)desc->min, "max",
			  (json_int_t)desc->max, "default", (json_int_t)desc->def, "unit",
			  gp_text_unit(name), "doc", desc->doc));
	return json_null();
}

static void parameters_end(void *cursor)
{
	struct parameters *p = cursor;

	json_decref(p->array);
	free(p);
}

static json_t *policies_json(void)
{
	json_t *array = json_array();
	const char *name;
	u32 i;

	for (i = 0; (name = gp_policy_name_at(i)); i++)
		json_array_append_new(array, json_string(name));
	return array;
}

/* The node that is meant; the first stands for all. NULL after an error was sent. */
static struct gpd_node *first_node(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n;

	if (r->has & GPD_HAS_GPU_ID && r->gpu_id)
		n = gpd_nodes_find(conn->d, (uint32_t)r->gpu_id);
	else
		n = conn->d->nr_nodes ? &conn->d->node[0] : NULL;
	if (!n)
		gpd_control_error(conn, "NotFound", "what", "node %" PRIu64, r->gpu_id);
	return n;
}

static void get_policy(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n = first_node(conn, r);
	struct parameters *p = n ? calloc(1, sizeof(*p)) : NULL;

	if (!p) {
		if (n)
			gpd_control_failed(conn, -ENOMEM, "out of memory");
		return;
	}
	p->n = n;
	p->array = json_array();
	gpd_control_rest(conn, parameters_step, parameters_end, p);
	gpd_control_reply(conn, json_pack("{s:o, s:s, s:b, s:O}", "policies", policies_json(),
					  "policy", n->ops->policy(n), "enabled",
					  gpd_nodes_is_enabled(n), "parameters", p->array));
}

/* All is checked before anything is changed. False after an error was sent. */
static bool check(struct gpd_conn *conn, const struct gpd_request *r)
{
	uint32_t i;

	if (r->has & GPD_HAS_POLICY && !gp_text_is_policy(r->policy)) {
		gpd_control_error(conn, "NotFound", "what", "policy %s", r->policy);
		return false;
	}
	for (i = 0; i < r->nr_parameters; i++) {
		const struct gpd_param *c = &r->parameters[i];
		const struct gp_param_desc *desc = gp_params_find(c->name);

		if (!desc) {
			gpd_control_error(conn, "NotFound", "what", "parameter %s", c->name);
			return false;
		}
		if (c->value < desc->min || c->value > desc->max) {
			gpd_control_failed(conn, -ERANGE,
					   "%s: %" PRIu64 " is not in %" PRIu64 "..%" PRIu64,
					   c->name, c->value, desc->min, desc->max);
			return false;
		}
	}
	return true;
}

static void note_change(json_t *changed, const struct gpd_node *n, const char *what,
			const char *from, const char *to)
{
	char text[160];

	snprintf(text, sizeof(text), "node %" PRIu32 ": %s %s -> %s", n->gpu_id, what, from, to);
	json_array_append_new(changed, json_string(text));
}

static int change_param(struct gpd_node *n, const struct gpd_param *c, bool dry_run,
			json_t *changed)
{
	char from[32];
	char to[32];
	u64 old = 0;

	n->ops->get_param(n, c->name, &old);
	if (old == c->value)
		return 0;
	snprintf(from, sizeof(from), "%" PRIu64, old);
	snprintf(to, sizeof(to), "%" PRIu64, c->value);
	note_change(changed, n, c->name, from, to);
	return dry_run ? 0 : n->ops->set_param(n, c->name, c->value);
}

static int change_policy(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	const char *policy = n->ops->policy(n);

	if (!(r->has & GPD_HAS_POLICY) || !strcmp(policy, r->policy))
		return 0;
	note_change(changed, n, "policy", policy, r->policy);
	return r->dry_run ? 0 : n->ops->set_policy(n, r->policy);
}

static int change_enabled(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	bool enabled = gpd_nodes_is_enabled(n);

	if (!(r->has & GPD_HAS_ENABLED) || enabled == r->enabled)
		return 0;
	note_change(changed, n, "enabled", enabled ? "true" : "false",
		    r->enabled ? "true" : "false");
	return r->dry_run ? 0 : gpd_engine_set_enabled(n, r->enabled);
}

static int change_node(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	int err = change_policy(n, r, changed);
	uint32_t i;

	for (i = 0; !err && i < r->nr_parameters; i++)
		err = change_param(n, &r->parameters[i], r->dry_run, changed);
	if (!err)
		err = change_enabled(n, r, changed);
	if (!r->dry_run && json_array_size(changed)) {
		n->by_hand = true;
		gpd_monitor_event(n->d, "policy", 0, n->gpu_id, WIRE_QUEUE_ALL, "%s, %s",
				  n->ops->policy(n), n->enabled ? "enabled" : "disabled");
	}
	return err;
}

static void set_policy(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n = first_node(conn, r);
	struct gpd *d = conn->d;
	char old_policy[GPD_NAME_LEN];
	json_t *changed;
	uint32_t i;
	int err = 0;

	if (!n || !check(conn, r))
		return;
	changed = json_array();
	snprintf(old_policy, sizeof(old_policy), "%s", n->ops->policy(n));
	for (i = 0; !err && i < d->nr_nodes; i++)
		if (!r->gpu_id || &d->node[i] == n)
			err = change_node(&d->node[i], r, changed);
	if (!r->dry_run)
		gpd_state_save(d);
	if (err) {
		json_decref(changed);
		gpd_control_error(conn, err == -EPERM ? "PermissionDenied" : "Failed", "reason",
				  "%s", strerror(-err));
		return;
	}
	gpd_control_reply(conn, json_pack("{s:s, s:s, s:o}", "old_policy", old_policy,
					  "new_policy",
					  r->has & GPD_HAS_POLICY ? r->policy : old_policy,
					  "changed", changed));
}

static void (*const calls[GPD_METHOD_COUNT])(struct gpd_conn *, const struct gpd_request *) = {
	[GPD_METHOD_GET_INFO] = gpd_list_info,
	[GPD_METHOD_LIST_NODES] = gpd_list_nodes,
	[GPD_METHOD_LIST_PROCESSES] = gpd_list_processes,
	[GPD_METHOD_LIST_QUEUES] = gpd_list_queues,
	[GPD_METHOD_SET_ATTRIBUTES] = set_attributes,
	[GPD_METHOD_SUSPEND] = gpd_suspend_call,
	[GPD_METHOD_RESUME] = gpd_suspend_call,
	[GPD_METHOD_GET_POLICY] = get_policy,
	[GPD_METHOD_SET_POLICY] = set_policy,
	[GPD_METHOD_GET_STATISTICS] = gpd_list_statistics,
	[GPD_METHOD_GET_METRICS] = get_metrics,
	[GPD_METHOD_MONITOR] = monitor,
	[GPD_METHOD_ATTACH] = attach,
	[GPD_METHOD_DETACH] = detach,
	[GPD_METHOD_GET_CONFIG] = gpd_list_settings,
	[GPD_METHOD_RELOAD] = gpd_reload_call,
	[GPD_METHOD_GRANT] = gpd_grant_call,
	[GPD_METHOD_REVOKE] = gpd_grant_revoke,
	[GPD_METHOD_LIST_GRANTS] = gpd_grant_list,
	[GPD_METHOD_LIST_TOTALS] = gpd_tally_list,
	[GPD_METHOD_SET_CGROUP] = gpd_cgroup_call_set,
	[GPD_METHOD_LIST_CGROUPS] = gpd_cgroup_call_list,
};

void gpd_methods_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	const struct gpd_trust_row *row = gpd_trust_method(r->method);

	if (row->needs & GPD_NEEDS_PRIVILEGE && !conn->cred.privileged)
		gpd_control_error(conn, "PermissionDenied", "reason", "%s is a privilege",
				  gpd_method_name(r->method));
	else
		calls[r->method](conn, r);
}
