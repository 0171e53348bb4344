// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/decode.h"

/* An SGPR of SDWA, where VGPRs are meant otherwise: no inline constants but those. */
static int sdwa_src(struct isa_decoder *d, u32 k, u32 n, bool is_scalar, u32 words)
{
	d->inst->src[k] = (u16)(is_scalar ? n : ISA_R_VGPR + n);
	return isa_vector_src(d, d->inst->src[k], words);
}

/* Selections that exist, modifiers that the opcode has, nothing in the gaps. */
static bool is_sdwa_word(const struct isa_inst *i, const struct isa_op_info *o, u32 w1)
{
	bool is_compare = i->format == ISA_FMT_VOPC, is_float = o->flags & OF_NEG;

	if ((w1 >> 16 & 7) == 7 || (w1 >> 24 & 7) == 7 || w1 & 0x40400000)
		return false;
	if (is_float ? w1 & 0x08080000 : w1 & 0x30300000)
		return false;
	if (!o->words[2] && w1 >> 24)
		return false;
	if (is_compare)
		return w1 >> 15 & 1 || !(w1 >> 8 & 0x7f);
	if ((w1 >> 8 & 7) == 7 || (w1 >> 11 & 3) == 3)
		return false;
	if (w1 >> 14 & 3 && !(o->flags & OF_OMOD))
		return false;
	return !(w1 >> 13 & 1) || o->flags & OF_CLAMP;
}

static int sdwa(struct isa_decoder *d, const struct isa_op_info *o)
{
	int err;
	struct isa_inst *i = d->inst;
	u32 w1 = d->word[1];

	if (!(o->flags & OF_SDWA) || !is_sdwa_word(d->inst, o, w1))
		return -EINVAL;
	d->may_literal = false;
	i->form = ISA_SDWA;
	i->len = 2;
	i->lit = w1;
	i->neg = (w1 >> 20 & 1) | (w1 >> 28 & 1) << 1;
	i->abs = (w1 >> 21 & 1) | (w1 >> 29 & 1) << 1;
	if (i->format == ISA_FMT_VOPC) {
		if (w1 >> 15 & 1)
			i->sdst = w1 >> 8 & 0x7f;
	} else {
		i->clamp = w1 >> 13 & 1;
		i->omod = w1 >> 14 & 3;
	}
	if (i->format == ISA_FMT_VOPC && isa_scalar_dst(d, i->sdst, 2))
		return -EINVAL;
	err = sdwa_src(d, 0, w1 & 0xff, w1 >> 23 & 1, o->words[1]);
	if (!err)
		err = sdwa_src(d, 1, d->word[0] >> 9 & 0xff, w1 >> 31, o->words[2]);
	return err;
}

static bool is_dpp_ctrl(u32 c)
{
	if (c <= 0xff)
		return true;
	if (c <= 0x12f)
		return c & 15;
	return c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c ||
	       (c >= 0x140 && c <= 0x143) || (c >= 0x150 && c <= 0x15f);
}

static int dpp(struct isa_decoder *d, const struct isa_op_info *o)
{
	int err;
	struct isa_inst *i = d->inst;
	u32 w1 = d->word[1], src0 = w1 & 0xff;

	if (!(o->flags & OF_DPP) || !is_dpp_ctrl(w1 >> 8 & 0x1ff))
		return -EINVAL;
	i->form = ISA_DPP;
	i->len = 2;
	i->lit = w1;
	i->neg = (w1 >> 20 & 1) | (w1 >> 22 & 1) << 1;
	i->abs = (w1 >> 21 & 1) | (w1 >> 23 & 1) << 1;
	if (((i->neg | i->abs) && !(o->flags & OF_NEG)) || w1 >> 17 & 3)
		return -EINVAL;
	i->src[0] = (u16)(ISA_R_VGPR + src0);
	err = isa_vector_reg(d, src0, o->words[1], false);
	if (!err)
		err = isa_vector_reg(d, d->word[0] >> 9 & 0xff, o->words[2], false);
	return err;
}

/* Sources of VOP1, VOP2 and VOPC in one word, or with a second one that says more. */
static int sources(struct isa_decoder *d, const struct isa_op_info *o)
{
	struct isa_inst *i = d->inst;
	u32 n = d->word[0] & 0x1ff;
	int err;

	i->src[0] = (u16)n;
	i->src[1] = (u16)(ISA_R_VGPR + (d->word[0] >> 9 & 0xff));
	if (n == ISA_R_SDWA || n == ISA_R_DPP) {
		if (!d->has_two)
			return -ENODATA;
		return n == ISA_R_SDWA ? sdwa(d, o) : dpp(d, o);
	}
	err = isa_vector_src(d, n, o->words[1]);
	if (err)
		return err;
	if (o->flags & OF_K) {
		if (!d->has_two)
			return -ENODATA;
		i->lit = d->word[1];
		i->len = 2;
	}
	return isa_vector_reg(d, i->src[1] - ISA_R_VGPR, o->words[2], false);
}

