/* SPDX-License-Identifier: MIT */
/*
 * What all commands share: exit codes, the one-line error message, time, signals, and
 * durations for people.
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

#define CLI_NS_PER_S 1000000000ull
#define CLI_NS_PER_MS 1000000ull

/**
 * cli_error() - print "gpreempt: object: cause", one line on stderr
 * @object: what the message is about
 * @format: the cause, as printf
 */
void cli_error(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A complete message that names its object itself. */
void cli_error_line(const char *message);

/* The message of a -errno, in @text if that says more. Gives CLI_EXIT_FAILED. */
int cli_fail(const char *object, int err, const char *text);

/* Flushes stdout; a full disk must not look like success. Gives the exit code. */
int cli_finish(int exit_code);

/* The exit code for a -errno. */
int cli_exit_of(int err);

/* Monotonic time. */
u64 cli_now_ns(void);

/* Waits, unless a signal that ends the program comes first. False = end. */
bool cli_sleep(u64 ns);

/* From now on a signal that ends the program only makes cli_is_over() true. */
void cli_catch_end(void);
bool cli_is_over(void);

/* Columns of the terminal on the standard output; 0 = it is none. */
u32 cli_width(void);

/* Units of time, the longest first. */
#define CLI_UNITS 4

extern const struct cli_unit {
	const char *name;
	double ns;
} cli_units[CLI_UNITS];

#define CLI_TEXT_MAX_DURATION 24

/* "812 ns", "12.3 us", "1.25 s"; gives @out, which has CLI_TEXT_MAX_DURATION bytes. */
const char *cli_format_duration(u64 ns, char *out);
/* The same of what may not have been reached: "never" for SIM_NEVER. */
const char *cli_format_reached(u64 ns, char *out);

#endif
