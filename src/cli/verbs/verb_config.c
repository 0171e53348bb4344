// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"
#include "cli/cli_shim_path.h"
#include "cli/cli_view.h"

#include <string.h>
#include <unistd.h>

static const struct gp_verb verb = {
	.name = "config",
	.usage = "[show | check [FILE] | reload] [OPTION...]",
	.doc = "show lists what the daemon goes by and where each value is from; "
	       "check reads a file\n"
	       "as the daemon would and changes nothing; reload makes the daemon read "
	       "its files again.",
	.options = GP_OPTS_JSON | GP_OPTS_TABLE,
};

static const struct gp_column columns[] = {
	{ "section", "SECTION", NULL, GP_COLUMN_TEXT, false },
	{ "key", "KEY", NULL, GP_COLUMN_TEXT, false },
	{ "value", "VALUE", NULL, GP_COLUMN_TEXT, false },
	{ "origin", "FROM", NULL, GP_COLUMN_TEXT, false },
};

static int show(const struct gp_options *o)
{
	struct gp_view view;
	struct gp_session s;
	json_t *reply, *rows;
	int ret = gp_view_init(&view, columns, ARRAY_SIZE(columns), o);

	if (ret == GP_GO_ON)
		ret = gp_session_open(&s, o, false);
	if (ret != GP_GO_ON)
		return ret;
	ret = gp_session_call(&s, NULL, "GetConfig", NULL, &reply);
	gp_session_close(&s);
	if (ret != GP_GO_ON)
		return ret;
	rows = gp_view_apply(&view, json_incref(json_object_get(reply, "settings")));
	json_decref(reply);
	if (o->is_json)
		return gp_print_json(gp_schema("config", json_pack("{s:o}", "settings",
								   gp_view_json(&view, rows, o))),
				     false);
	gp_view_print(&view, rows, o);
	json_decref(rows);
	return gp_cli_finish(GP_EXIT_OK);
}

static int reload(const struct gp_options *o)
{
	struct gp_session s;
	json_t *reply, *changed;
	int ret = gp_session_open(&s, o, false);

	if (ret != GP_GO_ON)
		return ret;
	ret = gp_session_call(&s, "configuration", "Reload", NULL, &reply);
	gp_session_close(&s);
	if (ret != GP_GO_ON)
		return ret;
	changed = json_object_get(reply, "changed");
	for (size_t i = 0; !o->is_quiet && i < json_array_size(changed); i++)
		puts(json_string_value(json_array_get(changed, i)));
	if (!json_array_size(changed) && !o->is_quiet)
		puts("nothing changes");
	json_decref(reply);
	return gp_cli_finish(GP_EXIT_OK);
}

/* Only the daemon knows its configuration: it checks. */
static int check(const struct gp_options *o)
{
	char path[GP_SHIM_PATH_MAX];
	char *file = o->nr_words > 1 ? o->words[1] : NULL;
	char *args[] = { "gpreemptd", "--check", file ? "--config" : NULL, file, NULL };

	execv(gp_daemon_find(path, sizeof(path)), args);
	execvp("gpreemptd", args);
	gp_cli_error("gpreemptd", "%s: it reads the file", strerror(errno));
	return GP_EXIT_FAILED;
}

int gp_config_main(int argc, char **argv)
{
	struct gp_options o;
	const char *word;
	int ret = gp_options_parse(argc, argv, &verb, &o);

	if (ret != GP_GO_ON)
		return ret;
	word = o.nr_words ? o.words[0] : "show";
	ret = gp_options_no_words(&o, strcmp(word, "check") ? 1 : 2);
	if (ret != GP_GO_ON)
		return ret;
	if (!strcmp(word, "show"))
		return show(&o);
	if (!strcmp(word, "reload"))
		return reload(&o);
	if (!strcmp(word, "check"))
		return check(&o);
	gp_cli_error(word, "config knows show, check and reload");
	return GP_EXIT_USAGE;
}
