// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Packed operations: two halves of 16 or 32 bits. op_sel chooses the half that
 * the low result uses, op_sel_hi that of the high one; neg likewise.
 */
#include "isa/float.h"
#include "isa/valu.h"

static u32 half_of(struct isa_valu *v, u32 k, u32 l, bool is_high)
{
	u32 sel = (is_high ? v->i->opsel_hi : v->i->opsel) >> k & 1;
	u32 neg = (is_high ? v->i->neg_hi : v->i->neg) >> k & 1;

	return ((v->s[k][l] >> (16 * sel)) & 0xffff) ^ (neg ? 0x8000 : 0);
}

static s32 limit(s32 x, s32 low, s32 high)
{
	return x < low ? low : x > high ? high
					: x;
}

static bool half_int(u32 op, u32 a, u32 b, u32 c, bool clamp, u32 *r)
{
	s32 x = (s16)a, y = (s16)b;

	switch (op) {
	case ISA_OP_v_pk_mad_i16:
	case ISA_OP_v_pk_mad_u16:
		*r = a * b + c;
		return !clamp;
	case ISA_OP_v_pk_mul_lo_u16:
		*r = a * b;
		return true;
	case ISA_OP_v_pk_add_i16:
		*r = (u32)(clamp ? limit(x + y, -0x8000, 0x7fff) : x + y);
		return true;
	case ISA_OP_v_pk_sub_i16:
		*r = (u32)(clamp ? limit(x - y, -0x8000, 0x7fff) : x - y);
		return true;
	case ISA_OP_v_pk_add_u16:
		*r = clamp ? (u32)limit((s32)(a + b), 0, 0xffff) : a + b;
		return true;
	case ISA_OP_v_pk_sub_u16:
		*r = clamp ? (u32)limit((s32)a - (s32)b, 0, 0xffff) : a - b;
		return true;
	case ISA_OP_v_pk_lshlrev_b16:
		*r = b << (a & 15);
		return true;
	case ISA_OP_v_pk_lshrrev_b16:
		*r = b >> (a & 15);
		return true;
	case ISA_OP_v_pk_ashrrev_i16:
		*r = (u32)(y >> (a & 15));
		return true;
	case ISA_OP_v_pk_max_i16:
		*r = x > y ? a : b;
		return true;
	case ISA_OP_v_pk_min_i16:
		*r = x < y ? a : b;
		return true;
	case ISA_OP_v_pk_max_u16:
		*r = a > b ? a : b;
		return true;
	case ISA_OP_v_pk_min_u16:
		*r = a < b ? a : b;
		return true;
	}
	return false;
}

static bool half_float(u32 op, u16 a, u16 b, u16 c, bool clamp, u32 m, u32 *r)
{
	u16 x;

	switch (op) {
	case ISA_OP_v_pk_fma_f16:
		x = isa_f16_fma(a, b, c, m);
		break;
	case ISA_OP_v_pk_add_f16:
		x = isa_f16_add(a, b, m);
		break;
	case ISA_OP_v_pk_mul_f16:
		x = isa_f16_mul(a, b, m);
		break;
	case ISA_OP_v_pk_min_f16:
		x = isa_f16_min(a, b, m);
		break;
	case ISA_OP_v_pk_max_f16:
		x = isa_f16_max(a, b, m);
		break;
	default:
		return false;
	}
	*r = clamp ? isa_f16_clamp(x, m) : x;
	return true;
}

/* Two results of 16 bits; into a row that is no source's. */
static bool halves(struct isa_valu *v)
{
	u32 m = isa_fp_mode64(v->w->mode), l, k;
	bool has_c = v->o->words[3];

	v->r = v->env->lanes.r32;
	for (l = 0; l < ISA_LANES; l++) {
		u32 out = 0;

		for (k = 0; k < 2; k++) {
			u32 a = half_of(v, 0, l, k), b = half_of(v, 1, l, k), r = 0;
			u32 c = has_c ? half_of(v, 2, l, k) : 0;

			if (!half_int(v->i->op, a, b, c, v->i->clamp, &r) &&
			    !half_float(v->i->op, (u16)a, (u16)b, (u16)c, v->i->clamp, m, &r))
				return false;
			out |= (r & 0xffff) << (16 * k);
		}
		v->r[l] = out;
	}
	return true;
}

static u32 word_of(struct isa_valu *v, u32 k, u32 l, bool is_high)
{
	u32 sel = (is_high ? v->i->opsel_hi : v->i->opsel) >> k & 1;
	u32 neg = (is_high ? v->i->neg_hi : v->i->neg) >> k & 1;

	return (u32)(v->q[k][l] >> (32 * sel)) ^ (neg ? 0x80000000 : 0);
}

/* A scalar of 32 bits stands for both halves. */
static void spread(struct isa_valu *v)
{
	u32 k, l;

	for (k = 0; k < 3; k++) {
		u64 *to = v->env->lanes.s64[k];

		if (!v->o->words[k + 1] || v->i->src[k] < ISA_R_INLINE ||
		    v->i->src[k] >= ISA_R_VGPR)
			continue;
		for (l = 0; l < ISA_LANES; l++)
			to[l] = isa_read32(v->w, v->i, v->i->src[k]);
	}
}

