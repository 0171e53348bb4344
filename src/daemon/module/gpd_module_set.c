// SPDX-License-Identifier: MIT
/*
 * SetAttributes and Attach where the module schedules.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/control/gpd_methods.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void refuse(struct gpd_conn *conn, int err)
{
	if (err == -EPERM)
		gpd_control_error(conn, "PermissionDenied", "reason",
				  "the kernel module refuses it to this daemon");
	else
		gpd_control_error(conn, "Failed", "reason", "the kernel module: %s",
				  strerror(-err));
}

/* What is asked for, checked. False after an error was sent. */
static bool wanted(struct gpd_conn *conn, const struct gpd_request *r, const struct gpd_attrs *old,
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

static void say(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs)
{
	gpd_monitor_event(d, "attribute", pid, 0, WIRE_QUEUE_ALL,
			  "priority %u, weight %" PRIu32 ", class %s, group %s",
			  (unsigned int)attrs->core.prio, attrs->core.weight,
			  attrs->klass[0] ? attrs->klass : "-",
			  attrs->group[0] ? attrs->group : "-");
}

static void change(struct gpd_conn *conn, const struct gpd_request *r, pid_t pid, int pidfd,
		   const struct gpd_proc *proc)
{
	struct gpd_client *c = gpd_client_find(conn->d, pid);
	struct gpd_attrs old;
	struct gpd_attrs new;
	int err = gpd_module_get(conn->d, pid, pidfd, proc, &old);

	if (err) {
		refuse(conn, err);
		return;
	}
	if (!wanted(conn, r, &old, &new))
		return;
	if (!r->dry_run) {
		err = gpd_module_set(conn->d, pid, pidfd, proc, &new,
				     !(r->attributes.has & GPD_ATTR_GROUP));
		if (err) {
			refuse(conn, err);
			return;
		}
		gpd_module_set_group(conn, pid, proc->uid, &new);
		if (c)
			gpd_client_set_attrs(c, &new);
		say(conn->d, pid, &new);
		gpd_state_changed(conn);
	}
	gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", gpd_list_attributes(&old), "new",
					  gpd_list_attributes(&new)));
}

void gpd_module_set_attributes(struct gpd_conn *conn, const struct gpd_request *r)
{
	/* The caller may be in a container, and not know its number out here. */
	pid_t pid = r->pid ? (pid_t)r->pid : conn->cred.pid;
	struct gpd_proc proc;
	int pidfd = r->pid <= GPD_PID_MAX ? gpd_module_pidfd(pid, &proc) : -ESRCH;

	if (pidfd < 0) {
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
		return;
	}
	if (gpd_trust_may_touch_process(conn->d, &conn->cred, pid, proc.uid))
		change(conn, r, pid, pidfd, &proc);
	else
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	close(pidfd);
}

/* Everybody is under control already; what is left of it are the attributes. */
void gpd_module_attach(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs old;
	struct gpd_attrs new;
	struct gpd_proc proc;
	json_t *list;
	int pidfd;
	int err;

	if (!gpd_module_has(conn->d, (pid_t)r->pid, 0, WIRE_QUEUE_ALL)) {
		gpd_control_error(conn, "NotFound", "what", "queues of process %" PRIu64, r->pid);
		return;
	}
	pidfd = gpd_module_pidfd((pid_t)r->pid, &proc);
	err = pidfd < 0 ? pidfd : gpd_module_get(conn->d, (pid_t)r->pid, pidfd, &proc, &old);
	if (err) {
		refuse(conn, err);
	} else if (!gpd_trust_may_touch_process(conn->d, &conn->cred, (pid_t)r->pid,
						proc.uid)) {
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
	} else if (wanted(conn, r, &old, &new)) {
		err = gpd_module_set(conn->d, (pid_t)r->pid, pidfd, &proc, &new,
				     !(r->attributes.has & GPD_ATTR_GROUP));
		list = json_array();
		gpd_module_list_processes(conn->d, list, (pid_t)r->pid);
		if (err || !json_array_size(list))
			refuse(conn, err ? err : -ESRCH);
		else
			gpd_control_reply(conn, json_pack("{s:O}", "process",
							  json_array_get(list, 0)));
		json_decref(list);
	}
	if (pidfd >= 0)
		close(pidfd);
}
