/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Comparison, minimum, maximum, classes of any format. */
#ifndef ISA_FLOAT_ORDER_H
#define ISA_FLOAT_ORDER_H

#include "isa/float_core.h"

/*
 * Numbers in their order as integers, +0 and -0 the same. Without branches, as
 * their outcome would be a coin toss.
 */
ISA_INLINE s64 isa_key(struct isa_format f, u64 a)
{
	s64 sign = isa_sign(f, a);

	return ((s64)isa_abs(f, a) ^ -sign) + sign;
}

ISA_INLINE u32 isa_cmp(struct isa_format f, u64 a, u64 b, u32 mode)
{
	s64 x = isa_key(f, isa_flush_in(f, a, mode));
	s64 y = isa_key(f, isa_flush_in(f, b, mode));

	if (isa_unlikely(isa_is_nan(f, a) || isa_is_nan(f, b)))
		return ISA_CMP_UNORDERED;
	return ISA_CMP_LESS << ((x >= y) + (x > y));
}

ISA_INLINE u32 isa_class(struct isa_format f, u64 a)
{
	u64 m = isa_abs(f, a);
	u32 neg = isa_sign(f, a);

	if (m > isa_inf(f))
		return isa_is_snan(f, a) ? ISA_CLASS_SNAN : ISA_CLASS_QNAN;
	if (m == isa_inf(f))
		return neg ? ISA_CLASS_NEG_INF : ISA_CLASS_POS_INF;
	if (m >= isa_hidden(f))
		return neg ? ISA_CLASS_NEG_NORMAL : ISA_CLASS_POS_NORMAL;
	if (m)
		return neg ? ISA_CLASS_NEG_DENORMAL : ISA_CLASS_POS_DENORMAL;
	return neg ? ISA_CLASS_NEG_ZERO : ISA_CLASS_POS_ZERO;
}

/* min and max of two of which one is NaN. */
ISA_RARE u64 isa_extreme_nan(struct isa_format f, u64 a, u64 b, u32 mode)
{
	if ((mode & ISA_FP_IEEE) && isa_is_snan(f, a))
		return isa_quiet(f, a);
	if ((mode & ISA_FP_IEEE) && isa_is_snan(f, b))
		return isa_quiet(f, b);
	return isa_flush(f, isa_is_nan(f, a) ? b : a, mode & ISA_FP_FLUSH);
}

ISA_INLINE u64 isa_extreme(struct isa_format f, u64 a, u64 b, u32 mode, bool want_max)
{
	s64 x, y;
	u64 take;

	if (isa_unlikely(isa_is_nan(f, a) || isa_is_nan(f, b)))
		return isa_extreme_nan(f, a, b, mode);
	a = isa_flush(f, a, mode & ISA_FP_FLUSH);
	b = isa_flush(f, b, mode & ISA_FP_FLUSH);
	/* -0 is less than +0 here. */
	x = isa_key(f, a) - isa_sign(f, a);
	y = isa_key(f, b) - isa_sign(f, b);
	take = 0 - (u64)(want_max ? x > y : x < y);
	return b ^ ((a ^ b) & take);
}

ISA_INLINE u64 isa_min(struct isa_format f, u64 a, u64 b, u32 mode)
{
	return isa_extreme(f, a, b, mode, false);
}

ISA_INLINE u64 isa_max(struct isa_format f, u64 a, u64 b, u32 mode)
{
	return isa_extreme(f, a, b, mode, true);
}

ISA_INLINE u64 isa_min3(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	return isa_min(f, isa_min(f, a, b, mode), c, mode);
}

ISA_INLINE u64 isa_max3(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	return isa_max(f, isa_max(f, a, b, mode), c, mode);
}

/* In the steps of AMD's manual: they decide about zeros of both signs. */
ISA_INLINE u64 isa_med3(struct isa_format f, u64 a, u64 b, u64 c, u32 mode)
{
	u64 top;

	if (isa_is_nan(f, a) || isa_is_nan(f, b) || isa_is_nan(f, c))
		return isa_min3(f, a, b, c, mode);
	top = isa_max3(f, a, b, c, mode);
	if (isa_cmp(f, top, a, mode) == ISA_CMP_EQUAL)
		return isa_max(f, b, c, mode);
	if (isa_cmp(f, top, b, mode) == ISA_CMP_EQUAL)
		return isa_max(f, a, c, mode);
	return isa_max(f, a, b, mode);
}

ISA_INLINE u64 isa_clamp(struct isa_format f, u64 a, u32 mode)
{
	if (isa_is_nan(f, a))
		return mode & ISA_FP_DX10_CLAMP ? 0 : a;
	if (isa_sign(f, a))
		return 0;
	return a < isa_power(f, 0) ? a : isa_power(f, 0);
}

#endif
