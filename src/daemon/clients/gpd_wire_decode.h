/* SPDX-License-Identifier: MIT */
/*
 * What a client said, checked. The only place that looks at bytes of the client
 * socket; has no state and touches nothing but its arguments (it is fuzzed).
 */
#ifndef GPD_WIRE_DECODE_H
#define GPD_WIRE_DECODE_H

#include "client/wire.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest slice or deadline a client may wish for. */
#define GPD_WIRE_TIME_MAX_NS 3600000000000ULL
#define GPD_WIRE_WEIGHT_MAX 10000u
#define GPD_WIRE_HW_PRIO_MAX 15

#define GPD_WIRE_SEES_MASK                                                              \
	(WIRE_SEES_IOCTL | WIRE_SEES_TABLE | WIRE_SEES_SYMBOL |                         \
	 WIRE_SEES_POINTERS | WIRE_SEES_SNAPSHOT | WIRE_SEES_NOT_RAW |                  \
	 WIRE_SEES_NOT_PROXY | WIRE_SEES_NOT_ALL)

/* Any message of a client; hdr.type says which. */
union gpd_wire_msg {
	struct wire_hdr hdr;
	struct wire_hello hello;
	struct wire_queue queue;
	struct wire_edge edge; /* WIRE_QUEUE_REMOVE, WIRE_BUSY, WIRE_IDLE */
	struct wire_progress progress;
	struct wire_done done;
	struct wire_note note;
};

/* Whether a name is made of what can stand in a command line and in a file. */
bool gpd_wire_is_name(const char *name, size_t len);

/*
 * Check one packet. In @msg texts are ended, names of classes and groups are made of printable
 * ASCII, everything else is in its range. 0; with a constant that says why: -EBADMSG not a
 * message of a client, -EPROTONOSUPPORT another version, -EINVAL a value out of its range.
 */
int gpd_wire_decode(const void *buf, size_t len, union gpd_wire_msg *msg, const char **why);

#endif
