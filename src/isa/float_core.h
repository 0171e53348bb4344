/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What all of the soft float is made of: fields of a format, rounding, NaN.
 *
 * A format is a constant that every caller passes; everything here is inlined
 * and the compiler computes with it, so that one text serves f16, bf16, f32
 * and f64. Patterns travel in u64.
 *
 * A number on its way to isa_round() is (sign, e, sig): sig has its highest bit
 * at ISA_TOP, e is the exponent field it would get, bit 0 of sig also stands
 * for everything below it ("jammed").
 */
#ifndef ISA_FLOAT_CORE_H
#define ISA_FLOAT_CORE_H

#include "isa/float.h"

/* Spelled so that they are no macros of the kernel's. */
#define ISA_INLINE static inline __attribute__((__always_inline__))
#define ISA_RARE static __attribute__((__noinline__, __cold__, __unused__))
#define isa_unlikely(x) __builtin_expect(!!(x), 0)

/* Multiplied, shifted and added only: no compiler calls a function for that. */
typedef unsigned __int128 isa_u128;

#define ISA_TOP 62

/**
 * struct isa_format - a floating-point format
 * @mant: stored bits of the significand
 * @exp: bits of the exponent
 */
struct isa_format {
	s32 mant;
	s32 exp;
};

#define ISA_F16 ((struct isa_format){ 10, 5 })
#define ISA_BF16 ((struct isa_format){ 7, 8 })
#define ISA_F32 ((struct isa_format){ 23, 8 })
#define ISA_F64 ((struct isa_format){ 52, 11 })

/**
 * struct isa_number - a finite number
 * @sign: 1 = negative
 * @e: exponent field, 1 for denormals and zero
 * @m: significand with its hidden bit
 */
struct isa_number {
	u32 sign;
	s32 e;
	u64 m;
};

ISA_INLINE s32 isa_bias(struct isa_format f)
{
	return (1 << (f.exp - 1)) - 1;
}

ISA_INLINE s32 isa_exp_max(struct isa_format f)
{
	return (1 << f.exp) - 1;
}

ISA_INLINE u64 isa_hidden(struct isa_format f)
{
	return 1ull << f.mant;
}

ISA_INLINE u64 isa_inf(struct isa_format f)
{
	return (u64)isa_exp_max(f) << f.mant;
}

ISA_INLINE u64 isa_sign_bit(struct isa_format f)
{
	return 1ull << (f.mant + f.exp);
}

/* 2^n, n a normal exponent. */
ISA_INLINE u64 isa_power(struct isa_format f, s32 n)
{
	return (u64)(isa_bias(f) + n) << f.mant;
}

ISA_INLINE u32 isa_sign(struct isa_format f, u64 a)
{
	return (u32)(a >> (f.mant + f.exp)) & 1;
}

ISA_INLINE u64 isa_abs(struct isa_format f, u64 a)
{
	return a & (isa_sign_bit(f) - 1);
}

ISA_INLINE s32 isa_exp_field(struct isa_format f, u64 a)
{
	return (s32)(a >> f.mant) & isa_exp_max(f);
}

ISA_INLINE u64 isa_signed(struct isa_format f, u32 sign, u64 magnitude)
{
	return magnitude | (u64)sign << (f.mant + f.exp);
}

ISA_INLINE bool isa_is_nan(struct isa_format f, u64 a)
{
	return isa_abs(f, a) > isa_inf(f);
}

ISA_INLINE bool isa_is_inf(struct isa_format f, u64 a)
{
	return isa_abs(f, a) == isa_inf(f);
}

/* Neither infinite nor NaN. */
ISA_INLINE bool isa_is_finite(struct isa_format f, u64 a)
{
	return isa_abs(f, a) < isa_inf(f);
}

ISA_INLINE u64 isa_quiet(struct isa_format f, u64 a)
{
	return a | isa_hidden(f) >> 1;
}

ISA_INLINE bool isa_is_snan(struct isa_format f, u64 a)
{
	return isa_is_nan(f, a) && a != isa_quiet(f, a);
}

/* The NaN of an operation on numbers. */
ISA_INLINE u64 isa_default_nan(struct isa_format f)
{
	return isa_quiet(f, isa_sign_bit(f) | isa_inf(f));
}

ISA_INLINE u64 isa_flush(struct isa_format f, u64 a, u32 flush)
{
	return flush && isa_abs(f, a) < isa_hidden(f) ? a & isa_sign_bit(f) : a;
}

ISA_INLINE u64 isa_flush_in(struct isa_format f, u64 a, u32 mode)
{
	return isa_flush(f, a, mode & ISA_FP_FLUSH_IN);
}

ISA_INLINE u64 isa_flush_out(struct isa_format f, u64 a, u32 mode)
{
	return isa_flush(f, a, mode & ISA_FP_FLUSH_OUT);
}

