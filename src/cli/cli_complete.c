// SPDX-License-Identifier: MIT
#include "cli/cli_complete.h"

#include "cli/cli_objects.h"
#include "cli/sim/cli_sim.h"
#include "cli/top/top_model.h"
#include "rules/text.h"

#include <string.h>

/* What is known when a word is completed. */
struct completion {
	const char *word;	/* as far as it is typed */
	const char *socket;	/* of the daemon that is asked */
	const struct cli_verb *verb;
	int nr_words;	/* words of the verb before this one, without options */
	const char *words[8];
};

static void offer(const struct completion *c, const char *value, const char *doc)
{
	if (!strncmp(value, c->word, strlen(c->word)))
		printf("%s%s%s\n", value, doc ? "\t" : "", doc ? doc : "");
}

static void offer_list(const struct completion *c, const char *list)
{
	char word[48];

	while (*list) {
		size_t len = strcspn(list, " ");

		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		offer(c, word, NULL);
		list += len + (list[len] == ' ');
	}
}

static void offer_commands(const struct completion *c, const struct cli_command *table)
{
	for (; table->name; table++) {
		if (*table->name && table->doc)
			offer(c, table->name, table->doc);
	}
}

/* Rows of a list of the daemon, by one or two of their values. */
static void offer_rows(const struct completion *c, const char *method, const char *key,
		       const char *value, const char *doc)
{
	struct gpreempt *g;
	json_t *reply = NULL, *row;
	char text[64];
	size_t i;

	if (gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, c->socket))
		return;
	cli_session_ask(g, method, NULL, &reply);
	json_array_foreach(json_object_get(reply, key), i, row) {
		if (!strcmp(value, "id"))
			cli_object_name(row, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%lld", cli_number(row, value));
		offer(c, text, cli_text(row, doc));
	}
	json_decref(reply);
	gpreempt_close(g);
}

static void offer_classes(const struct completion *c)
{
	const char *seen = "";
	struct gpreempt *g;
	json_t *reply = NULL, *row;
	size_t i;

	if (gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, c->socket)) {
		offer_list(c, CLI_CLASSES);
		return;
	}
	cli_session_ask(g, "GetConfig", NULL, &reply);
	json_array_foreach(json_object_get(reply, "settings"), i, row) {
		const char *section = cli_text(row, "section");

		if (strncmp(section, "class ", 6) || !strcmp(section, seen))
			continue;
		offer(c, section + 6, NULL);
		seen = section;
	}
	json_decref(reply);
	gpreempt_close(g);
}

static void offer_columns(const struct completion *c)
{
	const struct cli_column *columns = c->verb->columns;
	u32 nr = c->verb->nr_columns, kind = 0;

	if (c->verb == &cli_verb_list) {
		while (c->nr_words && kind < CLI_OBJECT_COUNT &&
		       strcmp(cli_objects[kind].name, c->words[0]))
			kind++;
		kind = c->nr_words && kind < CLI_OBJECT_COUNT ? kind : CLI_OBJECT_PROCESS;
		columns = cli_objects[kind].columns;
		nr = cli_objects[kind].nr_columns;
	}
	for (u32 i = 0; i < nr; i++)
		offer(c, columns[i].name, NULL);
	if (c->verb == &cli_verb_top)
		offer_list(c, "prio run off preempted pid");
}

static void offer_sim(const struct completion *c, const char *option)
{
	for (u32 i = 0; cli_sim_name(option, i); i++)
		offer(c, cli_sim_name(option, i),
		      strcmp(option, "policy") ? NULL : cli_policy_doc(cli_sim_name(option, i)));
}

static void offer_top(const struct completion *c)
{
	for (u32 i = 0; i < CLI_TOP_CELLS; i++)
		offer(c, cli_top_sort_name(i), NULL);
}

static void offer_value(const struct completion *c, const struct cli_option_text *o)
{
	static const char *const files[] = { "FILE", "PATH", "DIR" };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		if (!strcmp(o->value, files[i])) {
			puts(":files");
			return;
		}
	}
	if (!strcmp(o->name, "color"))
		offer_list(c, "auto always never");
	else if (!strcmp(o->name, "time"))
		offer_list(c, "monotonic wall");
	else if (!strcmp(o->name, "priority"))
		offer_list(c, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
	else if (!strcmp(o->name, "class"))
		offer_classes(c);
	else if (!strcmp(o->name, "device"))
		offer_rows(c, "ListNodes", "nodes", "id", "name");
	else if (!strcmp(o->name, "gpu") && (c->verb->options & CLI_OPTS_DEVICE))
		offer_rows(c, "ListNodes", "nodes", "gpu", "name");
	else if (!strcmp(o->name, "pid"))
		offer_rows(c, "ListProcesses", "processes", "pid", "comm");
	else if (!strcmp(o->name, "sort") && c->verb == &cli_verb_top)
		offer_top(c);
	else if (!strcmp(o->name, "sort") || !strcmp(o->name, "fields"))
		offer_columns(c);
	else
		offer_sim(c, o->name);
}

