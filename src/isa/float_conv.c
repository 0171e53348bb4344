// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/float_parts.h"

/* Beyond every integer type here, and far from the end of s64. */
#define FAR (1ll << 40)

ISA_INLINE u64 convert_nan(struct isa_format from, struct isa_format to, u64 a)
{
	s32 widen = to.mant - from.mant;
	u64 payload = a & (isa_hidden(from) - 1);

	payload = widen > 0 ? payload << widen : payload >> -widen;
	return isa_quiet(to, isa_signed(to, isa_sign(from, a), isa_inf(to) | payload));
}

ISA_INLINE u64 convert(struct isa_format from, struct isa_format to, u64 a, u32 mode)
{
	struct isa_number x;

	if (isa_is_nan(from, a))
		return convert_nan(from, to, a);
	if (isa_is_inf(from, a))
		return isa_signed(to, isa_sign(from, a), isa_inf(to));
	x = isa_unpack(from, a, mode);
	if (!x.m)
		return isa_signed(to, x.sign, 0);
	return isa_norm_round(to, x.sign, x.e - isa_bias(from) + isa_bias(to),
			      x.m << (ISA_TOP - from.mant), mode);
}

u32 isa_f32_from_f16(u16 a, u32 mode)
{
	return (u32)convert(ISA_F16, ISA_F32, a, mode);
}

u32 isa_f32_from_bf16(u16 a, u32 mode)
{
	return (u32)convert(ISA_BF16, ISA_F32, a, mode);
}

u32 isa_f32_from_f64(u64 a, u32 mode)
{
	return (u32)convert(ISA_F64, ISA_F32, a, mode);
}

u64 isa_f64_from_f32(u32 a, u32 mode)
{
	return convert(ISA_F32, ISA_F64, a, mode);
}

u16 isa_f16_from_f32(u32 a, u32 mode)
{
	return (u16)convert(ISA_F32, ISA_F16, a, mode);
}

u16 isa_bf16_from_f32(u32 a, u32 mode)
{
	return (u16)convert(ISA_F32, ISA_BF16, a, mode);
}

u32 isa_f16_pkrtz(u32 a, u32 b, u32 mode)
{
	mode = isa_with_round(mode, ISA_FP_ZERO);
	return isa_f16_from_f32(a, mode) | (u32)isa_f16_from_f32(b, mode) << 16;
}

ISA_INLINE u64 from_int(struct isa_format f, s64 a, u32 mode)
{
	u32 sign = a < 0;

	if (!a)
		return 0;
	return isa_norm_round(f, sign, isa_bias(f) + ISA_TOP, (u64)(sign ? -a : a), mode);
}

u32 isa_f32_from_i32(u32 a, u32 mode)
{
	return (u32)from_int(ISA_F32, (s32)a, mode);
}

u32 isa_f32_from_u32(u32 a, u32 mode)
{
	return (u32)from_int(ISA_F32, a, mode);
}

u64 isa_f64_from_i32(u32 a)
{
	return from_int(ISA_F64, (s32)a, 0);
}

u64 isa_f64_from_u32(u32 a)
{
	return from_int(ISA_F64, a, 0);
}

u16 isa_f16_from_i16(u16 a, u32 mode)
{
	return (u16)from_int(ISA_F16, (s16)a, mode);
}

u16 isa_f16_from_u16(u16 a, u32 mode)
{
	return (u16)from_int(ISA_F16, a, mode);
}

u32 isa_f32_from_ubyte(u32 a, u32 n)
{
	return (u32)from_int(ISA_F32, a >> (8 * (n & 3)) & 255, 0);
}

u32 isa_f32_from_off_i4(u32 a)
{
	s32 n = (s32)(a << 28) >> 28;

	return (u32)isa_ldexp(ISA_F32, from_int(ISA_F32, n, 0), -4, 0);
}

/* Rounded as mode says; infinity and all that is large is FAR, NaN is 0. */
ISA_INLINE s64 to_int(struct isa_format f, u64 a, u32 mode)
{
	struct isa_number x;
	s32 shift;
	s64 r;

	if (isa_is_nan(f, a))
		return 0;
	a = isa_to_integral(f, a, mode);
	x = isa_unpack(f, a, mode);
	shift = x.e - isa_bias(f) - f.mant;
	if (x.e - isa_bias(f) >= 40)
		r = FAR;
	else
		r = (s64)(shift > 0 ? x.m << shift : shift > -63 ? x.m >> -shift : 0);
	return x.sign ? -r : r;
}

ISA_INLINE s64 limit(s64 a, s64 low, s64 high)
{
	return a < low ? low : a > high ? high : a;
}

