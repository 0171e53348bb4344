/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Integer part, fraction, exponent, powers of two of any format. */
#ifndef ISA_FLOAT_PARTS_H
#define ISA_FLOAT_PARTS_H

#include "isa/float_arith.h"
#include "isa/float_order.h"

/* To an integer, as mode rounds. */
ISA_INLINE u64 isa_to_integral(struct isa_format f, u64 a, u32 mode)
{
	u32 sign = isa_sign(f, a);
	s32 below;
	u64 m;

	if (isa_is_nan(f, a))
		return isa_quiet(f, a);
	a = isa_flush_in(f, a, mode);
	below = isa_bias(f) + f.mant - isa_exp_field(f, a);
	m = isa_abs(f, a);
	if (below <= 0 || !m)
		return a;
	/* Up to 1: the fields in place would not do. */
	if (below > f.mant) {
		u64 half = isa_power(f, -1);
		bool near = (mode & ISA_FP_ROUND) == ISA_FP_NEAREST;
		bool one = near ? m > half : isa_away(sign, mode);

		return isa_signed(f, sign, one ? isa_power(f, 0) : 0);
	}
	/* The bias is odd, so the field is as odd as the hidden bit. */
	m += isa_increment(m, (u32)below, sign, mode);
	return isa_signed(f, sign, m >> below << below);
}

ISA_INLINE u32 isa_with_round(u32 mode, u32 round)
{
	return (mode & ~ISA_FP_ROUND) | round;
}

ISA_INLINE u64 isa_floor(struct isa_format f, u64 a, u32 mode)
{
	return isa_to_integral(f, a, isa_with_round(mode, ISA_FP_DOWN));
}

ISA_INLINE u64 isa_ceil(struct isa_format f, u64 a, u32 mode)
{
	return isa_to_integral(f, a, isa_with_round(mode, ISA_FP_UP));
}

ISA_INLINE u64 isa_trunc(struct isa_format f, u64 a, u32 mode)
{
	return isa_to_integral(f, a, isa_with_round(mode, ISA_FP_ZERO));
}

ISA_INLINE u64 isa_rndne(struct isa_format f, u64 a, u32 mode)
{
	return isa_to_integral(f, a, isa_with_round(mode, ISA_FP_NEAREST));
}

ISA_INLINE u64 isa_fract(struct isa_format f, u64 a, u32 mode)
{
	u64 below_one = isa_power(f, 0) - 1;
	u64 r = isa_sub(f, a, isa_floor(f, a, mode), mode);

	return r == isa_power(f, 0) ? below_one : r;
}

ISA_INLINE u64 isa_frexp_mant(struct isa_format f, u64 a, u32 mode)
{
	struct isa_number x = isa_normal(f, a, mode);

	if (isa_is_nan(f, a))
		return isa_quiet(f, a);
	if (isa_is_inf(f, a) || !x.m)
		return isa_flush_in(f, a, mode);
	return isa_signed(f, x.sign, isa_power(f, -1) | (x.m ^ isa_hidden(f)));
}

ISA_INLINE s32 isa_frexp_exp(struct isa_format f, u64 a, u32 mode)
{
	struct isa_number x = isa_normal(f, a, mode);

	return isa_is_finite(f, a) && x.m ? x.e - isa_bias(f) + 1 : 0;
}

ISA_INLINE u64 isa_ldexp(struct isa_format f, u64 a, s32 exp, u32 mode)
{
	s32 far = 4 * isa_exp_max(f);
	struct isa_number x;

	if (isa_is_nan(f, a))
		return isa_quiet(f, a);
	if (isa_is_inf(f, a))
		return a;
	x = isa_unpack(f, a, mode);
	if (!x.m)
		return isa_signed(f, x.sign, 0);
	exp = exp < -far ? -far : exp > far ? far : exp;
	return isa_norm_round(f, x.sign, x.e + exp, x.m << (ISA_TOP - f.mant), mode);
}

/* 1: times 2, 2: times 4, 3: half. */
ISA_INLINE u64 isa_omod(struct isa_format f, u64 a, u32 omod, u32 mode)
{
	u64 r;

	if (!omod || (mode & ISA_FP_IEEE) || !(mode & ISA_FP_FLUSH_OUT) || isa_is_nan(f, a))
		return a;
	r = isa_ldexp(f, a, omod == 3 ? -1 : (s32)omod, mode);
	return isa_abs(f, r) ? r : 0;
}

#endif
