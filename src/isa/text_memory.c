// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/isa_text.h"

#define NO_SADDR 0x7f

static void put_offset(struct isa_text *t, s32 n)
{
	if (!n)
		return;
	isa_put(t, " offset:");
	isa_put_dec(t, n);
}

static void put_bits(struct isa_text *t, const struct isa_inst *i)
{
	if (i->bits & ISA_M_GLC)
		isa_put(t, t->arch ? " sc0" : " glc");
	if (i->bits & ISA_M_SLC)
		isa_put(t, t->arch ? " nt" : " slc");
	if (i->bits & ISA_M_SCC)
		isa_put(t, t->arch ? " sc1" : " scc");
}

static void put_bit_chars(struct isa_text *t, u32 x)
{
	u32 and_mask = x & 31, or_mask = x >> 5 & 31, xor_mask = x >> 10 & 31, k;

	for (k = 5; k-- > 0;) {
		bool zero = or_mask >> k & 1, one = (and_mask | or_mask) >> k & 1;
		bool flip = xor_mask >> k & 1;

		zero ^= flip;
		one ^= flip;
		isa_put(t, zero == one ? zero ? "1" : "0" : zero ? "i" : "p");
	}
}

/* Patterns that have a name. */
static void put_swizzle(struct isa_text *t, u32 x)
{
	u32 and_mask = x & 31, or_mask = x >> 5 & 31, xor_mask = x >> 10 & 31, k;
	bool is_power = xor_mask && !(xor_mask & (xor_mask - 1));

	if (!x)
		return;
	isa_put(t, " offset:");
	if ((x & 0xff00) == 0x8000) {
		isa_put(t, "swizzle(QUAD_PERM");
		for (k = 0; k < 8; k += 2) {
			isa_put(t, ",");
			isa_put_dec(t, x >> k & 3);
		}
	} else if (x & 0x8000) {
		isa_put_dec(t, x);
		return;
	} else if (and_mask == 31 && !or_mask && is_power) {
		isa_put(t, "swizzle(SWAP,");
		isa_put_dec(t, xor_mask);
	} else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1))) {
		isa_put(t, "swizzle(REVERSE,");
		isa_put_dec(t, xor_mask + 1);
	} else {
		u32 group = 32 - and_mask;

		if (group > 1 && !(group & (group - 1)) && or_mask < group && !xor_mask) {
			isa_put(t, "swizzle(BROADCAST,");
			isa_put_dec(t, group);
			isa_put(t, ",");
			isa_put_dec(t, or_mask);
		} else {
			isa_put(t, "swizzle(BITMASK_PERM,\"");
			put_bit_chars(t, x);
			isa_put(t, "\"");
		}
	}
	isa_put(t, ")");
}

static void ds(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	bool is_two = o->what & ME_TWO || i->op == ISA_OP_ds_wrxchg2_rtn_b32 ||
		      i->op == ISA_OP_ds_wrxchg2st64_rtn_b32 ||
		      i->op == ISA_OP_ds_wrxchg2_rtn_b64 || i->op == ISA_OP_ds_wrxchg2st64_rtn_b64;
	u32 k;

	if (o->words[0]) {
		isa_next(t);
		isa_put_operand(t, i, i->dst, o->words[0], TY_I);
	}
	for (k = 0; k < 3; k++)
		if (o->words[k + 1]) {
			isa_next(t);
			isa_put_operand(t, i, i->src[k], o->words[k + 1], TY_I);
		}
	if (i->op == ISA_OP_ds_swizzle_b32) {
		put_swizzle(t, (u32)i->imm);
	} else if (is_two) {
		if (i->imm & 0xff) {
			isa_put(t, " offset0:");
			isa_put_dec(t, i->imm & 0xff);
		}
		if (i->imm >> 8) {
			isa_put(t, " offset1:");
			isa_put_dec(t, i->imm >> 8);
		}
	} else {
		put_offset(t, i->imm);
	}
}

static void put_vaddr(struct isa_text *t, const struct isa_inst *i)
{
	bool is_scratch = i->format == ISA_FMT_SCRATCH;

	isa_next(t);
	if (is_scratch && !(i->bits & ISA_M_OFFEN))
		isa_put(t, "off");
	else
		isa_put_operand(t, i, i->src[0], is_scratch || i->sbase != NO_SADDR ? 1 : 2, TY_I);
}

static void flat(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	bool is_atomic = (o->what & ME_ACTION) >= ME_AT_SWAP;

	if (o->words[0] || (is_atomic && i->bits & ISA_M_GLC)) {
		isa_next(t);
		isa_put_operand(t, i, i->dst, is_atomic ? o->what & ME_X2 ? 2 : 1 : o->words[0],
				TY_I);
	}
	put_vaddr(t, i);
	if (o->words[2]) {
		isa_next(t);
		isa_put_operand(t, i, i->src[1], o->words[2], TY_I);
	}
	if (i->format != ISA_FMT_FLAT) {
		isa_next(t);
		if (i->sbase == NO_SADDR)
			isa_put(t, "off");
		else
			isa_put_sreg(t, i->sbase, i->format == ISA_FMT_SCRATCH ? 1 : 2);
	}
	put_offset(t, i->imm);
	put_bits(t, i);
}

static void buffer(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	u32 nr = (i->bits & ISA_M_OFFEN ? 1 : 0) + (i->bits & ISA_M_IDXEN ? 1 : 0);

	if (!o->words[0]) {
		/* On gfx90a they are part of the opcode. */
		if (t->arch)
			put_bits(t, i);
		return;
	}
	if (!(i->bits & ISA_M_LDS)) {
		isa_next(t);
		isa_put_operand(t, i, i->dst, o->words[0], TY_I);
	}
	isa_next(t);
	if (nr)
		isa_put_operand(t, i, i->src[0], nr, TY_I);
	else
		isa_put(t, "off");
	isa_next(t);
	isa_put_sreg(t, i->sbase, 4);
	isa_next(t);
	isa_put_operand(t, i, i->soff, 1, TY_I);
	isa_put(t, i->bits & ISA_M_IDXEN ? " idxen" : "");
	isa_put(t, i->bits & ISA_M_OFFEN ? " offen" : "");
	put_offset(t, i->imm);
	put_bits(t, i);
	isa_put(t, i->bits & ISA_M_LDS ? " lds" : "");
}

void isa_text_memory(struct isa_text *t, const struct isa_inst *i)
{
	isa_put_name(t, i, "");
	switch (i->format) {
	case ISA_FMT_DS:
		ds(t, i);
		return;
	case ISA_FMT_MUBUF:
		buffer(t, i);
		return;
	}
	flat(t, i);
}
