/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The three steps of a division that compilers emit around Newton's method:
 * div_scale brings both operands to where no step over- or underflows, div_fmas
 * takes the scaling back, div_fixup puts in the special cases.
 */
#ifndef ISA_FLOAT_DIV_H
#define ISA_FLOAT_DIV_H

#include "isa/float_parts.h"

/* What a quotient is scaled by: 2^64 or 2^128. */
ISA_INLINE s32 isa_div_step(struct isa_format f)
{
	return f.mant > 30 ? 128 : 64;
}

/* Exponent field of a number of which the denormal ones were brought to the top. */
ISA_INLINE s32 isa_true_exp(struct isa_format f, u64 a)
{
	return isa_normal(f, a, 0).e;
}

/* Is num / den, rounded towards zero, denormal or zero? Both not zero and finite. */
ISA_INLINE bool isa_div_tiny(struct isa_format f, u64 num, u64 den)
{
	struct isa_number n = isa_normal(f, num, 0), d = isa_normal(f, den, 0);

	return n.e - d.e - (n.m < d.m) < 1 - isa_bias(f);
}

/*
 * The power of two for s0, in the order of cases of AMD's manual. Its third
 * case scales a denominator up that is near the largest number already; only
 * down makes sense (and is what its words "only scale the denominator" need).
 */
ISA_INLINE s32 isa_div_scale_by(struct isa_format f, u64 s0, u64 den, u64 num, u32 *vcc)
{
	s32 step = isa_div_step(f);
	s32 near_max = f.mant > 30 ? 768 : 96;
	bool tiny = isa_div_tiny(f, num, den);
	bool big_den = isa_div_tiny(f, isa_power(f, 0), den);

	if (isa_true_exp(f, num) - isa_true_exp(f, den) >= near_max) {
		*vcc = 1;
		return s0 == den ? step : 0;
	}
	if (!isa_exp_field(f, den))
		return step;
	if (big_den && tiny) {
		*vcc = 1;
		return s0 == den ? -step : 0;
	}
	if (big_den)
		return -step;
	if (tiny) {
		*vcc = 1;
		return s0 == num ? step : 0;
	}
	return isa_exp_field(f, num) <= f.mant + (f.mant > 30) ? step : 0;
}

ISA_INLINE u64 isa_div_scale(struct isa_format f, u64 s0, u64 den, u64 num, u32 *vcc, u32 mode)
{
	s32 by;

	s0 = isa_flush_in(f, s0, mode);
	den = isa_flush_in(f, den, mode);
	num = isa_flush_in(f, num, mode);
	*vcc = 0;
	if (!isa_abs(f, den) || !isa_abs(f, num))
		return isa_default_nan(f);
	if (!isa_is_finite(f, den) || !isa_is_finite(f, num))
		return isa_is_nan(f, s0) ? isa_quiet(f, s0) : s0;
	by = isa_div_scale_by(f, s0, den, num, vcc);
	return isa_ldexp(f, s0, by, mode);
}

/*
 * AMD's manual has one factor, 2^32 (f64: 2^64), which takes back neither of the
 * scalings above. A quotient near the largest number was made smaller by step and
 * is far above 2, one near the smallest was made larger and is far below.
 */
ISA_INLINE u64 isa_div_fmas(struct isa_format f, u64 a, u64 b, u64 c, u32 vcc, u32 mode)
{
	s32 step = isa_div_step(f);

	if (!vcc)
		return isa_fma(f, a, b, c, mode);
	return isa_fma_scaled(f, a, b, c, isa_exp_field(f, c) > isa_bias(f) ? step : -step, mode);
}

ISA_INLINE u64 isa_div_fixup(struct isa_format f, u64 q, u64 den, u64 num, u32 mode)
{
	u32 sign = isa_sign(f, den) ^ isa_sign(f, num);
	bool inf, zero;

	if (isa_is_nan(f, num) || isa_is_nan(f, den))
		return isa_pick_nan(f, num, den, 0);
	num = isa_abs(f, isa_flush_in(f, num, mode));
	den = isa_abs(f, isa_flush_in(f, den, mode));
	inf = num == isa_inf(f) || !den;
	zero = den == isa_inf(f) || !num;
	if (inf && zero)
		return isa_default_nan(f);
	if (inf)
		return isa_signed(f, sign, isa_inf(f));
	if (zero)
		return isa_signed(f, sign, 0);
	/* Less than half of the smallest number. */
	if (isa_true_exp(f, num) - isa_true_exp(f, den) < -isa_bias(f) - f.mant)
		return isa_round(f, sign, -isa_bias(f), 1ull << ISA_TOP, mode);
	/* Of an infinite quotient the steps before have made infinity - infinity. */
	if (isa_is_nan(f, q))
		return isa_overflow(f, sign, mode);
	return isa_signed(f, sign, isa_abs(f, q));
}

#endif
