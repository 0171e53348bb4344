/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The opcodes of gfx90a and gfx942: one list for each format, in three files,
 * from which the enum, the table of the decoder and the names are made.
 *
 * Types of vector opcodes are two letters, of the destination and of the
 * sources: I integer or bits, H f16, F f32, D f64. Memory opcodes have ME_
 * words in their place.
 */
#ifndef ISA_OPCODES_H
#define ISA_OPCODES_H

#include "isa/op_memory.h"
#include "isa/op_scalar.h"
#include "isa/op_vector.h"

/* clang-format off */

/* A format; its opcodes are the list ISA_<name>. */
#define ISA_FORMATS(F) \
	F(SOP1) F(SOP2) F(SOPC) F(SOPP) F(SOPK) F(SMEM) \
	F(VOP1) F(VOP2) F(VOPC) F(VOP3) F(VOP3P) \
	F(DS) F(FLAT) F(SCRATCH) F(GLOBAL) F(MUBUF)

enum isa_format {
#define F(f) ISA_FMT_##f,
	ISA_FORMATS(F)
#undef F
	ISA_NR_FORMATS,
};

/* All opcodes. Those of a format are from ISA_FIRST_<name> up to ISA_END_<name>. */
enum isa_op {
	ISA_OP_NONE,
#define X(name, n90a, n942, d, s0, s1, s2, t, fl) ISA_OP_##name,
#define F(f) ISA_FIRST_##f, ISA_SKIP_##f = ISA_FIRST_##f - 1, ISA_##f(X) ISA_END_##f,
	ISA_FORMATS(F)
#undef F
#undef X
	ISA_NR_OPS,
};

/* clang-format on */

#define ISA_NO_NUMBER 0xffff /* not on this architecture */

/* Flags. */
#define OF_E64 (1u << 0) /* also in the format VOP3 */
#define OF_SDWA (1u << 1)
#define OF_DPP (1u << 2)
#define OF_CLAMP (1u << 3)
#define OF_OMOD (1u << 4)
#define OF_NEG (1u << 5)
#define OF_ABS (1u << 6)
#define OF_OPSEL (1u << 7)
#define OF_SD (1u << 8)	 /* writes a mask: VCC, or SDST in VOP3 */
#define OF_CIN (1u << 9) /* reads a mask: VCC, or source 2 in VOP3 */
#define OF_K (1u << 10)	 /* a literal is always there */
#define OF_INT (OF_E64 | OF_SDWA | OF_DPP)
#define OF_VOP3F (OF_CLAMP | OF_OMOD | OF_NEG | OF_ABS)
#define OF_FLT (OF_INT | OF_VOP3F)

/* Types. */
#define TY_I 0
#define TY_H 1
#define TY_F 2
#define TY_D 3

/* What a memory opcode does: an action, the size of an element, and how. */
#define ME_ACTION 0xff	   /* enum isa_action */
#define ME_X2 (1u << 8)	   /* atomic of 64 bits */
#define ME_D16 (1u << 9)   /* half of a register; the other half stays */
#define ME_HI (1u << 10)   /* the upper half */
#define ME_LDS (1u << 11)  /* into LDS instead of a register */
#define ME_TWO (1u << 12)  /* two addresses, offsets in elements */
#define ME_ST64 (1u << 13) /* offsets in 64 elements */
#define ME_RTN (1u << 14)  /* returns what was there */

enum isa_action {
	ME_OTHER,
	ME_LD_U8,
	ME_LD_I8,
	ME_LD_U16,
	ME_LD_I16,
	ME_LD_B32,
	ME_LD_B64,
	ME_LD_B96,
	ME_LD_B128,
	ME_ST_U8,
	ME_ST_U16,
	ME_ST_B32,
	ME_ST_B64,
	ME_ST_B96,
	ME_ST_B128,
	ME_AT_SWAP,
	ME_AT_CMPSWAP,
	ME_AT_CMPST,
	ME_AT_CMPST_F32,
	ME_AT_CMPST_F64,
	ME_AT_ADD,
	ME_AT_SUB,
	ME_AT_RSUB,
	ME_AT_INC,
	ME_AT_DEC,
	ME_AT_SMIN,
	ME_AT_SMAX,
	ME_AT_UMIN,
	ME_AT_UMAX,
	ME_AT_AND,
	ME_AT_OR,
	ME_AT_XOR,
	ME_AT_MSKOR,
	ME_AT_ADD_F32,
	ME_AT_MIN_F32,
	ME_AT_MAX_F32,
	ME_AT_ADD_F64,
	ME_AT_MIN_F64,
	ME_AT_MAX_F64,
	ME_AT_PK_ADD_F16,
	ME_AT_PK_ADD_BF16,
};

/**
 * struct isa_op_info - a line of the table
 * @number: on gfx90a and gfx942, or ISA_NO_NUMBER
 * @words: dwords of the destination and of sources 0 to 2
 * @format: enum isa_format
 * @flags: OF_*
 * @what: memory formats: ME_*; vector formats: type of the sources + 4 x
 *	type of the destination
 */
struct isa_op_info {
	u16 number[2];
	u8 words[4];
	u8 format;
	u16 flags;
	u16 what;
};

extern const struct isa_op_info isa_ops[ISA_NR_OPS];

#endif