ISA_INLINE s64 to_int_zero(struct isa_format f, u64 a, u32 mode)
{
	return to_int(f, a, isa_with_round(mode, ISA_FP_ZERO));
}

u32 isa_i32_from_f32(u32 a, u32 mode)
{
	return (u32)limit(to_int_zero(ISA_F32, a, mode), -0x80000000ll, 0x7fffffff);
}

u32 isa_u32_from_f32(u32 a, u32 mode)
{
	return (u32)limit(to_int_zero(ISA_F32, a, mode), 0, 0xffffffff);
}

/* floor(a + 0.5) without rounding the sum: half of floor(2 a) + 1. */
u32 isa_i32_from_f32_rpi(u32 a, u32 mode)
{
	s64 r = 0;

	a = (u32)isa_flush_in(ISA_F32, a, mode);
	if (!isa_is_nan(ISA_F32, a))
		r = (to_int(ISA_F32, isa_ldexp(ISA_F32, a, 1, 0), ISA_FP_DOWN) + 1) >> 1;
	return (u32)limit(r, -0x80000000ll, 0x7fffffff);
}

u32 isa_i32_from_f32_flr(u32 a, u32 mode)
{
	s64 r = to_int(ISA_F32, a, isa_with_round(mode, ISA_FP_DOWN));

	return (u32)limit(r, -0x80000000ll, 0x7fffffff);
}

u32 isa_i32_from_f64(u64 a, u32 mode)
{
	return (u32)limit(to_int_zero(ISA_F64, a, mode), -0x80000000ll, 0x7fffffff);
}

u32 isa_u32_from_f64(u64 a, u32 mode)
{
	return (u32)limit(to_int_zero(ISA_F64, a, mode), 0, 0xffffffff);
}

u16 isa_i16_from_f16(u16 a, u32 mode)
{
	return (u16)limit(to_int_zero(ISA_F16, a, mode), -0x8000, 0x7fff);
}

u16 isa_u16_from_f16(u16 a, u32 mode)
{
	return (u16)limit(to_int_zero(ISA_F16, a, mode), 0, 0xffff);
}

u32 isa_u8_from_f32(u32 a, u32 mode)
{
	return (u32)limit(to_int(ISA_F32, a, mode), 0, 255);
}

/* |a| up to 1, times scale, to nearest even; the product of 40 bits is exact. */
ISA_INLINE u64 normalised(struct isa_format f, u64 a, u64 scale, u32 mode)
{
	struct isa_number x;
	s32 shift;
	u64 m;

	if (isa_abs(f, a) >= isa_power(f, 0))
		return scale;
	x = isa_unpack(f, a, mode);
	shift = isa_bias(f) + f.mant - x.e;
	if (shift > ISA_TOP)
		return 0;
	m = x.m * scale;
	return (m + isa_increment(m, (u32)shift, 0, ISA_FP_NEAREST)) >> shift;
}

ISA_INLINE u16 snorm16(struct isa_format f, u64 a, u32 mode)
{
	u64 m = isa_is_nan(f, a) ? 0 : normalised(f, a, 32767, mode);

	return (u16)(isa_sign(f, a) ? 0 - m : m);
}

ISA_INLINE u16 unorm16(struct isa_format f, u64 a, u32 mode)
{
	if (isa_is_nan(f, a) || isa_sign(f, a))
		return 0;
	return (u16)normalised(f, a, 65535, mode);
}

u16 isa_snorm16_from_f16(u16 a, u32 mode)
{
	return snorm16(ISA_F16, a, mode);
}

u16 isa_unorm16_from_f16(u16 a, u32 mode)
{
	return unorm16(ISA_F16, a, mode);
}

u16 isa_snorm16_from_f32(u32 a, u32 mode)
{
	return snorm16(ISA_F32, a, mode);
}

u16 isa_unorm16_from_f32(u32 a, u32 mode)
{
	return unorm16(ISA_F32, a, mode);
}

u32 isa_f32_dot_f16(u32 acc, const u16 *a, const u16 *b, u32 nr, u32 mode)
{
	u32 i;

	for (i = 0; i < nr; i++)
		acc = (u32)isa_fma(ISA_F32, convert(ISA_F16, ISA_F32, a[i], mode),
				   convert(ISA_F16, ISA_F32, b[i], mode), acc, mode);
	return acc;
}

u32 isa_f32_dot_bf16(u32 acc, const u16 *a, const u16 *b, u32 nr, u32 mode)
{
	u32 i;

	/* A bf16 is the upper half of an f32, NaN and denormals too. */
	for (i = 0; i < nr; i++)
		acc = (u32)isa_fma(ISA_F32, (u32)a[i] << 16, (u32)b[i] << 16, acc, mode);
	return acc;
}
