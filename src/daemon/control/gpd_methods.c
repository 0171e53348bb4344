// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_metrics.h"
#include "daemon/module/gpd_module.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_reload.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_ops.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void get_info(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_reply(conn, gpd_list_info(conn->d, &conn->cred));
}

static void list_nodes(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_reply(conn, json_pack("{s:o}", "nodes", gpd_list_nodes(conn->d)));
}

static void list_processes(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_list_processes(conn);
}

static void list_queues(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_list_queues(conn, (pid_t)r->pid);
}

static void get_statistics(struct gpd_conn *conn, const struct gpd_request *r)
{
	json_t *nodes = gpd_list_statistics(conn->d, (uint32_t)r->gpu_id);

	if (r->has & GPD_HAS_GPU_ID && r->gpu_id && !json_array_size(nodes)) {
		json_decref(nodes);
		gpd_control_error(conn, "NotFound", "what", "node %" PRIu64, r->gpu_id);
		return;
	}
	gpd_control_reply(conn, json_pack("{s:o}", "nodes", nodes));
}

static void get_metrics(struct gpd_conn *conn, const struct gpd_request *r)
{
	bool fresh = conn->user->privileged;
	char *text = fresh ? gpd_metrics_text(conn->d) : NULL;
	const char *recent = fresh ? NULL : gpd_metrics_recent(conn->d, true);

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
	gpd_monitor_begin(conn);
}

static void get_config(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_reply(conn, json_pack("{s:o}", "settings", gpd_list_settings(conn->d)));
}

bool gpd_methods_apply(struct gpd_conn *conn, const struct gpd_attr_change *change,
		       const struct gpd_attrs *old, struct gpd_attrs *attrs)
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
	if (gpd_auth_check(config, &conn->cred, old, attrs, why, sizeof(why)))
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
	is_good = !err && gpd_methods_apply(conn, &r->attributes, old, new);
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

static void (*const calls[GPD_METHOD_COUNT])(struct gpd_conn *, const struct gpd_request *) = {
	[GPD_METHOD_GET_INFO] = get_info,
	[GPD_METHOD_LIST_NODES] = list_nodes,
	[GPD_METHOD_LIST_PROCESSES] = list_processes,
	[GPD_METHOD_LIST_QUEUES] = list_queues,
	[GPD_METHOD_SET_ATTRIBUTES] = set_attributes,
	[GPD_METHOD_SUSPEND] = gpd_suspend_call,
	[GPD_METHOD_RESUME] = gpd_suspend_call,
	[GPD_METHOD_GET_POLICY] = gpd_methods_get_policy,
	[GPD_METHOD_SET_POLICY] = gpd_methods_set_policy,
	[GPD_METHOD_GET_STATISTICS] = get_statistics,
	[GPD_METHOD_GET_METRICS] = get_metrics,
	[GPD_METHOD_MONITOR] = monitor,
	[GPD_METHOD_ATTACH] = attach,
	[GPD_METHOD_DETACH] = detach,
	[GPD_METHOD_GET_CONFIG] = get_config,
	[GPD_METHOD_RELOAD] = gpd_reload_call,
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
