/* SPDX-License-Identifier: MIT */
/*
 * Options of all verbs but those of sim: one table of what there is, and for each
 * verb which of it it takes. Help and errors are printed here.
 */
#ifndef GP_CLI_OPTIONS_H
#define GP_CLI_OPTIONS_H

#include "cli/cli.h"

enum cli_color {
	CLI_COLOR_AUTO,
	CLI_COLOR_ALWAYS,
	CLI_COLOR_NEVER,
};

/**
 * struct cli_options - what the user said; NULL, 0 and false = nothing
 * @socket: control socket
 * @device: gpu_id
 * @color: when to use colour
 * @is_quiet: nothing but errors
 * @is_verbose: more
 * @is_json: output for programs
 * @is_csv: the same, as lines of values
 * @no_header: no line with names
 * @fields: columns
 * @sort: column to sort by
 * @filter: conditions
 * @watch_ns: again and again, so far apart
 * @count: how often; of monitor, how many events
 * @is_dry_run: say what would change
 * @pid: process
 * @queue: a queue of it
 * @job: job
 * @since: file with earlier statistics
 * @prio: priority + 1
 * @klass: class
 * @slice_ns: time slice
 * @deadline_ns: deadline
 * @weight: weight
 * @group: group
 * @is_critical: latency critical
 * @shim: path of the shim
 * @lease_ns: end of a hold
 * @timeout_ns: how long to wait
 * @is_waiting: stay until the hold ends
 * @is_histogram: buckets too
 * @output: file
 * @duration_ns: how long
 * @is_trace: records of the core too
 * @is_strict: warnings count
 * @is_once: one picture, without a terminal
 * @nr_queues: how many queues
 * @nr_words: what is left of the command line
 * @words: it
 */
struct cli_options {
	const char *socket;
	u64 device;
	enum cli_color color;
	bool is_quiet;
	bool is_verbose;
	bool is_json;
	bool is_csv;
	bool no_header;
	const char *fields;
	const char *sort;
	const char *filter;
	u64 watch_ns;
	u64 count;
	bool is_dry_run;
	u64 pid;
	const char *queue;
	const char *job;
	const char *since;
	u64 prio;
	const char *klass;
	u64 slice_ns;
	u64 deadline_ns;
	u64 weight;
	const char *group;
	bool is_critical;
	const char *shim;
	u64 lease_ns;
	u64 timeout_ns;
	bool is_waiting;
	bool is_histogram;
	const char *output;
	u64 duration_ns;
	bool is_trace;
	bool is_strict;
	bool is_once;
	u64 nr_queues;
	int nr_words;
	char **words;
};

/* Sets of options. */
#define CLI_OPTS_READ (1u << 0)	/* --json, --watch, --count */
#define CLI_OPTS_TABLE (1u << 1)	/* --csv, --fields, --sort, --filter, --no-header */
#define CLI_OPTS_DRY (1u << 2)	/* --dry-run */
#define CLI_OPTS_RUN (1u << 3)	/* attributes */
#define CLI_OPTS_HOLD (1u << 4)	/* --lease, --wait */
#define CLI_OPTS_TIMEOUT (1u << 5)	/* --timeout */
#define CLI_OPTS_STATS (1u << 6)	/* --histogram, --since */
#define CLI_OPTS_MONITOR (1u << 7)	/* --json, --count, --trace, --filter */
#define CLI_OPTS_RECORD (1u << 8)	/* --output, --duration */
#define CLI_OPTS_CHECK (1u << 9)	/* --strict */
#define CLI_OPTS_TOP (1u << 10)	/* --once, --sort, --watch, --count */
#define CLI_OPTS_BENCH (1u << 11)	/* --queues, --count */
#define CLI_OPTS_PID (1u << 12)	/* --pid, --queue, --job */
#define CLI_OPTS_JSON (1u << 13)	/* --json alone */
#define CLI_OPTS_COMMAND (1u << 14)	/* the first word ends the options */
#define CLI_OPTS_DEVICE (1u << 15)	/* --device */

/**
 * struct cli_verb - a verb and what it takes
 * @name: of the verb, with the words before it
 * @usage: what follows it
 * @doc: a line or more for people
 * @options: CLI_OPTS_*
 */
struct cli_verb {
	const char *name;
	const char *usage;
	const char *doc;
	u32 options;
};

/**
 * cli_options_parse() - read the command line; prints help and errors itself
 * @argc: arguments
 * @argv: them; argv[0] is the verb; sorted so that words come last
 * @verb: what it takes
 * @o: output
 *
 * Return: CLI_GO_ON or the exit code.
 */
int cli_options_parse(int argc, char **argv, const struct cli_verb *verb, struct cli_options *o);

/* --socket before the verb, for all that follow. */
void cli_options_set_socket(const char *socket);

/* Prints "one word too many" and gives the exit code, or CLI_GO_ON. */
int cli_options_no_words(const struct cli_options *o, int allowed);

/* "20ms", "1.5s", and plain seconds. 0 or -EINVAL. */
int cli_options_parse_time(const char *text, u64 *ns);

/* "gpu:ID" or "ID". 0 or -EINVAL. */
int cli_options_parse_device(const char *text, u64 *gpu_id);

#endif
