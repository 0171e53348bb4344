// SPDX-License-Identifier: MIT
#include "client/wire.h"
#include "rules/act.h"

#include <errno.h>
#include <sys/socket.h>

_Static_assert((int)WIRE_GONE == (int)GP_RESULT_GONE, "enum wire_result");
_Static_assert((int)WIRE_BUSY_NOW == (int)GP_RESULT_BUSY, "enum wire_result");
_Static_assert((int)WIRE_ERROR == (int)GP_RESULT_ERROR, "enum wire_result");

/* DBG_TRAP has eight bits for it. */
#define GRACE_MAX 255

int wire_send(int fd, struct wire_hdr *hdr, uint16_t type, size_t size, uint64_t now_ns)
{
	ssize_t n;

	*hdr = (struct wire_hdr){ WIRE_MAGIC, type, (uint16_t)size, now_ns };
	do {
		n = send(fd, hdr, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)size)
		return 0;
	return n < 0 && errno == EAGAIN ? -EAGAIN : -EPIPE;
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

static int check(const union wire_message *m, size_t bytes)
{
	const struct wire_order *o = &m->order;

	if (bytes < sizeof(m->hdr) || m->hdr.magic != WIRE_MAGIC || m->hdr.size != bytes ||
	    bytes != size_of(m->hdr.type))
		return -EBADMSG;
	if (m->hdr.type == WIRE_WELCOME || m->hdr.type == WIRE_BYE)
		return m->hdr.type;
	if (o->holder >= WIRE_HOLDER_COUNT || !o->epoch || o->grace > GRACE_MAX ||
	    (m->hdr.type != WIRE_RELEASE && !o->lease_ns))
		return -EBADMSG;
	return m->hdr.type;
}

int wire_receive(int fd, union wire_message *m)
{
	ssize_t n = recv(fd, m, sizeof(*m), MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	return n ? check(m, (size_t)n) : -EPIPE;
}

void wire_worsen(struct wire_done *done, int error)
{
	uint32_t result = gp_act_result(-error);

	if (done->result >= result)
		return;
	done->result = result;
	done->error = (uint32_t)error;
}
