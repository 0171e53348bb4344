// SPDX-License-Identifier: MIT
#include "client/wire_decode.h"
#include "rules/right.h"

#include <errno.h>
#include <string.h>

static int refuse(const char **why, const char *reason, int err)
{
	*why = reason;
	return err;
}

static int bad(const char **why, const char *reason)
{
	return refuse(why, reason, -EINVAL);
}

bool wire_is_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '"' || name[i] == '/')
			return false;
	return true;
}

static bool is_field_name(const char name[WIRE_NAME_LEN])
{
	size_t len = strnlen(name, WIRE_NAME_LEN);

	return len < WIRE_NAME_LEN && wire_is_name(name, len);
}

static bool is_zero(const void *p, size_t len)
{
	const unsigned char *b = p;
	size_t i;

	for (i = 0; i < len; i++)
		if (b[i])
			return false;
	return true;
}

/* The highest hardware priority of a queue: KFD_MAX_QUEUE_PRIORITY. */
#define HW_PRIO_MAX 15

static int check_hello(union wire_said *msg, const char **why)
{
	struct wire_hello *m = &msg->hello;

	m->comm[sizeof(m->comm) - 1] = '\0';
	if (m->version != WIRE_VERSION)
		return refuse(why, "another version of the protocol", -EPROTONOSUPPORT);
	if (m->mech < WIRE_MECH_SHIM || m->mech > WIRE_MECH_SIM)
		return bad(why, "no such mechanism");
	if (m->sees & ~WIRE_SEES_MASK)
		return bad(why, "reserved bits in what it sees");
	if (m->prio > GP_PRIO_MAX && m->prio != WIRE_PRIO_UNSET)
		return bad(why, "priority out of range");
	if (!is_zero(m->pad, sizeof(m->pad)) || m->reserved)
		return bad(why, "reserved fields are not zero");
	if (m->attr_flags & ~WIRE_ATTR_LATENCY_CRITICAL)
		return bad(why, "reserved attribute flags");
	if (m->weight > GP_WEIGHT_MAX)
		return bad(why, "weight out of range");
	if (m->slice_ns > GP_ATTR_TIME_MAX_NS || m->deadline_ns > GP_ATTR_TIME_MAX_NS)
		return bad(why, "slice or deadline out of range");
	if (!is_field_name(m->klass) || !is_field_name(m->group))
		return bad(why, "class or group is not a name");
	return 0;
}

static int check_queue(union wire_said *msg, const char **why)
{
	const struct wire_queue *m = &msg->queue;

	if (m->type > WIRE_QUEUE_SDMA_XGMI)
		return bad(why, "no such type of queue");
	if (m->prio > HW_PRIO_MAX && m->prio != WIRE_PRIO_UNSET)
		return bad(why, "priority out of range");
	if (m->busy > 1 || !is_zero(m->pad, sizeof(m->pad)))
		return bad(why, "reserved bits of a queue");
	return 0;
}

static int check_progress(union wire_said *msg, const char **why)
{
	const struct wire_progress *m = &msg->progress;

	return m->since_ns > m->hdr.time_ns ? bad(why, "a request of the future") : 0;
}

static int check_done(union wire_said *msg, const char **why)
{
	const struct wire_done *m = &msg->done;

	if (m->result > WIRE_ERROR)
		return bad(why, "no such result");
	if (m->error > 4095 || m->reserved)
		return bad(why, "reserved bits of an answer");
	return 0;
}

static int check_note(union wire_said *msg, const char **why)
{
	const struct wire_note *m = &msg->note;

	if (m->code < WIRE_NOTE_SEES || m->code > WIRE_NOTE_RESET)
		return bad(why, "no such note");
	if (m->code == WIRE_NOTE_SEES && m->value & ~(uint64_t)WIRE_SEES_MASK)
		return bad(why, "reserved bits in what it sees");
	if (!memchr(m->text, '\0', sizeof(m->text)))
		return bad(why, "text without an end");
	return 0;
}

/* Of a queue: its name is where that of an edge is. */
static const struct {
	size_t size;
	bool is_of_queue;
	int (*check)(union wire_said *msg, const char **why); /* NULL = there is no more */
} types[] = {
	[WIRE_HELLO] = { sizeof(struct wire_hello), false, check_hello },
	[WIRE_QUEUE_ADD] = { sizeof(struct wire_queue), true, check_queue },
	[WIRE_QUEUE_REMOVE] = { sizeof(struct wire_edge), true, NULL },
	[WIRE_BUSY] = { sizeof(struct wire_edge), true, NULL },
	[WIRE_IDLE] = { sizeof(struct wire_edge), true, NULL },
	[WIRE_DONE] = { sizeof(struct wire_done), false, check_done },
	[WIRE_NOTE] = { sizeof(struct wire_note), false, check_note },
	[WIRE_PROGRESS] = { sizeof(struct wire_progress), true, check_progress },
};

int wire_decode(const void *buf, size_t len, union wire_said *msg, const char **why)
{
	struct wire_hdr hdr;

	if (len < sizeof(hdr) || len > sizeof(*msg))
		return refuse(why, "not the size of any message", -EBADMSG);
	memcpy(&hdr, buf, sizeof(hdr));
	if (hdr.magic != WIRE_MAGIC)
		return refuse(why, "not a message of this protocol", -EBADMSG);
	if (hdr.type >= sizeof(types) / sizeof(types[0]) || !types[hdr.type].size)
		return refuse(why, "no such type of message", -EBADMSG);
	if (hdr.size != len || len != types[hdr.type].size)
		return refuse(why, "wrong size for its type", -EBADMSG);
	memcpy(msg, buf, len);
	if (types[hdr.type].is_of_queue &&
	    (!msg->edge.gpu_id || msg->edge.queue_id == WIRE_QUEUE_ALL))
		return bad(why, "no such queue");
	return types[hdr.type].check ? types[hdr.type].check(msg, why) : 0;
}
