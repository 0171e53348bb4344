// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/vary.h"

#define LOG_BITS 16
#define LN2 45426u /* ln 2 in units of 2^-16 */
#define MAX_MEAN_NS ((u64)1 << 40)

u64 gpu_random(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* log2(x / 2^31) for 2^31 <= x < 2^32, in units of 2^-16: a bit a squaring. */
static u32 log2_fraction(u64 x)
{
	u32 log = 0, i;

	for (i = 0; i < LOG_BITS; i++) {
		x = x * x >> 31;
		log <<= 1;
		if (x >> 32) {
			x >>= 1;
			log |= 1;
		}
	}
	return log;
}

u64 gpu_exponential(u64 random, u64 mean_ns)
{
	u32 zeros;
	u64 minus_log2;

	random |= 1;
	zeros = (u32)__builtin_clzll(random);
	minus_log2 = ((u64)(zeros + 1) << LOG_BITS) - log2_fraction(random << zeros >> 32);
	return (min(mean_ns, MAX_MEAN_NS) * minus_log2 >> LOG_BITS) * LN2 >> LOG_BITS;
}

u64 gpu_vary(u64 *state, u64 mean_ns, u32 spread_ppm)
{
	u64 varying_ns;

	if (!spread_ppm)
		return mean_ns;
	varying_ns = min(mean_ns, MAX_MEAN_NS) * spread_ppm / GPU_PPM_ONE;
	return mean_ns - varying_ns + gpu_exponential(gpu_random(state), varying_ns);
}

bool gpu_chance(u64 *state, u32 ppm)
{
	return ppm && gpu_random(state) % GPU_PPM_ONE < ppm;
}