static bool words(struct isa_valu *v)
{
	u32 m = isa_fp_mode32(v->w->mode), l, k;

	spread(v);
	for (l = 0; l < ISA_LANES; l++) {
		u64 out = 0;

		for (k = 0; k < 2; k++) {
			u32 a = word_of(v, 0, l, k), b = word_of(v, 1, l, k), x;

			if (v->i->op == ISA_OP_v_pk_fma_f32)
				x = isa_f32_fma(a, b, word_of(v, 2, l, k), m);
			else if (v->i->op == ISA_OP_v_pk_mul_f32)
				x = isa_f32_mul(a, b, m);
			else
				x = isa_f32_add(a, b, m);
			if (v->i->clamp)
				x = isa_f32_clamp(x, m);
			out |= (u64)x << (32 * k);
		}
		v->r64[l] = out;
	}
	return true;
}

static bool pk_mov(struct isa_valu *v)
{
	u32 l;

	spread(v);
	for (l = 0; l < ISA_LANES; l++)
		v->r64[l] = (u32)(v->q[0][l] >> (32 * (v->i->opsel & 1))) |
			    v->q[1][l] >> (32 * (v->i->opsel >> 1 & 1)) << 32;
	return true;
}

/* A source of v_fma_mix: f32, or a half that op_sel chooses. */
static u32 mixed(struct isa_valu *v, u32 k, u32 l)
{
	u32 x = v->s[k][l];

	if (v->i->opsel_hi >> k & 1)
		x = isa_f32_from_f16((u16)(x >> (16 * (v->i->opsel >> k & 1))), 0);
	if (v->i->neg_hi >> k & 1)
		x &= 0x7fffffff;
	return x ^ (v->i->neg >> k & 1 ? 0x80000000 : 0);
}

static bool mix(struct isa_valu *v)
{
	const u32 *dst = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u32 m = isa_fp_mode32(v->w->mode), m64 = isa_fp_mode64(v->w->mode), l;

	v->r = v->env->lanes.r32;
	for (l = 0; l < ISA_LANES; l++) {
		u32 x = isa_f32_fma(mixed(v, 0, l), mixed(v, 1, l), mixed(v, 2, l), m), h;

		if (v->i->clamp)
			x = isa_f32_clamp(x, m);
		h = isa_f16_from_f32(x, m64);
		if (v->i->op == ISA_OP_v_fma_mixlo_f16)
			x = (dst[l] & 0xffff0000) | h;
		else if (v->i->op == ISA_OP_v_fma_mixhi_f16)
			x = (dst[l] & 0xffff) | h << 16;
		v->r[l] = x;
	}
	return true;
}

static s64 dot_product(u32 a, u32 b, u32 bits, bool is_signed)
{
	s64 sum = 0;
	u32 k;

	for (k = 0; k < 32; k += bits) {
		u32 x = a << (32 - bits - k), y = b << (32 - bits - k);

		if (is_signed)
			sum += (s64)((s32)x >> (32 - bits)) * ((s32)y >> (32 - bits));
		else
			sum += (s64)(x >> (32 - bits)) * (y >> (32 - bits));
	}
	return sum;
}

static bool dot_int(struct isa_valu *v, u32 bits, bool is_signed)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		s64 c = is_signed ? (s32)v->s[2][l] : (s64)v->s[2][l];
		s64 x = dot_product(v->s[0][l], v->s[1][l], bits, is_signed) + c;

		if (v->i->clamp && is_signed)
			x = x < -0x80000000ll ? -0x80000000ll : x > 0x7fffffff ? 0x7fffffff
									       : x;
		else if (v->i->clamp)
			x = x > 0xffffffffll ? 0xffffffffll : x;
		v->r[l] = (u32)x;
	}
	return true;
}

static bool dot_half(struct isa_valu *v)
{
	u32 m = isa_fp_mode32(v->w->mode), l;

	for (l = 0; l < ISA_LANES; l++) {
		u16 a[2] = { (u16)half_of(v, 0, l, false), (u16)half_of(v, 0, l, true) };
		u16 b[2] = { (u16)half_of(v, 1, l, false), (u16)half_of(v, 1, l, true) };
		u32 c = v->s[2][l] ^ (v->i->neg & 4 ? 0x80000000 : 0), x;

		x = isa_f32_dot_f16(c, a, b, 2, m);
		v->r[l] = v->i->clamp ? isa_f32_clamp(x, m) : x;
	}
	return true;
}

bool isa_valu_packed(struct isa_valu *v)
{
	switch (v->i->op) {
	case ISA_OP_v_pk_fma_f32:
	case ISA_OP_v_pk_mul_f32:
	case ISA_OP_v_pk_add_f32:
		return words(v);
	case ISA_OP_v_pk_mov_b32:
		return pk_mov(v);
	case ISA_OP_v_fma_mix_f32:
	case ISA_OP_v_fma_mixlo_f16:
	case ISA_OP_v_fma_mixhi_f16:
		return mix(v);
	case ISA_OP_v_dot2_f32_f16:
		return dot_half(v);
	case ISA_OP_v_dot2_i32_i16:
		return dot_int(v, 16, true);
	case ISA_OP_v_dot2_u32_u16:
		return dot_int(v, 16, false);
	case ISA_OP_v_dot4_i32_i8:
		return dot_int(v, 8, true);
	case ISA_OP_v_dot4_u32_u8:
		return dot_int(v, 8, false);
	case ISA_OP_v_dot8_i32_i4:
		return dot_int(v, 4, true);
	case ISA_OP_v_dot8_u32_u4:
		return dot_int(v, 4, false);
	}
	return halves(v);
}
