/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Between the files of the vector unit. A vector instruction is three steps:
 * sources are brought to rows of 64 lanes, a function of the opcode's kind fills
 * the row of the result, and that goes to the destination under EXEC.
 *
 * A function of a kind returns false if the opcode is not its own or is not
 * known: nothing has happened then.
 */
#ifndef ISA_VALU_H
#define ISA_VALU_H

#include "isa/exec.h"
#include "isa/memory.h"

/**
 * struct isa_valu - a vector instruction on its way
 * @w: wave
 * @env: surroundings
 * @i: instruction
 * @o: its line of the table
 * @s: sources of 32 bits
 * @q: sources of 64 bits
 * @r: result of 32 bits; may be the row of a source
 * @r64: result of 64 bits
 * @carry: result, a bit a lane, of opcodes that write a mask
 * @mask: lanes that are written
 */
struct isa_valu {
	struct isa_wave *w;
	struct isa_env *env;
	const struct isa_inst *i;
	const struct isa_op_info *o;
	const u32 *s[3];
	const u64 *q[3];
	u32 *r;
	u64 *r64;
	u64 carry;
	u64 mask;
};

/* Lanes of a row do not depend on each other, even if rows are the same. */
#ifdef __clang__
#define ISA_EACH_LANE for (l = 0; l < ISA_LANES; l++)
#else
#define ISA_EACH_LANE _Pragma("GCC ivdep") for (l = 0; l < ISA_LANES; l++)
#endif

static inline u32 isa_type_src(const struct isa_op_info *o)
{
	return o->what & 3;
}

static inline u32 isa_type_dst(const struct isa_op_info *o)
{
	return o->what >> 2 & 3;
}

/* Kinds. */
bool isa_valu_int(struct isa_valu *v);
bool isa_valu_int64(struct isa_valu *v);
bool isa_valu_int16(struct isa_valu *v);
bool isa_valu_compare(struct isa_valu *v);
bool isa_valu_f32(struct isa_valu *v);
bool isa_valu_f16(struct isa_valu *v);
bool isa_valu_f64(struct isa_valu *v);
bool isa_valu_convert(struct isa_valu *v);
bool isa_valu_packed(struct isa_valu *v);

/* Those that have rules of their own for lanes or operands. */
enum isa_reason isa_valu_lane(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_valu_matrix(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);

/* Is it one of those? */
bool isa_is_matrix(u32 op);

#endif
