// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f16. */
#include "isa/float.h"
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			r[l] = (x);             \
		return true;                    \
	} while (0)

#define A ((u16)a[l])
#define B ((u16)b[l])
#define C ((u16)c[l])

static bool one(struct isa_valu *v, u32 *r, const u32 *a, u32 m)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_rcp_f16:
		LANES(isa_f16_rcp(A, m));
	case ISA_OP_v_sqrt_f16:
		LANES(isa_f16_sqrt(A, m));
	case ISA_OP_v_rsq_f16:
		LANES(isa_f16_rsq(A, m));
	case ISA_OP_v_log_f16:
		LANES(isa_f16_log2(A, m));
	case ISA_OP_v_exp_f16:
		LANES(isa_f16_exp2(A, m));
	case ISA_OP_v_frexp_mant_f16:
		LANES(isa_f16_frexp_mant(A, m));
	case ISA_OP_v_floor_f16:
		LANES(isa_f16_floor(A, m));
	case ISA_OP_v_ceil_f16:
		LANES(isa_f16_ceil(A, m));
	case ISA_OP_v_trunc_f16:
		LANES(isa_f16_trunc(A, m));
	case ISA_OP_v_rndne_f16:
		LANES(isa_f16_rndne(A, m));
	case ISA_OP_v_fract_f16:
		LANES(isa_f16_fract(A, m));
	case ISA_OP_v_sin_f16:
		LANES(isa_f16_sin(A, m));
	case ISA_OP_v_cos_f16:
		LANES(isa_f16_cos(A, m));
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m)
{
	const u32 *c = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u16 k = (u16)v->i->lit;
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_f16:
		LANES(isa_f16_add(A, B, m));
	case ISA_OP_v_sub_f16:
		LANES(isa_f16_sub(A, B, m));
	case ISA_OP_v_subrev_f16:
		LANES(isa_f16_sub(B, A, m));
	case ISA_OP_v_mul_f16:
		LANES(isa_f16_mul(A, B, m));
	case ISA_OP_v_mac_f16:
		LANES(isa_f16_mad(A, B, C, m));
	case ISA_OP_v_madmk_f16:
		LANES(isa_f16_mad(A, k, B, m));
	case ISA_OP_v_madak_f16:
		LANES(isa_f16_mad(A, B, k, m));
	case ISA_OP_v_max_f16:
		LANES(isa_f16_max(A, B, m));
	case ISA_OP_v_min_f16:
		LANES(isa_f16_min(A, B, m));
	case ISA_OP_v_ldexp_f16:
		LANES(isa_f16_ldexp(A, (s16)B, m));
	case ISA_OP_v_pk_fmac_f16:
		LANES(isa_f16_fma(A, B, C, m) |
		      (u32)isa_f16_fma((u16)(a[l] >> 16), (u16)(b[l] >> 16), (u16)(c[l] >> 16), m)
			      << 16);
	}
	return false;
}

static bool three(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c, u32 m)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_fma_f16:
	case ISA_OP_v_fma_legacy_f16:
		LANES(isa_f16_fma(A, B, C, m));
	case ISA_OP_v_mad_f16:
	case ISA_OP_v_mad_legacy_f16:
		LANES(isa_f16_mad(A, B, C, m));
	case ISA_OP_v_min3_f16:
		LANES(isa_f16_min3(A, B, C, m));
	case ISA_OP_v_max3_f16:
		LANES(isa_f16_max3(A, B, C, m));
	case ISA_OP_v_med3_f16:
		LANES(isa_f16_med3(A, B, C, m));
	case ISA_OP_v_div_fixup_f16:
	case ISA_OP_v_div_fixup_legacy_f16:
		LANES(isa_f16_div_fixup(A, B, C, m));
	}
	return false;
}

bool isa_valu_f16(struct isa_valu *v)
{
	u32 m = isa_fp_mode64(v->w->mode);

	if (v->o->words[3])
		return three(v, v->r, v->s[0], v->s[1], v->s[2], m);
	return v->o->words[2] ? two(v, v->r, v->s[0], v->s[1], m) : one(v, v->r, v->s[0], m);
}
