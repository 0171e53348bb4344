/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reciprocal, square root, and both, of any format: digits by integer division
 * and integer roots, the rest as one sticky bit, then rounded once.
 */
#ifndef ISA_FLOAT_ROOT_H
#define ISA_FLOAT_ROOT_H

#include "isa/float_core.h"

/**
 * struct isa_root - an integer result
 * @value: digits
 * @rest: what is left is not zero
 */
struct isa_root {
	isa_u128 value;
	bool rest;
};

/* Digits that one division gives: what 64 bits hold above a remainder, about. */
ISA_INLINE s32 isa_digits(struct isa_format f)
{
	return f.mant > 30 ? 11 : 28;
}

/* Digits after the point that a result needs: one for rounding, one as it is below 1. */
ISA_INLINE s32 isa_root_point(struct isa_format f)
{
	return (f.mant + 1 + isa_digits(f)) / isa_digits(f) * isa_digits(f);
}

/* num / m with a number of digits after the point; both below 2^(mant + 2). */
ISA_INLINE struct isa_root isa_quotient(struct isa_format f, u64 num, u64 m, s32 point)
{
	struct isa_root q = { .value = num / m };
	s32 i;

	num %= m;
	for (i = 0; i < point; i += isa_digits(f)) {
		num <<= isa_digits(f);
		q.value = q.value << isa_digits(f) | num / m;
		num %= m;
	}
	q.rest = num != 0;
	return q;
}

/* Square root of an integer below 2^(2 * nr), one digit a round. */
ISA_INLINE struct isa_root isa_square_root(struct isa_format f, isa_u128 x, s32 nr)
{
	s32 word = f.mant > 30 ? 128 : 64;
	isa_u128 wide = x << (word - 2 * nr);
	u64 narrow = (u64)wide;
	u64 root = 0, rest = 0;

	while (nr--) {
		u64 take;

		rest = rest << 2 | (word == 64 ? narrow >> 62 : (u64)(wide >> 126));
		narrow <<= 2;
		wide <<= 2;
		take = 0 - (u64)(rest > root << 2);
		rest -= (root << 2 | 1) & take;
		root = root << 1 | (take & 1);
	}
	return (struct isa_root){ .value = root, .rest = rest != 0 };
}

/* value * 2^(e - bias - point), below 2^(point + 1). */
ISA_INLINE u64 isa_root_round(struct isa_format f, u32 sign, s32 e, s32 point,
			      struct isa_root r, u32 mode)
{
	u64 sig = (u64)r.value << (ISA_TOP - point);

	return isa_norm_round(f, sign, e, sig | r.rest, mode);
}

ISA_INLINE u64 isa_rcp(struct isa_format f, u64 a, u32 mode)
{
	s32 point = isa_root_point(f);
	struct isa_number x;

	if (isa_is_nan(f, a))
		return isa_quiet(f, a);
	if (isa_is_inf(f, a))
		return a & isa_sign_bit(f);
	x = isa_normal(f, a, mode);
	if (!x.m)
		return isa_signed(f, x.sign, isa_inf(f));
	return isa_root_round(f, x.sign, 2 * isa_bias(f) - x.e, point,
			      isa_quotient(f, isa_hidden(f), x.m, point), mode);
}

/* Negative numbers, zeros, infinity, NaN. */
ISA_INLINE bool isa_root_special(struct isa_format f, u64 a)
{
	return !a || a >= isa_inf(f);
}

ISA_INLINE u64 isa_sqrt(struct isa_format f, u64 a, u32 mode)
{
	s32 point = f.mant + 2;
	struct isa_number x;
	s32 exp, odd;

	a = isa_flush_in(f, a, mode);
	if (isa_root_special(f, a)) {
		if (isa_is_nan(f, a))
			return isa_quiet(f, a);
		return isa_sign(f, a) && isa_abs(f, a) ? isa_default_nan(f) : a;
	}
	x = isa_normal(f, a, mode);
	exp = x.e - isa_bias(f);
	odd = exp & 1;
	return isa_root_round(f, 0, isa_bias(f) + (exp - odd) / 2, point,
			      isa_square_root(f, (isa_u128)x.m << (2 * point - f.mant + odd),
					      point + 1), mode);
}

/* The root of the integer part of a quotient is the integer part of the root. */
ISA_INLINE u64 isa_rsq(struct isa_format f, u64 a, u32 mode)
{
	s32 point = isa_root_point(f);
	struct isa_number x;
	struct isa_root q, r;
	s32 exp, odd;

	a = isa_flush_in(f, a, mode);
	if (isa_root_special(f, a)) {
		if (isa_is_nan(f, a))
			return isa_quiet(f, a);
		if (!isa_abs(f, a))
			return a | isa_inf(f);
		return isa_sign(f, a) ? isa_default_nan(f) : 0;
	}
	x = isa_normal(f, a, mode);
	exp = x.e - isa_bias(f);
	odd = exp & 1;
	q = isa_quotient(f, isa_hidden(f) << odd, x.m, 2 * point);
	r = isa_square_root(f, q.value, point + 1);
	r.rest |= q.rest;
	return isa_root_round(f, 0, isa_bias(f) - (exp + odd) / 2, point, r, mode);
}

#endif
