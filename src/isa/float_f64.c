// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/float_define.h"

ISA_FLOAT_DEFINE(f64, u64, ISA_F64)
ISA_DEFINE_3(f64, u64, ISA_F64, mad)

u64 isa_f64_div_scale(u64 s0, u64 den, u64 num, u32 *vcc, u32 mode)
{
	return isa_div_scale(ISA_F64, s0, den, num, vcc, mode);
}

u64 isa_f64_div_fmas(u64 a, u64 b, u64 c, u32 vcc, u32 mode)
{
	return isa_div_fmas(ISA_F64, a, b, c, vcc, mode);
}
