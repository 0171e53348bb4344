// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/decode.h"

#define NO_SADDR 0x7f

static s32 sign_extend(u32 x, u32 bits)
{
	return (s32)(x << (32 - bits)) >> (32 - bits);
}

static void set_bit(struct isa_inst *i, u32 word, u32 bit, u32 flag)
{
	if (word >> bit & 1)
		i->bits |= (u16)flag;
}

/* The offset is in the instruction, in an SGPR that stands in its place, or both. */
static int smem_offset(struct isa_decoder *d)
{
	struct isa_inst *i = d->inst;
	u32 w1 = d->word[1];

	set_bit(i, d->word[0], 14, ISA_M_SOFF);
	set_bit(i, d->word[0], 17, ISA_M_IMM);
	if (i->bits & ISA_M_IMM)
		i->imm = sign_extend(w1, 21);
	if (i->bits & ISA_M_SOFF)
		i->soff = (u8)(w1 >> 25);
	else if (!(i->bits & ISA_M_IMM))
		i->soff = w1 & 0x7f;
	else
		return 0;
	if (!(i->bits & ISA_M_SOFF))
		i->bits |= ISA_M_SOFF;
	return isa_scalar_dst(d, i->soff, 1);
}

int isa_decode_smem(struct isa_decoder *d)
{
	u32 w = d->word[0];
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_SMEM, w >> 18 & 0xff);
	struct isa_inst *i = d->inst;
	int err;

	if (!o)
		return -EINVAL;
	i->dst = w >> 6 & 0x7f;
	i->sbase = (u8)((w & 0x3f) * 2);
	set_bit(i, w, 15, ISA_M_NV);
	set_bit(i, w, 16, ISA_M_GLC);
	if (!o->words[1]) {
		if (w & 0x3e03f || d->word[1] || (!o->words[0] && i->dst))
			return -EINVAL;
		return isa_scalar_dst(d, i->dst, o->words[0]);
	}
	err = smem_offset(d);
	if (err)
		return err;
	/* Prefetches and probes have a number where others have registers. */
	if (o->words[0])
		err = isa_scalar_dst(d, i->dst, o->words[0]);
	if (!err)
		err = isa_scalar_dst(d, i->sbase, o->words[1]);
	return err;
}

/* A field that the opcode does not have, and that is not 0. GDS there is none. */
static bool is_stray(u32 w1, const u8 *words)
{
	return (!words[1] && w1 & 0xff) || (!words[2] && w1 & 0xff00) ||
	       (!words[3] && w1 & 0xff0000) || (!words[0] && w1 >> 24);
}

int isa_decode_ds(struct isa_decoder *d)
{
	int err;
	u32 w = d->word[0], w1 = d->word[1];
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_DS, w >> 17 & 0xff);
	struct isa_inst *i = d->inst;
	bool is_acc = w >> 25 & 1;
	u32 reg = is_acc ? ISA_R_ACC : ISA_R_VGPR;

	if (!o)
		return -EINVAL;
	i->imm = w & 0xffff;
	if (w >> 16 & 1 || is_stray(w1, o->words))
		return -EINVAL;
	i->src[0] = (u16)(ISA_R_VGPR + (w1 & 0xff));
	i->src[1] = (u16)(reg + (w1 >> 8 & 0xff));
	i->src[2] = (u16)(reg + (w1 >> 16 & 0xff));
	i->dst = (u16)(reg + (w1 >> 24));
	err = isa_vector_reg(d, w1 & 0xff, o->words[1], false);
	if (!err)
		err = isa_vector_reg(d, w1 >> 8 & 0xff, o->words[2], is_acc);
	if (!err)
		err = isa_vector_reg(d, w1 >> 16 & 0xff, o->words[3], is_acc);
	if (!err)
		err = isa_vector_reg(d, w1 >> 24, o->words[0], is_acc);
	return err;
}

/* VGPRs and SGPRs of the address. */
static int flat_address(struct isa_decoder *d, u32 segment)
{
	struct isa_inst *i = d->inst;
	u32 vaddr = d->word[1] & 0xff;
	u32 words = 2;

	i->sbase = d->word[1] >> 16 & 0x7f;
	if (segment == ISA_FMT_FLAT)
		i->sbase = NO_SADDR;
	if (segment == ISA_FMT_SCRATCH) {
		/* gfx942 has a bit for it; before, an SGPR takes the VGPR's place. */
		bool has_v = d->arch ? d->word[0] >> 13 & 1 : i->sbase == NO_SADDR;

		i->bits |= has_v ? ISA_M_OFFEN : 0;
		words = has_v;
		if (i->sbase != NO_SADDR && isa_scalar_dst(d, i->sbase, 1))
			return -EINVAL;
	} else if (i->sbase != NO_SADDR) {
		words = 1;
		if (isa_scalar_dst(d, i->sbase, 2))
			return -EINVAL;
	}
	return isa_vector_reg(d, vaddr, words, false);
}

