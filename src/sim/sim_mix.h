/* SPDX-License-Identifier: MIT */
/*
 * Kernel lists of well-known inference models. They are synthesised: for each
 * model we know how many kernels a request has, their sum, median, 90th
 * percentile, maximum and how many fall into six classes of length; the lists
 * made here have exactly these statistics. See mix.c for where they come from.
 */
#ifndef GP_SIM_MIX_H
#define GP_SIM_MIX_H

#include "sim/sim_scenario.h"

#define SIM_MIX_BUCKETS 6

/* What is known about a model. */
struct sim_mix {
	const char *name;	     /* what the user types */
	u32 nr_kernels;		     /* kernels of one request */
	u32 sum_us;		     /* sum of their durations */
	u32 p50_us;		     /* median */
	u32 p90_us;		     /* 90th percentile */
	u32 max_us;		     /* longest */
	u32 bucket[SIM_MIX_BUCKETS]; /* how many last up to 16, 40, 100, 200, 300 us and longer */
};

const struct sim_mix *sim_mix_find(const char *name);

/**
 * sim_mix_at() - walk the models
 * @index: 0, 1, …
 *
 * Return: the model or NULL past the end.
 */
const struct sim_mix *sim_mix_at(u32 index);

/**
 * sim_mix_kernels() - the kernels of one request, in launch order
 * @mix: model
 * @scale_ppm: durations times this, 1000000 = as published
 * @out: output, room for sim_mix.nr_kernels
 */
void sim_mix_kernels(const struct sim_mix *mix, u32 scale_ppm, struct sim_kernel_spec *out);

#endif