static void offer_options(const struct completion *c)
{
	struct cli_option_text o;
	char text[48];

	for (u32 at = 0; (at = cli_options_walk(c->verb, at, &o));) {
		snprintf(text, sizeof(text), "--%s", o.name);
		offer(c, text, o.doc);
	}
}

static void offer_policy(const struct completion *c)
{
	const struct gp_param_desc *d;
	char name[GP_TEXT_PARAM_MAX], text[GP_TEXT_PARAM_MAX + 1];

	if (!c->nr_words)
		offer_list(c, "get list set on off");
	else if (!strcmp(c->words[0], "set") && c->nr_words == 1)
		offer_sim(c, "policy");
	for (u32 i = 0; c->nr_words > 1 && (d = gp_text_param(i, name)); i++) {
		snprintf(text, sizeof(text), "%s=", name);
		offer(c, text, d->doc);
	}
}

/* Words that are no options. */
static void offer_words(const struct completion *c)
{
	const struct cli_verb *v = c->verb;

	if (v == &cli_verb_list && !c->nr_words)
		offer_list(c, "devices queues procs jobs totals cgroups");
	else if (v == &cli_verb_policy)
		offer_policy(c);
	else if (v == &cli_verb_config && !c->nr_words)
		offer_list(c, "show check reload");
	else if (v == &cli_verb_set && c->nr_words && cli_cgroup_path(c->words[0]))
		offer_list(c, "weight= max= latency= idle=");
	else if (v == &cli_verb_set && c->nr_words)
		offer_list(c, "prio= weight= slice= deadline= class= group= critical=");
	else if (v == &cli_verb_set || v == &cli_verb_attach || v == &cli_verb_detach ||
		 v == &cli_verb_show || v == &cli_verb_suspend || v == &cli_verb_resume)
		offer_rows(c, "ListProcesses", "processes", "pid", "comm");
	else if ((v->options & CLI_OPTS_SIM) || v == &cli_verb_trace_convert ||
		 v == &cli_verb_config)
		puts(":files");
	if (v == &cli_verb_show)
		offer_rows(c, "ListNodes", "nodes", "id", "name");
	if (v == &cli_verb_show || v == &cli_verb_suspend || v == &cli_verb_resume)
		offer_rows(c, "ListQueues", "queues", "id", "type");
	if (v->options & CLI_OPTS_COMMAND)
		puts(":commands");
}

/* The option whose value comes next, if @word is one that takes any. */
static bool find_option(const struct cli_verb *verb, const char *word, struct cli_option_text *out)
{
	for (u32 at = 0; (at = cli_options_walk(verb, at, out));) {
		bool is_it = word[1] == '-' ? !strcmp(word + 2, out->name) :
					      out->letter && word[1] == out->letter && !word[2];

		/* "[SEC]" may be left out. */
		if (is_it && out->value && out->value[strlen(out->value) - 1] != ']')
			return true;
	}
	return false;
}

static int complete_verb(struct completion *c, int argc, char **argv)
{
	struct cli_option_text o;

	for (int i = 0; i < argc; i++) {
		if (*argv[i] != '-') {
			if (c->nr_words < (int)ARRAY_SIZE(c->words))
				c->words[c->nr_words++] = argv[i];
			/* What follows is another program's. */
			if (c->verb->options & CLI_OPTS_COMMAND)
				return puts(":files"), CLI_EXIT_OK;
		} else if (find_option(c->verb, argv[i], &o) && ++i == argc) {
			offer_value(c, &o);
			return CLI_EXIT_OK;
		}
	}
	if (*c->word == '-')
		offer_options(c);
	else
		offer_words(c);
	return CLI_EXIT_OK;
}

static const struct cli_command *find(const struct cli_command *table, const char *name)
{
	for (; table->name; table++) {
		if (*table->name && !strcmp(table->name, name))
			return table;
	}
	return NULL;
}

int cli_complete(const struct cli_command *table, int argc, char **argv)
{
	struct completion c = { .word = argc > 0 ? argv[argc - 1] : "" };
	int i = 0;

	argc = max(argc - 1, 0);
	if (argc > 1 && !strcmp(argv[0], "--socket")) {
		c.socket = argv[1];
		i = 2;
	}
	if (i < argc && !strcmp(argv[i], "help"))
		i++;
	while (i < argc && table) {
		const struct cli_command *command = find(table, argv[i]);

		if (!command)
			return cli_finish(CLI_EXIT_OK);
		i++;
		c.verb = command->verb;
		table = command->sub;
		if (c.verb)
			return cli_finish(complete_verb(&c, argc - i, argv + i));
	}
	if (table && *c.word == '-')
		offer_list(&c, "--socket --help --version");
	else if (table)
		offer_commands(&c, table);
	return cli_finish(CLI_EXIT_OK);
}
