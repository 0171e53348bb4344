// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <string.h>

static const struct cli_column columns[] = {
	{ "scope", "FOR", NULL, CLI_COLUMN_TEXT, false },
	{ "class", "CLASS", "attributes", CLI_COLUMN_TEXT, false },
	{ "priority", "PRIO", "attributes", CLI_COLUMN_INT, false },
	{ "weight", "WEIGHT", "attributes", CLI_COLUMN_INT, false },
	{ "group", "GROUP", "attributes", CLI_COLUMN_TEXT, false },
	{ "lease_ms", "LEASE_MS", NULL, CLI_COLUMN_INT, false },
	{ "nr_clients", "PROCS", NULL, CLI_COLUMN_INT, false },
};

/* "PID" or "cgroup:PATH", as the methods take it. */
static int parse_scope(const char *text, json_t *parameters)
{
	const char *path = cli_cgroup_path(text);
	struct cli_object_ref ref;
	int ret;

	if (path) {
		json_object_set_new(parameters, "cgroup", json_string(path));
		return CLI_GO_ON;
	}
	ret = cli_object_parse(text, &ref);
	if (ret == CLI_GO_ON && (ref.kind != CLI_OBJECT_PROCESS || ref.gpu_id)) {
		cli_error(text, "not PID or cgroup:PATH");
		ret = CLI_EXIT_USAGE;
	}
	json_object_set_new(parameters, "pid", json_integer(ref.pid));
	return ret;
}

static void add_scope(json_t *row)
{
	json_t *pid = json_object_get(row, "pid");

	json_object_set_new(row, "scope",
			    json_is_integer(pid) ?
				    json_sprintf("%lld", json_integer_value(pid)) :
				    json_sprintf(CLI_CGROUP "%s", cli_text(row, "cgroup")));
}

static int list(struct cli_session *s)
{
	json_t *reply, *rows;
	int ret = cli_view_init(&s->view, columns, ARRAY_SIZE(columns), &s->o);

	if (ret == CLI_GO_ON)
		ret = cli_session_open(s, false);
	if (ret == CLI_GO_ON)
		ret = cli_session_call(s, NULL, "ListGrants", NULL, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	rows = json_incref(json_object_get(reply, "grants"));
	json_decref(reply);
	for (size_t i = 0; i < json_array_size(rows); i++)
		add_scope(json_array_get(rows, i));
	rows = cli_view_apply(&s->view, rows);
	return cli_session_show(s, "grant", json_object(), "grants", rows);
}

static int call(struct cli_session *s, const char *method, json_t *parameters)
{
	json_t *reply;
	int ret = cli_session_open(s, false);

	if (ret == CLI_GO_ON)
		ret = cli_session_call(s, s->o.words[0], method, json_incref(parameters), &reply);
	json_decref(parameters);
	if (ret != CLI_GO_ON)
		return ret;
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

static int grant(struct cli_session *s)
{
	json_t *attributes, *parameters;
	int ret = CLI_GO_ON;

	if (!s->o.nr_words)
		return list(s);
	if (s->o.nr_words < 2) {
		cli_error("grant", "what? gpreempt grant PID KEY=VALUE...");
		return CLI_EXIT_USAGE;
	}
	attributes = json_object();
	parameters = json_pack("{s:o, s:I}", "attributes", attributes, "lease_ms",
			       (json_int_t)(s->o.lease_ns / CLI_NS_PER_MS));
	for (int i = 1; ret == CLI_GO_ON && i < s->o.nr_words; i++)
		ret = cli_set_pair(attributes, s->o.words[i]);
	if (ret == CLI_GO_ON)
		ret = parse_scope(s->o.words[0], parameters);
	if (!s->o.lease_ns)
		json_object_del(parameters, "lease_ms");
	if (ret == CLI_GO_ON)
		return call(s, "Grant", parameters);
	json_decref(parameters);
	return ret;
}

static int revoke(struct cli_session *s)
{
	json_t *parameters = json_object();
	int ret = CLI_EXIT_USAGE;

	if (s->o.nr_words)
		ret = parse_scope(s->o.words[0], parameters);
	else
		cli_error("revoke", "of what? gpreempt revoke PID or cgroup:PATH");
	if (ret == CLI_GO_ON)
		return call(s, "Revoke", parameters);
	json_decref(parameters);
	return ret;
}

const struct cli_verb cli_verb_grant = {
	.name = "grant",
	.usage = "[PID | cgroup:PATH KEY=VALUE...] [OPTION...]",
	.doc = "Says what a process and its descendants, or the processes of a cgroup and of\n"
	       "those below it, may be before they use the GPU; keys as for gpreempt set. Their\n"
	       "own wishes only lower it. Without words: the grants there are. Needs privilege.",
	.example = "gpreempt grant cgroup:/serving class=realtime\n"
		   "gpreempt grant",
	.options = CLI_OPTS_GRANT | CLI_OPTS_JSON | CLI_OPTS_TABLE,
	.nr_words = CLI_WORDS_ANY,
	.run = grant,
};

const struct cli_verb cli_verb_revoke = {
	.name = "revoke",
	.usage = "PID | cgroup:PATH [OPTION...]",
	.doc = "Ends a grant. Processes keep of it what every process may have.",
	.example = "gpreempt revoke cgroup:/serving",
	.nr_words = 1,
	.run = revoke,
};
