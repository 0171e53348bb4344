// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_methods.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_state.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A class brings all its values; what is said beside it counts more. */
bool gpd_methods_apply(const struct gpd_config *config, const struct gpd_attr_change *change,
		       struct gpd_attrs *attrs)
{
	if (change->has & GPD_ATTR_CLASS && !gpd_auth_class(config, change->klass, attrs))
		return false;
	gp_attr_copy(&attrs->core, &change->attr, change->has & GP_ATTR_ALL);
	if (change->has & GPD_ATTR_GROUP)
		memcpy(attrs->group, change->group, sizeof(attrs->group));
	return true;
}

static bool refuse(struct gpd_conn *conn, const struct gpd_request *r, int err)
{
	if (err == -ESRCH)
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
	else
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	return false;
}

static bool check(struct gpd_conn *conn, const struct gpd_request *r, const struct gpd_attrs *old,
		  struct gpd_attrs *new)
{
	const struct gpd_config *config = conn->d->config;
	char why[GPD_NOTE_LEN];

	*new = *old;
	if (!gpd_methods_apply(config, &r->attributes, new)) {
		gpd_control_error(conn, "NotFound", "what", "class %s", r->attributes.klass);
		return false;
	}
	if (!gpd_auth_check(config, &conn->cred, old, new, why, sizeof(why))) {
		gpd_control_error(conn, "PermissionDenied", "reason", "%s", why);
		return false;
	}
	return true;
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
		return refuse(conn, r, err);
	err = ops->get(conn->d, &s, old);
	is_good = !err && check(conn, r, old, new);
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

void gpd_methods_set_attributes(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs old;
	struct gpd_attrs new;

	if (gpd_methods_change(conn, r, &old, &new))
		gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", gpd_list_attributes(&old),
						  "new", gpd_list_attributes(&new)));
}
