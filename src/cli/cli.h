/* SPDX-License-Identifier: MIT */
/*
 * What all commands share: exit codes, the one-line error message, tables of
 * subcommands, and results for people.
 */
#ifndef GP_CLI_CLI_H
#define GP_CLI_CLI_H

#include "gp_port.h"

#include <stdio.h>

enum cli_exit {
	CLI_EXIT_OK = 0,
	CLI_EXIT_FAILED = 1,	/* at run time */
	CLI_EXIT_USAGE = 2,	/* malformed option, scenario or parameter */
	CLI_EXIT_NO_DAEMON = 3,	/* the daemon does not run */
	CLI_EXIT_NOT_FOUND = 4,	/* no such process, queue or device */
	CLI_EXIT_DENIED = 5,	/* not permitted */
	CLI_EXIT_UNSUPPORTED = 6,	/* this GPU, kernel or process cannot */
	CLI_EXIT_TIMEOUT = 7,
	/* of run alone; else the child's */
	CLI_EXIT_RUN_FAILED = 125,
	CLI_EXIT_RUN_CANNOT = 126,
	CLI_EXIT_RUN_MISSING = 127,
};

/* Neither help nor an error: go on. */
#define CLI_GO_ON (-1)

/**
 * struct cli_command - one word of the command line
 * @name: the word; NULL ends a table
 * @run: does it; argv[0] is the word; gives the exit code
 * @doc: one line for people
 */
struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *doc;
};

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

/**
 * cli_error() - print "gpreempt: object: cause", one line on stderr
 * @object: what the message is about
 * @format: the cause, as printf
 */
void cli_error(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A complete message that names its object itself. */
void cli_error_line(const char *message);

/* Flushes stdout; a full disk must not look like success. Gives the exit code. */
int cli_finish(int exit_code);

/* The exit code for a -errno. */
int cli_exit_of(int err);

/* Waits, unless a signal that ends the program comes first. False = end. */
bool cli_sleep(u64 ns);

/* The verbs of gpreempt, a file each or a few together. */
int cli_attach_main(int argc, char **argv);
int cli_bench_main(int argc, char **argv);
int cli_check_main(int argc, char **argv);
int cli_config_main(int argc, char **argv);
int cli_detach_main(int argc, char **argv);
int cli_list_main(int argc, char **argv);
int cli_metrics_main(int argc, char **argv);
int cli_monitor_main(int argc, char **argv);
int cli_policy_main(int argc, char **argv);
int cli_resume_main(int argc, char **argv);
int cli_run_main(int argc, char **argv);
int cli_set_main(int argc, char **argv);
int cli_show_main(int argc, char **argv);
int cli_sim_main(int argc, char **argv);
int cli_stats_main(int argc, char **argv);
int cli_summary_main(int argc, char **argv);
int cli_suspend_main(int argc, char **argv);
int cli_top_main(int argc, char **argv);
int cli_trace_main(int argc, char **argv);

#define CLI_TEXT_MAX_DURATION 24

/* "812 ns", "12.3 us", "1.25 s"; gives @out, which has CLI_TEXT_MAX_DURATION bytes. */
const char *cli_format_duration(u64 ns, char *out);
/* The same of what may not have been reached: "never" for SIM_NEVER. */
const char *cli_format_reached(u64 ns, char *out);

#endif
