/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Comparison, minimum, maximum, classes of any format. */
#ifndef ISA_FLOAT_ORDER_H
#define ISA_FLOAT_ORDER_H

#include "isa/float_core.h"

/* Numbers in their order as integers, -0 just below +0. */
ISA_INLINE s64 isa_key(struct isa_format f, u64 a)
{
	return isa_sign(f, a) ? -1 - (s64)isa_abs(f, a) : (s64)isa_abs(f, a);
}

ISA_INLINE u32 isa_cmp(struct isa_format f, u64 a, u64 b, u32 mode)
{
	a = isa_flush_in(f, a, mode);
	b = isa_flush_in(f, b, mode);
	if (isa_is_nan(f, a) || isa_is_nan(f, b))
		return ISA_CMP_UNORDERED;
	if (a == b || !isa_abs(f, a | b))
		return ISA_CMP_EQUAL;
	return isa_key(f, a) < isa_key(f, b) ? ISA_CMP_LESS : ISA_CMP_GREATER;
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

ISA_INLINE u64 isa_extreme(struct isa_format f, u64 a, u64 b, u32 mode, bool want_max)
{
	if ((mode & ISA_FP_IEEE) && isa_is_snan(f, a))
		return isa_quiet(f, a);
	if ((mode & ISA_FP_IEEE) && isa_is_snan(f, b))
		return isa_quiet(f, b);
	a = isa_flush(f, a, mode & ISA_FP_FLUSH);
	b = isa_flush(f, b, mode & ISA_FP_FLUSH);
	if (isa_is_nan(f, a))
		return b;
	if (isa_is_nan(f, b))
		return a;
	return (isa_key(f, a) > isa_key(f, b)) == want_max ? a : b;
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
