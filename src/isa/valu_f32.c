// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f32. */
#include "isa/valu_float.h"

#define A a[l]
#define B b[l]
#define C c[l]

static bool one(struct isa_valu *v, u32 *r, const u32 *a, u32 m)
{
	u32 f = m | ISA_FP_FLUSH, l;

	switch (v->i->op) {
	ISA_CASES_ROUND(f32, m)
	ISA_CASES_ROOT(f32, f)
	ISA_CASES_FUNCTION(f32, f)
	case ISA_OP_v_exp_legacy_f32:
		LANES(isa_f32_exp2(A, f));
	case ISA_OP_v_log_legacy_f32:
		LANES(isa_f32_log2(A, f));
	case ISA_OP_v_rcp_iflag_f32:
		LANES(isa_f32_rcp(A, f));
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m)
{
	const u32 *c = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u32 k = v->i->lit, l;

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
	ISA_CASES_TWO(f32, m, k)
	CASE_2(f32, mul_legacy, m)
	case ISA_OP_v_ldexp_f32:
		LANES(isa_f32_ldexp(A, (s32)B, m));
	case ISA_OP_v_fmamk_f32:
		LANES(isa_f32_fma(A, k, B, m));
	case ISA_OP_v_fmaak_f32:
		LANES(isa_f32_fma(A, B, k, m));
	}
	return false;
}

ISA_DEFINE_SCALE(f32, u32)

static bool three(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c, u32 m)
{
	u64 vcc = isa_vcc(v->w);
	u32 l;

	switch (v->i->op) {
	ISA_CASES_THREE(f32, m)
	CASE_3(f32, mad_legacy, m)
	case ISA_OP_v_fma_f32:
		isa_f32_fma_lanes(r, a, b, c, v->mask, m);
		return true;
	case ISA_OP_v_div_scale_f32:
		return scale(v, r, a, b, c, m);
	case ISA_OP_v_div_fmas_f32:
		LANES(isa_f32_div_fmas(A, B, C, vcc >> l & 1, m));
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
