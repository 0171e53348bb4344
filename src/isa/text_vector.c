// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/isa_text.h"

static bool is_matrix(const struct isa_inst *i)
{
	return i->op >= ISA_OP_v_mfma_f32_32x32x1f32 && i->op < ISA_END_VOP3P &&
	       i->op != ISA_OP_v_accvgpr_read_b32 && i->op != ISA_OP_v_accvgpr_write_b32;
}

static const char *suffix(const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];

	if (i->form == ISA_SDWA)
		return "_sdwa";
	if (i->form == ISA_DPP)
		return "_dpp";
	if (i->format == ISA_FMT_VOP3 || i->format == ISA_FMT_VOP3P)
		return "";
	switch (i->op) {
	case ISA_OP_v_nop:
	case ISA_OP_v_clrexcp:
	case ISA_OP_v_readfirstlane_b32:
	case ISA_OP_v_swap_b32:
	case ISA_OP_v_accvgpr_mov_b32:
		return "";
	}
	if (o->flags & OF_K)
		return "";
	return i->form == ISA_E64 ? "_e64" : "_e32";
}

/* Floats of either size: neg and abs instead of a bit for each half. */
static bool is_mix(const struct isa_inst *i)
{
	return i->op == ISA_OP_v_fma_mix_f32 || i->op == ISA_OP_v_fma_mixlo_f16 ||
	       i->op == ISA_OP_v_fma_mixhi_f16;
}

/* A source with its modifiers: -|v1|, sext(v1). */
static void put_source(struct isa_text *t, const struct isa_inst *i, u32 k, u32 words)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	bool is_packed = i->format == ISA_FMT_VOP3P && !is_mix(i);
	u32 abs_bits = is_mix(i) ? i->neg_hi : i->abs;
	bool neg = !is_packed && i->neg >> k & 1, abs = !is_packed && abs_bits >> k & 1;
	bool sext = i->form == ISA_SDWA && i->lit >> (19 + 8 * k) & 1 && !(o->flags & OF_NEG);

	isa_next(t);
	isa_put(t, neg ? "-" : "");
	isa_put(t, abs ? "|" : sext ? "sext(" : "");
	isa_put_operand(t, i, i->src[k], words, o->what & 3);
	isa_put(t, abs ? "|" : sext ? ")" : "");
}

/* name:[a,b,c], unless all are what they are by default. */
static void put_list(struct isa_text *t, const char *name, u32 bits, u32 nr, u32 usual)
{
	u32 k;

	if (bits == usual)
		return;
	isa_put(t, name);
	for (k = 0; k < nr; k++) {
		isa_put(t, k ? "," : ":[");
		isa_put_dec(t, bits >> k & 1);
	}
	isa_put(t, "]");
}

static u32 nr_sources(const struct isa_op_info *o)
{
	return o->words[3] ? 3 : o->words[2] ? 2 : 1;
}

static void put_omod(struct isa_text *t, const struct isa_inst *i)
{
	static const char *const omods[] = { "", " mul:2", " mul:4", " div:2" };

	isa_put(t, omods[i->omod]);
}

static void packed(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	u32 nr = nr_sources(o), all = (1u << nr) - 1;

	put_list(t, " op_sel", i->opsel & all, nr, 0);
	put_list(t, " op_sel_hi", i->opsel_hi & all, nr, is_mix(i) ? 0 : all);
	if (!is_mix(i)) {
		put_list(t, " neg_lo", i->neg & all, nr, 0);
		put_list(t, " neg_hi", i->neg_hi & all, nr, 0);
	}
	isa_put(t, i->clamp ? " clamp" : "");
}

static void put_number(struct isa_text *t, const char *name, u32 n)
{
	if (!n)
		return;
	isa_put(t, name);
	isa_put_dec(t, n);
}

static void matrix_bits(struct isa_text *t, const struct isa_inst *i)
{
	put_number(t, " cbsz:", i->neg_hi);
	put_number(t, " abid:", i->opsel);
	put_number(t, " blgp:", i->neg);
}

