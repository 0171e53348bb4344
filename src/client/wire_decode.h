/* SPDX-License-Identifier: MIT */
/*
 * What a client said, checked, for the daemon and for the library, which hears a tracer. The only
 * place that looks at bytes of the client socket; has no state and touches nothing but its
 * arguments (it is fuzzed).
 */
#ifndef GP_CLIENT_WIRE_DECODE_H
#define GP_CLIENT_WIRE_DECODE_H

#include "client/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define WIRE_SEES_MASK                                                 \
	(WIRE_SEES_IOCTL | WIRE_SEES_TABLE | WIRE_SEES_SYMBOL |        \
	 WIRE_SEES_POINTERS | WIRE_SEES_SNAPSHOT | WIRE_SEES_NOT_RAW | \
	 WIRE_SEES_NOT_PROXY | WIRE_SEES_NOT_ALL)

/* Any message of a client; hdr.type says which. */
union wire_said {
	struct wire_hdr hdr;
	struct wire_hello hello;
	struct wire_queue queue;
	struct wire_edge edge; /* WIRE_QUEUE_REMOVE, WIRE_BUSY, WIRE_IDLE */
	struct wire_progress progress;
	struct wire_done done;
	struct wire_note note;
};

/* Whether a name is made of what can stand in a command line and in a file. */
bool wire_is_name(const char *name, size_t len);

/*
 * Check one packet. In @msg texts are ended, names of classes and groups are made of printable
 * ASCII, everything else is in its range. 0; with a constant that says why: -EBADMSG not a
 * message of a client, -EPROTONOSUPPORT another version, -EINVAL a value out of its range.
 */
int wire_decode(const void *buf, size_t len, union wire_said *msg, const char **why);

#endif
