// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include "sim/sim_run.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

static void put_line(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		fputc(c < ' ' || c == 0x7f ? '?' : c, stderr);
	}
	fputc('\n', stderr);
}

void cli_error(const char *object, const char *format, ...)
{
	char cause[1024];
	char line[1400];
	va_list args;

	va_start(args, format);
	vsnprintf(cause, sizeof(cause), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "gpreempt: %.300s: %s", object, cause);
	put_line(line);
}

void cli_error_line(const char *message)
{
	fputs("gpreempt: ", stderr);
	put_line(message);
}

int cli_finish(int exit_code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return exit_code;
	cli_error("standard output", "%s", strerror(errno));
	return exit_code ? exit_code : CLI_EXIT_FAILED;
}

int cli_exit_of(int err)
{
	switch (err) {
	case 0:
		return CLI_EXIT_OK;
	case -EINVAL:
	case -ERANGE:
		return CLI_EXIT_USAGE;
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EPIPE:
		return CLI_EXIT_NO_DAEMON;
	case -ENOENT:
	case -ESRCH:
	case -ENODEV:
		return CLI_EXIT_NOT_FOUND;
	case -EPERM:
	case -EACCES:
		return CLI_EXIT_DENIED;
	case -EOPNOTSUPP:
		return CLI_EXIT_UNSUPPORTED;
	case -ETIMEDOUT:
	case -EBUSY:
	case -EAGAIN:
		return CLI_EXIT_TIMEOUT;
	default:
		return CLI_EXIT_FAILED;
	}
}

bool cli_sleep(u64 ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	return !nanosleep(&t, NULL);
}

static void print_commands(const char *path, const struct cli_command *table)
{
	printf("usage: %s COMMAND [OPTION...]\n\n", path);
	for (const struct cli_command *c = table; c->name; c++)
		printf("  %-10s %s\n", c->name, c->doc);
	printf("\n%s COMMAND --help tells more about a command.\n", path);
}

int cli_command_run(const char *path, const struct cli_command *table, int argc, char **argv)
{
	if (argc < 1) {
		cli_error("command line", "which command? try %s --help", path);
		return CLI_EXIT_USAGE;
	}
	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h")) {
		print_commands(path, table);
		return cli_finish(CLI_EXIT_OK);
	}
	for (const struct cli_command *c = table; c->name; c++) {
		if (!strcmp(argv[0], c->name))
			return c->run(argc, argv);
	}
	cli_error(argv[0], "no such command; try %s --help", path);
	return CLI_EXIT_USAGE;
}

const char *cli_format_duration(u64 ns, char *out)
{
	static const struct {
		u64 factor;
		const char *name;
	} units[] = {
		{ 1000000000, "s" },
		{ 1000000, "ms" },
		{ 1000, "us" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(units); i++) {
		double value = (double)ns / (double)units[i].factor;

		if (ns < units[i].factor)
			continue;
		snprintf(out, CLI_TEXT_MAX_DURATION, "%.*f %s",
			 value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[i].name);
		return out;
	}
	snprintf(out, CLI_TEXT_MAX_DURATION, "%llu ns", (unsigned long long)ns);
	return out;
}

const char *cli_format_reached(u64 ns, char *out)
{
	return ns == SIM_NEVER ? strcpy(out, "never") : cli_format_duration(ns, out);
}
