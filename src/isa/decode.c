// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/decode.h"

#define NO ISA_NO_NUMBER

/* clang-format off */
const struct isa_op_info isa_ops[ISA_NR_OPS] = {
#define TYPES_II (TY_I + 4 * TY_I)
#define TYPES_IH (TY_H + 4 * TY_I)
#define TYPES_IF (TY_F + 4 * TY_I)
#define TYPES_ID (TY_D + 4 * TY_I)
#define TYPES_HI (TY_I + 4 * TY_H)
#define TYPES_HH (TY_H + 4 * TY_H)
#define TYPES_HF (TY_F + 4 * TY_H)
#define TYPES_FI (TY_I + 4 * TY_F)
#define TYPES_FH (TY_H + 4 * TY_F)
#define TYPES_FF (TY_F + 4 * TY_F)
#define TYPES_FD (TY_D + 4 * TY_F)
#define TYPES_DI (TY_I + 4 * TY_D)
#define TYPES_DF (TY_F + 4 * TY_D)
#define TYPES_DD (TY_D + 4 * TY_D)
#define ROW(fmt, n90a, n942, d, s0, s1, s2, w, fl) \
	{ { n90a, n942 }, { d, s0, s1, s2 }, ISA_FMT_##fmt, fl, w }
#define T(fmt, name, a, b, d, s0, s1, s2, t, fl) \
	[ISA_OP_##name] = ROW(fmt, a, b, d, s0, s1, s2, TYPES_##t, fl)
#define M(fmt, name, a, b, d, s0, s1, s2, t, fl) \
	[ISA_OP_##name] = ROW(fmt, a, b, d, s0, s1, s2, t, fl)
#define X(...) T(SOP1, __VA_ARGS__),
	ISA_SOP1(X)
#undef X
#define X(...) T(SOP2, __VA_ARGS__),
	ISA_SOP2(X)
#undef X
#define X(...) T(SOPC, __VA_ARGS__),
	ISA_SOPC(X)
#undef X
#define X(...) T(SOPP, __VA_ARGS__),
	ISA_SOPP(X)
#undef X
#define X(...) T(SOPK, __VA_ARGS__),
	ISA_SOPK(X)
#undef X
#define X(...) T(SMEM, __VA_ARGS__),
	ISA_SMEM(X)
#undef X
#define X(...) T(VOP1, __VA_ARGS__),
	ISA_VOP1(X)
#undef X
#define X(...) T(VOP2, __VA_ARGS__),
	ISA_VOP2(X)
#undef X
#define X(...) T(VOPC, __VA_ARGS__),
	ISA_VOPC(X)
#undef X
#define X(...) T(VOP3, __VA_ARGS__),
	ISA_VOP3(X)
#undef X
#define X(...) T(VOP3P, __VA_ARGS__),
	ISA_VOP3P(X)
#undef X
#define X(...) M(DS, __VA_ARGS__),
	ISA_DS(X)
#undef X
#define X(...) M(FLAT, __VA_ARGS__),
	ISA_FLAT(X)
#undef X
#define X(...) M(SCRATCH, __VA_ARGS__),
	ISA_SCRATCH(X)
#undef X
#define X(...) M(GLOBAL, __VA_ARGS__),
	ISA_GLOBAL(X)
#undef X
#define X(...) M(MUBUF, __VA_ARGS__),
	ISA_MUBUF(X)
#undef X
};
/* clang-format on */

static const u16 range[ISA_NR_FORMATS][2] = {
#define F(f) [ISA_FMT_##f] = { ISA_FIRST_##f, ISA_END_##f },
	ISA_FORMATS(F)
#undef F
};

/* Decoding is cached, so that a walk through a list does not matter. */
u16 isa_find_op(u32 arch, u32 format, u32 number)
{
	u32 i;

	for (i = range[format][0]; i < range[format][1]; i++)
		if (isa_ops[i].number[arch] == number)
			return (u16)i;
	return ISA_OP_NONE;
}

void isa_need_sgprs(struct isa_decoder *d, u32 first, u32 words)
{
	u32 end = first + words;

	if (first < ISA_R_FLAT_SCRATCH && end > d->inst->nr_sgprs)
		d->inst->nr_sgprs = (u8)end;
}

/* An SGPR, or a named register, that may be written. */
static bool is_scalar_reg(u32 n, u32 words)
{
	u32 align = words > 1 ? words > 2 ? 4 : 2 : 1;
	u32 end = n + words;

	if (n % align && !(n >= ISA_R_TTMP && (n - ISA_R_TTMP) % align == 0))
		return false;
	if (n < ISA_R_FLAT_SCRATCH)
		return end <= ISA_R_FLAT_SCRATCH;
	if (n < ISA_R_TTMP)
		return words <= 2;
	if (n < ISA_R_M0)
		return end <= ISA_R_M0 && (n - ISA_R_TTMP) % align == 0;
	if (n == ISA_R_M0)
		return words == 1;
	return n >= ISA_R_EXEC && end <= ISA_R_INLINE;
}

int isa_scalar_dst(struct isa_decoder *d, u32 n, u32 words)
{
	if (!words)
		return 0;
	if (!is_scalar_reg(n, words))
		return -EINVAL;
	isa_need_sgprs(d, n, words);
	return 0;
}

static bool is_inline(u32 n)
{
	return (n >= ISA_R_INLINE && n <= 208) || (n >= ISA_R_SHARED_BASE && n <= 248) ||
	       (n >= ISA_R_VCCZ && n <= ISA_R_SCC);
}

/* The literal is the second word, once, however many operands ask for it. */
static int take_literal(struct isa_decoder *d)
{
	if (!d->has_two)
		return -ENODATA;
	d->inst->lit = d->word[1];
	d->inst->len = 2;
	return 0;
}

int isa_scalar_src(struct isa_decoder *d, u32 n, u32 words)
{
	if (!words)
		return 0;
	if (n < ISA_R_INLINE)
		return isa_scalar_dst(d, n, words);
	if (n == ISA_R_LITERAL && d->may_literal)
		return take_literal(d);
	return is_inline(n) ? 0 : -EINVAL;
}

int isa_vector_reg(struct isa_decoder *d, u32 n, u32 words, bool is_acc)
{
	u16 *need = is_acc ? &d->inst->nr_accs : &d->inst->nr_vgprs;

	if (!words)
		return 0;
	if (n + words > 256 || (words > 1 && n % 2))
		return -EINVAL;
	if (n + words > *need)
		*need = (u16)(n + words);
	return 0;
}

int isa_vector_src(struct isa_decoder *d, u32 n, u32 words)
{
	if (n >= ISA_R_VGPR)
		return isa_vector_reg(d, n - ISA_R_VGPR, words, false);
	if (n == ISA_R_LDS_DIRECT && words == 1 && d->inst->form != ISA_SDWA)
		return 0;
	return isa_scalar_src(d, n, words);
}

static int sop2(struct isa_decoder *d, u32 w)
{
	int err;
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_SOP2, w >> 23 & 0x7f);

	if (!o)
		return -EINVAL;
	d->inst->dst = w >> 16 & 0x7f;
	d->inst->src[0] = w & 0xff;
	d->inst->src[1] = w >> 8 & 0xff;
	err = isa_scalar_dst(d, d->inst->dst, o->words[0]);
	if (!err)
		err = isa_scalar_src(d, d->inst->src[0], o->words[1]);
	if (!err)
		err = isa_scalar_src(d, d->inst->src[1], o->words[2]);
	return err;
}

/* Jumps and relative moves have a register as source. */
static bool wants_reg(u32 op)
{
	return op == ISA_OP_s_setpc_b64 || op == ISA_OP_s_swappc_b64 || op == ISA_OP_s_rfe_b64 ||
	       op == ISA_OP_s_movrels_b32 || op == ISA_OP_s_movrels_b64;
}

static int sop1(struct isa_decoder *d, u32 w)
{
	int err;
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_SOP1, w >> 8 & 0xff);

	if (!o)
		return -EINVAL;
	d->inst->dst = w >> 16 & 0x7f;
	d->inst->src[0] = w & 0xff;
	if (wants_reg(d->inst->op) && d->inst->src[0] >= ISA_R_INLINE)
		return -EINVAL;
	err = isa_scalar_dst(d, d->inst->dst, o->words[0]);
	if (!err)
		err = isa_scalar_src(d, d->inst->src[0], o->words[1]);
	return err;
}

static int sopc(struct isa_decoder *d, u32 w)
{
	int err;
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_SOPC, w >> 16 & 0x7f);

	if (!o)
		return -EINVAL;
	d->inst->src[0] = w & 0xff;
	d->inst->src[1] = w >> 8 & 0xff;
	if (d->inst->op == ISA_OP_s_set_gpr_idx_on)
		return isa_scalar_src(d, d->inst->src[0], 1);
	err = isa_scalar_src(d, d->inst->src[0], o->words[1]);
	if (!err)
		err = isa_scalar_src(d, d->inst->src[1], o->words[2]);
	return err;
}

