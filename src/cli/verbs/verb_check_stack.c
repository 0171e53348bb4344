// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"

#include "driver/address.h"
#include "client/wire.h"
#include "cli/cli_shim_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_shim(struct cli_check *c)
{
	char path[CLI_SHIM_PATH_MAX];

	if (cli_shim_find(NULL, path, sizeof(path)))
		cli_check_add(c, CLI_CHECK_FAIL, "shim", "GPREEMPT_SHIM=FILE",
			      "%s is not there: gpreempt run cannot work", path);
	else
		cli_check_add(c, CLI_CHECK_OK, "shim", NULL, "%s", path);
}

static void check_client_socket(struct cli_check *c, const char *path)
{
	char client[DRV_ADDRESS_MAX + 16];

	snprintf(client, sizeof(client), "%s" WIRE_SOCKET_SUFFIX, path);
	if (!access(client, R_OK | W_OK))
		cli_check_add(c, CLI_CHECK_OK, "clients", NULL, "may connect to %s", client);
	else
		cli_check_add(c, CLI_CHECK_WARN, "clients", "the permissions of its folder",
			      "%s: %s: programs of this user run without the daemon", client,
			      strerror(errno));
}

/* "shim, dbg" */
static void join(const json_t *list, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(list) && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "",
					json_string_value(json_array_get(list, i)));
}

/* What stops and continues queues here; @info: of the daemon, NULL = there is none. */
static void report_mechanism(struct cli_check *c, const json_t *info, bool has_module)
{
	char names[64];

	join(json_object_get(info, "mechanisms"), names, sizeof(names));
	if (cli_is_module(info))
		cli_check_add(c, CLI_CHECK_OK, "mechanism", NULL,
			      "kernel: gpreempt.ko schedules, the daemon speaks for it");
	else if (info && has_module)
		cli_check_add(c, CLI_CHECK_WARN, "mechanism",
			      "mechanism = auto in gpreemptd.conf, or rmmod gpreempt",
			      "%s: the daemon does not use gpreempt.ko, and both schedule", names);
	else if (info)
		cli_check_add(c, CLI_CHECK_OK, "mechanism", NULL, "%s: the daemon schedules",
			      names);
	else if (has_module)
		cli_check_add(c, CLI_CHECK_OK, "mechanism", NULL,
			      "kernel: gpreempt.ko schedules by itself; classes need the daemon");
	else
		cli_check_add(c, CLI_CHECK_WARN, "mechanism", "to start gpreemptd",
			      "none: nothing schedules");
}

static void report_daemon(struct cli_check *c, const char *path, const json_t *i)
{
	const char *version = cli_text(i, "version"), *last = cli_text(i, "last_exit");

	if (strcmp(version, GP_VERSION))
		cli_check_add(c, CLI_CHECK_WARN, "daemon", "restarting it",
			      "version %s, this command is %s", *version ? version : "unknown",
			      GP_VERSION);
	else if (*last && strcmp(last, "signal TERM") && strcmp(last, "signal INT"))
		cli_check_add(c, CLI_CHECK_WARN, "daemon", NULL, "runs on %s, after: %s", path,
			      last);
	else
		cli_check_add(c, CLI_CHECK_OK, "daemon", NULL, "%s answers on %s", version, path);
}

static void check_daemon(struct cli_check *c, const struct cli_options *o, bool has_module)
{
	char path[DRV_ADDRESS_MAX] = "", program[CLI_SHIM_PATH_MAX];
	char remedy[CLI_SHIM_PATH_MAX + 64];
	struct gpreempt *g;
	json_t *info;
	int err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket);

	cli_session_socket(o, path, sizeof(path));
	if (err) {
		snprintf(remedy, sizeof(remedy),
			 "systemctl start gpreemptd, or %s in another terminal",
			 cli_daemon_find(program, sizeof(program)));
		cli_check_add(c, CLI_CHECK_WARN, "daemon", remedy,
			      "it does not run (%s: %s)", path, strerror(-err));
		report_mechanism(c, NULL, has_module);
		return;
	}
	if (!cli_session_ask(g, "GetInfo", NULL, &info)) {
		report_daemon(c, path, info);
	} else {
		cli_check_add(c, CLI_CHECK_FAIL, "daemon", "restarting it", "on %s: %s", path,
			      gpreempt_strerror(g));
		json_decref(info);
		info = NULL;
	}
	if (cli_has(info, "mechanisms", "sim"))
		cli_check_append(c, "gpu", " (the daemon's nodes are simulated)");
	gpreempt_close(g);
	check_client_socket(c, path);
	report_mechanism(c, info, has_module);
	json_decref(info);
}

void cli_check_stack(struct cli_check *c, const struct cli_options *o, bool has_module)
{
	check_shim(c);
	check_daemon(c, o, has_module);
}
