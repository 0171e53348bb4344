// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector f64. */
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

static bool one(struct isa_valu *v, u64 *r, const u64 *a, u32 m)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_trunc_f64:
		LANES(isa_f64_trunc(A, m));
	case ISA_OP_v_ceil_f64:
		LANES(isa_f64_ceil(A, m));
	case ISA_OP_v_rndne_f64:
		LANES(isa_f64_rndne(A, m));
	case ISA_OP_v_floor_f64:
		LANES(isa_f64_floor(A, m));
	case ISA_OP_v_fract_f64:
		LANES(isa_f64_fract(A, m));
	case ISA_OP_v_rcp_f64:
		LANES(isa_f64_rcp(A, m));
	case ISA_OP_v_rsq_f64:
		LANES(isa_f64_rsq(A, m));
	case ISA_OP_v_sqrt_f64:
		LANES(isa_f64_sqrt(A, m));
	case ISA_OP_v_frexp_mant_f64:
		LANES(isa_f64_frexp_mant(A, m));
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
	case ISA_OP_v_add_f64:
		LANES(isa_f64_add(A, B, m));
	case ISA_OP_v_mul_f64:
		LANES(isa_f64_mul(A, B, m));
	case ISA_OP_v_min_f64:
		LANES(isa_f64_min(A, B, m));
	case ISA_OP_v_max_f64:
		LANES(isa_f64_max(A, B, m));
	case ISA_OP_v_fmac_f64:
		LANES(isa_f64_fma(A, B, dst_of(v, l), m));
	case ISA_OP_v_ldexp_f64:
		LANES(isa_f64_ldexp(A, (s32)v->s[1][l], m));
	case ISA_OP_v_trig_preop_f64:
		LANES(isa_f64_trig_preop(A, v->s[1][l]));
	}
	return false;
}

static bool scale(struct isa_valu *v, u64 *r, const u64 *a, const u64 *b, const u64 *c, u32 m)
{
	u64 mask = 0;
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 bit = 0;

		r[l] = isa_f64_div_scale(A, B, C, &bit, m);
		mask |= (u64)bit << l;
	}
	v->carry = mask;
	return true;
}

static bool three(struct isa_valu *v, u64 *r, const u64 *a, const u64 *b, const u64 *c, u32 m)
{
	u64 vcc = isa_vcc(v->w);
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_fma_f64:
		LANES(isa_f64_fma(A, B, C, m));
	case ISA_OP_v_div_scale_f64:
		return scale(v, r, a, b, c, m);
	case ISA_OP_v_div_fmas_f64:
		LANES(isa_f64_div_fmas(A, B, C, vcc >> l & 1, m));
	case ISA_OP_v_div_fixup_f64:
		LANES(isa_f64_div_fixup(A, B, C, m));
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
