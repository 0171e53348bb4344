// SPDX-License-Identifier: MIT
/*
 * A simulated process that runs in any image: it takes its class and the socket from the
 * environment, as the shim does, and answers orders at once. It prints "ready", "hold" and
 * "release"; lines on standard input are "busy", "idle" and "end". A daemon that goes away is
 * looked for again, as long as it lasts.
 */
#include "client/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static bool is_busy;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void say_edge(int fd)
{
	struct wire_edge edge = { .gpu_id = 1 };

	wire_send(fd, &edge.hdr, is_busy ? WIRE_BUSY : WIRE_IDLE, sizeof(edge), now_ns());
}

static int say_hello(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct wire_hello hello = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SIM,
		.prio = WIRE_PRIO_UNSET,
	};
	const char *klass = getenv("GPREEMPT_CLASS");
	const char *path = getenv("GPREEMPT_SOCKET");
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s%s", path ? path : "", WIRE_SOCKET_SUFFIX);
	snprintf(hello.klass, sizeof(hello.klass), "%s", klass ? klass : "");
	snprintf(hello.comm, sizeof(hello.comm), "%s", name);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) &&
	    !wire_send(fd, &hello.hdr, WIRE_HELLO, sizeof(hello), now_ns()))
		return fd;
	close(fd);
	return -1;
}

static void tell_queue(int fd)
{
	struct wire_queue q = { .gpu_id = 1, .type = WIRE_QUEUE_AQL, .prio = 7, .busy = is_busy };

	wire_send(fd, &q.hdr, WIRE_QUEUE_ADD, sizeof(q), now_ns());
	puts("ready");
}

static void obey(int fd, const struct wire_order *o)
{
	struct wire_done done = { .epoch = o->epoch, .gpu_id = o->gpu_id, .nr_queues = 1 };

	wire_send(fd, &done.hdr, WIRE_DONE, sizeof(done), now_ns());
	puts(o->hdr.type == WIRE_HOLD ? "hold" : "release");
}

/* Return: whether the daemon is there still. */
static bool hear(int fd)
{
	union wire_message m;
	int type;

	while ((type = wire_receive(fd, &m)) > 0) {
		if (type == WIRE_WELCOME)
			tell_queue(fd);
		else if (type == WIRE_HOLD || type == WIRE_RELEASE)
			obey(fd, &m.order);
	}
	return !type;
}

/* Return: whether to go on. */
static bool do_line(int fd)
{
	char line[64];

	if (!fgets(line, sizeof(line), stdin) || !strncmp(line, "end", 3))
		return false;
	is_busy = !strncmp(line, "busy", 4);
	say_edge(fd);
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd p[2] = { { .fd = 0, .events = POLLIN }, { .fd = -1, .events = POLLIN } };

	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		if (p[1].fd < 0)
			p[1].fd = say_hello(argc > 1 ? argv[1] : "client");
		if (poll(p, 2, p[1].fd < 0 ? 20 : -1) < 0 && errno != EINTR)
			return 1;
		if (p[0].revents && !do_line(p[1].fd))
			return 0;
		if (p[1].fd >= 0 && !hear(p[1].fd)) {
			close(p[1].fd);
			p[1].fd = -1;
		}
	}
}
