/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: When a queue will have no work
 *
 * What is off the GPU can be ordered back before the last kernels of a queue have ended, so
 * that its waves are there when they have. That is for mechanisms that do not disturb what
 * stays: the others would save those very kernels.
 *
 * Requests are much alike. Of past ones it is known how long it took to the end of all work
 * when so many packets were left; a longer time counts at once, shorter ones by and by, for
 * to be late costs a little time and to be early gives away the GPU under a kernel. And it is
 * known how long the queue was without work then: the shortest time counts at once, as for a
 * gap that is shorter than a switch nothing may come back.
 *
 * A process decides how long its kernels are. A caller that has counted a queue as one without
 * work ahead of time looks again at gp_ending_late_ns(): if it has work still, it has work.
 *
 * The caller serialises.
 */
#ifndef GP_RULES_ENDING_H
#define GP_RULES_ENDING_H

#include "gp_port.h"

/* The end is foreseen when so many packets are left, or fewer. */
#define GP_ENDING_PACKETS 8U

/**
 * struct gp_ending - what is known of the ends of a queue's work
 * @began_ns: when the packet with that index, modulo so many, began
 * @next: index of the first packet that has not begun
 * @nr: so many of @began_ns are known, up to @next
 * @quiet_ns: without work since then, 0 = it has work
 * @gap_ns: how long that was, 0 = not known
 * @left_ns: time to the end with so many packets left, and one; 0 = not known
 */
struct gp_ending {
	u64 began_ns[GP_ENDING_PACKETS];
	u64 next;
	u32 nr;
	u64 quiet_ns;
	u64 gap_ns;
	u64 left_ns[GP_ENDING_PACKETS];
};

/**
 * gp_ending_busy() - a queue without work got some
 * @e: queue
 * @now_ns: time
 */
void gp_ending_busy(struct gp_ending *e, u64 now_ns);

/**
 * gp_ending_began() - a packet began
 * @e: queue
 * @index: which; one that is not the next makes those before unknown
 * @now_ns: time
 */
void gp_ending_began(struct gp_ending *e, u64 index, u64 now_ns);

/**
 * gp_ending_quiet() - all packets have ended
 * @e: queue
 * @now_ns: time
 */
void gp_ending_quiet(struct gp_ending *e, u64 now_ns);

/**
 * gp_ending_at_ns() - when can the GPU be given back, as a packet has begun now?
 * @e: queue, after gp_ending_began()
 * @nr_left: packets that have not ended, with this one
 * @now_ns: time
 * @lead_ns: how long what comes back is on its way
 *
 * As long as a packet has not begun, a quarter less than @lead_ns is counted on: what comes
 * back sooner than on average would take its room.
 *
 * Return: time, now or later; U64_MAX = not ahead of the end.
 */
u64 gp_ending_at_ns(const struct gp_ending *e, u64 nr_left, u64 now_ns, u64 lead_ns);

/**
 * gp_ending_late_ns() - when must the end have come that was foreseen now?
 * @now_ns: time
 * @lead_ns: as above
 *
 * Return: time.
 */
static inline u64 gp_ending_late_ns(u64 now_ns, u64 lead_ns)
{
	return now_ns + 2 * lead_ns;
}

#endif