/* Neither zero, denormal, infinite nor NaN. */
ISA_INLINE bool isa_is_normal(struct isa_format f, u64 a)
{
	return (u32)(isa_exp_field(f, a) - 1) < (u32)(isa_exp_max(f) - 1);
}

/* Of a normal pattern. */
ISA_INLINE struct isa_number isa_split(struct isa_format f, u64 a)
{
	return (struct isa_number){
		.sign = isa_sign(f, a),
		.e = isa_exp_field(f, a),
		.m = (a & (isa_hidden(f) - 1)) | isa_hidden(f),
	};
}

/* Of a finite pattern. */
ISA_INLINE struct isa_number isa_unpack(struct isa_format f, u64 a, u32 mode)
{
	s32 e = isa_exp_field(f, a);
	u64 hidden = (u64)(e != 0) << f.mant;
	u64 keep = mode & ISA_FP_FLUSH_IN ? 0 - (u64)(e != 0) : ~0ull;

	return (struct isa_number){
		.sign = isa_sign(f, a),
		.e = e + (e == 0),
		.m = ((a & (isa_hidden(f) - 1)) & keep) | hidden,
	};
}

/* Significand with its highest bit at mant unless it is 0; e may be below 1. */
ISA_INLINE struct isa_number isa_normal(struct isa_format f, u64 a, u32 mode)
{
	struct isa_number x = isa_unpack(f, a, mode);
	s32 n = __builtin_clzll(x.m | 1) - (63 - f.mant);

	x.m <<= n;
	x.e -= n;
	return x;
}

/* Shifts right; what falls out survives in bit 0. */
ISA_INLINE u64 isa_shift_jam(u64 x, u32 n)
{
	u64 r;

	n = n < 63 ? n : 63;
	r = x >> n;
	return r | (r << n != x);
}

/* Rounds away from zero if inexact? Up is 1, down is 2. */
ISA_INLINE bool isa_away(u32 sign, u32 mode)
{
	return (mode & ISA_FP_ROUND) == ISA_FP_UP + sign;
}

/* What to add before bits below `shift` are cut off. */
ISA_INLINE u64 isa_increment(u64 sig, u32 shift, u32 sign, u32 mode)
{
	u64 below = (1ull << shift) - 1;

	if ((mode & ISA_FP_ROUND) == ISA_FP_NEAREST)
		return (below >> 1) + (sig >> shift & 1);
	return isa_away(sign, mode) ? below : 0;
}

/* Infinity, or the largest number where the mode rounds towards it. */
ISA_INLINE u64 isa_overflow(struct isa_format f, u32 sign, u32 mode)
{
	bool inf = (mode & ISA_FP_ROUND) == ISA_FP_NEAREST || isa_away(sign, mode);

	return isa_signed(f, sign, isa_inf(f) - !inf);
}

/* isa_round() of what is no normal number. */
ISA_INLINE u64 isa_round_edge(struct isa_format f, u32 sign, s32 e, u64 sig, u32 mode)
{
	u32 shift = (u32)(ISA_TOP - f.mant);
	u64 r;

	if (e > 0)
		return isa_overflow(f, sign, mode);
	sig = isa_shift_jam(sig, (u32)(1 - e));
	r = (sig + isa_increment(sig, shift, sign, mode)) >> shift;
	return isa_flush_out(f, isa_signed(f, sign, r), mode);
}

/* The carry out of the significand goes where it belongs, up to infinity. */
ISA_INLINE u64 isa_round(struct isa_format f, u32 sign, s32 e, u64 sig, u32 mode)
{
	u32 shift = (u32)(ISA_TOP - f.mant);

	if (isa_unlikely((u32)(e - 1) >= (u32)(isa_exp_max(f) - 1)))
		return isa_round_edge(f, sign, e, sig, mode);
	sig += isa_increment(sig, shift, sign, mode);
	return isa_signed(f, sign, ((u64)(e - 1) << f.mant) + (sig >> shift));
}

/*
 * sig * 2^(e - bias - ISA_TOP), sig not 0 and below 2^63: brought to the top,
 * then rounded.
 */
ISA_INLINE u64 isa_norm_round(struct isa_format f, u32 sign, s32 e, u64 sig, u32 mode)
{
	s32 n = __builtin_clzll(sig) - (63 - ISA_TOP);

	return isa_round(f, sign, e - n, sig << n, mode);
}

/* The first NaN of three, quiet; the default one if there is none. */
ISA_INLINE u64 isa_pick_nan(struct isa_format f, u64 a, u64 b, u64 c)
{
	if (isa_is_nan(f, a))
		return isa_quiet(f, a);
	if (isa_is_nan(f, b))
		return isa_quiet(f, b);
	return isa_is_nan(f, c) ? isa_quiet(f, c) : isa_default_nan(f);
}

#endif
