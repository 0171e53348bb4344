// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The constant behind the reduction of large angles in f64. */
#include "isa/float_parts.h"

#define SEGMENT 53

/* The first 1201 bits of 2 / pi after the point, as AMD's manual has them. */
static const u64 two_over_pi[] = {
	0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
	0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull,
	0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
	0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
	0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
	0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull,
	0x56033046fc7b0000ull,
};

static u64 bits_at(u32 shift)
{
	u32 i = shift / 64, n = shift % 64;
	u64 high = i < ARRAY_SIZE(two_over_pi) ? two_over_pi[i] : 0;
	u64 low = i + 1 < ARRAY_SIZE(two_over_pi) ? two_over_pi[i + 1] : 0;

	return (high << n | (n ? low >> (64 - n) : 0)) >> (64 - SEGMENT);
}

u64 isa_f64_trig_preop(u64 a, u32 segment)
{
	s32 exp = isa_exp_field(ISA_F64, a);
	u32 shift = (segment & 31) * SEGMENT;
	s32 scale;
	u64 bits;

	if (exp > 1077)
		shift += (u32)(exp - 1077);
	scale = -SEGMENT - (s32)shift + (exp >= 1968 ? 128 : 0);
	bits = bits_at(shift);
	if (!bits)
		return 0;
	return isa_norm_round(ISA_F64, 0, isa_bias(ISA_F64) + ISA_TOP + scale, bits, ISA_FP_ZERO);
}
