/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Floating point in integers: what the vector instructions of gfx90a and gfx942
 * compute, on bit patterns, with the same bits on every machine. No function
 * here has state, allocates, loops without a bound or fails.
 *
 * A u16, u32 or u64 named a, b, c is an f16, f32 or f64 as it lies in a
 * register. The mode of an operation is a word of ISA_FP_*; isa_fp_mode32() and
 * isa_fp_mode64() make it from the MODE register. Input modifiers (neg, abs)
 * are the caller's: they touch the sign bit only, also that of a NaN.
 *
 * Accuracy. Correctly rounded in all four modes, denormals included: add, sub,
 * mul, fma, mad (each of its two steps), ldexp, sqrt, rcp, rsq, conversions,
 * omod. Within 1 ULP of the true value, whatever the rounding mode: exp2, log2,
 * sin, cos; the same bits always. (AMD's manuals promise 1 ULP for rcp, rsq,
 * sqrt, exp, log in f32 and (2^29) ULP for rcp and rsq in f64, not the bits.)
 *
 * Denormals. With ISA_FP_FLUSH_IN a denormal operand counts as a zero of its
 * sign; with ISA_FP_FLUSH_OUT a denormal result becomes a zero of its sign.
 * "Denormal result" is judged after rounding (ours: the manual does not say).
 * AMD's manual: v_exp, v_log, v_rcp, v_rsq, v_sqrt in f32 and v_mad, v_mac,
 * v_madmk, v_madak in f32 flush whatever MODE says: the caller adds ISA_FP_FLUSH
 * for the former, isa_f32_mad() does it by itself. v_sin and v_cos and those
 * of f16 and f64 support denormals. v_cvt_f16_f32 rounds and flushes its result,
 * v_cvt_f32_f16 flushes its operand, as MODE says of f16.
 *
 * NaN. A result that is NaN because an operand is NaN is the first NaN of a, b,
 * c in this order, made quiet (IEEE 754 leaves the choice open; ours). A NaN
 * out of numbers is the negative quiet NaN with empty payload: 0xfe00,
 * 0xffc00000, 0xfff8000000000000 (examples of sqrt, rsq, log, sin, cos and
 * div_fixup in the CDNA3 manual; the others by analogy). Signalling NaN are
 * made quiet whatever ISA_FP_IEEE says, except in min, max, clamp, class.
 * Conversions keep the top bits of the payload.
 */
#ifndef ISA_FLOAT_H
#define ISA_FLOAT_H

#include "gp_port.h"

/* Rounding, as in MODE.FP_ROUND. */
#define ISA_FP_NEAREST 0u
#define ISA_FP_UP 1u
#define ISA_FP_DOWN 2u
#define ISA_FP_ZERO 3u
#define ISA_FP_ROUND 3u

#define ISA_FP_FLUSH_IN 4u
#define ISA_FP_FLUSH_OUT 8u
#define ISA_FP_FLUSH (ISA_FP_FLUSH_IN | ISA_FP_FLUSH_OUT)

/* MODE.IEEE: min and max answer a signalling NaN with a quiet one; no omod. */
#define ISA_FP_IEEE 16u
/* MODE.DX10_CLAMP: clamp makes 0 of NaN. */
#define ISA_FP_DX10_CLAMP 32u

/**
 * isa_fp_mode32() - mode of f32 operations
 * @mode: MODE register: FP_ROUND [1:0], FP_DENORM [5:4], DX10_CLAMP 8, IEEE 9
 *
 * Return: ISA_FP_*.
 */
static inline u32 isa_fp_mode32(u32 mode)
{
	return (mode & 3) | (~mode >> 2 & 0xc) | (mode >> 5 & 0x10) | (mode >> 3 & 0x20);
}

/**
 * isa_fp_mode64() - mode of f64 and f16 operations
 * @mode: MODE register: FP_ROUND [3:2], FP_DENORM [7:6], DX10_CLAMP 8, IEEE 9
 *
 * Return: ISA_FP_*.
 */
static inline u32 isa_fp_mode64(u32 mode)
{
	return (mode >> 2 & 3) | (~mode >> 4 & 0xc) | (mode >> 5 & 0x10) | (mode >> 3 & 0x20);
}

