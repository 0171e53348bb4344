// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/tracer/tracer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "driver/sysfile.h"

#define WELCOME_TIMEOUT_MS 5000
#define NS_PER_MS 1000000ull
#define DEFAULT_LEASE_NS (1000 * NS_PER_MS)
#define DEFAULT_POLL_NS NS_PER_MS
#define MIN_POLL_NS (NS_PER_MS / 10)

static int send_message(struct tracer *t, struct wire_hdr *h, enum wire_type type,
			size_t size)
{
	h->magic = WIRE_MAGIC;
	h->type = (uint16_t)type;
	h->size = (uint16_t)size;
	if (!h->time_ns)
		h->time_ns = tracer_now_ns();
	if (send(t->sock, h, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
		return 0;
	if (errno == EAGAIN)
		return -EAGAIN;
	tracer_end(t, 0, "the daemon is gone");
	return -EPIPE;
}

static uint32_t wire_type(uint32_t type)
{
	return type == DRV_KFD_QUEUE_SDMA_BY_ENGINE ? WIRE_QUEUE_SDMA : type;
}

int tracer_send_queue(struct tracer *t, const struct tracer_queue *q)
{
	struct wire_queue m = {
		.gpu_id = q->e.gpu_id,
		.queue_id = q->e.queue_id,
		.type = wire_type(q->e.type),
		.prio = WIRE_PRIO_UNSET,
		.busy = q->busy,
		.ring_addr = q->e.ring_addr,
		.ring_bytes = q->e.ring_bytes,
		.rptr_addr = q->e.rptr_addr,
		.wptr_addr = q->e.wptr_addr,
	};

	return send_message(t, &m.hdr, WIRE_QUEUE_ADD, sizeof(m));
}

int tracer_send_edge(struct tracer *t, enum wire_type type,
		     const struct tracer_queue *q)
{
	struct wire_edge m = { .gpu_id = q->e.gpu_id, .queue_id = q->e.queue_id };

	return send_message(t, &m.hdr, type, sizeof(m));
}

int tracer_send_progress(struct tracer *t, const struct tracer_queue *q,
			 uint64_t since_ns)
{
	struct wire_progress m = {
		.gpu_id = q->e.gpu_id,
		.queue_id = q->e.queue_id,
		.since_ns = since_ns,
	};

	return send_message(t, &m.hdr, WIRE_PROGRESS, sizeof(m));
}

int tracer_send_done(struct tracer *t, struct wire_done *done)
{
	int r = send_message(t, &done->hdr, WIRE_DONE, sizeof(*done));

	/* A peer that sends orders and reads no answers is no scheduler. */
	if (r == -EAGAIN)
		tracer_end(t, EAGAIN, "the daemon does not read");
	return r;
}

int tracer_note(struct tracer *t, enum wire_note_code code, uint32_t gpu_id,
		uint64_t value, const char *text)
{
	struct wire_note m = { .code = code, .gpu_id = gpu_id, .value = value };

	snprintf(m.text, sizeof(m.text), "%s", text ? text : "");
	return send_message(t, &m.hdr, WIRE_NOTE, sizeof(m));
}

/* Names go into command lines and files: what is not plain becomes a dot. */
static void read_comm(struct tracer *t, char *out, size_t size)
{
	char path[DRV_SYSFILE_PATH_MAX];
	size_t i;

	if (drv_sysfile_path(path, NULL, "/proc/%d/comm", (int)t->pid) ||
	    drv_sysfile_text(path, out, size) < 0)
		out[0] = 0;
	for (i = 0; out[i]; i++)
		if (out[i] <= ' ' || out[i] > '~' || out[i] == '"' || out[i] == '/')
			out[i] = '.';
}

/* Return: its type; 0 nothing there; -EPIPE the end; -EPROTO nonsense. */
static int receive(struct tracer *t, void *buf)
{
	const struct wire_hdr *h = buf;
	ssize_t n = recv(t->sock, buf, WIRE_MAX, MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (!n)
		return -EPIPE;
	if ((size_t)n < sizeof(*h) || n > WIRE_MAX || h->magic != WIRE_MAGIC ||
	    h->size != n || !h->type)
		return -EPROTO;
	return h->type;
}

static int take_welcome(struct tracer *t, const struct wire_welcome *w)
{
	if (w->hdr.size != sizeof(*w))
		return -EPROTO;
	t->lease_ns = w->lease_ns ? w->lease_ns : DEFAULT_LEASE_NS;
	t->poll_ns = w->poll_ns ? w->poll_ns : DEFAULT_POLL_NS;
	if (t->poll_ns < MIN_POLL_NS)
		t->poll_ns = MIN_POLL_NS;
	t->quiet_ns = w->quiet_ns;
	t->wants_progress = w->flags & WIRE_WELCOME_PROGRESS;
	return 0;
}

int tracer_hello(struct tracer *t)
{
	struct wire_hello m = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_DBG,
		.pid = (uint32_t)t->pid,
		.prio = WIRE_PRIO_UNSET,
	};
	struct pollfd fd = { .fd = t->sock, .events = POLLIN };
	_Alignas(8) char buf[WIRE_MAX];
	int r;

	read_comm(t, m.comm, sizeof(m.comm));
	r = send_message(t, &m.hdr, WIRE_HELLO, sizeof(m));
	if (r)
		return r;
	if (poll(&fd, 1, WELCOME_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	r = receive(t, buf);
	if (r == WIRE_WELCOME)
		return take_welcome(t, (void *)buf);
	if (r == WIRE_BYE)
		return -ECONNREFUSED;
	return r < 0 ? r : -EPROTO;
}

static bool is_order(const struct wire_order *o)
{
	return o->hdr.size == sizeof(*o) && o->holder < WIRE_HOLDER_COUNT &&
	       o->grace <= DRV_KFD_GRACE_MAX;
}

/* Return: false if it makes no sense. */
static bool take(struct tracer *t, int type, const void *buf)
{
	const struct wire_order *o = buf;

	switch (type) {
	case WIRE_HOLD:
	case WIRE_RELEASE:
	case WIRE_RENEW:
		if (!is_order(o))
			return false;
		break;
	case WIRE_WELCOME:
		return !take_welcome(t, buf);
	case WIRE_BYE:
		tracer_end(t, 0, "the daemon said goodbye");
		return true;
	default:
		return false;
	}
	if (type == WIRE_HOLD)
		tracer_hold(t, o);
	else if (type == WIRE_RELEASE)
		tracer_unhold(t, o);
	else
		tracer_renew(t, o);
	return true;
}

void tracer_read(struct tracer *t)
{
	_Alignas(8) char buf[WIRE_MAX];
	int type;

	/* One message a turn: the target and the leases are not to wait for many. */
	type = receive(t, buf);
	if (!type)
		return;
	if (type == -EPIPE)
		tracer_end(t, 0, "the daemon is gone");
	else if (type < 0 || !take(t, type, buf))
		tracer_end(t, EPROTO, "the daemon talks nonsense");
}
