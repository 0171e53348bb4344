// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f64. */
#include "isa/valu_float.h"

#define A a[l]
#define B b[l]
#define C c[l]

static bool one(struct isa_valu *v, u64 *r, const u64 *a, u32 m)
{
	u32 l;

	switch (v->i->op) {
	ISA_CASES_ROUND(f64, m)
	ISA_CASES_ROOT(f64, m)
	}
	return false;
}

static u64 dst_of(struct isa_valu *v, u32 l)
{
	u32 row = isa_row(v->w, v->i->dst);

	return v->w->vgpr[row][l] | (u64)v->w->vgpr[row + 1][l] << 32;
}

static bool two(struct isa_valu *v, u64 *r, const u64 *a, const u64 *b, u32 m)
{
	u32 l;

	switch (v->i->op) {
	CASE_2(f64, add, m)
	CASE_2(f64, mul, m)
	CASE_2(f64, min, m)
	CASE_2(f64, max, m)
	case ISA_OP_v_fmac_f64:
		LANES(isa_f64_fma(A, B, dst_of(v, l), m));
	case ISA_OP_v_ldexp_f64:
		LANES(isa_f64_ldexp(A, (s32)v->s[1][l], m));
	case ISA_OP_v_trig_preop_f64:
		LANES(isa_f64_trig_preop(A, v->s[1][l]));
	}
	return false;
}

ISA_DEFINE_SCALE(f64, u64)

static bool three(struct isa_valu *v, u64 *r, const u64 *a, const u64 *b, const u64 *c, u32 m)
{
	u64 vcc = isa_vcc(v->w);
	u32 l;

	switch (v->i->op) {
	CASE_3(f64, fma, m)
	CASE_3(f64, div_fixup, m)
	case ISA_OP_v_div_scale_f64:
		return scale(v, r, a, b, c, m);
	case ISA_OP_v_div_fmas_f64:
		LANES(isa_f64_div_fmas(A, B, C, vcc >> l & 1, m));
	}
	return false;
}

bool isa_valu_f64(struct isa_valu *v)
{
	u32 m = isa_fp_mode64(v->w->mode);

	if (v->o->words[3])
		return three(v, v->r64, v->q[0], v->q[1], v->q[2], m);
	return v->o->words[2] ? two(v, v->r64, v->q[0], v->q[1], m) : one(v, v->r64, v->q[0], m);
}
