// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f32. */
#include "isa/float.h"
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			r[l] = (x);             \
		return true;                    \
	} while (0)

#define A a[l]
#define B b[l]
#define C c[l]

static bool one(struct isa_valu *v, u32 *r, const u32 *a, u32 m)
{
	u32 f = m | ISA_FP_FLUSH, l;

	switch (v->i->op) {
	case ISA_OP_v_fract_f32:
		LANES(isa_f32_fract(A, m));
	case ISA_OP_v_trunc_f32:
		LANES(isa_f32_trunc(A, m));
	case ISA_OP_v_ceil_f32:
		LANES(isa_f32_ceil(A, m));
	case ISA_OP_v_rndne_f32:
		LANES(isa_f32_rndne(A, m));
	case ISA_OP_v_floor_f32:
		LANES(isa_f32_floor(A, m));
	case ISA_OP_v_exp_f32:
	case ISA_OP_v_exp_legacy_f32:
		LANES(isa_f32_exp2(A, f));
	case ISA_OP_v_log_f32:
	case ISA_OP_v_log_legacy_f32:
		LANES(isa_f32_log2(A, f));
	case ISA_OP_v_rcp_f32:
	case ISA_OP_v_rcp_iflag_f32:
		LANES(isa_f32_rcp(A, f));
	case ISA_OP_v_rsq_f32:
		LANES(isa_f32_rsq(A, f));
	case ISA_OP_v_sqrt_f32:
		LANES(isa_f32_sqrt(A, f));
	case ISA_OP_v_sin_f32:
		LANES(isa_f32_sin(A, f));
	case ISA_OP_v_cos_f32:
		LANES(isa_f32_cos(A, f));
	case ISA_OP_v_frexp_mant_f32:
		LANES(isa_f32_frexp_mant(A, m));
	}
	return false;
}

/* A literal is a factor or what is added. */
static bool with_literal(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m)
{
	u32 k = v->i->lit, l;

	switch (v->i->op) {
	case ISA_OP_v_madmk_f32:
		LANES(isa_f32_mad(A, k, B, m));
	case ISA_OP_v_madak_f32:
		LANES(isa_f32_mad(A, B, k, m));
	case ISA_OP_v_fmamk_f32:
		LANES(isa_f32_fma(A, k, B, m));
	case ISA_OP_v_fmaak_f32:
		LANES(isa_f32_fma(A, B, k, m));
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m)
{
	const u32 *c = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_f32:
		isa_f32_add_lanes(r, a, b, v->mask, m);
		return true;
	case ISA_OP_v_mul_f32:
		isa_f32_mul_lanes(r, a, b, v->mask, m);
		return true;
	case ISA_OP_v_fmac_f32:
		isa_f32_fma_lanes(r, a, b, c, v->mask, m);
		return true;
	case ISA_OP_v_sub_f32:
		LANES(isa_f32_sub(A, B, m));
	case ISA_OP_v_subrev_f32:
		LANES(isa_f32_sub(B, A, m));
	case ISA_OP_v_mac_f32:
		LANES(isa_f32_mad(A, B, C, m));
	case ISA_OP_v_min_f32:
		LANES(isa_f32_min(A, B, m));
	case ISA_OP_v_max_f32:
		LANES(isa_f32_max(A, B, m));
	case ISA_OP_v_ldexp_f32:
		LANES(isa_f32_ldexp(A, (s32)B, m));
	case ISA_OP_v_mul_legacy_f32:
		LANES(isa_f32_mul_legacy(A, B, m));
	}
	return with_literal(v, r, a, b, m);
}

static bool scale(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c, u32 m)
{
	u64 mask = 0;
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 bit = 0;

		r[l] = isa_f32_div_scale(A, B, C, &bit, m);
		mask |= (u64)bit << l;
	}
	v->carry = mask;
	return true;
}

static bool three(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c, u32 m)
{
	u64 vcc = isa_vcc(v->w);
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_fma_f32:
		isa_f32_fma_lanes(r, a, b, c, v->mask, m);
		return true;
	case ISA_OP_v_mad_f32:
		LANES(isa_f32_mad(A, B, C, m));
	case ISA_OP_v_mad_legacy_f32:
		LANES(isa_f32_mad_legacy(A, B, C, m));
	case ISA_OP_v_min3_f32:
		LANES(isa_f32_min3(A, B, C, m));
	case ISA_OP_v_max3_f32:
		LANES(isa_f32_max3(A, B, C, m));
	case ISA_OP_v_med3_f32:
		LANES(isa_f32_med3(A, B, C, m));
	case ISA_OP_v_div_scale_f32:
		return scale(v, r, a, b, c, m);
	case ISA_OP_v_div_fmas_f32:
		LANES(isa_f32_div_fmas(A, B, C, vcc >> l & 1, m));
	case ISA_OP_v_div_fixup_f32:
		LANES(isa_f32_div_fixup(A, B, C, m));
	}
	return false;
}

bool isa_valu_f32(struct isa_valu *v)
{
	u32 m = isa_fp_mode32(v->w->mode);

	if (v->o->words[3])
		return three(v, v->r, v->s[0], v->s[1], v->s[2], m);
	return v->o->words[2] ? two(v, v->r, v->s[0], v->s[1], m) : one(v, v->r, v->s[0], m);
}
