// SPDX-License-Identifier: MIT
#include "cli/cli_verb.h"
#include "rules/guess.h"
#include "rules/text.h"

#include <string.h>

static const struct cli_column columns[] = {
	{ "name", "PARAMETER", NULL, CLI_COLUMN_TEXT, false },
	{ "value", "VALUE", NULL, CLI_COLUMN_INT, false },
	{ "default", "DEFAULT", NULL, CLI_COLUMN_INT, false },
	{ "min", "MIN", NULL, CLI_COLUMN_INT, true },
	{ "max", "MAX", NULL, CLI_COLUMN_INT, true },
	{ "unit", "UNIT", NULL, CLI_COLUMN_TEXT, true },
	{ "doc", "MEANING", NULL, CLI_COLUMN_TEXT, false },
};

const char *cli_policy_doc(const char *name)
{
	static const struct {
		const char *name;
		const char *doc;
	} docs[] = {
		{ "prio", "the highest priority runs; equals run together" },
		{ "fair",
		  "the process that has run least for its weight runs; priorities do not count" },
		{ "slice", "in turn, each for its share of a round by weight, or its slice" },
		{ "edf", "the nearest deadline first; those without one come last" },
		{ "laxity", "as prio, until a deadline could be missed: that one first" },
		{ "mlfq", "a process that has used little time goes first; needs no attributes" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(docs); i++) {
		if (!strcmp(docs[i].name, name))
			return docs[i].doc;
	}
	return "";
}

/* CLI_GO_ON and the reply, unless that was printed for programs. */
static int ask(struct cli_session *s, json_t **reply)
{
	int ret = cli_session_call(s, NULL, "GetPolicy", cli_session_device(s), reply);

	return ret == CLI_GO_ON && s->o.is_json ? cli_print_json("policy", *reply, false) : ret;
}

/* A number as it can be set again: with its unit, and * if it was changed. */
static void write_values(json_t *p)
{
	static const char *const keys[] = { "value", "default", "min", "max" };
	bool is_time = !strcmp(cli_text(p, "unit"), "ns");
	bool is_changed = cli_number(p, "value") != cli_number(p, "default");
	char text[GP_TEXT_NUMBER_MAX];

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		u64 v = (u64)cli_number(p, keys[i]);

		json_object_set_new(p, keys[i],
				    json_sprintf("%s%s", is_time ? gp_text_time(v, text) :
								   gp_text_u64(v, text),
						 !i && is_changed ? " *" : ""));
	}
}

/* Parameters for people: those of the core and of the policy that is on, or with -v all. */
static json_t *shown_parameters(const struct cli_session *s, const json_t *reply)
{
	const char *policy = cli_text(reply, "policy");
	json_t *out = json_array(), *p;
	size_t i, len = strlen(policy);

	json_array_foreach(json_object_get(reply, "parameters"), i, p) {
		const char *name = cli_text(p, "name");
		bool is_other = strchr(name, '.') &&
				(strncmp(name, policy, len) || name[len] != '.');

		if (is_other && !s->o.is_verbose && !s->o.is_csv)
			continue;
		if (!s->o.is_csv)
			write_values(p);
		json_array_append(out, p);
	}
	return out;
}

