// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f16. */
#include "isa/valu_float.h"

#define A ((u16)a[l])
#define B ((u16)b[l])
#define C ((u16)c[l])

static bool one(struct isa_valu *v, u32 *r, const u32 *a, u32 m)
{
	u32 l;

	switch (v->i->op) {
	ISA_CASES_ROUND(f16, m)
	ISA_CASES_ROOT(f16, m)
	ISA_CASES_FUNCTION(f16, m)
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, u32 m)
{
	const u32 *c = v->w->vgpr[isa_row(v->w, v->i->dst)];
	u16 k = (u16)v->i->lit;
	u32 l;

	switch (v->i->op) {
	ISA_CASES_TWO(f16, m, k)
	CASE_2(f16, add, m)
	CASE_2(f16, mul, m)
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
	ISA_CASES_THREE(f16, m)
	case ISA_OP_v_fma_f16:
	case ISA_OP_v_fma_legacy_f16:
		LANES(isa_f16_fma(A, B, C, m));
	case ISA_OP_v_mad_legacy_f16:
		LANES(isa_f16_mad(A, B, C, m));
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
