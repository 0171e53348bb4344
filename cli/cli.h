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
};

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

/* The subcommands of gpreempt, a file each. */
int gp_sim_main(int argc, char **argv);

#define GP_TEXT_MAX_DURATION 24

/* "812 ns", "12.3 us", "1.25 s"; gives @out, which has GP_TEXT_MAX_DURATION bytes. */
const char *gp_format_duration(u64 ns, char *out);

#endif
