// SPDX-License-Identifier: MIT
#include "sim/sim_arrival.h"

#include <math.h>
#include <string.h>

static u64 add_saturating(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

/* Exponential with mean @mean_ns, by inversion; 53 random bits, never log(0). */
static u64 exponential_ns(struct sim_rng *rng, u64 mean_ns)
{
	double u = (double)((sim_rng_next(rng) >> 11) + 1) * 0x1p-53;

	return (u64)(-log(u) * (double)mean_ns + 0.5);
}

/* How far apart two repetitions of a recorded trace start: one mean gap after its last. */
static u64 trace_length_ns(const struct sim_arrival *spec)
{
	u64 first = spec->trace_ns[0], last = spec->trace_ns[spec->nr_trace - 1];
	u64 gap = spec->nr_trace > 1 ? (last - first) / (spec->nr_trace - 1) : 0;

	return max(add_saturating(last - first, gap), (u64)1);
}

void sim_arrival_init(struct sim_arrival_state *a, const struct sim_arrival *spec, u64 start_ns,
		      u64 phase_ns, u64 seed)
{
	memset(a, 0, sizeof(*a));
	a->spec = spec;
	sim_rng_seed(&a->rng, seed);
	a->base_ns = start_ns;
	a->next_ns = start_ns;
	a->start_ns = start_ns;
	if (spec->kind == SIM_ARRIVAL_UNIFORM || spec->kind == SIM_ARRIVAL_BURST)
		a->base_ns = add_saturating(start_ns, phase_ns);
}

/* The groups of @nr arrivals begin @period_ns after each other. Return: place in the group. */
static u32 next_member(struct sim_arrival_state *a, u32 nr, u64 period_ns)
{
	u32 member = (u32)(a->index % nr);

	if (a->index && !member)
		a->base_ns = add_saturating(a->base_ns, period_ns);
	return member;
}

static u64 next_time(struct sim_arrival_state *a)
{
	const struct sim_arrival *spec = a->spec;
	u64 offset_ns;

	switch (spec->kind) {
	case SIM_ARRIVAL_POISSON:
		return add_saturating(a->next_ns, exponential_ns(&a->rng, spec->period_ns));
	case SIM_ARRIVAL_UNIFORM:
		next_member(a, 1, spec->period_ns);
		return a->base_ns;
	case SIM_ARRIVAL_BURST:
		offset_ns = spec->burst_gap_ns * next_member(a, spec->burst, spec->period_ns);
		return add_saturating(a->base_ns, offset_ns);
	case SIM_ARRIVAL_TRACE:
		offset_ns = spec->trace_ns[next_member(a, spec->nr_trace, trace_length_ns(spec))];
		return add_saturating(a->base_ns, offset_ns);
	case SIM_ARRIVAL_CLOSED:
	case SIM_ARRIVAL_COUNT:
		break;
	}
	GP_WARN_ON(true);
	return U64_MAX;
}

/* Saturating. */
static u64 times(u64 ns, u64 by, u64 to)
{
	unsigned __int128 product = (unsigned __int128)ns * by / to;

	return product > U64_MAX ? U64_MAX : (u64)product;
}

/* What a phase stands for at an even rate. */
static u64 even_ns_of(const struct sim_phase *p)
{
	return times(p->ns, p->rate_ppm, SIM_PPM_ONE);
}

u64 sim_arrival_warp(const struct sim_arrival *spec, u64 even_ns)
{
	u64 cycle_ns = 0, even_cycle_ns = 0, at_ns;

	if (!spec->nr_phases || even_ns == U64_MAX)
		return even_ns;
	for (u32 i = 0; i < spec->nr_phases; i++) {
		cycle_ns += spec->phases[i].ns;
		even_cycle_ns += even_ns_of(&spec->phases[i]);
	}
	if (!even_cycle_ns)
		return U64_MAX;
	at_ns = times(even_ns / even_cycle_ns, cycle_ns, 1);
	even_ns %= even_cycle_ns;
	for (u32 i = 0; i < spec->nr_phases; i++) {
		const struct sim_phase *p = &spec->phases[i];
		u64 part_ns = even_ns_of(p);

		if (even_ns < part_ns)
			return add_saturating(at_ns, times(even_ns, SIM_PPM_ONE, p->rate_ppm));
		even_ns -= part_ns;
		at_ns = add_saturating(at_ns, p->ns);
	}
	return at_ns;
}

u64 sim_arrival_next(struct sim_arrival_state *a)
{
	/* A burst longer than its period overlaps the next one: never go back. */
	a->next_ns = max(next_time(a), a->next_ns);
	a->index++;
	return add_saturating(a->start_ns,
			      sim_arrival_warp(a->spec, a->next_ns - a->start_ns));
}
