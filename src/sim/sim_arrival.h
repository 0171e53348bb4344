/* SPDX-License-Identifier: MIT */
/*
 * Generator of arrival times for one process of a class. Closed loops have no
 * generator: their next request follows from a completion.
 */
#ifndef GP_SIM_ARRIVAL_H
#define GP_SIM_ARRIVAL_H

#include "sim/sim_rng.h"
#include "sim/sim_scenario.h"

/* Where a generator stands. */
struct sim_arrival_state {
	const struct sim_arrival *spec; /* what it generates */
	struct sim_rng rng;		/* its own random numbers */
	u64 next_ns;			/* time of the next request */
	u64 index;			/* requests so far */
	u64 base_ns;			/* start of the current repetition, burst or period */
	u64 start_ns;			/* no arrival before */
};

/**
 * sim_arrival_init() - start a generator
 * @a: generator
 * @spec: its specification, must outlive it; not CLOSED
 * @start_ns: no arrival before
 * @phase_ns: UNIFORM and BURST: offset of the first arrival, so that processes differ
 * @seed: seed
 */
void sim_arrival_init(struct sim_arrival_state *a, const struct sim_arrival *spec, u64 start_ns,
		      u64 phase_ns, u64 seed);

/**
 * sim_arrival_warp() - from the time of an even rate to that of one with phases
 * @spec: specification
 * @even_ns: time from the start, if the rate were 100 % all the time
 *
 * Return: time from the start, U64_MAX if it never comes.
 */
u64 sim_arrival_warp(const struct sim_arrival *spec, u64 even_ns);

/**
 * sim_arrival_next() - time of the next request
 * @a: generator
 *
 * Return: nanoseconds, never less than the answer before.
 */
u64 sim_arrival_next(struct sim_arrival_state *a);

#endif
