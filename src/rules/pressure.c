// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/pressure.h"

/* Time passes in steps of this; what is less is added to the next call. */
#define STEP_NS ((u64)10000000)
/* After so many steps nothing is left of what was before: 40 times the longest average. */
#define STEPS_MAX 1200000U
#define ONE_BITS 31U
#define ONE ((u64)1 << ONE_BITS)

/* 2^31 times e^(-10 ms / 10 s), 60 s, 300 s. */
static const u64 keep_of_step[GP_PRESSURE_COUNT] = { 2145337238, 2147125764, 2147412066 };

static u64 power(u64 base, u32 n)
{
	u64 result = ONE;

	for (; n; n >>= 1) {
		if (n & 1)
			result = (result * base) >> ONE_BITS;
		base = (base * base) >> ONE_BITS;
	}
	return result;
}

static u32 mix(u32 avg_ppm, u32 now_ppm, u64 keep)
{
	return (u32)((avg_ppm * keep + now_ppm * (ONE - keep) + ONE / 2) >> ONE_BITS);
}

void gp_pressure_tell(struct gp_pressure *p, u64 total_ns, u64 now_ns)
{
	u64 steps = now_ns > p->at_ns ? (now_ns - p->at_ns) / STEP_NS : 0;
	u64 stall_ns, ppm;
	u32 i;

	if (!p->at_ns) {
		*p = (struct gp_pressure){ .at_ns = now_ns, .total_ns = total_ns };
		return;
	}
	if (!steps)
		return;
	stall_ns = total_ns > p->total_ns ? total_ns - p->total_ns : 0;
	stall_ns = min(stall_ns, now_ns - p->at_ns);
	/* In microseconds a product fits for half a year. */
	ppm = stall_ns / 1000 * GP_PRESSURE_ONE_PPM / ((now_ns - p->at_ns) / 1000);
	for (i = 0; i < GP_PRESSURE_COUNT; i++)
		p->avg_ppm[i] = mix(p->avg_ppm[i], min((u32)ppm, GP_PRESSURE_ONE_PPM),
				    power(keep_of_step[i], (u32)min(steps, (u64)STEPS_MAX)));
	p->at_ns = now_ns;
	p->total_ns = total_ns;
}
