/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Costs that vary: a fixed part and an exponential one, in integers, from seeded random
 * numbers. The mean is the cost of the profile, whatever its spread.
 */
#ifndef GP_GPU_VARY_H
#define GP_GPU_VARY_H

#include "gp_port.h"

#define GPU_PPM_ONE 1000000u

/**
 * gpu_random() - the next random number: splitmix64
 * @state: of the generator, any value
 *
 * Return: 64 random bits.
 */
u64 gpu_random(u64 *state);

/**
 * gpu_exponential() - exponentially distributed, by inversion
 * @random: 64 random bits
 * @mean_ns: mean; beyond 2^40 it counts as that
 *
 * Return: nanoseconds; the error is below 10^-4 of the mean.
 */
u64 gpu_exponential(u64 random, u64 mean_ns);

/**
 * gpu_vary() - a cost as it is this time
 * @state: of the generator
 * @mean_ns: its mean
 * @spread_ppm: which share of it varies, up to GPU_PPM_ONE
 *
 * The p99 is 1 + 3.6 times the spread, the p99.9 1 + 5.9 times. Without a spread no random
 * number is used.
 *
 * Return: nanoseconds.
 */
u64 gpu_vary(u64 *state, u64 mean_ns, u32 spread_ppm);

/**
 * gpu_chance() - does it happen this time?
 * @state: of the generator
 * @ppm: how often of GPU_PPM_ONE; 0 uses no random number
 */
bool gpu_chance(u64 *state, u32 ppm);

#endif
