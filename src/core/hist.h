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

#endif
