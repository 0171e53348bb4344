/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Between the files of the decoder. A decoder is one instruction being taken
 * apart; the functions return 0, -EINVAL (LLVM refuses it, too) or -ENODATA.
 */
#ifndef ISA_DECODE_H
#define ISA_DECODE_H

#include "isa/inst.h"

/**
 * struct isa_decoder - an instruction being decoded
 * @word: its words
 * @inst: output
 * @arch: 0 gfx90a, 1 gfx942
 * @has_two: there is a second word
 * @may_literal: a literal is possible
 */
struct isa_decoder {
	const u32 *word;
	struct isa_inst *inst;
	u32 arch;
	bool has_two;
	bool may_literal;
};

/* Opcode of a number in a format, or ISA_OP_NONE. */
u16 isa_find_op(u32 arch, u32 format, u32 number);

/* Sets opcode and format; NULL: there is none of this number. */
static inline const struct isa_op_info *isa_decoder_op(struct isa_decoder *d, u32 format,
						       u32 number)
{
	d->inst->op = isa_find_op(d->arch, format, number);
	d->inst->format = (u8)format;
	return d->inst->op ? &isa_ops[d->inst->op] : NULL;
}

/* Operands: each checks a number and notes which registers are needed. */
void isa_need_sgprs(struct isa_decoder *d, u32 first, u32 words);
int isa_scalar_dst(struct isa_decoder *d, u32 n, u32 words);
int isa_scalar_src(struct isa_decoder *d, u32 n, u32 words);
int isa_vector_reg(struct isa_decoder *d, u32 n, u32 words, bool is_acc);
int isa_vector_src(struct isa_decoder *d, u32 n, u32 words);

/* Formats. */
int isa_decode_vector(struct isa_decoder *d);
int isa_decode_vop3(struct isa_decoder *d);
int isa_decode_smem(struct isa_decoder *d);
int isa_decode_ds(struct isa_decoder *d);
int isa_decode_flat(struct isa_decoder *d);
int isa_decode_mubuf(struct isa_decoder *d);

#endif
