// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_session.h"

#include <poll.h>
#include <signal.h>

/* Gives all that are there. 1 = go on, 0 = enough, or -errno. */
static int give_events(struct cli_session *s, bool (*event)(const json_t *event, void *arg),
		       void *arg)
{
	char *text;
	int ret;

	while ((ret = gpreempt_monitor_read_text(s->g, &text)) == 1) {
		json_t *e = json_loads(text, 0, NULL);
		bool is_more = e && event(e, arg);

		json_decref(e);
		gpreempt_free(text);
		if (!is_more)
			return 0;
	}
	return ret ? ret : 1;
}

/* Signals arrive only while it waits. False = time is over. */
static bool wait_for(int fd, u64 until_ns, const sigset_t *open)
{
	u64 now = cli_now_ns();
	u64 left = until_ns > now ? until_ns - now : 0;
	struct timespec t = { (time_t)(left / CLI_NS_PER_S), (long)(left % CLI_NS_PER_S) };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (until_ns && !left)
		return false;
	ppoll(&p, 1, until_ns ? &t : NULL, open);
	return true;
}

int cli_stream_run(struct cli_session *s, unsigned int flags, u64 duration_ns,
		   bool (*event)(const json_t *event, void *arg), void *arg)
{
	u64 until_ns = duration_ns ? cli_now_ns() + duration_ns : 0;
	sigset_t closed, open;
	int fd = gpreempt_monitor_fd(s->g, flags);
	int ret = 1;

	if (fd < 0)
		return cli_session_fail(s, "events", fd);
	sigemptyset(&closed);
	sigaddset(&closed, SIGINT);
	sigaddset(&closed, SIGTERM);
	sigaddset(&closed, SIGHUP);
	sigprocmask(SIG_BLOCK, &closed, &open);
	cli_catch_end();
	while (ret == 1 && !cli_is_over() && wait_for(fd, until_ns, &open))
		ret = give_events(s, event, arg);
	sigprocmask(SIG_SETMASK, &open, NULL);
	return ret < 0 ? cli_session_fail(s, "events", ret) : CLI_EXIT_OK;
}
