// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_conn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/shim/shim_env.h"
#include "client/shim/shim_queue.h"

void shim_conn_send_locked(struct shim *s, struct wire_hdr *hdr, uint16_t type, size_t bytes)
{
	ssize_t n;

	if (s->sock < 0 || s->is_broken)
		return;
	if (!shim_fd_is_ours(s->sock, &s->sock_id)) {
		s->is_broken = true;
		return;
	}
	hdr->magic = WIRE_MAGIC;
	hdr->type = type;
	hdr->size = (uint16_t)bytes;
	hdr->time_ns = s->sys->now_ns();
	do {
		n = send(s->sock, hdr, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)bytes)
		s->is_broken = true;
}

/* 0 if the variable is not there or no number. */
static uint64_t number(const char *variable)
{
	const char *text = shim_env(variable);
	unsigned long long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return errno || *end ? 0 : value;
}

static void name(char *out, const char *text)
{
	snprintf(out, WIRE_NAME_LEN, "%s", text ? text : "");
}

static void fill_wishes(struct wire_hello *m)
{
	const char *prio = shim_env("GPREEMPT_PRIORITY");
	uint64_t value = number("GPREEMPT_PRIORITY");

	m->prio = WIRE_PRIO_UNSET;
	if (prio && value <= DRV_KFD_PRIO_MAX && (value || !strcmp(prio, "0")))
		m->prio = (uint8_t)value;
	value = number("GPREEMPT_WEIGHT");
	m->weight = value <= UINT32_MAX ? (uint32_t)value : 0;
	m->slice_ns = number("GPREEMPT_SLICE_NS");
	m->deadline_ns = number("GPREEMPT_DEADLINE_NS");
	if (number("GPREEMPT_LATENCY_CRITICAL"))
		m->attr_flags |= WIRE_ATTR_LATENCY_CRITICAL;
	name(m->klass, shim_env("GPREEMPT_CLASS"));
	name(m->group, shim_env("GPREEMPT_GROUP"));
}

void shim_conn_hello_locked(struct shim *s)
{
	struct wire_hello m = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SHIM,
		.pid = (uint32_t)getpid(),
		.sees = s->sees,
	};

	fill_wishes(&m);
	name(m.comm, program_invocation_short_name);
	shim_conn_send_locked(s, &m.hdr, WIRE_HELLO, sizeof(m));
	s->told_sees = m.sees;
}

void shim_conn_queue_locked(struct shim *s, const struct shim_queue *q)
{
	struct wire_queue m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.type = q->type,
		.prio = (uint8_t)q->wish.prio,
		.busy = shim_queue_is_compute(q) && q->is_busy,
		.ring_addr = q->wish.ring_addr,
		.ring_bytes = q->wish.ring_bytes,
		.rptr_addr = q->rptr_addr,
		.wptr_addr = q->wptr_addr,
	};

	shim_conn_send_locked(s, &m.hdr, WIRE_QUEUE_ADD, sizeof(m));
}

void shim_conn_edge_locked(struct shim *s, uint16_t type, const struct shim_queue *q)
{
	struct wire_edge m = { .gpu_id = q->gpu_id, .queue_id = q->queue_id };

	shim_conn_send_locked(s, &m.hdr, type, sizeof(m));
}

void shim_conn_progress_locked(struct shim *s, const struct shim_queue *q, uint64_t since_ns)
{
	struct wire_progress m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.since_ns = since_ns,
	};

	shim_conn_send_locked(s, &m.hdr, WIRE_PROGRESS, sizeof(m));
}

void shim_conn_note_locked(struct shim *s, uint32_t code, uint32_t gpu_id, uint64_t value,
			   const char *text)
{
	struct wire_note m = { .code = code, .gpu_id = gpu_id, .value = value };

	snprintf(m.text, sizeof(m.text), "%s", text);
	shim_conn_send_locked(s, &m.hdr, WIRE_NOTE, sizeof(m));
}

void shim_conn_lost_locked(struct shim *s, uint32_t gpu_id)
{
	shim_conn_note_locked(s, WIRE_NOTE_RESET, gpu_id, 0, "a queue was reset");
}

static size_t size_of(uint16_t type)
{
	switch (type) {
	case WIRE_WELCOME:
		return sizeof(struct wire_welcome);
	case WIRE_HOLD:
	case WIRE_RELEASE:
	case WIRE_RENEW:
		return sizeof(struct wire_order);
	case WIRE_BYE:
		return sizeof(struct wire_note);
	}
	return 0;
}

int shim_conn_check(const void *data, size_t bytes)
{
	const struct wire_hdr *hdr = data;
	const struct wire_order *order = data;

	if (bytes < sizeof(*hdr) || hdr->magic != WIRE_MAGIC || hdr->size != bytes ||
	    bytes != size_of(hdr->type))
		return -EBADMSG;
	if (hdr->type == WIRE_WELCOME || hdr->type == WIRE_BYE)
		return hdr->type;
	if (order->holder >= WIRE_HOLDER_COUNT || !order->epoch ||
	    order->grace > DRV_KFD_GRACE_MAX ||
	    (hdr->type != WIRE_RELEASE && !order->lease_ns))
		return -EBADMSG;
	return hdr->type;
}
