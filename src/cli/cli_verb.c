// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"
#include "rules/guess.h"

#include <string.h>
#include <unistd.h>

/* On a terminal each picture takes the place of the one before. */
static void begin_picture(const struct cli_options *o, u64 n)
{
	if (o->is_json || o->is_csv)
		return;
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
	else if (n)
		putchar('\n');
}

static int watch(struct cli_session *s)
{
	int ret = CLI_EXIT_OK;

	cli_catch_end();
	for (u64 n = 0; !ret && !cli_is_over(); n++) {
		if (n && !cli_sleep(s->o.watch_ns ? s->o.watch_ns : CLI_NS_PER_S))
			break;
		begin_picture(&s->o, n);
		ret = s->verb->run(s);
		fflush(stdout);
		if (s->o.count && n + 1 >= s->o.count)
			break;
	}
	return ret;
}

static int prepare(struct cli_session *s)
{
	const struct cli_verb *verb = s->verb;
	int ret = CLI_GO_ON;

	if (verb->nr_words != CLI_WORDS_ANY)
		ret = cli_options_no_words(&s->o, verb->nr_words);
	if (ret == CLI_GO_ON && verb->columns)
		ret = cli_view_init(&s->view, verb->columns, verb->nr_columns, &s->o);
	if (ret == CLI_GO_ON && verb->prepare)
		ret = verb->prepare(s);
	if (ret == CLI_GO_ON && verb->partner != CLI_PARTNER_NONE)
		ret = cli_session_open(s, verb->partner == CLI_PARTNER_ANY);
	if (ret == CLI_GO_ON && (verb->options & CLI_OPTS_DEVICE) && s->g)
		ret = cli_objects_check_device(s);
	return ret;
}

int cli_verb_main(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_session s = { .verb = verb };
	int ret = cli_options_parse(argc, argv, verb, &s.o);

	/* What the child ends with must be told from this. */
	if (ret > CLI_EXIT_OK && (verb->options & CLI_OPTS_COMMAND))
		return CLI_EXIT_RUN_FAILED;
	if (ret == CLI_GO_ON)
		ret = prepare(&s);
	if (ret == CLI_GO_ON) {
		s.is_repeated = (verb->options & CLI_OPTS_READ) && (s.o.watch_ns || s.o.count);
		ret = s.is_repeated ? watch(&s) : verb->run(&s);
	}
	gpreempt_close(s.g);
	return ret;
}

static void print_commands(const char *path, const struct cli_command *table)
{
	printf("usage: %s COMMAND [OPTION...]\n\n", path);
	for (const struct cli_command *c = table; c->name; c++) {
		if (!*c->name)
			printf("%s%s:\n", c == table ? "" : "\n", c->doc);
		else if (c->doc)
			printf("  %-10s %s\n", c->name, c->doc);
	}
	printf("\n%s COMMAND --help tells more about a command.\n", path);
}

static int run_command(const char *path, const struct cli_command *c, int argc, char **argv)
{
	char longer[64];

	if (c->verb)
		return cli_verb_main(c->verb, argc, argv);
	if (c->run)
		return c->run(argc, argv);
	snprintf(longer, sizeof(longer), "%s %s", path, c->name);
	return cli_command_run(longer, c->sub, argc - 1, argv + 1);
}

/* Names what may follow. */
static int which(const char *path, const struct cli_command *table)
{
	char all[128] = "";
	size_t len = 0;

	for (const struct cli_command *c = table; c->name && len < sizeof(all); c++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
					c == table ? "" : c[1].name ? ", "
								    : " or ",
					c->name);
	cli_error(strchr(path, ' ') + 1, "which command? %s", all);
	return CLI_EXIT_USAGE;
}

int cli_command_run(const char *path, const struct cli_command *table, int argc, char **argv)
{
	struct gp_guess guess;

	if (argc < 1)
		return which(path, table);
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		print_commands(path, table);
		return cli_finish(CLI_EXIT_OK);
	}
	gp_guess_init(&guess, argv[0]);
	for (const struct cli_command *c = table; c->name; c++) {
		if (*c->name && !strcmp(argv[0], c->name))
			return run_command(path, c, argc, argv);
		if (c->doc)
			gp_guess_try(&guess, c->name);
	}
	cli_error(argv[0], "no such command%s%s%s%s", gp_guess_text(&guess),
		  guess.best ? "" : "; try ", guess.best ? "" : path, guess.best ? "" : " --help");
	return CLI_EXIT_USAGE;
}
