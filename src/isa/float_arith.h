/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * add, mul, fma of any format: normal numbers, which is nearly all, in line, the
 * rest by a call (isa_*_rare).
 *
 * Both terms of a sum lie in one word with two bits of room above, the one with
 * the smaller exponent shifted right and jammed. Denormals are not brought to
 * the top first: a term that is short of bits there has the smallest exponent
 * there is, so that the result is rounded far above what the other term lost.
 */
#ifndef ISA_FLOAT_ARITH_H
#define ISA_FLOAT_ARITH_H

#include "isa/float_core.h"

/* Zero out of a sum. */
ISA_INLINE u64 isa_zero_sum(struct isa_format f, u32 sa, u32 sb, u32 mode)
{
	return isa_signed(f, sa == sb ? sa : (mode & ISA_FP_ROUND) == ISA_FP_DOWN, 0);
}

/*
 * a * 2^ea + b * 2^eb; both below 2^62, exponents as isa_norm_round() has them.
 * Which of them is the larger is a coin toss for a branch predictor: masks swap.
 */
ISA_INLINE u64 isa_sum64(struct isa_format f, struct isa_number a, struct isa_number b, u32 mode)
{
	s32 d = a.e - b.e;
	s32 less = d >> 31;
	u64 swap = (a.m ^ b.m) & (u64)(s64)less;
	u32 other = a.sign ^ b.sign;
	u32 sign = a.sign ^ (other & (u32)less);
	u64 y = isa_shift_jam(b.m ^ swap, (u32)((d ^ less) - less));
	u64 negate = 0 - (u64)other;
	u64 sum = (a.m ^ swap) + ((y ^ negate) - negate);
	u64 flip = 0 - (sum >> 63);

	if (isa_unlikely(!sum))
		return isa_zero_sum(f, a.sign, b.sign, mode);
	return isa_norm_round(f, sign ^ (flip & 1), a.e - (d & less), (sum ^ flip) - flip, mode);
}

ISA_RARE u64 isa_add_special(struct isa_format f, u64 a, u64 b)
{
	bool nan = isa_is_nan(f, a) || isa_is_nan(f, b);

	if (nan || (isa_is_inf(f, a) && isa_is_inf(f, b) && a != b))
		return isa_pick_nan(f, a, b, 0);
	return isa_is_inf(f, a) ? a : b;
}

ISA_INLINE u64 isa_add_numbers(struct isa_format f, struct isa_number x, struct isa_number y,
			       u32 mode)
{
	x.m <<= ISA_TOP - 1 - f.mant;
	y.m <<= ISA_TOP - 1 - f.mant;
	x.e++;
	y.e++;
	return isa_sum64(f, x, y, mode);
}

ISA_RARE u64 isa_add_rare(struct isa_format f, u64 a, u64 b, u32 mode)
{
	if (!isa_is_finite(f, a) || !isa_is_finite(f, b))
		return isa_add_special(f, a, b);
	return isa_add_numbers(f, isa_unpack(f, a, mode), isa_unpack(f, b, mode), mode);
}

ISA_INLINE u64 isa_add(struct isa_format f, u64 a, u64 b, u32 mode)
{
	if (isa_unlikely(!isa_is_normal(f, a) || !isa_is_normal(f, b)))
		return isa_add_rare(f, a, b, mode);
	return isa_add_numbers(f, isa_split(f, a), isa_split(f, b), mode);
}

/* The sign of a NaN is not the business of a subtraction. */
ISA_INLINE u64 isa_sub(struct isa_format f, u64 a, u64 b, u32 mode)
{
	return isa_add(f, a, isa_is_nan(f, b) ? b : b ^ isa_sign_bit(f), mode);
}

ISA_RARE u64 isa_mul_special(struct isa_format f, u64 a, u64 b, u32 mode)
{
	u64 x = isa_abs(f, isa_flush_in(f, a, mode));
	u64 y = isa_abs(f, isa_flush_in(f, b, mode));

	if (isa_is_nan(f, a) || isa_is_nan(f, b) || !x || !y)
		return isa_pick_nan(f, a, b, 0);
	return isa_signed(f, isa_sign(f, a) ^ isa_sign(f, b), isa_inf(f));
}

/* isa_norm_round() in two words: p * 2^(e - bias - 126), below 2^127. */
ISA_INLINE u64 isa_norm_round128(struct isa_format f, u32 sign, s32 e, isa_u128 p, u32 mode)
{
	u64 high = (u64)(p >> 64);
	s32 n = (high ? __builtin_clzll(high) : 64 + __builtin_clzll((u64)p)) - 1;

	p <<= n;
	return isa_round(f, sign, e - n, (u64)(p >> 64) | ((u64)p != 0), mode);
}

ISA_INLINE u64 isa_mul_numbers(struct isa_format f, struct isa_number x, struct isa_number y,
			       u32 mode)
{
	s32 e = x.e + y.e - isa_bias(f) + 1;
	u32 sign = x.sign ^ y.sign;

	if (f.mant > 30)
		return isa_norm_round128(f, sign, e, (isa_u128)(x.m << (62 - f.mant)) *
					 (y.m << (63 - f.mant)), mode);
	return isa_norm_round(f, sign, e, x.m * y.m << (ISA_TOP - 1 - 2 * f.mant), mode);
}

