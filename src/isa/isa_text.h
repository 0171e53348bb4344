/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Between the files that write instructions as text. */
#ifndef ISA_TEXT_H
#define ISA_TEXT_H

#include "isa/inst.h"

/**
 * struct isa_text - a line being written
 * @buf: where to
 * @size: of @buf
 * @len: so far, also of what did not fit
 * @nr: operands so far
 * @arch: 0 gfx90a, 1 gfx942
 */
struct isa_text {
	char *buf;
	u32 size;
	u32 len;
	u32 nr;
	u32 arch;
};

/* Pieces of a line. */
void isa_put(struct isa_text *t, const char *s);
void isa_put_dec(struct isa_text *t, s64 x);
void isa_put_hex(struct isa_text *t, u64 v);
void isa_put_sreg(struct isa_text *t, u32 n, u32 words);
void isa_put_operand(struct isa_text *t, const struct isa_inst *i, u32 n, u32 words, u32 type);
void isa_put_name(struct isa_text *t, const struct isa_inst *i, const char *suffix);
void isa_next(struct isa_text *t);

/* Formats. */
void isa_text_scalar(struct isa_text *t, const struct isa_inst *i);
void isa_text_vector(struct isa_text *t, const struct isa_inst *i);
void isa_text_memory(struct isa_text *t, const struct isa_inst *i);

#endif
