/* SPDX-License-Identifier: MIT */
/*
 * What all commands share: exit codes, the one-line error message, tables of
 * subcommands, and results for people.
 */
#ifndef GP_CLI_CLI_H
#define GP_CLI_CLI_H

#include "gp_port.h"

#include <stdio.h>

enum gp_exit {
	GP_EXIT_OK = 0,
	GP_EXIT_FAILED = 1,	/* at run time */
	GP_EXIT_USAGE = 2,	/* malformed option, scenario or parameter */
	GP_EXIT_NO_DAEMON = 3,	/* the daemon does not run */
	GP_EXIT_NOT_FOUND = 4,	/* no such process, queue or device */
	GP_EXIT_DENIED = 5,	/* not permitted */
	GP_EXIT_UNSUPPORTED = 6,	/* this GPU, kernel or process cannot */
	GP_EXIT_TIMEOUT = 7,
	/* of run alone; else the child's */
	GP_EXIT_RUN_FAILED = 125,
	GP_EXIT_RUN_CANNOT = 126,
	GP_EXIT_RUN_MISSING = 127,
};

/* Neither help nor an error: go on. */
#define GP_GO_ON (-1)

/**
 * struct gp_command - one word of the command line
 * @name: the word; NULL ends a table
 * @run: does it; argv[0] is the word; gives the exit code
 * @doc: one line for people
 */
struct gp_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *doc;
};

/**
 * gp_command_run() - find a command and run it
 * @path: words so far, for messages: "gpreempt sim"
 * @table: commands
 * @argc: arguments after the path
 * @argv: them
 *
 * Return: exit code.
 */
int gp_command_run(const char *path, const struct gp_command *table, int argc, char **argv);

/**
 * gp_cli_error() - print "gpreempt: object: cause", one line on stderr
 * @object: what the message is about
 * @format: the cause, as printf
 */
void gp_cli_error(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A complete message that names its object itself. */
void gp_cli_error_line(const char *message);

/* Flushes stdout; a full disk must not look like success. Gives the exit code. */
int gp_cli_finish(int exit_code);

/* The exit code for a -errno. */
int gp_cli_exit_of(int err);

/* Waits, unless a signal that ends the program comes first. False = end. */
bool gp_cli_sleep(u64 ns);

/* The verbs of gpreempt, a file each or a few together. */
int gp_attach_main(int argc, char **argv);
int gp_bench_main(int argc, char **argv);
int gp_check_main(int argc, char **argv);
int gp_config_main(int argc, char **argv);
int gp_detach_main(int argc, char **argv);
int gp_list_main(int argc, char **argv);
int gp_metrics_main(int argc, char **argv);
int gp_monitor_main(int argc, char **argv);
int gp_policy_main(int argc, char **argv);
int gp_resume_main(int argc, char **argv);
int gp_run_main(int argc, char **argv);
int gp_set_main(int argc, char **argv);
int gp_show_main(int argc, char **argv);
int gp_sim_main(int argc, char **argv);
int gp_stats_main(int argc, char **argv);
int gp_summary_main(int argc, char **argv);
int gp_suspend_main(int argc, char **argv);
int gp_top_main(int argc, char **argv);
int gp_trace_main(int argc, char **argv);

#define GP_TEXT_MAX_DURATION 24

/* "812 ns", "12.3 us", "1.25 s"; gives @out, which has GP_TEXT_MAX_DURATION bytes. */
const char *gp_format_duration(u64 ns, char *out);
/* The same of what may not have been reached: "never" for GP_NEVER. */
const char *gp_format_reached(u64 ns, char *out);

#endif
