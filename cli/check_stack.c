// SPDX-License-Identifier: MIT
#include "check.h"

#include "gpreempt/gpreempt.h"
#include "mechanism/address.h"
#include "mechanism/wire.h"
#include "shim_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_shim(struct gp_check *c)
{
	char path[GP_SHIM_PATH_MAX];

	if (gp_shim_find(NULL, path, sizeof(path)))
		gp_check_add(c, GP_CHECK_FAIL, "shim", "GPREEMPT_SHIM=FILE",
			     "%s is not there: gpreempt run cannot work", path);
	else
		gp_check_add(c, GP_CHECK_OK, "shim", NULL, "%s", path);
}

static void check_client_socket(struct gp_check *c, const char *path)
{
	char client[GP_ADDRESS_MAX + 16];

	snprintf(client, sizeof(client), "%s" GP_WIRE_SOCKET_SUFFIX, path);
	if (!access(client, R_OK | W_OK))
		gp_check_add(c, GP_CHECK_OK, "clients", NULL, "may connect to %s", client);
	else
		gp_check_add(c, GP_CHECK_WARN, "clients", "the permissions of its folder",
			     "%s: %s: programs of this user run without the daemon", client,
			     strerror(errno));
}

static void report_daemon(struct gp_check *c, const char *path, const char *info)
{
	json_t *i = json_loads(info, 0, NULL);
	const char *version = json_string_value(json_object_get(i, "version"));
	const char *last = json_string_value(json_object_get(i, "last_exit"));

	if (!version || strcmp(version, GP_VERSION))
		gp_check_add(c, GP_CHECK_WARN, "daemon", "restarting it",
			     "version %s, this command is %s", version ? version : "unknown",
			     GP_VERSION);
	else if (last)
		gp_check_add(c, GP_CHECK_WARN, "daemon", NULL, "runs on %s, after: %s", path, last);
	else
		gp_check_add(c, GP_CHECK_OK, "daemon", NULL, "%s answers on %s", version, path);
	json_decref(i);
}

static void check_daemon(struct gp_check *c, const struct gp_options *o)
{
	char path[GP_ADDRESS_MAX] = "";
	struct gpreempt *g;
	char *info = NULL;
	int err;

	if (o->socket)
		snprintf(path, sizeof(path), "%s", o->socket);
	else
		gp_address_find(path, sizeof(path));
	err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket);
	if (err) {
		gp_check_add(c, GP_CHECK_WARN, "daemon",
			     "systemctl start gpreemptd, or gpreemptd in another terminal",
			     "it does not run (%s: %s): nothing is scheduled", path,
			     strerror(-err));
		return;
	}
	err = gpreempt_call(g, "GetInfo", NULL, &info);
	if (err)
		gp_check_add(c, GP_CHECK_FAIL, "daemon", "restarting it", "on %s: %s", path,
			     gpreempt_strerror(g));
	else
		report_daemon(c, path, info);
	gpreempt_free(info);
	gpreempt_close(g);
	check_client_socket(c, path);
}

void gp_check_stack(struct gp_check *c, const struct gp_options *o)
{
	check_shim(c);
	check_daemon(c, o);
}