int isa_decode_flat(struct isa_decoder *d)
{
	int err;
	static const u8 formats[4] = { ISA_FMT_FLAT, ISA_FMT_SCRATCH, ISA_FMT_GLOBAL, 0 };
	u32 w = d->word[0], w1 = d->word[1], format = formats[w >> 14 & 3];
	const struct isa_op_info *o;
	struct isa_inst *i = d->inst;
	bool is_acc = w1 >> 23 & 1;
	u32 reg = is_acc ? ISA_R_ACC : ISA_R_VGPR;
	u32 data, dst;

	o = format ? isa_decoder_op(d, format, w >> 18 & 0x7f) : NULL;
	if (!o)
		return -EINVAL;
	i->imm = format == ISA_FMT_FLAT ? (s32)(w & 0xfff) : sign_extend(w, 13);
	set_bit(i, w, 16, ISA_M_GLC);
	set_bit(i, w, 17, ISA_M_SLC);
	set_bit(i, w, 25, ISA_M_SCC);
	if (w >> 13 & 1 && (!d->arch || format != ISA_FMT_SCRATCH))
		return -EINVAL;
	i->src[0] = (u16)(ISA_R_VGPR + (w1 & 0xff));
	i->src[1] = (u16)(reg + (w1 >> 8 & 0xff));
	i->dst = (u16)(reg + (w1 >> 24));
	data = o->words[2];
	dst = o->words[0];
	if ((o->what & ME_ACTION) >= ME_AT_SWAP && i->bits & ISA_M_GLC)
		dst = o->what & ME_X2 ? 2 : 1;
	/* Fields that this opcode does not have. */
	if ((!data && w1 & 0xff00) || (!dst && w1 >> 24) ||
	    (format == ISA_FMT_FLAT && w1 >> 16 & 0x7f))
		return -EINVAL;
	err = flat_address(d, format);
	if (!err)
		err = isa_vector_reg(d, w1 >> 8 & 0xff, data, is_acc);
	if (!err)
		err = isa_vector_reg(d, w1 >> 24, dst, is_acc);
	return err;
}

/* Loads of up to a dword may go to LDS. */
static bool can_lds(const struct isa_op_info *o)
{
	u32 action = o->what & ME_ACTION;

	return action >= ME_LD_U8 && action <= ME_LD_B32 && !(o->what & ME_D16);
}

static int buffer(struct isa_decoder *d, const struct isa_op_info *o)
{
	int err;
	u32 w = d->word[0], w1 = d->word[1];
	struct isa_inst *i = d->inst;
	bool is_acc = w1 >> 23 & 1;
	u32 nr_addr, nr_data;

	i->imm = w & 0xfff;
	set_bit(i, w, 12, ISA_M_OFFEN);
	set_bit(i, w, 13, ISA_M_IDXEN);
	set_bit(i, w, 14, ISA_M_GLC);
	nr_addr = (i->bits & ISA_M_OFFEN ? 1 : 0) + (i->bits & ISA_M_IDXEN ? 1 : 0);
	i->src[0] = (u16)(ISA_R_VGPR + (w1 & 0xff));
	i->dst = (u16)((is_acc ? ISA_R_ACC : ISA_R_VGPR) + (w1 >> 8 & 0xff));
	i->sbase = (u8)((w1 >> 16 & 0x1f) * 4);
	i->soff = (u8)(w1 >> 24);
	nr_data = i->bits & ISA_M_LDS ? 0 : o->words[0];
	if (!o->words[0])
		return 0;
	err = isa_vector_reg(d, w1 & 0xff, nr_addr, false);
	if (!err)
		err = isa_vector_reg(d, w1 >> 8 & 0xff, nr_data, is_acc);
	if (!err)
		err = isa_scalar_dst(d, i->sbase, 4);
	if (!err)
		err = isa_scalar_src(d, i->soff, 1);
	return err;
}

int isa_decode_mubuf(struct isa_decoder *d)
{
	u32 w = d->word[0];
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_MUBUF, w >> 18 & 0x7f);

	if (!o)
		return -EINVAL;
	set_bit(d->inst, w, 15, ISA_M_SCC);
	set_bit(d->inst, w, 16, ISA_M_LDS);
	set_bit(d->inst, w, 17, ISA_M_SLC);
	if (d->inst->bits & ISA_M_LDS && (!can_lds(o) || d->word[1] & 0x80ff00))
		return -EINVAL;
	if (!o->words[0] && (w & 0x13fff || d->word[1]))
		return -EINVAL;
	return buffer(d, o);
}
