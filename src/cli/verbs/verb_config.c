// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"
#include "cli/cli_shim_path.h"
#include "cli/cli_view.h"

#include <string.h>
#include <unistd.h>

static const struct cli_verb verb = {
	.name = "config",
	.usage = "[show | check [FILE] | reload] [OPTION...]",
	.doc = "show lists what the daemon goes by and where each value is from; "
	       "check reads a file\n"
	       "as the daemon would and changes nothing; reload makes the daemon read "
	       "its files again.",
	.options = CLI_OPTS_JSON | CLI_OPTS_TABLE,
};

static const struct cli_column columns[] = {
	{ "section", "SECTION", NULL, CLI_COLUMN_TEXT, false },
	{ "key", "KEY", NULL, CLI_COLUMN_TEXT, false },
	{ "value", "VALUE", NULL, CLI_COLUMN_TEXT, false },
	{ "origin", "FROM", NULL, CLI_COLUMN_TEXT, false },
};

static int show(const struct cli_options *o)
{
	struct cli_view view;
	struct cli_session s;
	json_t *reply, *rows;
	int ret = cli_view_init(&view, columns, ARRAY_SIZE(columns), o);

	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_call(&s, NULL, "GetConfig", NULL, &reply);
	cli_session_close(&s);
	if (ret != CLI_GO_ON)
		return ret;
	rows = cli_view_apply(&view, json_incref(json_object_get(reply, "settings")));
	json_decref(reply);
	if (o->is_json) {
		json_t *shown = json_pack("{s:o}", "settings", cli_view_json(&view, rows, o));

		return cli_print_json(cli_schema("config", shown), false);
	}
	cli_view_print(&view, rows, o);
	json_decref(rows);
	return cli_finish(CLI_EXIT_OK);
}

static int reload(const struct cli_options *o)
{
	struct cli_session s;
	json_t *reply, *changed;
	int ret = cli_session_open(&s, o, false);

	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_call(&s, "configuration", "Reload", NULL, &reply);
	cli_session_close(&s);
	if (ret != CLI_GO_ON)
		return ret;
	changed = json_object_get(reply, "changed");
	for (size_t i = 0; !o->is_quiet && i < json_array_size(changed); i++)
		puts(json_string_value(json_array_get(changed, i)));
	if (!json_array_size(changed) && !o->is_quiet)
		puts("nothing changes");
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

/* Only the daemon knows its configuration: it checks. */
static int check(const struct cli_options *o)
{
	char path[CLI_SHIM_PATH_MAX];
	char *file = o->nr_words > 1 ? o->words[1] : NULL;
	char *args[] = { "gpreemptd", "--check", file ? "--config" : NULL, file, NULL };

	execv(cli_daemon_find(path, sizeof(path)), args);
	execvp("gpreemptd", args);
	cli_error("gpreemptd", "%s: it reads the file", strerror(errno));
	return CLI_EXIT_FAILED;
}

int cli_config_main(int argc, char **argv)
{
	struct cli_options o;
	const char *word;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret != CLI_GO_ON)
		return ret;
	word = o.nr_words ? o.words[0] : "show";
	ret = cli_options_no_words(&o, strcmp(word, "check") ? 1 : 2);
	if (ret != CLI_GO_ON)
		return ret;
	if (!strcmp(word, "show"))
		return show(&o);
	if (!strcmp(word, "reload"))
		return reload(&o);
	if (!strcmp(word, "check"))
		return check(&o);
	cli_error(word, "config knows show, check and reload");
	return CLI_EXIT_USAGE;
}
