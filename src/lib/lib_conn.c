// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "lib/lib_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define FIRST_CAP 16384u

uint64_t lib_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t lib_deadline(uint64_t timeout_ns)
{
	uint64_t now = lib_now_ns();

	return timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
}

void lib_conn_init(struct lib_conn *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

/*
 * A unix socket whose queue is full says EAGAIN at once if it does not block, and there
 * is nothing to poll for: so connect() blocks, for as long as SO_SNDTIMEO allows.
 */
static int connect_until(int fd, const struct sockaddr_un *addr, uint64_t deadline_ns)
{
	uint64_t now = lib_now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 1000;
	struct timeval tv = {
		.tv_sec = (time_t)(left / NS_PER_S),
		.tv_usec = (suseconds_t)(left % NS_PER_S / 1000),
	};

	if (!tv.tv_sec && !tv.tv_usec)
		tv.tv_usec = 1;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)))
		return -errno;
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return errno == EAGAIN || errno == EINPROGRESS ? -ETIMEDOUT : -errno;
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

int lib_conn_open(struct lib_conn *c, const char *path, uint64_t deadline_ns)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int ret;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return -errno;
	ret = connect_until(c->fd, &addr, deadline_ns);
	if (ret)
		lib_conn_close(c);
	return ret;
}

void lib_conn_close(struct lib_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->buf);
	lib_conn_init(c);
}

int lib_wait(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		uint64_t now = lib_now_ns();
		uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec t = { (time_t)(left / NS_PER_S), (long)(left % NS_PER_S) };
		int n;

		if (!left)
			return -ETIMEDOUT;
		n = ppoll(&p, 1, &t, NULL);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

int lib_conn_send(struct lib_conn *c, const char *text, uint64_t deadline_ns)
{
	size_t left = strlen(text) + 1;

	while (left) {
		ssize_t n = send(c->fd, text, left, MSG_NOSIGNAL);
		int ret;

		if (n > 0) {
			text += n;
			left -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -EPIPE;
		ret = lib_wait(c->fd, POLLOUT, deadline_ns);
		if (ret)
			return ret;
	}
	return 0;
}

/* Drops what was given out and makes room for more. */
static int make_room(struct lib_conn *c)
{
	size_t cap;
	char *mem;

	if (c->start) {
		c->len -= c->start;
		memmove(c->buf, c->buf + c->start, c->len);
		c->start = 0;
	}
	if (c->len < c->cap)
		return 0;
	if (c->cap >= LIB_CONN_MAX)
		return -EMSGSIZE;
	cap = c->cap ? 2 * c->cap : FIRST_CAP;
	mem = realloc(c->buf, cap);
	if (!mem)
		return -ENOMEM;
	c->buf = mem;
	c->cap = cap;
	return 0;
}

/* Takes what the kernel has. 1 = something, 0 = nothing now. */
static int take(struct lib_conn *c)
{
	ssize_t n;
	int ret = make_room(c);

	if (ret)
		return ret;
	do {
		n = recv(c->fd, c->buf + c->len, c->cap - c->len, 0);
	} while (n < 0 && errno == EINTR);
	if (n > 0) {
		c->len += (size_t)n;
		return 1;
	}
	return n < 0 && errno == EAGAIN ? 0 : -EPIPE;
}

int lib_conn_receive(struct lib_conn *c, const char **text, uint64_t deadline_ns)
{
	size_t seen = c->start;

	for (;;) {
		char *end = c->len > seen ? memchr(c->buf + seen, 0, c->len - seen) : NULL;
		int ret;

		if (end) {
			*text = c->buf + c->start;
			c->start = (size_t)(end - c->buf) + 1;
			return 0;
		}
		seen = c->len - c->start;	/* where it is once make_room() moved it */
		ret = take(c);
		if (!ret)
			ret = deadline_ns ? lib_wait(c->fd, POLLIN, deadline_ns) : -EAGAIN;
		if (ret < 0)
			return ret;
	}
}
