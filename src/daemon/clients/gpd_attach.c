// SPDX-License-Identifier: MIT
/*
 * Which processes are traced: those that are asked for, or all that have no shim.
 */
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"
#include "driver/discover.h"

#include <errno.h>
#include <string.h>

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

static bool find_process(struct gpd_conn *conn, uint64_t pid, struct gpd_proc *proc)
{
	if (gpd_proc_read((pid_t)pid, proc))
		return gpd_methods_refuse(conn, pid, -ESRCH);
	return gpd_trust_may_touch_process(conn->d, &conn->cred, (pid_t)pid, proc->uid) ||
	       gpd_methods_refuse(conn, pid, -EPERM);
}

void gpd_attach_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	const struct gpd_grant *grant;
	struct gpd_attrs attrs = { .klass = "" };
	struct gpd_climb way = { 0 };
	struct gpd_proc proc;
	int err;

	if (conn->d->config->dbg == GPD_DBG_OFF) {
		gpd_control_error(conn, "NotSupported", "reason", "tracing is off (dbg = off)");
		return;
	}
	gp_attr_default(&attrs.core);
	gpd_auth_class(conn->d->config, GPD_DEFAULT_CLASS, &attrs);
	if (!find_process(conn, r->pid, &proc))
		return;
	grant = gpd_grant_find(conn->d, &way, (pid_t)r->pid, proc.start_time);
	if (grant)
		attrs = grant->attrs;
	if (!gpd_methods_apply(conn, &r->attributes, grant, NULL, &attrs))
		return;
	err = gpd_dbg_start(conn->d, (pid_t)r->pid, &attrs, on_result, conn);
	if (err)
		refuse(conn, err, err == -EBUSY ? "it is under control already" : strerror(-err));
	else
		conn->waiting = true;
}

void gpd_attach_detach(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_client *c = gpd_client_find(conn->d, (pid_t)r->pid);
	struct gpd_proc proc;

	if (!find_process(conn, r->pid, &proc))
		return;
	if (c && !gpd_mech_is_dbg(c))
		gpd_control_error(conn, "NotSupported", "reason", "it is not traced");
	else if (gpd_dbg_end(conn->d, (pid_t)r->pid))
		gpd_methods_refuse(conn, r->pid, -ESRCH);
	else
		gpd_control_reply(conn, json_object());
}

/* sysfs cannot be waited for. */
#define LOOK_NS GPD_NS_PER_SEC
/* Processes that were tried: none is tried twice. */
#define TRIED_MAX 1024

static struct {
	pid_t pid;
	uint64_t start_time;
} tried[TRIED_MAX];

static unsigned int next_tried;

static bool was_tried(pid_t pid, uint64_t start_time)
{
	unsigned int i;

	for (i = 0; i < TRIED_MAX; i++)
		if (tried[i].pid == pid && tried[i].start_time == start_time)
			return true;
	tried[next_tried].pid = pid;
	tried[next_tried].start_time = start_time;
	next_tried = (next_tried + 1) % TRIED_MAX;
	return false;
}

/* A shim says hello before its process has a queue: a process that is here now has none. */
static void try(struct gpd *d, pid_t pid)
{
	struct gpd_proc proc;
	int err;

	if (gpd_client_find(d, pid) || gpd_proc_read(pid, &proc) ||
	    was_tried(pid, proc.start_time))
		return;
	err = gpd_dbg_start(d, pid, NULL, NULL, NULL);
	if (err)
		gpd_log(LOG_INFO, "process %d: not traced: error %d", (int)pid, -err);
}

static int on_look(sd_event_source *s, uint64_t usec, void *data)
{
	struct drv_queues list = { 0 };
	struct gpd *d = data;
	uint32_t last = 0;
	size_t i;

	if (d->ops->is_traced && !drv_discover_queues(NULL, &list)) {
		for (i = 0; i < list.nr; i++) {
			if (list.queues[i].pid != last)
				try(d, (pid_t)list.queues[i].pid);
			last = list.queues[i].pid;
		}
		drv_queues_fini(&list);
	}
	gpd_timer_set(s, gpd_now_ns() + LOOK_NS);
	return 0;
}

int gpd_dbg_auto_init(struct gpd *d)
{
	int err = gpd_timer_add(d->event, &d->dbg_auto, on_look, d);

	if (err < 0)
		return err;
	gpd_dbg_auto_update(d);
	return 0;
}

void gpd_dbg_auto_update(struct gpd *d)
{
	gpd_timer_set(d->dbg_auto,
		      d->config->dbg == GPD_DBG_AUTO ? gpd_now_ns() + LOOK_NS : U64_MAX);
}
