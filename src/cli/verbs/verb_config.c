// SPDX-License-Identifier: MIT
#include "cli/cli_shim_path.h"
#include "cli/cli_verb.h"

#include <string.h>
#include <unistd.h>

static const struct cli_column columns[] = {
	{ "section", "SECTION", NULL, CLI_COLUMN_TEXT, false },
	{ "key", "KEY", NULL, CLI_COLUMN_TEXT, false },
	{ "value", "VALUE", NULL, CLI_COLUMN_TEXT, false },
	{ "origin", "FROM", NULL, CLI_COLUMN_TEXT, false },
};

static int show(struct cli_session *s)
{
	json_t *reply, *rows;
	int ret = cli_session_call(s, NULL, "GetConfig", NULL, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	rows = cli_view_apply(&s->view, json_incref(json_object_get(reply, "settings")));
	json_decref(reply);
	return cli_session_show(s, "config", json_object(), "settings", rows);
}

static int reload(struct cli_session *s)
{
	json_t *reply, *changed;
	int ret = cli_session_call(s, "configuration", "Reload", NULL, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	changed = json_object_get(reply, "changed");
	for (size_t i = 0; !s->o.is_quiet && i < json_array_size(changed); i++)
		puts(json_string_value(json_array_get(changed, i)));
	if (!json_array_size(changed) && !s->o.is_quiet)
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

static int config(struct cli_session *s)
{
	const char *word = s->o.nr_words ? s->o.words[0] : "show";
	int ret = cli_options_no_words(&s->o, strcmp(word, "check") ? 1 : 2);

	if (ret != CLI_GO_ON)
		return ret;
	if (!strcmp(word, "check"))
		return check(&s->o);
	if (strcmp(word, "show") && strcmp(word, "reload")) {
		cli_error(word, "config knows show, check and reload");
		return CLI_EXIT_USAGE;
	}
	if (!strcmp(word, "show"))
		ret = cli_view_init(&s->view, columns, ARRAY_SIZE(columns), &s->o);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(s, false);
	if (ret != CLI_GO_ON)
		return ret;
	return strcmp(word, "show") ? reload(s) : show(s);
}

const struct cli_verb cli_verb_config = {
	.name = "config",
	.usage = "[show | check [FILE] | reload] [OPTION...]",
	.doc = "show lists what the daemon goes by and where each value is from; "
	       "check reads a file\n"
	       "as the daemon would and changes nothing; reload makes the daemon read "
	       "its files again.",
	.example = "gpreempt config\n"
		   "gpreempt config check new.conf\n"
		   "gpreempt config reload",
	.options = CLI_OPTS_JSON | CLI_OPTS_TABLE,
	.nr_words = CLI_WORDS_ANY,
	.run = config,
};
