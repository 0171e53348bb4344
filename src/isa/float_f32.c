// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/float_define.h"

ISA_FLOAT_DEFINE(f32, u32, ISA_F32)
ISA_FLOAT_DEFINE_SMALL(f32, u32, ISA_F32)

u32 isa_f32_mad(u32 a, u32 b, u32 c, u32 mode)
{
	return (u32)isa_mad(ISA_F32, a, b, c, mode | ISA_FP_FLUSH);
}

u32 isa_f32_mul_legacy(u32 a, u32 b, u32 mode)
{
	u64 x = isa_flush_in(ISA_F32, a, mode), y = isa_flush_in(ISA_F32, b, mode);

	if (!isa_abs(ISA_F32, x) || !isa_abs(ISA_F32, y))
		return 0;
	return isa_f32_mul(a, b, mode);
}

u32 isa_f32_mad_legacy(u32 a, u32 b, u32 c, u32 mode)
{
	mode |= ISA_FP_FLUSH;
	return isa_f32_add(isa_f32_mul_legacy(a, b, mode), c, mode);
}

u32 isa_f32_div_scale(u32 s0, u32 den, u32 num, u32 *vcc, u32 mode)
{
	return (u32)isa_div_scale(ISA_F32, s0, den, num, vcc, mode);
}

u32 isa_f32_div_fmas(u32 a, u32 b, u32 c, u32 vcc, u32 mode)
{
	return (u32)isa_div_fmas(ISA_F32, a, b, c, vcc, mode);
}
