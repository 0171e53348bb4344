// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * exp2, log2, sin, cos in fixed point. The result before rounding is good to
 * about 2^-42 of its value, so that the rounded one is the correctly rounded
 * one but for a case in some hundred thousand, and always within 1 ULP.
 * f16 goes through f32.
 *
 * Qn: an integer that means itself / 2^n. The constants are the nearest
 * integers to what their comments say.
 */
#include "isa/float_arith.h"

/* 2^(i / 32), Q62 */
static const u64 exp2_table[32] = {
	0x4000000000000000ull, 0x4166c34c5615d0ecull, 0x42d561b3e6243d8aull,
	0x444c0740496d4294ull, 0x45cae0f1f545eb73ull, 0x47521cc5a2e6a9e0ull,
	0x48e1e9b9d588e19bull, 0x4a7a77d47f7b84b1ull, 0x4c1bf828c6dc54b8ull,
	0x4dc69cdceaa72a9cull, 0x4f7a993048d088d7ull, 0x513821818624b40cull,
	0x52ff6b54d8a89c75ull, 0x54d0ad5a753e077cull, 0x56ac1f752150a563ull,
	0x5891fac0e95612c8ull, 0x5a827999fcef3242ull, 0x5c7dd7a3b17dcf75ull,
	0x5e8451cfac061b5full, 0x6096266533384a2bull, 0x62b39508aa836d6full,
	0x64dcdec3371793d1ull, 0x6712460a8fc24072ull, 0x69540ec8f895722dull,
	0x6ba27e656b4eb57aull, 0x6dfddbcbed791babull, 0x70666f76154a7089ull,
	0x72dc8373be41a454ull, 0x75606373ee921c97ull, 0x77f25ccdee6d7ae6ull,
	0x7a92be8a92436616ull, 0x7d41d96db915019dull,
};

/* About 1 / (1 + (i + 0.5) / 32), Q16, but 1 and 1/2 at the ends: see isa_f32_log2() */
static const u32 log2_factor[32] = {
	65536, 62602, 60787, 59075, 57456, 55924, 54471, 53092,
	51782, 50534, 49345, 48210, 47127, 46091, 45100, 44151,
	43240, 42367, 41528, 40721, 39946, 39199, 38480, 37787,
	37118, 36472, 35849, 35246, 34664, 34100, 33554, 32768,
};

/* -log2(log2_factor), Q60 */
static const u64 log2_table[32] = {
	0x0000000000000000ull, 0x010ea8b8033bc2f3ull, 0x01bc84805ff908ffull,
	0x026555a954e6adf7ull, 0x03098b3f58726b9aull, 0x03a93f3adacd0b55ull,
	0x0444cf4f05e4e26dull, 0x04dc562fa50342daull, 0x056ff8d9e0a32eacull,
	0x060022daca5c5817ull, 0x068cd5efa5a8fedbull, 0x0716582e9b867698ull,
	0x079c9b04cef381dbull, 0x081ff59172f2b35dull, 0x08a0666ea5747f2bull,
	0x091e12207693a7edull, 0x099946dd56b3c322ull, 0x0a11cdc9aa3a2381ull,
	0x0a88001b8b2e0abbull, 0x0afbf6c3b57e3f11ull, 0x0b6d835497f32c40ull,
	0x0bdd1074431e1dffull, 0x0c4a75e0325724dcull, 0x0cb5da4bbf257274ull,
	0x0d1f6927d01dd8b0ull, 0x0d87293b5ac9a5aaull, 0x0decf918c14405a8ull,
	0x0e513740509a2ec3ull, 0x0eb39b82d157f25eull, 0x0f148b885b827d6cull,
	0x0f73edb2d6497c9eull, 0x1000000000000000ull,
};

/* 1 / (i + 1), Q62 */
static const s64 reciprocal[9] = {
	0x4000000000000000ll, 0x2000000000000000ll, 0x1555555555555555ll,
	0x1000000000000000ll, 0x0ccccccccccccccdll, 0x0aaaaaaaaaaaaaabll,
	0x0924924924924925ll, 0x0800000000000000ll, 0x071c71c71c71c71cll,
};

