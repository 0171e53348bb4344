// SPDX-License-Identifier: MIT
/*
 * A tracer that does what its environment says: FAKE_TRACER = good, refuse, silent,
 * garbage, early (ends at once), deaf (attaches, answers no order), stubborn (attaches,
 * does not end with its socket), leave (ends after an order to node 8), die (ends in its
 * third order), empty (what is held has no queues then). Node 9 is not there; after an
 * order to node 10 the leases of node 7 end. Says on FAKE_TRACER_LOG what it was ordered,
 * and that it left.
 */
#include "client/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FD 3

static void say(void *m, enum wire_type type, size_t size)
{
	struct wire_hdr *h = m;

	h->magic = WIRE_MAGIC;
	h->type = (uint16_t)type;
	h->size = (uint16_t)size;
	if (send(FD, m, size, MSG_NOSIGNAL) < 0)
		exit(1);
}

static int attach(const char *how)
{
	struct wire_queue q = { .gpu_id = 7, .queue_id = 3, .type = WIRE_QUEUE_AQL,
				   .ring_addr = 4096, .ring_bytes = 65536 };
	struct wire_note note = { .code = WIRE_NOTE_SEES };

	if (!strcmp(how, "refuse")) {
		note.code = WIRE_NOTE_REFUSED;
		note.value = EBUSY;
		strcpy(note.text, "another process traces it");
		say(&note, WIRE_NOTE, sizeof(note));
		return 1;
	}
	say(&q, WIRE_QUEUE_ADD, sizeof(q));
	q.gpu_id = 8;
	q.queue_id = 4;
	say(&q, WIRE_QUEUE_ADD, sizeof(q));
	say(&note, WIRE_NOTE, sizeof(note));
	return 0;
}

static void tell(const char *format, ...)
{
	FILE *log = fopen(getenv("FAKE_TRACER_LOG"), "a");
	va_list args;

	va_start(args, format);
	vfprintf(log, format, args);
	va_end(args);
	fclose(log);
}

static void obey(const struct wire_order *o, const char *how)
{
	struct wire_done done = { .epoch = o->epoch, .gpu_id = o->gpu_id };
	struct wire_edge removed = { .gpu_id = o->gpu_id,
					.queue_id = o->gpu_id - 4 };
	struct wire_note ended = { .code = WIRE_NOTE_LEASE_ENDED, .gpu_id = 7 };

	if (!strcmp(how, "die") && o->epoch > 2)
		exit(1);
	tell("%s %u/%u", o->hdr.type == WIRE_HOLD ? "hold" : "release", o->gpu_id,
	     o->queue_id);
	tell(o->lease_ns ? " for %llu ms\n" : "\n", (unsigned long long)o->lease_ns / 1000000);
	if (o->gpu_id == 9)
		done.result = WIRE_GONE;
	say(&done, WIRE_DONE, sizeof(done));
	if (!strcmp(how, "empty") && o->hdr.type == WIRE_HOLD)
		say(&removed, WIRE_QUEUE_REMOVE, sizeof(removed));
	if (o->gpu_id == 10)
		say(&ended, WIRE_NOTE, sizeof(ended));
	if (!strcmp(how, "leave") && o->gpu_id == 8) {
		close(FD);
		tell("left\n");
		exit(0);
	}
}

int main(int argc, char **argv)
{
	const char *how = getenv("FAKE_TRACER");
	struct wire_hello hello = { .version = WIRE_VERSION, .mech = WIRE_MECH_DBG };
	_Alignas(8) char buf[WIRE_MAX];
	const struct wire_hdr *h = (void *)buf;

	if (!how || argc != 2 || !strcmp(how, "early"))
		return 1;
	if (!strcmp(how, "garbage"))
		return send(FD, "garbage", 7, 0) < 0;
	if (strcmp(how, "silent"))
		say(&hello, WIRE_HELLO, sizeof(hello));
	while (recv(FD, buf, sizeof(buf), 0) > 0) {
		if (h->type == WIRE_WELCOME && attach(how))
			return 1;
		if ((h->type == WIRE_HOLD || h->type == WIRE_RELEASE) && strcmp(how, "deaf"))
			obey((void *)buf, how);
	}
	if (!strcmp(how, "stubborn"))
		sleep(60);
	return 0;
}