/*
 * What cmp answers: one bit. The low four bits of every v_cmp_* and v_cmpx_*
 * opcode on floats are the set of answers that make it true: F 0, LT 1, EQ 2,
 * LE 3, GT 4, LG 5, GE 6, O 7, U 8, NGE 9, NLG 10, NGT 11, NLE 12, NEQ 13,
 * NLT 14, TRU 15. So the result is `(opcode & cmp) != 0`.
 */
#define ISA_CMP_LESS 1u
#define ISA_CMP_EQUAL 2u
#define ISA_CMP_GREATER 4u
#define ISA_CMP_UNORDERED 8u

/* What class answers: one bit, those of v_cmp_class. */
#define ISA_CLASS_SNAN (1u << 0)
#define ISA_CLASS_QNAN (1u << 1)
#define ISA_CLASS_NEG_INF (1u << 2)
#define ISA_CLASS_NEG_NORMAL (1u << 3)
#define ISA_CLASS_NEG_DENORMAL (1u << 4)
#define ISA_CLASS_NEG_ZERO (1u << 5)
#define ISA_CLASS_POS_ZERO (1u << 6)
#define ISA_CLASS_POS_DENORMAL (1u << 7)
#define ISA_CLASS_POS_NORMAL (1u << 8)
#define ISA_CLASS_POS_INF (1u << 9)

/*
 * Operations of every format. F is f16, f32 or f64, T its type:
 *
 * add, sub, mul	a + b, a - b, a * b
 * fma			a * b + c, rounded once
 * mad			a * b rounded, + c rounded; f32 flushes whatever the mode says
 * min, max		number wins over NaN; -0 < +0; of two NaN: b. With
 *			ISA_FP_IEEE a signalling a, else b, is the result, made
 *			quiet (AMD's manual). A result is flushed, not rounded
 * cmp			ISA_CMP_*; flushes its operands
 * class		ISA_CLASS_* of a as it is, nothing flushed
 * fract		a - floor(a), at most the largest number below 1; NaN of an
 *			infinity (LLVM's folding of amdgcn.fract)
 * floor, ceil, trunc, rndne	integer in the format, sign of zero kept
 * frexp_mant		in +-[0.5, 1); zero, infinity stay, NaN quiet
 * frexp_exp		a = mant * 2^exp; 0 for zero, infinity, NaN (AMD's manual)
 * ldexp		a * 2^exp, any exp
 * sqrt, rcp, rsq	sqrt(a), 1 / a, 1 / sqrt(a); sqrt(-0) = -0, rcp and rsq
 *			of +-0 = +-infinity
 * div_fixup		last step of a division: q with the sign and the special
 *			cases of num / den (AMD's manual)
 * clamp		to [0, 1]; -0 becomes 0; NaN: see ISA_FP_DX10_CLAMP
 * omod			a * 2, a * 4, a / 2 for omod = 1, 2, 3; AMD's manual: none
 *			if the mode keeps denormal results or has ISA_FP_IEEE, and
 *			-0 becomes 0
 */
#define ISA_FLOAT_DECLARE(F, T)                            \
	T isa_##F##_add(T a, T b, u32 mode);               \
	T isa_##F##_sub(T a, T b, u32 mode);               \
	T isa_##F##_mul(T a, T b, u32 mode);               \
	T isa_##F##_fma(T a, T b, T c, u32 mode);          \
	T isa_##F##_mad(T a, T b, T c, u32 mode);          \
	T isa_##F##_min(T a, T b, u32 mode);               \
	T isa_##F##_max(T a, T b, u32 mode);               \
	u32 isa_##F##_cmp(T a, T b, u32 mode);             \
	u32 isa_##F##_class(T a);                          \
	T isa_##F##_fract(T a, u32 mode);                  \
	T isa_##F##_floor(T a, u32 mode);                  \
	T isa_##F##_ceil(T a, u32 mode);                   \
	T isa_##F##_trunc(T a, u32 mode);                  \
	T isa_##F##_rndne(T a, u32 mode);                  \
	T isa_##F##_frexp_mant(T a, u32 mode);             \
	s32 isa_##F##_frexp_exp(T a, u32 mode);            \
	T isa_##F##_ldexp(T a, s32 exp, u32 mode);         \
	T isa_##F##_sqrt(T a, u32 mode);                   \
	T isa_##F##_rcp(T a, u32 mode);                    \
	T isa_##F##_rsq(T a, u32 mode);                    \
	T isa_##F##_div_fixup(T q, T den, T num, u32 mode); \
	T isa_##F##_clamp(T a, u32 mode);                  \
	T isa_##F##_omod(T a, u32 omod, u32 mode)

