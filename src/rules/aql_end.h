/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the packets of an AQL queue say of the work that was put in.
 *
 * Equal indices do not say that anything has ended: where the firmware consumes a packet
 * when it fetches it, kernels run, wait for room or are saved behind equal indices. But a
 * consumed packet keeps its completion signal until its place in the ring is used again,
 * and the signal of a kernel is counted down when that kernel has ended, not before. So
 * a reader of the process's memory can see the end of what has a signal.
 *
 * Taken on trust: a signal was above zero when its packet was submitted, and nothing but
 * the GPU counts it down to zero or below. A signal that its owner has set up again for
 * something else looks like work that has not ended, never the other way round.
 */
#ifndef GP_RULES_AQL_END_H
#define GP_RULES_AQL_END_H

#include "gp_port.h"

enum gp_aql_end {
	GP_AQL_NOT_ASKED,	/* nothing was looked at */
	GP_AQL_UNKNOWN,		/* nothing says whether the newest packet has ended */
	GP_AQL_RUNNING,		/* a packet is there whose signal says that it has not ended */
	GP_AQL_LAST_ENDED,	/* the newest has ended; of others nothing is known */
	GP_AQL_ENDED,		/* every packet has ended */
};

/**
 * struct gp_aql_ring - packets, and how to read them
 * @read: copy from an address of the process that owns them, 0 or -errno
 * @data: of @read
 * @addr: address of the ring there
 * @bytes: its size, a power of two
 */
struct gp_aql_ring {
	int (*read)(void *data, u64 addr, void *to, size_t bytes);
	void *data;
	u64 addr;
	u64 bytes;
};

/* How far a queue was followed. */
struct gp_aql_mark {
	/* every packet before this one has ended, or is of those that @is_partial tells of */
	u64 from;
	/* there were too many to follow: some before @from were not looked at */
	bool is_partial;
};

/**
 * gp_aql_end() - have the packets ended?
 * @ring: packets
 * @mark: how far they were followed; moved over those that have ended
 * @to: write index
 *
 * Call it only while the read index is equal to @to.
 *
 * Return: what is known.
 */
enum gp_aql_end gp_aql_end(const struct gp_aql_ring *ring, struct gp_aql_mark *mark, u64 to);

/**
 * gp_aql_mark_idle() - everything before an index has ended
 * @mark: mark
 * @to: write index
 */
static inline void gp_aql_mark_idle(struct gp_aql_mark *mark, u64 to)
{
	*mark = (struct gp_aql_mark){ .from = to };
}

#endif
