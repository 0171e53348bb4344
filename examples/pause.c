// SPDX-License-Identifier: MIT
/*
 * pause PID SECONDS: stops the queues of a process for a while and prints what happens meanwhile.
 *
 *	cc pause.c $(pkg-config --cflags --libs gpreempt) -o pause
 */
#include <gpreempt/gpreempt.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int fail(const struct gpreempt *g, const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, g ? gpreempt_strerror(g) : strerror(-err));
	return 1;
}

/* Events until the time is over. A handle that listens can do nothing else: it has its own. */
static int print_events(struct gpreempt *events, int fd, int seconds)
{
	time_t end = time(NULL) + seconds;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct gpreempt_event e;
	int ret = 0;

	while (time(NULL) < end && ret >= 0) {
		poll(&p, 1, 100);
		while ((ret = gpreempt_monitor_read(events, &e)) > 0)
			printf("%s %u %s\n", e.kind, e.pid, e.text);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct gpreempt_ref ref = { .queue_id = GPREEMPT_QUEUE_ALL };
	struct gpreempt *g = NULL, *events = NULL;
	int seconds = argc == 3 ? atoi(argv[2]) : 0, fd, ret;

	if (argc != 3 || seconds < 1) {
		fprintf(stderr, "usage: %s PID SECONDS\n", argv[0]);
		return 2;
	}
	ref.pid = (uint32_t)strtoul(argv[1], NULL, 10);
	ret = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, NULL);
	if (!ret)
		ret = gpreempt_open(&events, GPREEMPT_OPEN_DAEMON, NULL);
	if (ret)
		return fail(NULL, "gpreempt_open", ret);
	fd = gpreempt_monitor_fd(events, 0);
	if (fd < 0)
		return fail(events, "gpreempt_monitor_fd", fd);
	/* The lease ends the pause even if this program is killed. */
	ret = gpreempt_suspend_queues(g, &ref, 1, (uint64_t)seconds * 2000000000u, 0);
	if (ret != 1)
		return fail(g, "gpreempt_suspend_queues", ret);
	printf("paused %u\n", ref.pid);
	fflush(stdout);
	ret = print_events(events, fd, seconds);
	if (ret < 0)
		return fail(events, "gpreempt_monitor_read", ret);
	ret = gpreempt_resume_queues(g, &ref, 1, 0);
	printf("resumed %u\n", ref.pid);
	gpreempt_close(events);
	gpreempt_close(g);
	return ret != 1;
}
