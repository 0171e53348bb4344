// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/tracer/tracer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "client/wire_decode.h"
#include "driver/sysfile.h"

#define WELCOME_TIMEOUT_MS 5000
#define NS_PER_MS 1000000ull
#define DEFAULT_POLL_NS NS_PER_MS
#define MIN_POLL_NS (NS_PER_MS / 10)

static int try_send(struct tracer *t, struct wire_hdr *h, enum wire_type type, size_t size)
{
	int r = wire_send(t->sock, h, type, size, tracer_now_ns());

	if (r == -EPIPE)
		tracer_end(t, 0, "the daemon is gone");
	return r;
}

static int must_send(struct tracer *t, struct wire_hdr *h, enum wire_type type, size_t size)
{
	int r = try_send(t, h, type, size);

	if (r == -EAGAIN)
		tracer_end(t, EAGAIN, "the daemon does not read");
	return r;
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

	return must_send(t, &m.hdr, WIRE_QUEUE_ADD, sizeof(m));
}

int tracer_send_edge(struct tracer *t, enum wire_type type, const struct tracer_queue *q)
{
	struct wire_edge m = { .gpu_id = q->e.gpu_id, .queue_id = q->e.queue_id };

	if (type == WIRE_QUEUE_REMOVE)
		return must_send(t, &m.hdr, type, sizeof(m));
	return try_send(t, &m.hdr, type, sizeof(m));
}

int tracer_send_progress(struct tracer *t, const struct tracer_queue *q, uint64_t since_ns)
{
	struct wire_progress m = {
		.gpu_id = q->e.gpu_id,
		.queue_id = q->e.queue_id,
		.since_ns = since_ns,
	};

	return try_send(t, &m.hdr, WIRE_PROGRESS, sizeof(m));
}

int tracer_send_done(struct tracer *t, struct wire_done *done)
{
	return must_send(t, &done->hdr, WIRE_DONE, sizeof(*done));
}

int tracer_note(struct tracer *t, enum wire_note_code code, uint32_t gpu_id, uint64_t value,
		const char *text)
{
	struct wire_note m = { .code = code, .gpu_id = gpu_id, .value = value };

	snprintf(m.text, sizeof(m.text), "%s", text ? text : "");
	return try_send(t, &m.hdr, WIRE_NOTE, sizeof(m));
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
		if (!wire_is_name(&out[i], 1))
			out[i] = '.';
}

static void take_welcome(struct tracer *t, const struct wire_welcome *w)
{
	t->poll_ns = w->poll_ns ? w->poll_ns : DEFAULT_POLL_NS;
	if (t->poll_ns < MIN_POLL_NS)
		t->poll_ns = MIN_POLL_NS;
	t->quiet_ns = w->quiet_ns;
	t->wants_progress = w->flags & WIRE_WELCOME_PROGRESS;
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
	union wire_message answer;
	int r;

	read_comm(t, m.comm, sizeof(m.comm));
	r = try_send(t, &m.hdr, WIRE_HELLO, sizeof(m));
	if (r)
		return r;
	if (poll(&fd, 1, WELCOME_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	r = wire_receive(t->sock, &answer);
	if (r == WIRE_WELCOME) {
		take_welcome(t, &answer.welcome);
		return 0;
	}
	if (r == WIRE_BYE)
		return -ECONNREFUSED;
	return r == -EPIPE ? r : -EPROTO;
}

/* One message a turn: the target and the leases are not to wait for many. */
void tracer_read(struct tracer *t)
{
	union wire_message m;

	switch (wire_receive(t->sock, &m)) {
	case 0:
		break;
	case WIRE_HOLD:
	case WIRE_RELEASE:
	case WIRE_RENEW:
		tracer_order(t, &m.order);
		break;
	case WIRE_WELCOME:
		take_welcome(t, &m.welcome);
		break;
	case WIRE_BYE:
		tracer_end(t, 0, "the daemon said goodbye");
		break;
	case -EPIPE:
		tracer_end(t, 0, "the daemon is gone");
		break;
	default:
		tracer_end(t, EPROTO, "the daemon talks nonsense");
	}
}