static int sopp(struct isa_decoder *d, u32 w)
{
	if (!isa_decoder_op(d, ISA_FMT_SOPP, w >> 16 & 0x7f))
		return -EINVAL;
	d->inst->imm = w & 0xffff;
	switch (d->inst->op) {
	case ISA_OP_s_barrier:
	case ISA_OP_s_icache_inv:
	case ISA_OP_s_ttracedata:
	case ISA_OP_s_wakeup:
	case ISA_OP_s_set_gpr_idx_off:
	case ISA_OP_s_endpgm_saved:
	case ISA_OP_s_endpgm_ordered_ps_done:
		return d->inst->imm ? -EINVAL : 0;
	}
	return 0;
}

static int sopk(struct isa_decoder *d, u32 w)
{
	const struct isa_op_info *o = isa_decoder_op(d, ISA_FMT_SOPK, w >> 23 & 0x1f);

	if (!o)
		return -EINVAL;
	d->inst->dst = w >> 16 & 0x7f;
	d->inst->imm = w & 0xffff;
	if (d->inst->op == ISA_OP_s_setreg_imm32_b32)
		return take_literal(d);
	return isa_scalar_dst(d, d->inst->dst, o->words[0]);
}

/* SOPC, SOP1, SOPP and SOPK are the places that SOP2 leaves free. */
static int scalar(struct isa_decoder *d, u32 w)
{
	switch (w >> 23) {
	case 0x17d:
		return sop1(d, w);
	case 0x17e:
		return sopc(d, w);
	case 0x17f:
		return sopp(d, w);
	}
	return w >> 28 == 0xb ? sopk(d, w) : sop2(d, w);
}

static int one(struct isa_decoder *d)
{
	u32 w = d->word[0];

	if (w >> 31 == 0)
		return isa_decode_vector(d);
	if (w >> 30 == 2)
		return scalar(d, w);
	if (!d->has_two)
		return -ENODATA;
	d->inst->len = 2;
	d->may_literal = false;
	switch (w >> 26) {
	case 0x30:
		return isa_decode_smem(d);
	case 0x34:
		return isa_decode_vop3(d);
	case 0x36:
		return isa_decode_ds(d);
	case 0x37:
		return isa_decode_flat(d);
	case 0x38:
		return isa_decode_mubuf(d);
	}
	return -EINVAL;
}

int isa_decode(u32 arch, const u32 word[2], bool has_two, struct isa_inst *inst)
{
	struct isa_decoder d = { .word = word, .inst = inst, .arch = arch };
	int err;

	d.has_two = has_two;
	d.may_literal = true;
	memset(inst, 0, sizeof(*inst));
	inst->len = 1;
	err = one(&d);
	if (err)
		inst->op = ISA_OP_NONE;
	return err;
}
