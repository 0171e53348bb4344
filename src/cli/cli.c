// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include "sim/sim_run.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

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

int cli_fail(const char *object, int err, const char *text)
{
	cli_error(object, "%s", text && *text ? text : strerror(-err));
	return CLI_EXIT_FAILED;
}

int cli_finish(int exit_code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return exit_code;
	cli_fail("standard output", -errno, NULL);
	return exit_code ? exit_code : CLI_EXIT_FAILED;
}

int cli_exit_of(int err)
{
	static const struct {
		int err;
		enum cli_exit code;
	} codes[] = {
		{ 0, CLI_EXIT_OK },
		{ -EINVAL, CLI_EXIT_USAGE }, { -ERANGE, CLI_EXIT_USAGE },
		{ -ECONNREFUSED, CLI_EXIT_NO_DAEMON }, { -ECONNRESET, CLI_EXIT_NO_DAEMON },
		{ -EPIPE, CLI_EXIT_NO_DAEMON }, { -ENOENT, CLI_EXIT_NOT_FOUND },
		{ -ESRCH, CLI_EXIT_NOT_FOUND }, { -ENODEV, CLI_EXIT_NOT_FOUND },
		{ -EPERM, CLI_EXIT_DENIED }, { -EACCES, CLI_EXIT_DENIED },
		{ -EOPNOTSUPP, CLI_EXIT_UNSUPPORTED }, { -ETIMEDOUT, CLI_EXIT_TIMEOUT },
		{ -EBUSY, CLI_EXIT_TIMEOUT }, { -EAGAIN, CLI_EXIT_TIMEOUT },
	};

	for (u32 i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].err == err)
			return codes[i].code;
	}
	return CLI_EXIT_FAILED;
}

u64 cli_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * CLI_NS_PER_S + (u64)t.tv_nsec;
}

bool cli_sleep(u64 ns)
{
	struct timespec t = { (time_t)(ns / CLI_NS_PER_S), (long)(ns % CLI_NS_PER_S) };

	return !nanosleep(&t, NULL);
}

static void on_end(int sig)
{
	is_over = 1;
}

void cli_catch_end(void)
{
	struct sigaction sa = { .sa_handler = on_end }, hup;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* A terminal that goes ends it as well, unless nohup(1) said otherwise. */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

bool cli_is_over(void)
{
	return is_over;
}

u32 cli_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

const struct cli_unit cli_units[CLI_UNITS] = {
	{ "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
};

const char *cli_format_duration(u64 ns, char *out)
{
	const struct cli_unit *u = cli_units;
	double value;

	while (u->ns > 1 && (double)ns < u->ns)
		u++;
	value = (double)ns / u->ns;
	snprintf(out, CLI_TEXT_MAX_DURATION, "%.*f %s",
		 u->ns == 1 || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1, value, u->name);
	return out;
}

const char *cli_format_reached(u64 ns, char *out)
{
	return ns == SIM_NEVER ? strcpy(out, "never") : cli_format_duration(ns, out);
}
