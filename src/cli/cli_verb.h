/* SPDX-License-Identifier: MIT */
/*
 * Verbs and the tables that lead to them. What all verbs do in the same way is done here:
 * options, words, columns, the conversation with the daemon, and --watch.
 */
#ifndef GP_CLI_VERB_H
#define GP_CLI_VERB_H

#include "cli/cli_session.h"

#define CLI_WORDS_ANY (-1)

/* What a verb speaks with. */
enum cli_partner {
	CLI_PARTNER_NONE,
	CLI_PARTNER_DAEMON,
	CLI_PARTNER_ANY,	/* the machine, if the daemon does not run */
};

/**
 * struct cli_verb - a verb
 * @name: with the words before it
 * @usage: what follows it
 * @doc: a line or more for people; NULL = none
 * @example: what a user would type, a line each
 * @options: CLI_OPTS_*; with CLI_OPTS_READ @run is repeated as --watch and --count say
 * @nr_words: words it takes at most, or CLI_WORDS_ANY
 * @partner: the other side of the conversation
 * @columns: of its table, NULL = none
 * @nr_columns: how many
 * @prepare: looks at the options before the conversation begins; gives CLI_GO_ON or the
 *	exit code after a message; NULL = nothing to do
 * @run: does it; gives the exit code
 */
struct cli_verb {
	const char *name;
	const char *usage;
	const char *doc;
	const char *example;
	u32 options;
	int nr_words;
	enum cli_partner partner;
	const struct cli_column *columns;
	u32 nr_columns;
	int (*prepare)(struct cli_session *s);
	int (*run)(struct cli_session *s);
};

/**
 * struct cli_command - one word of the command line: a verb, more words, or a function
 * @name: the word; NULL ends a table, "" is the head of a group
 * @doc: one line for people; NULL = it is not shown
 * @verb: the verb
 * @sub: what may follow the word
 * @run: argv[0] is the word; gives the exit code
 */
struct cli_command {
	const char *name;
	const char *doc;
	const struct cli_verb *verb;
	const struct cli_command *sub;
	int (*run)(int argc, char **argv);
};

/* The verbs, a file each or a few together. */
extern const struct cli_verb cli_verb_attach, cli_verb_cdi, cli_verb_check, cli_verb_config;
extern const struct cli_verb cli_verb_detach, cli_verb_grant, cli_verb_revoke;
extern const struct cli_verb cli_verb_list, cli_verb_metrics, cli_verb_monitor, cli_verb_policy;
extern const struct cli_verb cli_verb_report, cli_verb_resume, cli_verb_run, cli_verb_set;
extern const struct cli_verb cli_verb_show, cli_verb_stats, cli_verb_summary;
extern const struct cli_verb cli_verb_suspend, cli_verb_top;
extern const struct cli_verb cli_verb_sim_run, cli_verb_sim_compare, cli_verb_sim_demo;
extern const struct cli_verb cli_verb_sim_list, cli_verb_sim_params, cli_verb_bench;
extern const struct cli_verb cli_verb_sim_import, cli_verb_advise;
extern const struct cli_verb cli_verb_selftest, cli_verb_calibrate;
extern const struct cli_verb cli_verb_trace_record, cli_verb_trace_convert;

/* The classes of a daemon that was configured with none. */
#define CLI_CLASSES "realtime default besteffort"

/* Adds KEY=VALUE of a process to attributes. Gives CLI_GO_ON, or the exit code after a message. */
int cli_set_pair(json_t *attributes, const char *word);

/* What a policy does, in a line; "" for one that this command does not know. */
const char *cli_policy_doc(const char *name);

/* Reads the command line of a verb and does it; argv[0] is its word. Gives the exit code. */
int cli_verb_main(const struct cli_verb *verb, int argc, char **argv);

/**
 * cli_command_run() - find a command and run it
 * @path: words so far, for messages: "gpreempt sim"
 * @table: commands
 * @argc: arguments after the path
 * @argv: them
 *
 * Return: exit code.
 */
int cli_command_run(const char *path, const struct cli_command *table, int argc, char **argv);

#endif
