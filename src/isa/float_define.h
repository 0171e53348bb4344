/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The functions that ISA_FLOAT_DECLARE() declares, for one format. */
#ifndef ISA_FLOAT_DEFINE_H
#define ISA_FLOAT_DEFINE_H

#include "isa/float_div.h"
#include "isa/float_root.h"

#define ISA_DEFINE_1(F, T, FMT, op)                      \
	T isa_##F##_##op(T a, u32 mode)                  \
	{                                                \
		return (T)isa_##op(FMT, a, mode);        \
	}

#define ISA_DEFINE_2(F, T, FMT, op)                      \
	T isa_##F##_##op(T a, T b, u32 mode)             \
	{                                                \
		return (T)isa_##op(FMT, a, b, mode);     \
	}

#define ISA_DEFINE_3(F, T, FMT, op)                      \
	T isa_##F##_##op(T a, T b, T c, u32 mode)        \
	{                                                \
		return (T)isa_##op(FMT, a, b, c, mode);  \
	}

/* All but mad, which flushes by itself in f32. */
#define ISA_FLOAT_DEFINE(F, T, FMT)                          \
	ISA_DEFINE_2(F, T, FMT, add)                         \
	ISA_DEFINE_2(F, T, FMT, sub)                         \
	ISA_DEFINE_2(F, T, FMT, mul)                         \
	ISA_DEFINE_3(F, T, FMT, fma)                         \
	ISA_DEFINE_2(F, T, FMT, min)                         \
	ISA_DEFINE_2(F, T, FMT, max)                         \
	ISA_DEFINE_1(F, T, FMT, fract)                       \
	ISA_DEFINE_1(F, T, FMT, floor)                       \
	ISA_DEFINE_1(F, T, FMT, ceil)                        \
	ISA_DEFINE_1(F, T, FMT, trunc)                       \
	ISA_DEFINE_1(F, T, FMT, rndne)                       \
	ISA_DEFINE_1(F, T, FMT, frexp_mant)                  \
	ISA_DEFINE_1(F, T, FMT, sqrt)                        \
	ISA_DEFINE_1(F, T, FMT, rcp)                         \
	ISA_DEFINE_1(F, T, FMT, rsq)                         \
	ISA_DEFINE_3(F, T, FMT, div_fixup)                   \
	ISA_DEFINE_1(F, T, FMT, clamp)                       \
	u32 isa_##F##_cmp(T a, T b, u32 mode)                \
	{                                                    \
		return isa_cmp(FMT, a, b, mode);             \
	}                                                    \
	u32 isa_##F##_class(T a)                             \
	{                                                    \
		return isa_class(FMT, a);                    \
	}                                                    \
	s32 isa_##F##_frexp_exp(T a, u32 mode)               \
	{                                                    \
		return isa_frexp_exp(FMT, a, mode);          \
	}                                                    \
	T isa_##F##_ldexp(T a, s32 exp, u32 mode)            \
	{                                                    \
		return (T)isa_ldexp(FMT, a, exp, mode);      \
	}                                                    \
	T isa_##F##_omod(T a, u32 omod, u32 mode)            \
	{                                                    \
		return (T)isa_omod(FMT, a, omod, mode);      \
	}

#define ISA_FLOAT_DEFINE_SMALL(F, T, FMT)                    \
	ISA_DEFINE_3(F, T, FMT, min3)                        \
	ISA_DEFINE_3(F, T, FMT, max3)                        \
	ISA_DEFINE_3(F, T, FMT, med3)

#endif
