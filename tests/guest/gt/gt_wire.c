// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL "/tmp/gt_wire.sock"

void gt_wire_open(struct gt_wire *w)
{
	struct sockaddr_un addr = { AF_UNIX, CONTROL WIRE_SOCKET_SUFFIX };
	char *name = strrchr(addr.sun_path, '/');

	GT_CHECK(!access(GT_SHIM, R_OK), "the guest has no %s", GT_SHIM);
	memset(w, 0, sizeof(*w));
	w->lease_ns = 60000000000ull;
	w->sock = -1;
	*name = '\0';
	GT_CHECK(!mkdir(addr.sun_path, 0755) || errno == EEXIST, "mkdir: %s", strerror(errno));
	*name = '/';
	unlink(addr.sun_path);
	w->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	GT_CHECK(!bind(w->listener, (void *)&addr, sizeof(addr)), "bind: %s", strerror(errno));
	GT_CHECK(!listen(w->listener, 4), "listen");
	chmod(addr.sun_path, 0666);
	setenv("GPREEMPT_SOCKET", CONTROL, 1);
	setenv("LD_PRELOAD", GT_SHIM, 1);
}

/* Return: whether something can be read. */
static bool wait_for(int fd, uint64_t until_ns)
{
	struct pollfd p = { fd, POLLIN, 0 };
	uint64_t now = gt_now_ns();

	return poll(&p, 1, until_ns > now ? (int)((until_ns - now) / 1000000) : 0) > 0;
}

int gt_wire_accept(struct gt_wire *w, struct wire_hello *hello, unsigned int ms)
{
	if (!wait_for(w->listener, gt_deadline_ns(ms)))
		return -ETIMEDOUT;
	w->sock = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC);
	w->epoch = 0;
	return gt_wire_get(w, WIRE_HELLO, hello, sizeof(*hello), ms);
}

void gt_wire_welcome(struct gt_wire *w, uint32_t flags)
{
	struct wire_welcome m = {
		.hdr = { WIRE_MAGIC, WIRE_WELCOME, sizeof(m), gt_now_ns() },
		.client = 1,
		.lease_ns = w->lease_ns,
		.poll_ns = 1000000,
		.quiet_ns = 500000,
		.flags = flags,
	};

	GT_CHECK(send(w->sock, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m), "send");
}

void gt_wire_meet(struct gt_wire *w, uint32_t flags)
{
	struct wire_hello hello;

	GT_CHECK(!gt_wire_accept(w, &hello, GT_WIRE_MS), "no client comes");
	GT_CHECK(hello.mech == WIRE_MECH_SHIM, "mechanism %u", hello.mech);
	gt_wire_welcome(w, flags);
}

union message {
	struct wire_hdr hdr;
	struct wire_queue queue;
	uint8_t bytes[WIRE_MAX];
};

/* Return: 0 or -ETIMEDOUT, -EPIPE */
static int next(struct gt_wire *w, union message *m, uint64_t until_ns)
{
	ssize_t n;

	if (!wait_for(w->sock, until_ns))
		return -ETIMEDOUT;
	n = recv(w->sock, m, sizeof(*m), 0);
	if (n <= 0)
		return -EPIPE;
	GT_CHECK(m->hdr.magic == WIRE_MAGIC && m->hdr.size == n, "a bad message");
	return 0;
}

int gt_wire_get(struct gt_wire *w, uint16_t type, void *out, size_t bytes, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	union message m;
	int r;

	do {
		r = next(w, &m, end);
		if (r)
			return r;
	} while (m.hdr.type != type);
	GT_CHECK(!out || m.hdr.size == bytes, "%u bytes of type %u", m.hdr.size, type);
	if (out)
		memcpy(out, &m, bytes);
	return 0;
}

void gt_wire_wait_busy(struct gt_wire *w, unsigned int nr)
{
	uint64_t end = gt_deadline_ns(GT_WIRE_MS);
	unsigned int busy = 0;
	union message m;

	while (busy < nr) {
		GT_CHECK(!next(w, &m, end), "%u queues have work, not %u", busy, nr);
		busy += m.hdr.type == WIRE_BUSY;
		busy -= m.hdr.type == WIRE_IDLE;
		busy += m.hdr.type == WIRE_QUEUE_ADD && m.queue.busy;
	}
}

void gt_wire_drain(struct gt_wire *w)
{
	while (!gt_wire_get(w, WIRE_HELLO, NULL, 0, 0))
		;
}

struct wire_done gt_wire_order(struct gt_wire *w, uint16_t type, uint32_t gpu_id)
{
	struct wire_order m = {
		.hdr = { WIRE_MAGIC, type, sizeof(m), gt_now_ns() },
		.epoch = ++w->epoch,
		.gpu_id = gpu_id,
		.queue_id = WIRE_QUEUE_ALL,
		.lease_ns = w->lease_ns,
	};
	struct wire_done done;

	GT_CHECK(send(w->sock, &m, sizeof(m), MSG_NOSIGNAL) == sizeof(m), "send");
	GT_CHECK(!gt_wire_get(w, WIRE_DONE, &done, sizeof(done), GT_WIRE_MS), "no answer");
	GT_CHECK(done.epoch == m.epoch && done.result == WIRE_OK, "result %u: %s", done.result,
		 strerror((int)done.error));
	return done;
}
