/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: When requests came
 *
 * A request is the packets of an AQL queue that were seen to come together. It counts as
 * completed when its last packet was consumed. Of the oldest one that is not, the
 * scheduler is told when it came (gp_sched_queue_progress()): a deadline belongs to a
 * request, not to a busy time. The caller serialises.
 */
#ifndef GP_RULES_ARRIVAL_H
#define GP_RULES_ARRIVAL_H

#include "gp_port.h"

/* Requests that are told apart; more count as one with the newest. */
#define GP_ARRIVALS 8U
/* Not told more often than that. */
#define GP_ARRIVAL_PACE_NS ((u64)1000000)

/**
 * struct gp_arrivals - the requests of a queue
 * @wptr: write index at the last look
 * @begun_ns: the queue got work then, and its packets were not yet seen; 0 = they were
 * @told_ns: arrival of the request that the scheduler counts as the oldest
 * @next_ns: tell nothing before
 * @nr: requests that are not completed
 * @end: write index behind each, in the order they came
 * @since_ns: when each came
 */
struct gp_arrivals {
	u64 wptr;
	u64 begun_ns;
	u64 told_ns;
	u64 next_ns;
	u32 nr;
	u64 end[GP_ARRIVALS];
	u64 since_ns[GP_ARRIVALS];
};

/**
 * gp_arrivals_begin() - the scheduler is told that the queue got work
 * @a: requests; none is there
 * @now_ns: time
 */
void gp_arrivals_begin(struct gp_arrivals *a, u64 now_ns);

/**
 * gp_arrivals_own() - the caller has put in a packet itself
 * @a: requests
 * @wptr: write index behind it
 *
 * It belongs to the newest request.
 */
void gp_arrivals_own(struct gp_arrivals *a, u64 wptr);

/**
 * gp_arrivals_look() - a look at a queue with work
 * @a: requests
 * @rptr: read index
 * @wptr: write index
 * @now_ns: time
 * @since_ns: output: when the oldest request that is not completed came
 *
 * Return: true if the scheduler is to be told.
 */
bool gp_arrivals_look(struct gp_arrivals *a, u64 rptr, u64 wptr, u64 now_ns, u64 *since_ns);

#endif
