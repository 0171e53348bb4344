// SPDX-License-Identifier: MIT
/*
 * Rows of 64 lanes out of 64 Ki random numbers, so that no branch predictor
 * learns them by heart.
 */
#include "bench_isa.h"
#include "bench.h"
#include "isa/float.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 9
#define LANES 64
#define NR (64 * 1024)

/**
 * struct rows - operands and results
 * @a: f32 between -2^15 and 2^15
 * @b: f32 between -2 and 2
 * @c: f32 between -7000 and 7000
 * @d: results
 */
struct rows {
	u32 a[NR];
	u32 b[NR];
	u32 c[NR];
	u32 d[NR];
};

static u32 bits_of(float f)
{
	u32 x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

static float float_of(u32 x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static void fill(struct rows *r)
{
	u64 state = 88172645463325252ull;
	u32 i;

	for (i = 0; i < NR; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		r->a[i] = bits_of((float)(s32)state * 0x1p-16f);
		r->b[i] = bits_of((float)(s32)(state >> 16) * 0x1p-30f);
		r->c[i] = bits_of((float)(s32)(state >> 32) / 3e5f);
	}
}

/* Runs fn over everything. Return: nanoseconds a lane, the median. */
static double cost(struct rows *r, void (*fn)(struct rows *r, u32 from))
{
	double values[REPEATS];
	u32 i, k;

	for (i = 0; i < REPEATS; i++) {
		u64 start_ns = bench_cpu_ns();

		for (k = 0; k < NR; k += LANES)
			fn(r, k);
		values[i] = (double)(bench_cpu_ns() - start_ns) / NR;
	}
	return bench_median(values, REPEATS);
}

#define ROW(name, expr)                                        \
	static void name(struct rows *r, u32 from)             \
	{                                                      \
		u32 i;                                         \
		for (i = from; i < from + LANES; i++)          \
			r->d[i] = expr;                        \
	}

#define A r->a[i]
#define B r->b[i]
#define C r->c[i]
#define F float_of

ROW(soft_fma, isa_f32_fma(A, B, C, 0))
ROW(soft_add, isa_f32_add(A, C, 0))
ROW(soft_mul, isa_f32_mul(A, B, 0))
ROW(soft_max, isa_f32_max(A, C, 0))
ROW(soft_rcp, isa_f32_rcp(A, 0))
ROW(soft_sqrt, isa_f32_sqrt(A & 0x7fffffff, 0))
ROW(soft_rsq, isa_f32_rsq(A & 0x7fffffff, 0))
ROW(soft_exp2, isa_f32_exp2(B, 0))
ROW(soft_log2, isa_f32_log2(A & 0x7fffffff, 0))
ROW(soft_sin, isa_f32_sin(B, 0))
ROW(soft_fma64, (u32)isa_f64_fma((u64)A << 32 | B, (u64)B << 32 | A, (u64)C << 32 | A, 0))
ROW(soft_fma16, isa_f16_fma((u16)A, (u16)B, (u16)C, 0))
ROW(host_add, bits_of(F(A) + F(C)))
ROW(host_mul, bits_of(F(A) * F(B)))
ROW(host_rcp, bits_of(1 / F(A)))
ROW(host_sqrt, bits_of(sqrtf(F(A & 0x7fffffff))))
ROW(host_rsq, bits_of(1 / sqrtf(F(A & 0x7fffffff))))
ROW(host_exp2, bits_of(exp2f(F(B))))
ROW(host_log2, bits_of(log2f(F(A & 0x7fffffff))))
ROW(host_sin, bits_of(sinf(6.2831853f * F(B))))
ROW(host_fmaf, bits_of(fmaf(F(A), F(B), F(C))))

#ifdef __x86_64__
__attribute__((target("fma"))) ROW(host_fma_insn, bits_of(__builtin_fmaf(F(A), F(B), F(C))))
#endif

static void host_fma(struct rows *r, u32 from)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("fma")) {
		host_fma_insn(r, from);
		return;
	}
#endif
	host_fmaf(r, from);
}

static void soft_fma_lanes(struct rows *r, u32 from)
{
	isa_f32_fma_lanes(r->d + from, r->a + from, r->b + from, r->c + from, ~0ull, 0);
}

static const struct {
	const char *name;
	void (*soft)(struct rows *r, u32 from);
	void (*host)(struct rows *r, u32 from);
	double bound;
} ops[] = {
	{ "f32 fma, row", soft_fma_lanes, host_fma, 16 },
	{ "f32 fma", soft_fma, host_fma, 16 },
	{ "f32 add", soft_add, host_add, 16 },
	{ "f32 mul", soft_mul, host_mul, 16 },
	{ "f32 max", soft_max, NULL, 0 },
	{ "f32 rcp", soft_rcp, host_rcp, 0 },
	{ "f32 sqrt", soft_sqrt, host_sqrt, 0 },
	{ "f32 rsq", soft_rsq, host_rsq, 0 },
	{ "f32 exp2", soft_exp2, host_exp2, 0 },
	{ "f32 log2", soft_log2, host_log2, 0 },
	{ "f32 sin", soft_sin, host_sin, 0 },
	{ "f64 fma", soft_fma64, NULL, 0 },
	{ "f16 fma", soft_fma16, NULL, 0 },
};

int bench_isa_float(struct bench *b)
{
	struct rows *r = malloc(sizeof(*r));
	int err = r ? 0 : -ENOMEM;
	u32 i;

	if (!err)
		fill(r);
	for (i = 0; !err && i < ARRAY_SIZE(ops); i++) {
		struct bench_result result = { .bench = "isa.float", .name = ops[i].name,
						  .unit = "ns", .bound = ops[i].bound };

		result.kind = ops[i].bound > 0 ? BENCH_AT_MOST : BENCH_INFO;
		result.value = cost(r, ops[i].soft);
		result.has_baseline = ops[i].host;
		if (ops[i].host)
			result.baseline = cost(r, ops[i].host);
		err = bench_report(b, &result);
	}
	free(r);
	return err;
}
