// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/arrival.h"

void gp_arrivals_begin(struct gp_arrivals *a, u64 now_ns)
{
	a->nr = 0;
	a->begun_ns = now_ns;
	a->told_ns = now_ns;
	a->next_ns = now_ns;
}

void gp_arrivals_own(struct gp_arrivals *a, u64 wptr)
{
	if (a->nr)
		a->end[a->nr - 1] = wptr;
	a->wptr = wptr;
}

static void came(struct gp_arrivals *a, u64 wptr, u64 now_ns)
{
	u64 since_ns = a->begun_ns ? a->begun_ns : now_ns;

	a->begun_ns = 0;
	a->wptr = wptr;
	if (a->nr == GP_ARRIVALS) {
		a->end[a->nr - 1] = wptr;
		return;
	}
	a->end[a->nr] = wptr;
	a->since_ns[a->nr++] = since_ns;
}

/* Indices may wrap at 2^64. */
static bool is_behind(u64 index, u64 end)
{
	return (s64)(index - end) >= 0;
}

static void complete(struct gp_arrivals *a, u64 rptr)
{
	u32 n = 0, i;

	while (n < a->nr && is_behind(rptr, a->end[n]))
		n++;
	if (!n)
		return;
	a->nr -= n;
	for (i = 0; i < a->nr; i++) {
		a->end[i] = a->end[i + n];
		a->since_ns[i] = a->since_ns[i + n];
	}
}

bool gp_arrivals_look(struct gp_arrivals *a, u64 rptr, u64 wptr, u64 now_ns, u64 *since_ns)
{
	if (wptr != a->wptr)
		came(a, wptr, now_ns);
	complete(a, rptr);
	if (!a->nr || a->since_ns[0] <= a->told_ns || now_ns < a->next_ns)
		return false;
	*since_ns = a->told_ns = a->since_ns[0];
	a->next_ns = now_ns + GP_ARRIVAL_PACE_NS;
	return true;
}