static int vop_dst(struct isa_decoder *d, const struct isa_op_info *o, u32 n)
{
	struct isa_inst *i = d->inst;

	if (i->op == ISA_OP_v_readfirstlane_b32 || i->op == ISA_OP_v_readlane_b32) {
		i->dst = (u16)n;
		return n < ISA_R_INLINE ? isa_scalar_dst(d, n, 1) : -EINVAL;
	}
	i->dst = (u16)(ISA_R_VGPR + n);
	return isa_vector_reg(d, n, o->words[0], false);
}

static int vop1(struct isa_decoder *d)
{
	int err;
	u32 w = d->word[0];
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_VOP1, w >> 9 & 0xff);
	struct isa_inst *i = d->inst;

	if (!o)
		return -EINVAL;
	if (i->op == ISA_OP_v_accvgpr_mov_b32) {
		if ((w & 0x1ff) < ISA_R_VGPR)
			return -EINVAL;
		i->src[0] = (u16)(ISA_R_ACC + (w & 0xff));
		i->dst = (u16)(ISA_R_ACC + (w >> 17 & 0xff));
		err = isa_vector_reg(d, w & 0xff, 1, true);
		if (!err)
			err = isa_vector_reg(d, w >> 17 & 0xff, 1, true);
		return err;
	}
	if ((i->op == ISA_OP_v_nop || i->op == ISA_OP_v_clrexcp) && w & 0x1fe01ff)
		return -EINVAL;
	if ((i->op == ISA_OP_v_swap_b32 || i->op == ISA_OP_v_readfirstlane_b32) &&
	    (w & 0x1ff) < ISA_R_VGPR)
		return -EINVAL;
	/* The field of source 1 is the opcode here. */
	err = sources(d, o);
	if (!err)
		err = vop_dst(d, o, w >> 17 & 0xff);
	return err;
}

int isa_decode_vector(struct isa_decoder *d)
{
	int err;
	u32 w = d->word[0];
	const struct isa_op_info *o;

	d->inst->sdst = ISA_R_VCC;
	d->inst->src[2] = ISA_R_VCC;
	if (w >> 25 == 0x3f)
		return vop1(d);
	if (w >> 25 == 0x3e) {
		o = isa_decoder_op(d, ISA_FMT_VOPC, w >> 17 & 0xff);
		return o ? sources(d, o) : -EINVAL;
	}
	o = isa_decoder_op(d, ISA_FMT_VOP2, w >> 25);
	if (!o)
		return -EINVAL;
	err = sources(d, o);
	if (!err)
		err = vop_dst(d, o, w >> 17 & 0xff);
	return err;
}

/* VOP3 holds the opcodes of the small formats as well. */
static const struct isa_op_info *vop3_op(struct isa_decoder *d, u32 n)
{
	const struct isa_op_info *o;

	if (n < 0x100)
		o = isa_decoder_op(d, ISA_FMT_VOPC, n);
	else if (n < 0x140)
		o = isa_decoder_op(d, ISA_FMT_VOP2, n - 0x100);
	else if (n < 0x1c0)
		o = isa_decoder_op(d, ISA_FMT_VOP1, n - 0x140);
	else
		return isa_decoder_op(d, ISA_FMT_VOP3, n);
	return o && o->flags & OF_E64 ? o : NULL;
}

/* What an opcode does not have must be 0. */
static int vop3_bits(struct isa_decoder *d, const struct isa_op_info *o)
{
	struct isa_inst *i = d->inst;
	u32 w = d->word[0], w1 = d->word[1];

	i->neg = (u8)(w1 >> 29);
	i->omod = w1 >> 27 & 3;
	i->clamp = w >> 15 & 1;
	if (o->flags & OF_SD) {
		i->sdst = w >> 8 & 0x7f;
		if (isa_scalar_dst(d, i->sdst, 2))
			return -EINVAL;
	} else {
		i->abs = w >> 8 & 7;
		i->opsel = w >> 11 & 15;
	}
	if ((i->neg && !(o->flags & OF_NEG)) || (i->abs && !(o->flags & OF_ABS)) ||
	    (i->omod && !(o->flags & OF_OMOD)) || (i->clamp && !(o->flags & OF_CLAMP)) ||
	    (i->opsel && !(o->flags & OF_OPSEL)))
		return -EINVAL;
	return 0;
}

static int vop3_sources(struct isa_decoder *d, const struct isa_op_info *o)
{
	struct isa_inst *i = d->inst;
	u32 k;

	for (k = 0; k < 3; k++) {
		u32 n = d->word[1] >> (9 * k) & 0x1ff;
		u32 words = o->words[k + 1];
		int err;

		i->src[k] = (u16)n;
		if (k == 2 && o->flags & OF_CIN)
			err = n < ISA_R_INLINE ? isa_scalar_dst(d, n, 2) : -EINVAL;
		else if (!words)
			err = n ? -EINVAL : 0;
		else
			err = isa_vector_src(d, n, words);
		if (err)
			return err;
	}
	return 0;
}