/* sin(2 pi r) / r and cos(2 pi r) in powers of r^2, Q56 */
static const s64 sin_series[8] = {
	0x06487ed5110b4612ll, -0x295779cc4b7ca57dll, 0x519af19dd6ab8749ll,
	-0x4cb4b3398af616fall, 0x2a0f0690fdcf0372ll, -0x0f183a7ef4438fb1ll,
	0x03d1e869a031ac66ll, -0x00b7d6dcf8aaba1dll,
};

static const s64 cos_series[8] = {
	0x0100000000000000ll, -0x13bd3cc9be45de5all, 0x40f07c206d6b0ecdll,
	-0x5574f1f8f2ffe7f1ll, 0x3c3ea0d1237575e9ll, -0x1a6d1f2a204a8baall,
	0x07e74e28dd8f30a3ll, -0x01b6e24f44b128f3ll,
};

#define LN2_Q64 0xb17217f7d1cf79abull
#define INV_LN2_Q62 0x5c551d94ae0bf85ell

ISA_INLINE u64 mul_high(u64 a, u64 b)
{
	return (u64)((isa_u128)a * b >> 64);
}

ISA_INLINE s64 mul_q(s64 a, s64 b, u32 point)
{
	return (s64)((__int128)a * b >> point);
}

/* e^y - 1, y below 1/32, Q64: y (1 + y/2 (1 + y/3 (1 + y/4 (1 + y/5)))). */
static u64 exp_minus_1(u64 y)
{
	u64 r = y / 5;

	r = (y + mul_high(y, r)) / 4;
	r = (y + mul_high(y, r)) / 3;
	r = (y + mul_high(y, r)) / 2;
	return y + mul_high(y, r);
}

/* What these results are rounded by: the mode's rounding is not theirs. */
static u32 math_mode(u32 mode)
{
	return mode & ISA_FP_FLUSH;
}

static u32 exp2_of_fixed(s64 x, u32 mode)
{
	u64 fraction = (u64)x & ((1ull << 52) - 1);
	u64 base = exp2_table[fraction >> 47];
	u64 rest = (fraction & ((1ull << 47) - 1)) << 12;
	u64 sig = base + mul_high(base, exp_minus_1(mul_high(rest, LN2_Q64)));

	return (u32)isa_round(ISA_F32, 0, isa_bias(ISA_F32) + (s32)(x >> 52), sig, mode);
}

u32 isa_f32_exp2(u32 a, u32 mode)
{
	struct isa_number x;
	s32 shift;
	s64 fixed;

	if (isa_is_nan(ISA_F32, a))
		return (u32)isa_quiet(ISA_F32, a);
	x = isa_unpack(ISA_F32, a, mode);
	/* 512 and more */
	if (x.e >= isa_bias(ISA_F32) + 9)
		return x.sign ? 0 : (u32)isa_inf(ISA_F32);
	shift = x.e - isa_bias(ISA_F32) - ISA_F32.mant + 52;
	fixed = (s64)(shift >= 0 ? x.m << shift : x.m >> (shift > -63 ? -shift : 63));
	return exp2_of_fixed(x.sign ? -fixed : fixed, math_mode(mode));
}

/* log2(1 + r) / r, r a fraction up to 1/32 in Q62: (1 - r/2 + r^2/3 - ...) / ln 2. */
static s64 log2_ratio(s64 r)
{
	s64 sum = reciprocal[8];
	s32 i;

	for (i = 7; i >= 0; i--)
		sum = reciprocal[i] - mul_q(r, sum, 62);
	return mul_q(sum, INV_LN2_Q62, 62);
}

/*
 * log2(m) = log2(m * factor) - log2(factor). Next to 1 on both sides the factor
 * is 1 or 1/2 and its logarithm cancels the exponent without a rest, so that a
 * small result is as good as a large one.
 */
static u32 log2_of_normal(struct isa_number x, u32 mode)
{
	u32 i = (u32)(x.m >> 18) & 31;
	s64 rest = (s64)(x.m * log2_factor[i]) - (1ll << 39);
	__int128 sum;

	sum = (__int128)(x.e - isa_bias(ISA_F32)) * (1ll << 60) + (s64)log2_table[i];
	sum = sum * (1ll << 41) + (__int128)rest * log2_ratio(rest * (1 << 23));
	if (!sum)
		return 0;
	return (u32)isa_norm_round128(ISA_F32, sum < 0, isa_bias(ISA_F32) + 25,
				      (isa_u128)(sum < 0 ? -sum : sum), mode);
}

