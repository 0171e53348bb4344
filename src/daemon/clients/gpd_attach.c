// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_dbg.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_methods.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DEFAULT_CLASS "default"

static void refuse(struct gpd_conn *conn, int err, const char *text)
{
	if (err == -EPERM || err == -EACCES)
		gpd_control_error(conn, "PermissionDenied", "reason", "%s", text);
	else if (err == -ESRCH)
		gpd_control_error(conn, "NotFound", "what", "%s", text);
	else if (err == -ETIMEDOUT)
		gpd_control_error(conn, "Timeout", "reason", "%s", text);
	else if (err == -EBUSY || err == -EALREADY || err == -EIO)
		gpd_control_failed(conn, err, "%s", text);
	else
		gpd_control_error(conn, "NotSupported", "reason", "%s", text);
}

static void on_result(void *data, struct gpd_client *c, int err, const char *text)
{
	struct gpd_conn *conn = data;

	conn->waiting = false;
	if (err)
		refuse(conn, err, text[0] ? text : strerror(-err));
	else
		gpd_control_reply(conn, json_pack("{s:o}", "process", gpd_list_process(c, false)));
	gpd_control_next(conn);
}

/* False after an error was sent. */
static bool read_attrs(struct gpd_conn *conn, const struct gpd_request *r,
		       struct gpd_attrs *attrs)
{
	const struct gpd_config *config = conn->d->config;
	char why[GPD_NOTE_LEN];

	memset(attrs, 0, sizeof(*attrs));
	gp_attr_default(&attrs->core);
	gpd_auth_class(config, DEFAULT_CLASS, attrs);
	if (!gpd_methods_apply(config, &r->attributes, attrs)) {
		gpd_control_error(conn, "NotFound", "what", "class %s", r->attributes.klass);
		return false;
	}
	if (!gpd_auth_check(config, &conn->cred, NULL, attrs, why, sizeof(why))) {
		gpd_control_error(conn, "PermissionDenied", "reason", "%s", why);
		return false;
	}
	return true;
}

void gpd_attach_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs attrs;
	struct gpd_proc proc;
	int err;

	if (conn->d->config->dbg == GPD_DBG_OFF) {
		gpd_control_error(conn, "NotSupported", "reason", "tracing is off (dbg = off)");
		return;
	}
	if (!r->pid || gpd_proc_read((pid_t)r->pid, &proc)) {
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
		return;
	}
	if (!gpd_trust_may_touch_process(conn->d, &conn->cred, (pid_t)r->pid, proc.uid)) {
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
		return;
	}
	if (!read_attrs(conn, r, &attrs))
		return;
	err = gpd_dbg_start(conn->d, (pid_t)r->pid, &attrs, on_result, conn);
	if (err)
		refuse(conn, err, err == -EBUSY ? "it is under control already" : strerror(-err));
	else
		conn->waiting = true;
}

void gpd_attach_detach(struct gpd_conn *conn, const struct gpd_request *r)
{
	pid_t pid = (pid_t)r->pid;
	struct gpd_client *c = gpd_client_find(conn->d, pid);
	struct gpd_proc proc;

	if (gpd_proc_read(pid, &proc))
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
	else if (!gpd_trust_may_touch_process(conn->d, &conn->cred, pid, proc.uid))
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	else if (c && !gpd_mech_is_dbg(c))
		gpd_control_error(conn, "NotSupported", "reason", "it is not traced");
	else if (gpd_dbg_end(conn->d, pid))
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
	else
		gpd_control_reply(conn, json_object());
}
