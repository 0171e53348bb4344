// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/verbs/verb_policy_doc.h"
#include "rules/text.h"

#include <string.h>

static const struct cli_verb verb = {
	.name = "policy",
	.usage = "[get | list | set [NAME] [KEY=VALUE...] | on | off] [OPTION...]",
	.doc = "get shows the policy and its parameters, list the policies there are; set changes\n"
	       "them, off leaves everything to the driver. Of one device with --device, else all.",
	.options = CLI_OPTS_DRY | CLI_OPTS_DEVICE | CLI_OPTS_JSON | CLI_OPTS_TABLE,
};

static const struct cli_column columns[] = {
	{ "name", "PARAMETER", NULL, CLI_COLUMN_TEXT, false },
	{ "value", "VALUE", NULL, CLI_COLUMN_INT, false },
	{ "default", "DEFAULT", NULL, CLI_COLUMN_INT, false },
	{ "min", "MIN", NULL, CLI_COLUMN_INT, false },
	{ "max", "MAX", NULL, CLI_COLUMN_INT, false },
	{ "unit", "UNIT", NULL, CLI_COLUMN_TEXT, false },
	{ "doc", "MEANING", NULL, CLI_COLUMN_TEXT, false },
};

/* {} for all devices */
static json_t *device_parameters(const struct cli_options *o)
{
	return o->device ? json_pack("{s:I}", "gpu_id", (json_int_t)o->device) : json_object();
}

static int get(struct cli_session *s, const struct cli_options *o)
{
	struct cli_view view;
	json_t *reply;
	int ret = cli_view_init(&view, columns, ARRAY_SIZE(columns), o);

	if (ret == CLI_GO_ON)
		ret = cli_session_call(s, NULL, "GetPolicy", device_parameters(o), &reply);
	if (ret != CLI_GO_ON)
		return ret;
	if (o->is_json)
		return cli_print_json(cli_schema("policy", reply), false);
	if (!o->is_csv && !o->no_header)
		printf("policy %s, scheduling %s\n\n",
		       json_string_value(json_object_get(reply, "policy")),
		       json_is_true(json_object_get(reply, "enabled")) ? "on" : "off");
	cli_view_print(&view, json_object_get(reply, "parameters"), o);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

static int list(struct cli_session *s, const struct cli_options *o)
{
	json_t *reply, *names;
	int ret = cli_session_call(s, NULL, "GetPolicy", device_parameters(o), &reply);

	if (ret != CLI_GO_ON)
		return ret;
	if (o->is_json)
		return cli_print_json(cli_schema("policy", reply), false);
	names = json_object_get(reply, "policies");
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		printf("%-8s %s\n", name, cli_policy_doc(name));
	}
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

static void print_changes(const json_t *reply, const struct cli_options *o)
{
	const json_t *changed = json_object_get(reply, "changed");
	const char *old = json_string_value(json_object_get(reply, "old_policy"));
	const char *new = json_string_value(json_object_get(reply, "new_policy"));
	const char *would = o->is_dry_run ? "would change " : "";

	if (old && new && strcmp(old, new) && !json_array_size(changed))
		printf("%spolicy: %s -> %s\n", would, old, new);
	for (size_t i = 0; i < json_array_size(changed); i++)
		printf("%s%s\n", would, json_string_value(json_array_get(changed, i)));
	if (old && new && !strcmp(old, new) && !json_array_size(changed))
		printf("policy %s: nothing changes\n", old);
}

/* Takes the reference to @parameters. */
static int change(struct cli_session *s, const struct cli_options *o, json_t *parameters)
{
	json_t *reply;
	int ret;

	if (o->is_dry_run)
		json_object_set_new(parameters, "dry_run", json_true());
	ret = cli_session_call(s, "policy", "SetPolicy", parameters, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	if (o->is_json)
		return cli_print_json(cli_schema("policy-set", reply), false);
	if (!o->is_quiet)
		print_changes(reply, o);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

/* A number, or a time for what is counted in nanoseconds. */
static int parse_value(const char *key, const char *text, u64 *out)
{
	const char *unit = gp_text_unit(key);

	if (unit && !strcmp(unit, "ns"))
		return gp_text_read_ns(text, 0, INT64_MAX, out);
	return gp_text_read_u64(text, 0, INT64_MAX, out);
}

static int add_pair(json_t *object, const char *word)
{
	size_t len = strcspn(word, "=");
	char key[64];
	u64 v;

	if (len < sizeof(key)) {
		memcpy(key, word, len);
		key[len] = '\0';
		if (!parse_value(key, word + len + 1, &v)) {
			json_object_set_new(object, key, json_integer((json_int_t)v));
			return CLI_GO_ON;
		}
	}
	cli_error(word, "not KEY=NUMBER; gpreempt policy get names the parameters");
	return CLI_EXIT_USAGE;
}

static int set(struct cli_session *s, const struct cli_options *o)
{
	json_t *parameters = device_parameters(o), *pairs = json_object();
	int i = 1, ret = CLI_GO_ON;

	if (i < o->nr_words && !strchr(o->words[i], '='))
		json_object_set_new(parameters, "policy", json_string(o->words[i++]));
	if (o->nr_words < 2) {
		cli_error("policy set", "name a policy or KEY=VALUE");
		ret = CLI_EXIT_USAGE;
	}
	for (; ret == CLI_GO_ON && i < o->nr_words; i++)
		ret = strchr(o->words[i], '=') ? add_pair(pairs, o->words[i]) :
						 cli_options_no_words(o, i);
	if (json_object_size(pairs))
		json_object_set(parameters, "parameters", pairs);
	json_decref(pairs);
	if (ret == CLI_GO_ON)
		return change(s, o, parameters);
	json_decref(parameters);
	return ret;
}

static int enable(struct cli_session *s, const struct cli_options *o)
{
	json_t *parameters = device_parameters(o);

	json_object_set_new(parameters, "enabled", json_boolean(!strcmp(o->words[0], "on")));
	return change(s, o, parameters);
}

static int dispatch(struct cli_session *s, const struct cli_options *o)
{
	const char *word = o->nr_words ? o->words[0] : "get";

	if (!strcmp(word, "set"))
		return set(s, o);
	if (!strcmp(word, "list"))
		return list(s, o);
	if (!strcmp(word, "get"))
		return get(s, o);
	return enable(s, o);
}

int cli_policy_main(int argc, char **argv)
{
	static const char *const words[] = { "get", "list", "set", "on", "off" };
	struct cli_session s;
	struct cli_options o;
	bool is_known = false;
	int ret = cli_options_parse(argc, argv, &verb, &o);

	if (ret != CLI_GO_ON)
		return ret;
	for (u32 i = 0; o.nr_words && i < ARRAY_SIZE(words); i++)
		is_known |= !strcmp(words[i], o.words[0]);
	if (o.nr_words && !is_known) {
		cli_error(o.words[0], "policy knows get, list, set, on and off");
		return CLI_EXIT_USAGE;
	}
	if (o.nr_words > 1 && strcmp(o.words[0], "set"))
		return cli_options_no_words(&o, 1);
	ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = dispatch(&s, &o);
	cli_session_close(&s);
	return ret;
}