static bool is_mfma(u32 op)
{
	return op >= ISA_OP_v_mfma_f32_32x32x1f32 && op < ISA_END_VOP3P;
}

/* A matrix operand: source k is an ACC VGPR or not, C and D together. */
static int mfma_src(struct isa_decoder *d, u32 k, u32 n, u32 words, bool is_acc)
{
	d->inst->src[k] = (u16)n;
	if (n < ISA_R_VGPR)
		return k == 2 && n >= ISA_R_INLINE ? isa_scalar_src(d, n, words) : -EINVAL;
	d->inst->src[k] = (u16)((is_acc ? ISA_R_ACC : ISA_R_VGPR) + (n & 0xff));
	return isa_vector_reg(d, n & 0xff, words, is_acc);
}

static int mfma(struct isa_decoder *d, const struct isa_op_info *o)
{
	int err;
	struct isa_inst *i = d->inst;
	u32 w = d->word[0], w1 = d->word[1];
	bool is_acc = w >> 15 & 1;

	i->neg_hi = w >> 8 & 7;	 /* CBSZ */
	i->opsel = w >> 11 & 15; /* ABID */
	i->neg = (u8)(w1 >> 29); /* BLGP */
	i->dst = (u16)((is_acc ? ISA_R_ACC : ISA_R_VGPR) + (w & 0xff));
	err = isa_vector_reg(d, w & 0xff, o->words[0], is_acc);
	if (!err)
		err = mfma_src(d, 0, w1 & 0x1ff, o->words[1], w1 >> 27 & 1);
	if (!err)
		err = mfma_src(d, 1, w1 >> 9 & 0x1ff, o->words[2], w1 >> 28 & 1);
	if (!err)
		err = mfma_src(d, 2, w1 >> 18 & 0x1ff, o->words[3], is_acc);
	return err;
}

static int accvgpr(struct isa_decoder *d)
{
	int err;
	struct isa_inst *i = d->inst;
	u32 dst = d->word[0] & 0xff, src = d->word[1] & 0x1ff;

	/* op_sel_hi is set by habit. */
	if (d->word[0] & 0xbf00 || d->word[1] & 0xe7fffe00)
		return -EINVAL;
	if (i->op == ISA_OP_v_accvgpr_read_b32) {
		if (src < ISA_R_VGPR)
			return -EINVAL;
		i->src[0] = (u16)(ISA_R_ACC + (src & 0xff));
		i->dst = (u16)(ISA_R_VGPR + dst);
		err = isa_vector_reg(d, src & 0xff, 1, true);
		if (!err)
			err = isa_vector_reg(d, dst, 1, false);
		return err;
	}
	i->src[0] = (u16)src;
	i->dst = (u16)(ISA_R_ACC + dst);
	err = isa_vector_src(d, src, 1);
	if (!err)
		err = isa_vector_reg(d, dst, 1, true);
	return err;
}

static int vop3p(struct isa_decoder *d)
{
	int err;
	u32 w = d->word[0], w1 = d->word[1];
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_VOP3P, w >> 16 & 0x7f);
	struct isa_inst *i = d->inst;

	if (!o)
		return -EINVAL;
	i->form = ISA_E64;
	if (i->op == ISA_OP_v_accvgpr_read_b32 || i->op == ISA_OP_v_accvgpr_write_b32)
		return accvgpr(d);
	if (is_mfma(i->op))
		return mfma(d, o);
	i->neg = (u8)(w1 >> 29);
	i->neg_hi = w >> 8 & 7;
	i->opsel = w >> 11 & 7;
	i->opsel_hi = (w1 >> 27 & 3) | (w >> 14 & 1) << 2;
	i->clamp = w >> 15 & 1;
	if (!o->words[3] && (i->neg | i->neg_hi | i->opsel) & 4)
		return -EINVAL;
	err = vop3_sources(d, o);
	if (!err)
		err = vop_dst(d, o, w & 0xff);
	return err;
}

int isa_decode_vop3(struct isa_decoder *d)
{
	u32 w = d->word[0];
	const struct isa_op_info *o;
	struct isa_inst *i = d->inst;
	int err;

	if (w >> 23 == 0x1a7)
		return vop3p(d);
	o = vop3_op(d, w >> 16 & 0x3ff);
	if (!o)
		return -EINVAL;
	i->form = ISA_E64;
	i->sdst = ISA_R_VCC;
	err = vop3_bits(d, o);
	if (!err)
		err = vop3_sources(d, o);
	if (err)
		return err;
	if (i->format == ISA_FMT_VOPC) {
		i->sdst = w & 0xff;
		return w & 0x80 ? -EINVAL : isa_scalar_dst(d, i->sdst, 2);
	}
	return vop_dst(d, o, w & 0xff);
}
