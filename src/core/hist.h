/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A log-linear histogram of u64 values in integer arithmetic. Values below 128
 * are exact; above, a bucket is at most 1/64 of its value wide, so a percentile
 * is at most 1/64 above the true one and never below it.
 *
 * Plain data: copy it, clear it with memset(). The caller serialises.
 */
#ifndef GP_CORE_HIST_H
#define GP_CORE_HIST_H

#include "gp_port.h"

#define GP_HIST_SUB_BITS 6
#define GP_HIST_BUCKETS ((64 - GP_HIST_SUB_BITS + 1) << GP_HIST_SUB_BITS)

/* The histogram. */
struct gp_hist {
	u64 nr;			     /* how many values */
	u64 sum;		     /* their sum, saturating */
	u64 min;		     /* smallest value, meaningless if @nr is 0 */
	u64 max;		     /* largest value */
	u32 bucket[GP_HIST_BUCKETS]; /* counts, saturating */
};

/**
 * gp_hist_add() - count a value
 * @h: histogram
 * @value: value
 */
void gp_hist_add(struct gp_hist *h, u64 value);

/* The bucket of a value, and the largest value of a bucket. */
u32 gp_hist_bucket(u64 value);
u64 gp_hist_bucket_end(u32 bucket);

/**
 * gp_hist_percentile() - smallest bound that @ppm of the values do not exceed
 * @h: histogram
 * @ppm: parts per million, 500000 = median
 *
 * Return: the upper end of the bucket, never more than the maximum; 0 if empty.
 */
u64 gp_hist_percentile(const struct gp_hist *h, u32 ppm);

/* Eight buckets to a power of two, from 1 us to 69 s: what is shorter or longer is at the ends. */
#define GP_SMALL_HIST_FINE ((1U << GP_HIST_SUB_BITS) / 8)
#define GP_SMALL_HIST_FIRST 39U
#define GP_SMALL_HIST_LAST 248U

/* A histogram of times in 864 bytes: a percentile is at most an eighth above the true one. */
struct gp_small_hist {
	u64 nr;	 /* how many values; those that are 0 are in no bucket */
	u64 sum; /* their sum */
	u64 max; /* largest value */
	u32 bucket[GP_SMALL_HIST_LAST - GP_SMALL_HIST_FIRST + 1];
};

/* Count a value that is not 0, beside @nr. */
void gp_small_hist_place(struct gp_small_hist *h, u64 value);

/* Count a value. Most waits are none, and cost next to nothing. */
static inline void gp_small_hist_add(struct gp_small_hist *h, u64 value)
{
	h->nr++;
	if (value)
		gp_small_hist_place(h, value);
}

/* Add all of another histogram. */
void gp_small_hist_merge(struct gp_small_hist *to, const struct gp_small_hist *from);

/**
 * gp_small_hist_widen() - the same as a large histogram, for percentiles and the like
 * @h: histogram
 * @out: output; the smallest value is not known, and 0
 */
void gp_small_hist_widen(const struct gp_small_hist *h, struct gp_hist *out);

/* The other way round. */
void gp_small_hist_narrow(const struct gp_hist *h, struct gp_small_hist *out);

#endif
