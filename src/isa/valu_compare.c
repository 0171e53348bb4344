// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compares. The low bits of an opcode's number are a set: less 1, equal 2,
 * greater 4 (and for floats unordered 8): true if the set has the answer.
 */
#include "isa/float.h"
#include "isa/valu.h"

#define LANES(x)                                      \
	do {                                          \
		for (l = 0; l < ISA_LANES; l++)       \
			m |= (u64)((x) ? 1 : 0) << l; \
	} while (0)

#define ANSWER(x, y) (((x) < (y) ? 1u : (x) == (y) ? 2u    \
						   : 4u) & \
		      set)

static u64 integers(struct isa_valu *v, u32 number)
{
	const u32 *a = v->s[0], *b = v->s[1];
	u32 set = number & 7, l;
	u64 m = 0;

	/* 0xa0 i16, 0xa8 u16, 0xc0 i32, 0xc8 u32, 0xe0 i64, 0xe8 u64; + 0x10: cmpx */
	switch (number & 0xe8) {
	case 0xa0:
		LANES(ANSWER((s16)a[l], (s16)b[l]));
		break;
	case 0xa8:
		LANES(ANSWER((u16)a[l], (u16)b[l]));
		break;
	case 0xc0:
		LANES(ANSWER((s32)a[l], (s32)b[l]));
		break;
	case 0xc8:
		LANES(ANSWER(a[l], b[l]));
		break;
	case 0xe0:
		LANES(ANSWER((s64)v->q[0][l], (s64)v->q[1][l]));
		break;
	default:
		LANES(ANSWER(v->q[0][l], v->q[1][l]));
		break;
	}
	return m;
}

static u64 floats(struct isa_valu *v, u32 number)
{
	u32 m32 = isa_fp_mode32(v->w->mode), m64 = isa_fp_mode64(v->w->mode);
	const u32 *a = v->s[0], *b = v->s[1];
	u32 set = number & 15, l;
	u64 m = 0;

	switch (isa_type_src(v->o)) {
	case TY_H:
		LANES(isa_f16_cmp((u16)a[l], (u16)b[l], m64) & set);
		break;
	case TY_F:
		LANES(isa_f32_cmp(a[l], b[l], m32) & set);
		break;
	default:
		LANES(isa_f64_cmp(v->q[0][l], v->q[1][l], m64) & set);
		break;
	}
	return m;
}

static u64 classes(struct isa_valu *v)
{
	const u32 *b = v->s[1];
	u64 m = 0;
	u32 l;

	switch (isa_type_src(v->o)) {
	case TY_H:
		LANES(isa_f16_class((u16)v->s[0][l]) & b[l]);
		break;
	case TY_F:
		LANES(isa_f32_class(v->s[0][l]) & b[l]);
		break;
	default:
		LANES(isa_f64_class(v->q[0][l]) & b[l]);
		break;
	}
	return m;
}

bool isa_valu_compare(struct isa_valu *v)
{
	u32 number = v->o->number[v->env->arch];

	/* Bit 3 of a compare of floats is part of the set; clamp asks for traps. */
	if (number < 0x20)
		v->carry = classes(v);
	else if (number < 0x80)
		v->carry = floats(v, number);
	else
		v->carry = integers(v, number);
	return true;
}
