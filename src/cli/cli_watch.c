// SPDX-License-Identifier: MIT
#include "cli/cli_watch.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull

static volatile sig_atomic_t is_over;

static void end(int sig)
{
	is_over = 1;
}

bool cli_watch_is_line(const struct cli_options *o)
{
	return o->watch_ns || o->count;
}

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

int cli_watch(struct cli_session *s, const struct cli_options *o,
	      int (*once)(struct cli_session *s, const struct cli_options *o, void *arg), void *arg)
{
	struct sigaction sa = { .sa_handler = end };
	int ret = CLI_EXIT_OK;

	if (!cli_watch_is_line(o))
		return once(s, o, arg);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	for (u64 n = 0; !ret && !is_over; n++) {
		if (n && !cli_sleep(o->watch_ns ? o->watch_ns : NS_PER_S))
			break;
		begin_picture(o, n);
		ret = once(s, o, arg);
		fflush(stdout);
		if (o->count && n + 1 >= o->count)
			break;
	}
	return ret;
}