ISA_FLOAT_DECLARE(f16, u16);
ISA_FLOAT_DECLARE(f32, u32);
ISA_FLOAT_DECLARE(f64, u64);

/*
 * Operations that f16 and f32 alone have:
 *
 * min3, max3	min(min(a, b), c), max(max(a, b), c)
 * med3		the middle one; min3 if any is NaN (AMD's manual)
 * exp2, log2	base 2
 * sin, cos	of a revolutions: sin(2 pi a), any a (CDNA3 manual; that of Vega
 *		has 0 and 1 outside of [-256, 256]). NaN of an infinity. Exact at
 *		every multiple of a quarter; sin of a multiple of a half is +0,
 *		sin(-0) is -0
 */
#define ISA_FLOAT_DECLARE_SMALL(F, T)               \
	T isa_##F##_min3(T a, T b, T c, u32 mode);  \
	T isa_##F##_max3(T a, T b, T c, u32 mode);  \
	T isa_##F##_med3(T a, T b, T c, u32 mode);  \
	T isa_##F##_exp2(T a, u32 mode);            \
	T isa_##F##_log2(T a, u32 mode);            \
	T isa_##F##_sin(T a, u32 mode);             \
	T isa_##F##_cos(T a, u32 mode)

ISA_FLOAT_DECLARE_SMALL(f16, u16);
ISA_FLOAT_DECLARE_SMALL(f32, u32);

/**
 * isa_f32_mul_legacy() - v_mul_legacy_f32, v_mad_legacy_f32
 * @a: factor
 * @b: factor
 * @mode: ISA_FP_*; isa_f32_mad_legacy() flushes as isa_f32_mad() does
 *
 * Return: @a * @b, but +0 if either is zero, whatever the other.
 */
u32 isa_f32_mul_legacy(u32 a, u32 b, u32 mode);
u32 isa_f32_mad_legacy(u32 a, u32 b, u32 c, u32 mode);

/*
 * Lanes. Rows of 64; lane i is done if bit i of exec is set, others of d stay
 * as they are. d may be a, b or c. Same bits as the function without _lanes; in
 * user space ten times faster where the mode is nearest without flushing.
 */
void isa_f32_add_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode);
void isa_f32_mul_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode);
void isa_f32_fma_lanes(u32 *d, const u32 *a, const u32 *b, const u32 *c, u64 exec, u32 mode);

/**
 * isa_f32_div_scale() - v_div_scale: scale an operand of a division
 * @s0: what to scale: @den or @num
 * @den: denominator
 * @num: numerator
 * @vcc: output: 1 if div_fmas must scale the quotient back, else 0
 * @mode: ISA_FP_*
 *
 * Return: @s0, or @s0 times a power of two, or NaN if @den or @num is zero.
 */
u32 isa_f32_div_scale(u32 s0, u32 den, u32 num, u32 *vcc, u32 mode);
u64 isa_f64_div_scale(u64 s0, u64 den, u64 num, u32 *vcc, u32 mode);

/**
 * isa_f32_div_fmas() - v_div_fmas: last fma of a division
 * @a: as fma
 * @b: as fma
 * @c: as fma; says the direction of the scaling
 * @vcc: what div_scale answered for this lane
 * @mode: ISA_FP_*
 *
 * Return: @a * @b + @c, scaled before it is rounded if @vcc is set: by 2^64
 * if @c is 2 or more, else by 2^-64 (f64: 2^128, 2^-128). Ours: AMD's manual has
 * a factor that gives no quotient.
 */
u32 isa_f32_div_fmas(u32 a, u32 b, u32 c, u32 vcc, u32 mode);
u64 isa_f64_div_fmas(u64 a, u64 b, u64 c, u32 vcc, u32 mode);

