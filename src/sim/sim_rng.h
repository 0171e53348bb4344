/* SPDX-License-Identifier: MIT */
/*
 * Random numbers for the simulator: splitmix64, the same on every machine.
 */
#ifndef GP_SIM_RNG_H
#define GP_SIM_RNG_H

#include "gp_port.h"

struct sim_rng {
	u64 state;
};

static inline void sim_rng_seed(struct sim_rng *r, u64 seed)
{
	r->state = seed;
}

static inline u64 sim_rng_next(struct sim_rng *r)
{
	u64 z = (r->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Uniform in 0..n-1; the bias of the multiplication is below 2^-32 for n < 2^32. */
static inline u64 sim_rng_below(struct sim_rng *r, u64 n)
{
	return (u64)(((unsigned __int128)sim_rng_next(r) * n) >> 64);
}

#endif
