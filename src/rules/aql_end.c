// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/aql_end.h"

#define PACKET_BYTES 64
#define SIGNAL_OFFSET 56	/* of every type of packet that has one */
#define VALUE_OFFSET 8		/* amd_signal_t */
/* Packets that are followed at a time; the memory of others is read slowly. */
#define WINDOW 32

/* The signals of the packets from..to, 0 = none. Return: 0 or -errno. */
static int read_signals(const struct gp_aql_ring *ring, u64 from, u64 to,
			u64 signals[WINDOW])
{
	u64 nr_slots = ring->bytes / PACKET_BYTES, i;
	int r;

	for (i = from; i != to; i++) {
		u64 packet = ring->addr + i % nr_slots * PACKET_BYTES;

		r = ring->read(ring->data, packet + SIGNAL_OFFSET, &signals[i - from],
			       sizeof(signals[0]));
		if (r)
			return r;
	}
	return 0;
}

static enum gp_aql_end look_at(const struct gp_aql_ring *ring, u64 signal)
{
	s64 value;

	if (!signal || signal % sizeof(value) ||
	    ring->read(ring->data, signal + VALUE_OFFSET, &value, sizeof(value)))
		return GP_AQL_UNKNOWN;
	return value > 0 ? GP_AQL_RUNNING : GP_AQL_ENDED;
}

/* No more than can be followed, nor than the ring has: older ones were overwritten. */
static void bound(const struct gp_aql_ring *ring, struct gp_aql_mark *mark, u64 to)
{
	u64 max = ring->bytes / PACKET_BYTES;

	if (max > WINDOW)
		max = WINDOW;
	if (to - mark->from <= max)
		return;
	mark->from = to - max;
	mark->is_partial = true;
}

enum gp_aql_end gp_aql_end(const struct gp_aql_ring *ring, struct gp_aql_mark *mark, u64 to)
{
	enum gp_aql_end one = GP_AQL_ENDED, worst = GP_AQL_ENDED;
	u64 signals[WINDOW], from, i;

	if (ring->bytes < PACKET_BYTES)
		return GP_AQL_UNKNOWN;
	bound(ring, mark, to);
	from = mark->from;
	if (read_signals(ring, from, to, signals))
		return GP_AQL_UNKNOWN;
	for (i = from; i != to; i++) {
		one = look_at(ring, signals[i - from]);
		if (one == GP_AQL_RUNNING)
			return GP_AQL_RUNNING;
		if (one < worst)
			worst = one;
		if (worst == GP_AQL_ENDED)
			mark->from = i + 1;
	}
	if (worst == GP_AQL_ENDED && !mark->is_partial)
		return GP_AQL_ENDED;
	return one == GP_AQL_ENDED ? GP_AQL_LAST_ENDED : GP_AQL_UNKNOWN;
}