/**
 * isa_f64_trig_preop() - v_trig_preop_f64: a piece of 2 / pi
 * @a: angle whose reduction this is for
 * @segment: which piece, [4:0]
 *
 * Return: 53 bits of 2 / pi, truncated, scaled as AMD's manual says.
 */
u64 isa_f64_trig_preop(u64 a, u32 segment);

/*
 * Between formats; exact when it widens. bf16 is the upper half of an f32.
 * ISA_FP_FLUSH_IN is about the operand's format, the rest about the result's.
 */
u32 isa_f32_from_f16(u16 a, u32 mode);
u32 isa_f32_from_bf16(u16 a, u32 mode);
u32 isa_f32_from_f64(u64 a, u32 mode);
u64 isa_f64_from_f32(u32 a, u32 mode);
u16 isa_f16_from_f32(u32 a, u32 mode);
u16 isa_bf16_from_f32(u32 a, u32 mode);

/**
 * isa_f16_pkrtz() - v_cvt_pkrtz_f16_f32
 * @a: f32 for the low half
 * @b: f32 for the high half
 * @mode: ISA_FP_* but the rounding, which is to zero
 *
 * Return: two f16.
 */
u32 isa_f16_pkrtz(u32 a, u32 b, u32 mode);

/* From integers. Signed ones come in their unsigned type. */
u32 isa_f32_from_i32(u32 a, u32 mode);
u32 isa_f32_from_u32(u32 a, u32 mode);
u64 isa_f64_from_i32(u32 a);
u64 isa_f64_from_u32(u32 a);
u16 isa_f16_from_i16(u16 a, u32 mode);
u16 isa_f16_from_u16(u16 a, u32 mode);

/**
 * isa_f32_from_ubyte() - v_cvt_f32_ubyte0 to 3
 * @a: four bytes
 * @n: which, 0 to 3
 *
 * Return: f32.
 */
u32 isa_f32_from_ubyte(u32 a, u32 n);

/**
 * isa_f32_from_off_i4() - v_cvt_off_f32_i4
 * @a: [3:0]: signed number
 *
 * Return: that number / 16.
 */
u32 isa_f32_from_off_i4(u32 a);

/*
 * To integers: towards zero (rpi: floor(a + 0.5), flr: floor(a)), clamped to
 * the range, 0 of NaN (AMD's manual).
 */
u32 isa_i32_from_f32(u32 a, u32 mode);
u32 isa_u32_from_f32(u32 a, u32 mode);
u32 isa_i32_from_f32_rpi(u32 a, u32 mode);
u32 isa_i32_from_f32_flr(u32 a, u32 mode);
u32 isa_i32_from_f64(u64 a, u32 mode);
u32 isa_u32_from_f64(u64 a, u32 mode);
u16 isa_i16_from_f16(u16 a, u32 mode);
u16 isa_u16_from_f16(u16 a, u32 mode);

/**
 * isa_u8_from_f32() - one byte of v_cvt_pk_u8_f32
 * @a: f32
 * @mode: ISA_FP_*
 *
 * Return: @a rounded as the mode says (ours), clamped to 0 to 255, 0 of NaN.
 */
u32 isa_u8_from_f32(u32 a, u32 mode);

/*
 * Normalised integers, of v_cvt_norm_* and v_cvt_pknorm_*: a clamped to [-1, 1]
 * times 32767, or to [0, 1] times 65535, rounded to nearest even (ours), 0 of NaN.
 */
u16 isa_snorm16_from_f16(u16 a, u32 mode);
u16 isa_unorm16_from_f16(u16 a, u32 mode);
u16 isa_snorm16_from_f32(u32 a, u32 mode);
u16 isa_unorm16_from_f32(u32 a, u32 mode);

/*
 * Sums of products for MFMA and v_dot2: acc + a[0] * b[0], rounded to f32, then
 * + a[1] * b[1], rounded, and so on: a chain of fma on exact products. AMD
 * documents neither the order nor the roundings in between; this is ours.
 * v_dot2_f32_f16 is nr = 2, low half first.
 */
u32 isa_f32_dot_f16(u32 acc, const u16 *a, const u16 *b, u32 nr, u32 mode);
u32 isa_f32_dot_bf16(u32 acc, const u16 *a, const u16 *b, u32 nr, u32 mode);

#endif
