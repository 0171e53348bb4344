// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/hist.h"

#define U32_LIMIT 0xffffffffU
#define PPM 1000000ULL
#define SUB (1U << GP_HIST_SUB_BITS)

/*
 * Values below 2 * SUB have a bucket each. Above, each power of two is cut into
 * SUB equal buckets: @shift drops the bits below that resolution.
 */
u32 gp_hist_bucket(u64 value)
{
	u32 shift;

	if (value < SUB)
		return (u32)value;
	shift = 63U - (u32)__builtin_clzll(value) - GP_HIST_SUB_BITS;
	return (shift << GP_HIST_SUB_BITS) + (u32)(value >> shift);
}

u64 gp_hist_bucket_end(u32 bucket)
{
	u32 shift;
	u64 low;

	if (bucket < 2 * SUB)
		return bucket;
	shift = (bucket >> GP_HIST_SUB_BITS) - 1;
	low = (u64)(bucket - (shift << GP_HIST_SUB_BITS)) << shift;
	return low + ((1ULL << shift) - 1);
}

void gp_hist_add(struct gp_hist *h, u64 value)
{
	u32 *count = &h->bucket[gp_hist_bucket(value)];

	if (*count < U32_LIMIT)
		(*count)++;
	h->min = h->nr ? min(h->min, value) : value;
	h->max = max(h->max, value);
	h->sum = value > U64_MAX - h->sum ? U64_MAX : h->sum + value;
	h->nr++;
}

/* The rank, rounded up, without overflow for any count. */
static u64 rank_of(u64 nr, u32 ppm)
{
	u64 rank = nr / PPM * ppm + (nr % PPM * ppm + PPM - 1) / PPM;

	return rank ? rank : 1;
}

u64 gp_hist_percentile(const struct gp_hist *h, u32 ppm)
{
	u64 rank = rank_of(h->nr, min(ppm, (u32)PPM));
	u64 seen = 0;
	u32 i;

	if (!h->nr)
		return 0;
	for (i = 0; i < GP_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			return min(gp_hist_bucket_end(i), h->max);
	}
	return h->max;
}

void gp_small_hist_place(struct gp_small_hist *h, u64 value)
{
	u32 i = gp_hist_bucket(value) / GP_SMALL_HIST_FINE;

	i = min(max(i, GP_SMALL_HIST_FIRST), GP_SMALL_HIST_LAST);
	h->bucket[i - GP_SMALL_HIST_FIRST]++;
	h->sum += value;
	h->max = max(h->max, value);
}

void gp_small_hist_merge(struct gp_small_hist *to, const struct gp_small_hist *from)
{
	u32 i;

	for (i = 0; i <= GP_SMALL_HIST_LAST - GP_SMALL_HIST_FIRST; i++)
		to->bucket[i] += from->bucket[i];
	to->nr += from->nr;
	to->sum += from->sum;
	to->max = max(to->max, from->max);
}

/* The last of the large buckets that a small one is made of; the end of the last is far away. */
static u32 last_of(u32 small)
{
	return (small + GP_SMALL_HIST_FIRST + 1) * GP_SMALL_HIST_FINE - 1;
}

void gp_small_hist_widen(const struct gp_small_hist *h, struct gp_hist *out)
{
	u64 placed = 0;
	u32 i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i <= GP_SMALL_HIST_LAST - GP_SMALL_HIST_FIRST; i++) {
		out->bucket[last_of(i)] = h->bucket[i];
		placed += h->bucket[i];
	}
	out->bucket[0] = (u32)min(h->nr - placed, (u64)U32_LIMIT);
	out->nr = h->nr;
	out->sum = h->sum;
	out->max = h->max;
}

void gp_small_hist_narrow(const struct gp_hist *h, struct gp_small_hist *out)
{
	u32 i;

	for (i = 0; i <= GP_SMALL_HIST_LAST - GP_SMALL_HIST_FIRST; i++)
		out->bucket[i] = h->bucket[last_of(i)];
	out->nr = h->nr;
	out->sum = h->sum;
	out->max = h->max;
}
