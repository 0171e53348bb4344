// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/client_tracer.h"
#include "client/tracer/tracer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "driver/sysfile.h"

#define NS_PER_S 1000000000ull

uint64_t tracer_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void tracer_end(struct tracer *t, int error, const char *why)
{
	if (t->done)
		return;
	t->done = true;
	t->error = error;
	t->why = why;
}

/* The signals that are read; the others end the program as usual, which resumes all. */
static int open_signals(struct tracer *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	/* If it were ignored, stops would not be told and the target would stand still. */
	signal(SIGCHLD, SIG_DFL);
	t->sigs = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return t->sigs < 0 ? -errno : 0;
}

static void read_signals(struct tracer *t)
{
	struct signalfd_siginfo si;

	while (read(t->sigs, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGCHLD)
			tracer_end(t, 0, "asked to end");
	}
	tracer_stops(t);
}

static void wait_for_something(struct tracer *t, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = t->sock, .events = POLLIN },
		{ .fd = t->sigs, .events = POLLIN },
		{ .fd = t->pipe[0], .events = POLLIN },
	};
	uint64_t now = tracer_now_ns(), left = until_ns > now ? until_ns - now : 0;
	struct timespec ts = { .tv_sec = (time_t)(left / NS_PER_S),
			       .tv_nsec = (long)(left % NS_PER_S) };
	int r = ppoll(fds, 3, until_ns == TRACER_NEVER ? NULL : &ts, NULL);

	if (r < 0 && errno != EINTR)
		tracer_end(t, errno, "cannot wait");
	if (r <= 0)
		return;
	/* The target first: it may stand still until it is looked at. */
	if (fds[1].revents)
		read_signals(t);
	if (fds[2].revents)
		tracer_events(t);
	if (fds[0].revents)
		tracer_read(t);
}

static void run(struct tracer *t)
{
	uint64_t now, lease, look;

	while (!t->done) {
		now = tracer_now_ns();
		lease = tracer_leases(t, now);
		look = tracer_look(t, now);
		if (!t->done)
			wait_for_something(t, tracer_earlier(lease, look));
	}
}

static int attach(struct tracer *t)
{
	int r = tracer_seize(t);

	return r ? r : tracer_open(t);
}

static int trace(struct tracer *t)
{
	int r = tracer_hello(t);

	if (r)
		return r;
	r = attach(t);
	if (r)
		tracer_note(t, WIRE_NOTE_REFUSED, 0, (uint64_t)-r, t->why);
	else
		run(t);
	/* In this order: nothing may be suspended when the target is not traced any more. */
	tracer_close(t);
	tracer_release(t);
	if (t->error)
		tracer_note(t, WIRE_NOTE_REFUSED, 0, (uint64_t)t->error, t->why);
	return r ? r : -t->error;
}

static int usage(void)
{
	fputs("usage: gpreempt-tracer PID\n"
	      "Started by gpreemptd with a socket as descriptor 3; not to be run by hand.\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static struct tracer t = {
		.sock = CLIENT_TRACER_FD, .kfd = -1, .mem = -1, .pipe = { -1, -1 },
	};
	uint64_t pid;
	int r;

	if (argc != 2 || drv_sysfile_parse(argv[1], &pid) || !pid || pid > INT32_MAX)
		return usage();
	t.pid = (pid_t)pid;
	client_holds_init(&t.holds);
	r = open_signals(&t);
	if (!r)
		r = trace(&t);
	if (r)
		fprintf(stderr, "gpreempt-tracer: process %d: %s (%s)\n", (int)t.pid,
			t.why ? t.why : "no daemon", strerror(-r));
	return r ? 1 : 0;
}
