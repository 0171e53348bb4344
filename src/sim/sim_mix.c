// SPDX-License-Identifier: MIT
/*
 * The figures are statistics of the kernel profiles published with REEF
 * (OSDI'22), taken on an AMD Instinct MI50: per-kernel times at full occupancy,
 * which include a launch floor of 10 to 14 us. The profiles themselves are not
 * copied; the durations below are made up so that they have these statistics.
 */
#include "sim/sim_mix.h"

#include "sim/sim_scenario_value.h"

#include <string.h>

static const struct sim_mix mixes[] = {
	/*             nr    sum  p50   p90   max   <=16   40  100  200  300 more */
	{ "vgg",       71,  5294,  40,  204,  252, {  16,  20,  17,   9,   9,   0 } },
	{ "resnet152", 207, 15864, 36,  204,  240, {  51,  59,  54,   4,  39,   0 } },
	{ "densenet",  207, 6132,  20,   40,  660, { 102, 103,   1,   0,   0,   1 } },
	{ "inception", 146, 9492,  48,  144,  464, {  31,  36,  55,  23,   0,   1 } },
	{ "bert",      205, 7472,  20,   80,   84, { 102,  19,  84,   0,   0,   0 } },
	{ "mobilenet", 31,  1260,  24,   80,  128, {   6,  15,   8,   2,   0,   0 } },
	{ "resnet18",  57,  2640,  20,   72,  500, {  27,  15,  11,   2,   0,   2 } },
	{ "alexnet",   13,  8740, 168, 2196, 3884, {   4,   1,   1,   2,   0,   5 } },
};

/* Ends of the classes of length, in us. */
static const u32 bucket_low_us[SIM_MIX_BUCKETS] = { 10, 17, 41, 101, 201, 301 };
static const u32 bucket_high_us[SIM_MIX_BUCKETS] = { 16, 40, 100, 200, 300, 1000000 };

const struct sim_mix *sim_mix_at(u32 index)
{
	return index < ARRAY_SIZE(mixes) ? &mixes[index] : NULL;
}

const struct sim_mix *sim_mix_find(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(mixes); i++) {
		if (!strcmp(mixes[i].name, name))
			return &mixes[i];
	}
	return NULL;
}

/* The range that the statistics leave to the kernel of a rank, in ns. */
struct range {
	u64 low;
	u64 high;
};

static u32 bucket_of_rank(const struct sim_mix *mix, u32 rank)
{
	u32 b = 0, end = mix->bucket[0];

	while (rank > end)
		end += mix->bucket[++b];
	return b;
}

static void anchor(struct range *r, u32 rank, u32 anchor_rank, u32 value_us)
{
	u64 value = value_us * SIM_NS_PER_US;

	if (rank >= anchor_rank)
		r->low = max(r->low, value);
	if (rank <= anchor_rank)
		r->high = min(r->high, value);
}

/* @rank counts from 1, shortest first; percentiles are nearest ranks. */
static struct range range_of_rank(const struct sim_mix *mix, u32 rank)
{
	u32 b = bucket_of_rank(mix, rank), n = mix->nr_kernels;
	struct range r = { bucket_low_us[b] * SIM_NS_PER_US, bucket_high_us[b] * SIM_NS_PER_US };

	anchor(&r, rank, (n * 50 + 99) / 100, mix->p50_us);
	anchor(&r, rank, (n * 90 + 99) / 100, mix->p90_us);
	anchor(&r, rank, n, mix->max_us);
	return r;
}

/*
 * A point in the range: @place says where among the kernels of the same range
 * this one is, @bend moves all of them down (0) or up (2000000); at 1000000 they
 * are spread evenly. Grows with both.
 */
static u64 bent(struct range r, u64 place_ppm, u64 bend_ppm)
{
	u64 share;

	if (bend_ppm <= SIM_PPM_ONE)
		share = place_ppm * bend_ppm / SIM_PPM_ONE;
	else
		share = place_ppm +
			(SIM_PPM_ONE - place_ppm) * (bend_ppm - SIM_PPM_ONE) / SIM_PPM_ONE;
	return r.low + (r.high - r.low) * share / SIM_PPM_ONE;
}

/* Fills @ns with durations, shortest first; gives their sum. */
static u64 fill_sorted(const struct sim_mix *mix, u64 bend_ppm, u64 *ns)
{
	u64 sum = 0;
	u32 first = 1;

	while (first <= mix->nr_kernels) {
		struct range r = range_of_rank(mix, first);
		u32 end = first;

		while (end <= mix->nr_kernels) {
			struct range next = range_of_rank(mix, end);

			if (next.low != r.low || next.high != r.high)
				break;
			end++;
		}
		for (u32 rank = first; rank < end; rank++) {
			u64 place = (2 * (rank - first) + 1) * SIM_PPM_ONE / (2 * (end - first));

			ns[rank - 1] = bent(r, place, bend_ppm);
			sum += ns[rank - 1];
		}
		first = end;
	}
	return sum;
}

/* The bend that gives the published sum: bisection over 2^21 steps. */
static void solve(const struct sim_mix *mix, u64 *ns)
{
	u64 low = 0, high = 2 * SIM_PPM_ONE;

	while (low < high) {
		u64 middle = (low + high) / 2;

		if (fill_sorted(mix, middle, ns) < mix->sum_us * SIM_NS_PER_US)
			low = middle + 1;
		else
			high = middle;
	}
	fill_sorted(mix, low, ns);
}

static u32 gcd(u32 a, u32 b)
{
	while (b) {
		u32 t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* A step near the golden section that visits every rank once: long and short alternate. */
static u32 stride_of(u32 n)
{
	u32 stride = max(n * 618 / 1000, 1u);

	while (gcd(stride, n) != 1)
		stride++;
	return stride;
}

/*
 * Our assumption, not published: a kernel of 200 us fills the GPU, a shorter one
 * proportionally less, but at least 5 %.
 */
static u32 fill_of(u64 ns)
{
	unsigned long long ppm = ns * SIM_PPM_ONE / (200 * SIM_NS_PER_US);

	return (u32)min(max(ppm, 50000ull), SIM_PPM_ONE);
}

void sim_mix_kernels(const struct sim_mix *mix, u32 scale_ppm, struct sim_kernel_spec *out)
{
	u64 ns[SIM_MAX_KERNELS];
	u32 n = mix->nr_kernels, stride = stride_of(n);

	solve(mix, ns);
	for (u32 i = 0; i < n; i++) {
		u64 duration = ns[(u64)(i + 1) * stride % n];

		out[i] = (struct sim_kernel_spec){
			.duration_ns = max(duration * scale_ppm / SIM_PPM_ONE, 1ull),
			.fill_ppm = fill_of(duration),
			.workgroup_size = 256,
			.vgprs = 64,
			.lds_bytes = 8192,
		};
	}
}
