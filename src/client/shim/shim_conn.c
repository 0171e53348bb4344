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

void gp_conn_send_locked(struct gp_shim *s, struct gp_wire_hdr *hdr, uint16_t type, size_t bytes)
{
	ssize_t n;

	if (s->sock < 0 || s->is_broken)
		return;
	if (!gp_fd_is_ours(s->sock, &s->sock_id)) {
		s->is_broken = true;
		return;
	}
	hdr->magic = GP_WIRE_MAGIC;
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
	const char *text = gp_env(variable);
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
	snprintf(out, GP_WIRE_NAME_LEN, "%s", text ? text : "");
}

static void fill_wishes(struct gp_wire_hello *m)
{
	const char *prio = gp_env("GPREEMPT_PRIORITY");
	uint64_t value = number("GPREEMPT_PRIORITY");

	m->prio = GP_WIRE_PRIO_UNSET;
	if (prio && value <= GP_KFD_PRIO_MAX && (value || !strcmp(prio, "0")))
		m->prio = (uint8_t)value;
	value = number("GPREEMPT_WEIGHT");
	m->weight = value <= UINT32_MAX ? (uint32_t)value : 0;
	m->slice_ns = number("GPREEMPT_SLICE_NS");
	m->deadline_ns = number("GPREEMPT_DEADLINE_NS");
	if (number("GPREEMPT_LATENCY_CRITICAL"))
		m->attr_flags |= GP_WIRE_ATTR_LATENCY_CRITICAL;
	name(m->klass, gp_env("GPREEMPT_CLASS"));
	name(m->group, gp_env("GPREEMPT_GROUP"));
}

void gp_conn_hello_locked(struct gp_shim *s)
{
	struct gp_wire_hello m = {
		.version = GP_WIRE_VERSION,
		.mech = GP_WIRE_MECH_SHIM,
		.pid = (uint32_t)getpid(),
		.sees = s->sees,
	};

	fill_wishes(&m);
	name(m.comm, program_invocation_short_name);
	gp_conn_send_locked(s, &m.hdr, GP_WIRE_HELLO, sizeof(m));
	s->told_sees = m.sees;
}

void gp_conn_queue_locked(struct gp_shim *s, const struct gp_shim_queue *q)
{
	struct gp_wire_queue m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.type = q->type,
		.prio = (uint8_t)q->wish.prio,
		.busy = gp_shim_queue_is_compute(q) && q->is_busy,
		.ring_addr = q->wish.ring_addr,
		.ring_bytes = q->wish.ring_bytes,
		.rptr_addr = q->rptr_addr,
		.wptr_addr = q->wptr_addr,
	};

	gp_conn_send_locked(s, &m.hdr, GP_WIRE_QUEUE_ADD, sizeof(m));
}

void gp_conn_edge_locked(struct gp_shim *s, uint16_t type, const struct gp_shim_queue *q)
{
	struct gp_wire_edge m = { .gpu_id = q->gpu_id, .queue_id = q->queue_id };

	gp_conn_send_locked(s, &m.hdr, type, sizeof(m));
}

void gp_conn_progress_locked(struct gp_shim *s, const struct gp_shim_queue *q, uint64_t since_ns)
{
	struct gp_wire_progress m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.since_ns = since_ns,
	};

	gp_conn_send_locked(s, &m.hdr, GP_WIRE_PROGRESS, sizeof(m));
}

void gp_conn_note_locked(struct gp_shim *s, uint32_t code, uint32_t gpu_id, uint64_t value,
			 const char *text)
{
	struct gp_wire_note m = { .code = code, .gpu_id = gpu_id, .value = value };

	snprintf(m.text, sizeof(m.text), "%s", text);
	gp_conn_send_locked(s, &m.hdr, GP_WIRE_NOTE, sizeof(m));
}

void gp_conn_lost_locked(struct gp_shim *s, uint32_t gpu_id)
{
	gp_conn_note_locked(s, GP_WIRE_NOTE_RESET, gpu_id, 0, "a queue was reset");
}

static size_t size_of(uint16_t type)
{
	switch (type) {
	case GP_WIRE_WELCOME:
		return sizeof(struct gp_wire_welcome);
	case GP_WIRE_HOLD:
	case GP_WIRE_RELEASE:
	case GP_WIRE_RENEW:
		return sizeof(struct gp_wire_order);
	case GP_WIRE_BYE:
		return sizeof(struct gp_wire_note);
	}
	return 0;
}

int gp_conn_check(const void *data, size_t bytes)
{
	const struct gp_wire_hdr *hdr = data;
	const struct gp_wire_order *order = data;

	if (bytes < sizeof(*hdr) || hdr->magic != GP_WIRE_MAGIC || hdr->size != bytes ||
	    bytes != size_of(hdr->type))
		return -EBADMSG;
	if (hdr->type == GP_WIRE_WELCOME || hdr->type == GP_WIRE_BYE)
		return hdr->type;
	if (order->holder >= GP_WIRE_HOLDER_COUNT || !order->epoch ||
	    order->grace > GP_KFD_GRACE_MAX ||
	    (hdr->type != GP_WIRE_RELEASE && !order->lease_ns))
		return -EBADMSG;
	return hdr->type;
}
