// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Vector integers of 16 bits. Opcodes that cannot choose a half of the
 * destination clear the upper one.
 */
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			r[l] = (u16)(x);        \
		return true;                    \
	} while (0)

#define A ((u16)a[l])
#define B ((u16)b[l])
#define C ((u16)c[l])
#define SA ((s16)a[l])
#define SB ((s16)b[l])
#define SC ((s16)c[l])

static s32 limit(s32 x, s32 low, s32 high)
{
	return x < low ? low : x > high ? high
					: x;
}

static bool clamped(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_u16:
		LANES(limit(A + B, 0, 0xffff));
	case ISA_OP_v_sub_u16:
		LANES(limit(A - B, 0, 0xffff));
	case ISA_OP_v_subrev_u16:
		LANES(limit(B - A, 0, 0xffff));
	case ISA_OP_v_add_i16:
		LANES(limit(SA + SB, -0x8000, 0x7fff));
	case ISA_OP_v_sub_i16:
		LANES(limit(SA - SB, -0x8000, 0x7fff));
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_u16:
	case ISA_OP_v_add_i16:
		LANES(A + B);
	case ISA_OP_v_sub_u16:
	case ISA_OP_v_sub_i16:
		LANES(A - B);
	case ISA_OP_v_subrev_u16:
		LANES(B - A);
	case ISA_OP_v_mul_lo_u16:
		LANES((u32)A * B);
	case ISA_OP_v_lshlrev_b16:
		LANES(B << (A & 15));
	case ISA_OP_v_lshrrev_b16:
		LANES(B >> (A & 15));
	case ISA_OP_v_ashrrev_i16:
		LANES(SB >> (A & 15));
	case ISA_OP_v_min_u16:
		LANES(A < B ? A : B);
	case ISA_OP_v_max_u16:
		LANES(A > B ? A : B);
	case ISA_OP_v_min_i16:
		LANES(SA < SB ? SA : SB);
	case ISA_OP_v_max_i16:
		LANES(SA > SB ? SA : SB);
	}
	return false;
}

static s32 middle(s32 x, s32 y, s32 z)
{
	s32 low = x < y ? x : y, high = x < y ? y : x;

	return z < low ? low : z > high ? high
					: z;
}

static bool three(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_mad_u32_u16:
		for (l = 0; l < ISA_LANES; l++)
			r[l] = (u32)A * B + c[l];
		return true;
	case ISA_OP_v_mad_i32_i16:
		for (l = 0; l < ISA_LANES; l++)
			r[l] = (u32)(SA * SB) + c[l];
		return true;
	case ISA_OP_v_mad_u16:
	case ISA_OP_v_mad_legacy_u16:
	case ISA_OP_v_mad_i16:
	case ISA_OP_v_mad_legacy_i16:
		LANES((u32)A * B + C);
	case ISA_OP_v_min3_u16:
		LANES(A < B ? (A < C ? A : C) : B < C ? B
						      : C);
	case ISA_OP_v_max3_u16:
		LANES(A > B ? (A > C ? A : C) : B > C ? B
						      : C);
	case ISA_OP_v_med3_u16:
		LANES(middle(A, B, C));
	case ISA_OP_v_min3_i16:
		LANES(SA < SB ? (SA < SC ? SA : SC) : SB < SC ? SB
							      : SC);
	case ISA_OP_v_max3_i16:
		LANES(SA > SB ? (SA > SC ? SA : SC) : SB > SC ? SB
							      : SC);
	case ISA_OP_v_med3_i16:
		LANES(middle(SA, SB, SC));
	}
	return false;
}

static u32 sat_pk_u8(u32 x)
{
	return (u32)limit((s16)x, 0, 255) | (u32)limit((s16)(x >> 16), 0, 255) << 8;
}

/* Sums of products that are added to the destination. */
static u32 dotc(u32 op, u32 x, u32 y, u32 sum)
{
	u32 bits = op == ISA_OP_v_dot2c_i32_i16 ? 16 : op == ISA_OP_v_dot4c_i32_i8 ? 8
										   : 4,
	    k;

	for (k = 0; k < 32; k += bits)
		sum += (u32)(((s32)(x << (32 - bits - k)) >> (32 - bits)) *
			     ((s32)(y << (32 - bits - k)) >> (32 - bits)));
	return sum;
}

bool isa_valu_int16(struct isa_valu *v)
{
	const u32 *a = v->s[0], *b = v->s[1], *dst;
	u32 l;

	if (v->i->op == ISA_OP_v_sat_pk_u8_i16) {
		for (l = 0; l < ISA_LANES; l++)
			v->r[l] = sat_pk_u8(a[l]);
		return true;
	}
	if (v->i->op == ISA_OP_v_dot2c_i32_i16 || v->i->op == ISA_OP_v_dot4c_i32_i8 ||
	    v->i->op == ISA_OP_v_dot8c_i32_i4) {
		dst = v->w->vgpr[isa_row(v->w, v->i->dst)];
		if (v->i->clamp)
			return false;
		for (l = 0; l < ISA_LANES; l++)
			v->r[l] = dotc(v->i->op, a[l], b[l], dst[l]);
		return true;
	}
	if (v->o->words[0] != 1 || v->o->words[1] != 1 || v->o->words[2] != 1)
		return false;
	if (v->i->clamp)
		return !v->o->words[3] && clamped(v, v->r, a, b);
	return v->o->words[3] ? three(v, v->r, a, b, v->s[2]) : two(v, v->r, a, b);
}
