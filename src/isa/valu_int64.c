// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector integers of 64 bits. */
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			v->r64[l] = (x);        \
		return true;                    \
	} while (0)

static bool mad64(struct isa_valu *v)
{
	const u32 *a = v->s[0], *b = v->s[1];
	bool is_signed = v->i->op == ISA_OP_v_mad_i64_i32;
	u64 carry = 0;
	u32 l;

	if (v->i->clamp)
		return false;
	for (l = 0; l < ISA_LANES; l++) {
		u64 p = is_signed ? (u64)((s64)(s32)a[l] * (s32)b[l]) : (u64)a[l] * b[l];
		u64 x = p + v->q[2][l];

		if (is_signed)
			carry |= (u64)(((p ^ x) & (v->q[2][l] ^ x)) >> 63) << l;
		else
			carry |= (u64)(x < p) << l;
		v->r64[l] = x;
	}
	v->carry = carry;
	return true;
}

bool isa_valu_int64(struct isa_valu *v)
{
	const u32 *a = v->s[0], *b = v->s[1];
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_mov_b64:
		LANES(v->q[0][l]);
	case ISA_OP_v_lshlrev_b64:
		LANES(v->q[1][l] << (a[l] & 63));
	case ISA_OP_v_lshrrev_b64:
		LANES(v->q[1][l] >> (a[l] & 63));
	case ISA_OP_v_ashrrev_i64:
		LANES((u64)((s64)v->q[1][l] >> (a[l] & 63)));
	case ISA_OP_v_lshl_add_u64:
		LANES((v->q[0][l] << (b[l] & 7)) + v->q[2][l]);
	case ISA_OP_v_mad_u64_u32:
	case ISA_OP_v_mad_i64_i32:
		return mad64(v);
	}
	return false;
}