static void sdwa_bits(struct isa_text *t, const struct isa_inst *i)
{
	static const char *const sels[] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
					    "WORD_0", "WORD_1", "DWORD", "?" };
	static const char *const unused[] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?" };
	const struct isa_op_info *o = &isa_ops[i->op];

	isa_put(t, i->clamp ? " clamp" : "");
	put_omod(t, i);
	if (i->format != ISA_FMT_VOPC && o->words[0]) {
		isa_put(t, " dst_sel:");
		isa_put(t, sels[i->lit >> 8 & 7]);
		isa_put(t, " dst_unused:");
		isa_put(t, unused[i->lit >> 11 & 3]);
	}
	if (o->words[1]) {
		isa_put(t, " src0_sel:");
		isa_put(t, sels[i->lit >> 16 & 7]);
	}
	if (o->words[2]) {
		isa_put(t, " src1_sel:");
		isa_put(t, sels[i->lit >> 24 & 7]);
	}
}

static void dpp_ctrl(struct isa_text *t, u32 c)
{
	u32 k;

	if (c < 0x100) {
		isa_put(t, " quad_perm");
		for (k = 0; k < 4; k++) {
			isa_put(t, k ? "," : ":[");
			isa_put_dec(t, c >> (2 * k) & 3);
		}
		isa_put(t, "]");
		return;
	}
	switch (c) {
	case 0x130:
		isa_put(t, " wave_shl:1");
		return;
	case 0x134:
		isa_put(t, " wave_rol:1");
		return;
	case 0x138:
		isa_put(t, " wave_shr:1");
		return;
	case 0x13c:
		isa_put(t, " wave_ror:1");
		return;
	case 0x140:
		isa_put(t, " row_mirror");
		return;
	case 0x141:
		isa_put(t, " row_half_mirror");
		return;
	case 0x142:
		isa_put(t, " row_bcast:15");
		return;
	case 0x143:
		isa_put(t, " row_bcast:31");
		return;
	}
	isa_put(t, c < 0x110 ? " row_shl:" : c < 0x120 ? " row_shr:" :
		   c < 0x130 ? " row_ror:" : " row_newbcast:");
	isa_put_dec(t, c & 15);
}

static void dpp_bits(struct isa_text *t, const struct isa_inst *i)
{
	dpp_ctrl(t, i->lit >> 8 & 0x1ff);
	isa_put(t, " row_mask:");
	isa_put_hex(t, i->lit >> 28);
	isa_put(t, " bank_mask:");
	isa_put_hex(t, i->lit >> 24 & 15);
	isa_put(t, i->lit >> 19 & 1 ? " bound_ctrl:1" : "");
}

static void bits(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	u32 nr = nr_sources(o);

	if (i->form == ISA_SDWA) {
		sdwa_bits(t, i);
	} else if (i->form == ISA_DPP) {
		dpp_bits(t, i);
	} else if (i->format == ISA_FMT_VOP3P) {
		if (i->op == ISA_OP_v_accvgpr_read_b32 || i->op == ISA_OP_v_accvgpr_write_b32)
			return;
		if (is_matrix(i))
			matrix_bits(t, i);
		else
			packed(t, i);
	} else {
		if (o->flags & OF_OPSEL && i->opsel) {
			/* The destination is the last of the list. */
			u32 list = (i->opsel & ((1u << nr) - 1)) | (i->opsel >> 3) << nr;

			put_list(t, " op_sel", list, nr + 1, 0);
		}
		isa_put(t, i->clamp ? " clamp" : "");
		put_omod(t, i);
	}
}

/* A literal that takes the place of a source. */
static bool literal_place(struct isa_text *t, const struct isa_inst *i, u32 k)
{
	bool is_mk = i->op == ISA_OP_v_madmk_f32 || i->op == ISA_OP_v_madmk_f16 ||
		     i->op == ISA_OP_v_fmamk_f32;

	if (!(isa_ops[i->op].flags & OF_K) || k != (is_mk ? 1 : 2))
		return false;
	isa_next(t);
	isa_put_hex(t, i->lit);
	return true;
}

void isa_text_vector(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	bool is_mask = i->format == ISA_FMT_VOPC || o->flags & OF_SD;
	u32 k;

	isa_put_name(t, i, suffix(i));
	if (o->words[0]) {
		isa_next(t);
		isa_put_operand(t, i, i->dst, o->words[0], TY_I);
	}
	if (is_mask) {
		isa_next(t);
		isa_put_sreg(t, i->sdst, 2);
	}
	for (k = 0; k < 3; k++) {
		literal_place(t, i, k);
		if (o->words[k + 1])
			put_source(t, i, k, o->words[k + 1]);
	}
	if (o->flags & OF_CIN) {
		isa_next(t);
		isa_put_sreg(t, i->src[2], 2);
	}
	bits(t, i);
}