static int get(struct cli_session *s)
{
	json_t *reply, *parameters;
	struct cli_view view;
	int ret = cli_view_init(&view, columns, ARRAY_SIZE(columns), &s->o);

	if (ret == CLI_GO_ON)
		ret = ask(s, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	if (!s->o.is_csv && !s->o.no_header)
		printf("policy %s, scheduling %s\n\n", cli_text(reply, "policy"),
		       json_is_true(json_object_get(reply, "enabled")) ? "on" : "off");
	parameters = cli_view_apply(&view, shown_parameters(s, reply));
	cli_view_print(&view, parameters, &s->o);
	json_decref(parameters);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

static int list(struct cli_session *s)
{
	json_t *reply, *names;
	int ret = ask(s, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	names = json_object_get(reply, "policies");
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		printf("%-8s %s\n", name, cli_policy_doc(name));
	}
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

static void print_changes(const json_t *reply, bool is_dry)
{
	const json_t *changed = json_object_get(reply, "changed");
	const char *old = cli_text(reply, "old_policy"), *new = cli_text(reply, "new_policy");
	const char *would = is_dry ? "would change " : "";

	for (size_t i = 0; i < json_array_size(changed); i++)
		printf("%s%s\n", would, json_string_value(json_array_get(changed, i)));
	if (json_array_size(changed) || !*old || !*new)
		return;
	if (strcmp(old, new))
		printf("%spolicy: %s -> %s\n", would, old, new);
	else
		printf("policy %s: nothing changes\n", old);
}

/* Takes the reference to @parameters. */
static int change(struct cli_session *s, json_t *parameters)
{
	json_t *reply;
	int ret;

	if (s->o.is_dry_run)
		json_object_set_new(parameters, "dry_run", json_true());
	ret = cli_session_call(s, "policy", "SetPolicy", parameters, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	if (s->o.is_json)
		return cli_print_json("policy-set", reply, false);
	if (!s->o.is_quiet)
		print_changes(reply, s->o.is_dry_run);
	json_decref(reply);
	return cli_finish(CLI_EXIT_OK);
}

/* Either no such parameter, or no number for it. */
static int no_number(const char *word, const char *key, size_t len)
{
	char name[GP_TEXT_PARAM_MAX], near[GP_TEXT_PARAM_MAX] = "";
	struct gp_guess guess;
	bool is_one = false;

	gp_guess_init(&guess, key);
	for (u32 i = 0; gp_text_param(i, name); i++) {
		is_one |= !strcmp(name, key);
		gp_guess_try(&guess, name);
		if (guess.best == name)
			guess.best = strcpy(near, name);
	}
	if (is_one)
		cli_error(word, "'%.40s' is not a number%s", word + len + 1,
			  gp_text_unit(key) ? " or a time such as 20ms" : "");
	else
		cli_error(word, "no such parameter%s; gpreempt policy get names them",
			  gp_guess_text(&guess));
	return CLI_EXIT_USAGE;
}

static int add_pair(json_t *object, const char *word)
{
	size_t len = strcspn(word, "=");
	char key[GP_TEXT_PARAM_MAX];
	u64 v;

	snprintf(key, sizeof(key), "%.*s", (int)len, word);
	if (len < sizeof(key) && !gp_text_read_value(key, word + len + 1, 0, INT64_MAX, &v) &&
	    !json_object_set_new(object, key, json_integer((json_int_t)v)))
		return CLI_GO_ON;
	return no_number(word, key, len);
}

/* Says which policies there are if this is none. Gives CLI_GO_ON, or the exit code. */
static int check_name(struct cli_session *s, const char *name)
{
	struct gp_guess guess;
	json_t *reply, *row;
	char all[256] = "";
	size_t i;
	int ret = cli_session_call(s, NULL, "GetPolicy", cli_session_device(s), &reply);

	if (ret != CLI_GO_ON)
		return ret;
	gp_guess_init(&guess, name);
	json_array_foreach(json_object_get(reply, "policies"), i, row) {
		gp_guess_try(&guess, json_string_value(row));
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			 json_string_value(row));
	}
	if (!guess.best || strcmp(guess.best, name)) {
		cli_error("policy", "no policy '%.40s'%s; there are %s", name,
			  gp_guess_text(&guess), all);
		ret = CLI_EXIT_NOT_FOUND;
	}
	json_decref(reply);
	return ret;
}

static int set(struct cli_session *s)
{
	json_t *parameters = cli_session_device(s), *pairs = json_object();
	const struct cli_options *o = &s->o;
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
	if (ret == CLI_GO_ON && json_object_get(parameters, "policy"))
		ret = check_name(s, cli_text(parameters, "policy"));
	if (ret == CLI_GO_ON)
		return change(s, parameters);
	json_decref(parameters);
	return ret;
}

static int enable(struct cli_session *s)
{
	json_t *parameters = cli_session_device(s);

	json_object_set_new(parameters, "enabled", json_boolean(!strcmp(s->o.words[0], "on")));
	return change(s, parameters);
}

static const struct {
	const char *word;
	int (*run)(struct cli_session *s);
} words[] = {
	{ "get", get },
	{ "list", list },
	{ "set", set },
	{ "on", enable },
	{ "off", enable },
};

static u32 find_word(const struct cli_session *s)
{
	u32 i = 0;

	while (s->o.nr_words && i < ARRAY_SIZE(words) && strcmp(words[i].word, s->o.words[0]))
		i++;
	return i;
}

static int prepare(struct cli_session *s)
{
	u32 i = find_word(s);

	if (i == ARRAY_SIZE(words)) {
		cli_error(s->o.words[0], "policy knows get, list, set, on and off");
		return CLI_EXIT_USAGE;
	}
	return words[i].run == set ? CLI_GO_ON : cli_options_no_words(&s->o, 1);
}

static int policy(struct cli_session *s)
{
	return words[find_word(s)].run(s);
}

const struct cli_verb cli_verb_policy = {
	.name = "policy",
	.usage = "[get | list | set [NAME] [KEY=VALUE...] | on | off] [OPTION...]",
	.doc = "get shows the policy and its parameters, list the policies there are; set changes\n"
	       "them, off leaves everything to the driver. Of one device with --device, else all.\n"
	       "A * is after what was changed; -v shows the parameters of other policies too.",
	.example = "gpreempt policy\n"
		   "gpreempt policy set prio max_wait_ns=200ms\n"
		   "gpreempt policy set fair --gpu 0",
	.options = CLI_OPTS_DRY | CLI_OPTS_DEVICE | CLI_OPTS_JSON | CLI_OPTS_TABLE,
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = policy,
};
