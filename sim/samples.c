// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdlib.h>
#include <string.h>

int gp_samples_add(struct gp_samples *s, u64 ns)
{
	if (s->nr == s->cap) {
		u64 cap = s->cap ? s->cap * 2 : 64;
		u64 *mem = realloc(s->ns, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		s->ns = mem;
		s->cap = cap;
	}
	s->ns[s->nr++] = ns;
	return 0;
}

void gp_samples_fini(struct gp_samples *s)
{
	free(s->ns);
	memset(s, 0, sizeof(*s));
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that @percent of the values do not exceed. */
static u64 percentile(const u64 *sorted, u64 nr, u32 percent)
{
	u64 rank = (nr * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

int gp_samples_summary(const struct gp_samples *s, struct gp_summary *out)
{
	unsigned __int128 sum = 0;
	u64 *sorted;

	memset(out, 0, sizeof(*out));
	if (!s->nr)
		return 0;
	sorted = malloc(s->nr * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, s->ns, s->nr * sizeof(*sorted));
	qsort(sorted, s->nr, sizeof(*sorted), compare_u64);
	for (u64 i = 0; i < s->nr; i++)
		sum += sorted[i];
	out->nr = s->nr;
	out->mean = (u64)(sum / s->nr);
	out->p50 = percentile(sorted, s->nr, 50);
	out->p90 = percentile(sorted, s->nr, 90);
	out->p99 = percentile(sorted, s->nr, 99);
	out->max = sorted[s->nr - 1];
	free(sorted);
	return 0;
}
