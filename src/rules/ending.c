// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/ending.h"

/* What counts by and by takes one eighth of the difference. */
#define SHIFT 3

void gp_ending_busy(struct gp_ending *e, u64 now_ns)
{
	u64 gap_ns = now_ns - e->quiet_ns;

	if (!e->quiet_ns || now_ns < e->quiet_ns)
		return;
	e->quiet_ns = 0;
	if (!e->gap_ns || gap_ns < e->gap_ns)
		e->gap_ns = max(gap_ns, (u64)1);
	else
		e->gap_ns += (gap_ns - e->gap_ns) >> SHIFT;
}

void gp_ending_began(struct gp_ending *e, u64 index, u64 now_ns)
{
	e->nr = index == e->next ? min(e->nr + 1, GP_ENDING_PACKETS) : 1;
	e->next = index + 1;
	e->began_ns[index % GP_ENDING_PACKETS] = now_ns;
}

static void learn(u64 *left_ns, u64 ns)
{
	if (ns >= *left_ns)
		*left_ns = ns;
	else
		*left_ns -= (*left_ns - ns) >> SHIFT;
}

void gp_ending_quiet(struct gp_ending *e, u64 now_ns)
{
	u32 i;

	for (i = 0; i < e->nr; i++) {
		u64 began_ns = e->began_ns[(e->next - 1 - i) % GP_ENDING_PACKETS];

		learn(&e->left_ns[i], now_ns > began_ns ? now_ns - began_ns : 1);
	}
	e->nr = 0;
	e->quiet_ns = now_ns;
}

u64 gp_ending_at_ns(const struct gp_ending *e, u64 nr_left, u64 now_ns, u64 lead_ns)
{
	u64 left_ns;

	if (!nr_left || nr_left > GP_ENDING_PACKETS || !lead_ns || e->gap_ns < 2 * lead_ns)
		return U64_MAX;
	/* A kernel that has begun has its room; one that has not would wait for it. */
	if (nr_left > 1)
		lead_ns -= lead_ns / 4;
	left_ns = e->left_ns[nr_left - 1];
	if (!left_ns)
		return U64_MAX;
	left_ns = left_ns > lead_ns ? left_ns - lead_ns : 0;
	return left_ns > U64_MAX - now_ns ? U64_MAX : now_ns + left_ns;
}