ISA_RARE u64 isa_mul_rare(struct isa_format f, u64 a, u64 b, u32 mode)
{
	struct isa_number x, y;

	if (!isa_is_finite(f, a) || !isa_is_finite(f, b))
		return isa_mul_special(f, a, b, mode);
	x = isa_unpack(f, a, mode);
	y = isa_unpack(f, b, mode);
	if (!x.m || !y.m)
		return isa_signed(f, x.sign ^ y.sign, 0);
	return isa_mul_numbers(f, x, y, mode);
}

ISA_INLINE u64 isa_mul(struct isa_format f, u64 a, u64 b, u32 mode)
{
	if (isa_unlikely(!isa_is_normal(f, a) || !isa_is_normal(f, b)))
		return isa_mul_rare(f, a, b, mode);
	return isa_mul_numbers(f, isa_split(f, a), isa_split(f, b), mode);
}

ISA_RARE u64 isa_fma_special(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	bool nan = isa_is_nan(f, a) || isa_is_nan(f, b) || isa_is_nan(f, c);
	u64 p;

	if (nan)
		return isa_pick_nan(f, a, b, c);
	if (isa_is_finite(f, a) && isa_is_finite(f, b))
		return c;
	p = isa_mul_special(f, a, b, mode);
	return isa_is_inf(f, c) ? isa_add_special(f, p, c) : p;
}

ISA_INLINE isa_u128 isa_shift_jam128(isa_u128 x, u32 n)
{
	n = n < 127 ? n : 127;
	return x >> n | ((x & ~(~(isa_u128)0 << n)) != 0);
}

/* The exponent of a product; one of zero must not push the other term away. */
ISA_INLINE s32 isa_product_exp(struct isa_format f, struct isa_number x, struct isa_number y)
{
	return x.m && y.m ? x.e + y.e - isa_bias(f) : -4 * isa_exp_max(f);
}

/* x * y + c, times 2^scale, where the product needs two words. */
ISA_INLINE u64 isa_fma128(struct isa_format f, struct isa_number x, struct isa_number y,
			  struct isa_number c, s32 scale, u32 mode)
{
	u32 sign = x.sign ^ y.sign;
	s32 e = isa_product_exp(f, x, y);
	s32 d = e - c.e;
	isa_u128 p = (isa_u128)(x.m << (62 - f.mant)) * (y.m << (62 - f.mant));
	isa_u128 q = (isa_u128)(c.m << (60 - f.mant)) << 64;

	p = isa_shift_jam128(p, (u32)(d < 0 ? -d : 0));
	q = isa_shift_jam128(q, (u32)(d > 0 ? d : 0));
	if (sign == c.sign) {
		p += q;
	} else if (p >= q) {
		p -= q;
	} else {
		p = q - p;
		sign = c.sign;
	}
	if (!p)
		return isa_zero_sum(f, x.sign ^ y.sign, c.sign, mode);
	return isa_norm_round128(f, sign, (d < 0 ? c.e : e) + 2 + scale, p, mode);
}

/* The same where it needs one. */
ISA_INLINE u64 isa_fma64(struct isa_format f, struct isa_number x, struct isa_number y,
			 struct isa_number z, s32 scale, u32 mode)
{
	x.e = isa_product_exp(f, x, y) + 2 + scale;
	x.m = x.m * y.m << (ISA_TOP - 2 - 2 * f.mant);
	x.sign ^= y.sign;
	z.m <<= ISA_TOP - 2 - f.mant;
	z.e += 2 + scale;
	return isa_sum64(f, x, z, mode);
}

ISA_INLINE u64 isa_fma_numbers(struct isa_format f, struct isa_number x, struct isa_number y,
			       struct isa_number z, s32 scale, u32 mode)
{
	if (f.mant > 30)
		return isa_fma128(f, x, y, z, scale, mode);
	return isa_fma64(f, x, y, z, scale, mode);
}

ISA_RARE u64 isa_fma_rare(struct isa_format f, u64 a, u64 b, u64 c, s32 scale, u32 mode)
{
	if (!isa_is_finite(f, a) || !isa_is_finite(f, b) || !isa_is_finite(f, c))
		return isa_fma_special(f, a, b, c, mode);
	return isa_fma_numbers(f, isa_unpack(f, a, mode), isa_unpack(f, b, mode),
			       isa_unpack(f, c, mode), scale, mode);
}

ISA_INLINE u64 isa_fma_scaled(struct isa_format f, u64 a, u64 b, u64 c, s32 scale, u32 mode)
{
	if (isa_unlikely(!isa_is_normal(f, a) || !isa_is_normal(f, b) || !isa_is_normal(f, c)))
		return isa_fma_rare(f, a, b, c, scale, mode);
	return isa_fma_numbers(f, isa_split(f, a), isa_split(f, b), isa_split(f, c), scale, mode);
}

ISA_INLINE u64 isa_fma(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	return isa_fma_scaled(f, a, b, c, 0, mode);
}

ISA_INLINE u64 isa_mad(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	return isa_add(f, isa_mul(f, a, b, mode), c, mode);
}

#endif
