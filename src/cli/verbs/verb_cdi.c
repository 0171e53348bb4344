// SPDX-License-Identifier: MIT
#include "cli/cli_outfile.h"
#include "cli/cli_shim_path.h"
#include "cli/cli_verb.h"
#include "client/wire.h"
#include "driver/environ.h"

#include <string.h>

/* What podman 4.3 reads; annotations and more came later. */
#define CDI_VERSION "0.5.0"
#define CDI_KIND "gpreempt.io/class"
#define CLASS "class "

static json_t *variable(const char *name, const char *value)
{
	return json_sprintf("%s=%s", name, value);
}

/* The same path on both sides, so that what names it there is right here. */
static json_t *mount(const char *path)
{
	return json_pack("{s:s, s:s, s:[s, s, s, s]}", "hostPath", path, "containerPath", path,
			 "options", "ro", "nosuid", "nodev", "bind");
}

/*
 * The folder of the client socket, not the socket: that is another file when the daemon has
 * started again. The control socket stays outside.
 */
static json_t *edits_of_all(const char *socket, const char *shim)
{
	json_t *env = json_pack("[o]", variable(DRV_ENV_SOCKET, socket));
	json_t *mounts = json_array();
	char folder[CLI_SHIM_PATH_MAX];

	snprintf(folder, sizeof(folder), "%s%s", socket, WIRE_SOCKET_SUFFIX);
	*strrchr(folder, '/') = '\0';
	json_array_append_new(mounts, mount(folder));
	if (*shim) {
		json_array_append_new(env, variable("LD_PRELOAD", shim));
		json_array_append_new(mounts, mount(shim));
	}
	return json_pack("{s:o, s:o}", "env", env, "mounts", mounts);
}

static json_t *device(const char *klass)
{
	return json_pack("{s:s, s:{s:[o]}}", "name", klass, "containerEdits", "env",
			 variable(DRV_ENV_CLASS, klass));
}

/* Settings of a class come one after another. */
static json_t *devices(const json_t *settings, const char **socket)
{
	json_t *all = json_array();
	const char *last = "";

	for (size_t i = 0; i < json_array_size(settings); i++) {
		const json_t *row = json_array_get(settings, i);
		const char *section = cli_text(row, "section");

		if (!strcmp(section, "daemon") && !strcmp(cli_text(row, "key"), "socket"))
			*socket = cli_text(row, "value");
		if (strncmp(section, CLASS, strlen(CLASS)) || !strcmp(section, last))
			continue;
		last = section;
		json_array_append_new(all, device(section + strlen(CLASS)));
	}
	return all;
}

/* With the module programs need no library: "" = none. */
static int find_shim(struct cli_session *s, char *shim, size_t size)
{
	json_t *info;
	bool is_module;
	int ret = cli_session_call(s, NULL, "GetInfo", NULL, &info);

	if (ret != CLI_GO_ON)
		return ret;
	is_module = cli_is_module(info);
	json_decref(info);
	shim[0] = '\0';
	if (is_module && !s->o.shim)
		return CLI_GO_ON;
	if (!cli_shim_find(s->o.shim, shim, size))
		return CLI_GO_ON;
	cli_error(shim, "there is no such library; --shim names another");
	return CLI_EXIT_FAILED;
}

static int print(const struct cli_options *o, json_t *spec)
{
	struct cli_outfile out = { 0 };
	int ret;

	if (!o->output) {
		json_dumpf(spec, stdout, JSON_INDENT(2));
		putchar('\n');
		return cli_finish(CLI_EXIT_OK);
	}
	ret = cli_outfile_open(&out, o->output);
	if (!ret) {
		json_dumpf(spec, out.file, JSON_INDENT(2));
		fputc('\n', out.file);
		ret = cli_outfile_commit(&out);
		cli_outfile_abort(&out);
	}
	return ret ? cli_fail(o->output, ret, NULL) : CLI_EXIT_OK;
}

static int cdi(struct cli_session *s)
{
	char shim[CLI_SHIM_PATH_MAX];
	const char *socket = NULL;
	json_t *config, *classes, *spec;
	int ret = find_shim(s, shim, sizeof(shim));

	if (ret == CLI_GO_ON)
		ret = cli_session_call(s, NULL, "GetConfig", NULL, &config);
	if (ret != CLI_GO_ON)
		return ret;
	classes = devices(json_object_get(config, "settings"), &socket);
	spec = json_pack("{s:s, s:s, s:o, s:o}", "cdiVersion", CDI_VERSION, "kind", CDI_KIND,
			 "devices", classes, "containerEdits",
			 edits_of_all(socket ? socket : "", shim));
	ret = print(&s->o, spec);
	json_decref(spec);
	json_decref(config);
	return ret;
}

const struct cli_verb cli_verb_cdi = {
	.name = "cdi",
	.usage = "[-o FILE] [OPTION...]",
	.doc = "Writes the file by which a container gets a class of the daemon:\n"
	       "gpreempt cdi -o /etc/cdi/gpreempt.json, then\n"
	       "podman run --device " CDI_KIND "=besteffort ...",
	.example = "gpreempt cdi -o /etc/cdi/gpreempt.json",
	.options = CLI_OPTS_CDI,
	.partner = CLI_PARTNER_DAEMON,
	.run = cdi,
};
