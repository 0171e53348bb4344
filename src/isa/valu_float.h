/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What vector opcodes on floats have in common, with the format as a parameter: f16, f32
 * or f64. Cases of a switch over the opcode in a function with rows r, a, b, c and the
 * lane l; the file says by A, B and C what a lane of a row is.
 */
#ifndef ISA_VALU_FLOAT_H
#define ISA_VALU_FLOAT_H

#include "isa/float.h"
#include "isa/valu.h"

#define LANES(x)                                \
	do {                                    \
		for (l = 0; l < ISA_LANES; l++) \
			r[l] = (x);             \
		return true;                    \
	} while (0)

/* Opcode and the function of the soft float. @m: mode */
#define CASE_1(F, op, fn, m)      \
	case ISA_OP_v_##op##_##F: \
		LANES(isa_##F##_##fn(A, m));

#define CASE_2(F, op, m)          \
	case ISA_OP_v_##op##_##F: \
		LANES(isa_##F##_##op(A, B, m));

#define CASE_3(F, op, m)          \
	case ISA_OP_v_##op##_##F: \
		LANES(isa_##F##_##op(A, B, C, m));

#define ISA_CASES_ROUND(F, m)        \
	CASE_1(F, fract, fract, m)   \
	CASE_1(F, trunc, trunc, m)   \
	CASE_1(F, ceil, ceil, m)     \
	CASE_1(F, rndne, rndne, m)   \
	CASE_1(F, floor, floor, m)   \
	CASE_1(F, frexp_mant, frexp_mant, m)

#define ISA_CASES_ROOT(F, m)     \
	CASE_1(F, rcp, rcp, m)   \
	CASE_1(F, rsq, rsq, m)   \
	CASE_1(F, sqrt, sqrt, m)

#define ISA_CASES_FUNCTION(F, m) \
	CASE_1(F, exp, exp2, m)  \
	CASE_1(F, log, log2, m)  \
	CASE_1(F, sin, sin, m)   \
	CASE_1(F, cos, cos, m)

/* f16 and f32; @k: literal, a factor or what is added */
#define ISA_CASES_TWO(F, m, k)                      \
	CASE_2(F, sub, m)                           \
	CASE_2(F, min, m)                           \
	CASE_2(F, max, m)                           \
	case ISA_OP_v_subrev_##F:                   \
		LANES(isa_##F##_sub(B, A, m));      \
	case ISA_OP_v_mac_##F:                      \
		LANES(isa_##F##_mad(A, B, C, m));   \
	case ISA_OP_v_madmk_##F:                    \
		LANES(isa_##F##_mad(A, k, B, m));   \
	case ISA_OP_v_madak_##F:                    \
		LANES(isa_##F##_mad(A, B, k, m));

#define ISA_CASES_THREE(F, m) \
	CASE_3(F, mad, m)     \
	CASE_3(F, min3, m)    \
	CASE_3(F, max3, m)    \
	CASE_3(F, med3, m)    \
	CASE_3(F, div_fixup, m)

/* v_div_scale of a format whose lanes are @T. */
#define ISA_DEFINE_SCALE(F, T)                                                           \
	static bool scale(struct isa_valu *v, T *r, const T *a, const T *b, const T *c, u32 m) \
	{                                                                                \
		u64 mask = 0;                                                            \
		u32 l;                                                                   \
											 \
		for (l = 0; l < ISA_LANES; l++) {                                        \
			u32 bit = 0;                                                     \
											 \
			r[l] = isa_##F##_div_scale(A, B, C, &bit, m);                    \
			mask |= (u64)bit << l;                                           \
		}                                                                        \
		v->carry = mask;                                                         \
		return true;                                                             \
	}

#endif