u32 isa_f32_log2(u32 a, u32 mode)
{
	if (isa_is_nan(ISA_F32, a))
		return (u32)isa_quiet(ISA_F32, a);
	a = (u32)isa_flush_in(ISA_F32, a, mode);
	if (!isa_abs(ISA_F32, a))
		return (u32)isa_signed(ISA_F32, 1, isa_inf(ISA_F32));
	if (isa_sign(ISA_F32, a))
		return (u32)isa_default_nan(ISA_F32);
	if (isa_is_inf(ISA_F32, a))
		return a;
	return log2_of_normal(isa_normal(ISA_F32, a, 0), math_mode(mode));
}

/**
 * struct angle - an angle, reduced
 * @quarter: nearest quarter of a revolution, modulo 4
 * @r: what is left, exact, in units of 2^@unit; up to an eighth
 * @unit: -26 or less
 */
struct angle {
	u32 quarter;
	s64 r;
	s32 unit;
};

/* Of |a|. Below an eighth there is nothing to do, of an integer nothing is left. */
static struct angle reduce(struct isa_number x)
{
	struct angle t = { .r = (s64)x.m, .unit = x.e - isa_bias(ISA_F32) - ISA_F32.mant };

	if (t.unit >= 0)
		return (struct angle){ .unit = -26 };
	if (t.unit < -26)
		return t;
	t.r <<= t.unit + 26;
	t.unit = -26;
	t.quarter = (u32)((t.r + (1 << 23)) >> 24);
	t.r -= (s64)t.quarter << 24;
	t.quarter &= 3;
	return t;
}

static s64 series(const s64 *c, const struct angle *t)
{
	s32 shift = 2 * (-26 - t->unit);
	s64 z = t->r * t->r << 12 >> (shift < 63 ? shift : 63);
	s64 sum = c[7];
	s32 i;

	for (i = 6; i >= 0; i--)
		sum = c[i] + mul_q(sum, z, 64);
	return sum;
}

/* sin(2 pi (r + quarter / 4)), odd quarters are cosines. */
static u32 sin_of_angle(struct angle t, u32 sign, u32 mode)
{
	u64 r = (u64)(t.r < 0 ? -t.r : t.r);

	sign ^= t.quarter >> 1 & 1;
	if (t.quarter & 1)
		return (u32)isa_norm_round(ISA_F32, sign, isa_bias(ISA_F32),
					   (u64)series(cos_series, &t) << 6, mode);
	if (!r)
		return 0;
	return (u32)isa_norm_round128(ISA_F32, sign ^ (t.r < 0),
				      isa_bias(ISA_F32) + 70 + t.unit,
				      (isa_u128)r * (u64)series(sin_series, &t), mode);
}

u32 isa_f32_sin(u32 a, u32 mode)
{
	u32 size = (u32)isa_abs(ISA_F32, a);

	if (size >= isa_inf(ISA_F32))
		return (u32)isa_pick_nan(ISA_F32, a, 0, 0);
	a = (u32)isa_flush_in(ISA_F32, a, mode);
	if (!isa_abs(ISA_F32, a))
		return a;
	return sin_of_angle(reduce(isa_unpack(ISA_F32, size, 0)), isa_sign(ISA_F32, a),
			    math_mode(mode));
}

u32 isa_f32_cos(u32 a, u32 mode)
{
	u32 size = (u32)isa_abs(ISA_F32, a);
	struct angle t;

	if (size >= isa_inf(ISA_F32))
		return (u32)isa_pick_nan(ISA_F32, a, 0, 0);
	t = reduce(isa_unpack(ISA_F32, size, mode));
	t.quarter = (t.quarter + 1) & 3;
	return sin_of_angle(t, 0, math_mode(mode));
}

#define DEFINE_F16(op)                                                           \
	u16 isa_f16_##op(u16 a, u32 mode)                                        \
	{                                                                        \
		u32 wide = isa_f32_##op(isa_f32_from_f16(a, mode), 0);           \
										 \
		return isa_f16_from_f32(wide, mode & ISA_FP_FLUSH_OUT);          \
	}

DEFINE_F16(exp2)
DEFINE_F16(log2)
DEFINE_F16(sin)
DEFINE_F16(cos)
