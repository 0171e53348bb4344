// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/valu.h"

#include "isa/float.h"

static const u16 float16[9] = {
	0x3800,
	0xb800,
	0x3c00,
	0xbc00,
	0x4000,
	0xc000,
	0x4400,
	0xc400,
	0x3118,
};

/* GPR index mode: M0[7:0] is added where M0[15:12] says so. */
static u32 index_of(const struct isa_wave *w, u32 which)
{
	return w->mode & ISA_MODE_GPR_IDX && w->m0 >> (12 + which) & 1 ? w->m0 & 0xff : 0;
}

static u32 scalar32(struct isa_valu *v, u32 n)
{
	if (isa_type_src(v->o) == TY_H && n >= ISA_R_FLOAT && n < ISA_R_FLOAT + 9)
		return float16[n - ISA_R_FLOAT];
	if (n == ISA_R_SHARED_BASE)
		return v->env->shared_base;
	if (n == ISA_R_PRIVATE_BASE)
		return v->env->private_base;
	return isa_read32(v->w, v->i, n);
}

/* A source of 32 bits as a row; scalars are spread. */
static const u32 *row32(struct isa_valu *v, u32 k, u32 n)
{
	u32 *to = v->env->lanes.s32[k];
	u32 l, x;

	if (n >= ISA_R_VGPR)
		return v->w->vgpr[isa_row(v->w, n) + index_of(v->w, k)];
	x = scalar32(v, n);
	for (l = 0; l < ISA_LANES; l++)
		to[l] = x;
	return to;
}

static const u64 *row64(struct isa_valu *v, u32 k, u32 n)
{
	u64 *to = v->env->lanes.s64[k];
	u32 l;

	if (n >= ISA_R_VGPR) {
		u32 row = isa_row(v->w, n) + index_of(v->w, k);
		const u32 *lo = v->w->vgpr[row], *hi = v->w->vgpr[row + 1];

		for (l = 0; l < ISA_LANES; l++)
			to[l] = lo[l] | (u64)hi[l] << 32;
	} else {
		u64 x = isa_read64(v->w, v->i, n);

		/* A literal is the upper half of a double. */
		if (n == ISA_R_LITERAL && isa_type_src(v->o) == TY_D)
			x <<= 32;
		for (l = 0; l < ISA_LANES; l++)
			to[l] = x;
	}
	return to;
}

static void modify64(struct isa_valu *v, u32 k)
{
	u64 keep = v->i->abs >> k & 1 ? ~(1ull << 63) : ~0ull;
	u64 flip = v->i->neg >> k & 1 ? 1ull << 63 : 0;
	u64 *to = v->env->lanes.s64[k];
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		to[l] = (to[l] & keep) ^ flip;
}

/* abs, then neg, in 16 or 32 bits. */
static void modify32(struct isa_valu *v, u32 k)
{
	bool is_half = isa_type_src(v->o) == TY_H;
	u32 sign = is_half ? 0x8000 : 0x80000000;
	u32 keep = v->i->abs >> k & 1 ? ~sign : ~0u;
	u32 flip = v->i->neg >> k & 1 ? sign : 0;
	u32 *to = v->env->lanes.s32[k];
	const u32 *from = v->s[k];
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		to[l] = (from[l] & keep) ^ flip;
	v->s[k] = to;
}

static void shift_half(struct isa_valu *v, u32 k)
{
	u32 *to = v->env->lanes.s32[k];
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		to[l] = v->s[k][l] >> 16;
	v->s[k] = to;
}

/* Byte or word of a source: 0 to 3 bytes, 4 and 5 words, 6 all. */
static void sdwa_select(struct isa_valu *v, u32 k)
{
	u32 field = v->i->lit >> (16 + 8 * k);
	u32 sel = field & 7, width = sel < 4 ? 8 : 16, shift = sel < 4 ? sel * 8 : (sel - 4) * 16;
	bool is_signed = field >> 3 & 1;
	u32 *to = v->env->lanes.s32[k];
	u32 l;

	if (sel >= 6)
		return;
	for (l = 0; l < ISA_LANES; l++) {
		u32 x = v->s[k][l] << (32 - width - shift);

		to[l] = is_signed ? (u32)((s32)x >> (32 - width)) : x >> (32 - width);
	}
	v->s[k] = to;
}

/* The lane that a lane reads, or -1 if there is none. */
static s32 dpp_source(u32 ctrl, u32 l)
{
	u32 row = l & ~15u, in = l & 15, n = ctrl & 15;

	if (ctrl < 0x100)
		return (s32)((l & ~3u) | (ctrl >> (2 * (l & 3)) & 3));
	switch (ctrl >> 4) {
	case 0x10:
		return in + n < 16 ? (s32)(l + n) : -1;
	case 0x11:
		return in >= n ? (s32)(l - n) : -1;
	case 0x12:
		return (s32)(row | ((in - n) & 15));
	case 0x15:
		return (s32)(row | n);
	}
	switch (ctrl) {
	case 0x130:
		return l < 63 ? (s32)l + 1 : -1;
	case 0x134:
		return (s32)((l + 1) & 63);
	case 0x138:
		return (s32)l - 1;
	case 0x13c:
		return (s32)((l - 1) & 63);
	case 0x140:
		return (s32)(row | (15 - in));
	case 0x141:
		return (s32)((l & ~7u) | (7 - (l & 7)));
	case 0x142:
		return row ? (s32)row - 1 : -1;
	case 0x143:
		return l >= 32 ? 31 : -1;
	}
	return -1;
}

/* Source 0 from other lanes; lanes that are switched off or have none stay. */
static void dpp_move(struct isa_valu *v)
{
	u32 ctrl = v->i->lit >> 8 & 0x1ff;
	bool bound_ctrl = v->i->lit >> 19 & 1;
	u32 banks = v->i->lit >> 24 & 15, rows = v->i->lit >> 28;
	u64 off = 0;
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		s32 from = dpp_source(ctrl, l);
		bool ok = from >= 0 && v->w->exec >> from & 1;

		if (v->o->words[1] == 2)
			v->env->lanes.r64[l] = ok ? v->q[0][from] : 0;
		else
			v->env->lanes.r32[l] = ok ? v->s[0][from] : 0;
		if ((!ok && !bound_ctrl) || !(banks >> (l / 4 % 4) & 1) || !(rows >> (l / 16) & 1))
			off |= 1ull << l;
	}
	v->mask &= ~off;
	if (v->o->words[1] == 2) {
		memcpy(v->env->lanes.s64[0], v->env->lanes.r64, sizeof(v->env->lanes.r64));
		v->q[0] = v->env->lanes.s64[0];
	} else {
		memcpy(v->env->lanes.s32[0], v->env->lanes.r32, sizeof(v->env->lanes.r32));
		v->s[0] = v->env->lanes.s32[0];
	}
}

static void source(struct isa_valu *v, u32 k)
{
	u32 n = v->i->src[k];
	u32 mods = 0;

	if (v->o->flags & OF_NEG && v->i->format != ISA_FMT_VOP3P)
		mods = (v->i->neg | v->i->abs) >> k & 1;
	if (v->o->words[k + 1] == 2) {
		v->q[k] = row64(v, k, n);
		if (k == 0 && v->i->form == ISA_DPP)
			dpp_move(v);
		if (mods)
			modify64(v, k);
		return;
	}
	v->s[k] = row32(v, k, n);
	if (k == 0 && v->i->form == ISA_DPP)
		dpp_move(v);
	if (v->i->form == ISA_SDWA)
		sdwa_select(v, k);
	if (v->o->flags & OF_OPSEL && v->i->format != ISA_FMT_VOP3P && v->i->opsel >> k & 1)
		shift_half(v, k);
	if (mods)
		modify32(v, k);
}

/* Indexed registers must exist, too. */
static bool index_fits(struct isa_valu *v)
{
	u32 k;

	if (!(v->w->mode & ISA_MODE_GPR_IDX))
		return true;
	for (k = 0; k < 3; k++) {
		u32 n = v->i->src[k];

		if (v->o->words[k + 1] && n >= ISA_R_VGPR &&
		    isa_row(v->w, n) + index_of(v->w, k) + v->o->words[k + 1] > v->w->nr_vgprs)
			return false;
	}
	return v->i->dst < ISA_R_VGPR ||
	       isa_row(v->w, v->i->dst) + index_of(v->w, 3) + v->o->words[0] <= v->w->nr_vgprs;
}

static void merge(u32 *dst, const u32 *r, u64 mask)
{
	u32 l;

	if (mask == ~0ull) {
		if (dst != r)
			memcpy(dst, r, 4 * ISA_LANES);
		return;
	}
	for (l = 0; l < ISA_LANES; l++) {
		u32 m = 0 - (u32)(mask >> l & 1);

		dst[l] = (dst[l] & ~m) | (r[l] & m);
	}
}

/* Output modifiers of floats. */
static void modify_result(struct isa_valu *v)
{
	u32 m32 = isa_fp_mode32(v->w->mode), m64 = isa_fp_mode64(v->w->mode), l;
	u32 type = isa_type_dst(v->o);

	for (l = 0; l < ISA_LANES; l++) {
		if (type == TY_D) {
			if (v->i->omod)
				v->r64[l] = isa_f64_omod(v->r64[l], v->i->omod, m64);
			if (v->i->clamp)
				v->r64[l] = isa_f64_clamp(v->r64[l], m64);
		} else if (type == TY_F) {
			if (v->i->omod)
				v->r[l] = isa_f32_omod(v->r[l], v->i->omod, m32);
			if (v->i->clamp)
				v->r[l] = isa_f32_clamp(v->r[l], m32);
		} else if (type == TY_H) {
			if (v->i->omod)
				v->r[l] = isa_f16_omod((u16)v->r[l], v->i->omod, m64);
			if (v->i->clamp)
				v->r[l] = isa_f16_clamp((u16)v->r[l], m64);
		}
	}
}

/* Where in the destination a byte or word goes, and what happens to the rest. */
static void sdwa_place(struct isa_valu *v, const u32 *dst)
{
	u32 sel = v->i->lit >> 8 & 7, unused = v->i->lit >> 11 & 3;
	u32 width = sel < 4 ? 8 : 16, shift = sel < 4 ? sel * 8 : (sel - 4) * 16;
	u32 field = width == 8 ? 0xff : 0xffff, l;

	if (sel >= 6)
		return;
	for (l = 0; l < ISA_LANES; l++) {
		u32 x = (v->r[l] & field) << shift;

		if (unused == 1 && v->r[l] >> (width - 1) & 1)
			x |= ~0u << shift << (width - 1);
		else if (unused == 2)
			x |= dst[l] & ~(field << shift);
		v->r[l] = x;
	}
}

/* Results of 16 bits: half of the register, if the opcode can choose which. */
static void half_place(struct isa_valu *v, const u32 *dst)
{
	bool is_high = v->i->opsel >> 3 & 1;
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		if (is_high)
			v->r[l] = (dst[l] & 0xffff) | v->r[l] << 16;
		else
			v->r[l] = (dst[l] & 0xffff0000) | (v->r[l] & 0xffff);
}

static bool is_half_result(const struct isa_valu *v)
{
	if (!(v->o->flags & OF_OPSEL) || v->i->format == ISA_FMT_VOP3P)
		return false;
	switch (v->i->op) {
	case ISA_OP_v_mad_u32_u16:
	case ISA_OP_v_mad_i32_i16:
	case ISA_OP_v_pack_b32_f16:
	case ISA_OP_v_cvt_pknorm_i16_f16:
	case ISA_OP_v_cvt_pknorm_u16_f16:
		return false;
	}
	return true;
}

static void result(struct isa_valu *v)
{
	u32 row = isa_row(v->w, v->i->dst) + index_of(v->w, 3), l;
	u32 *dst = v->w->vgpr[row];

	/* Packed opcodes clamp each half by themselves. */
	if (v->i->format != ISA_FMT_VOP3P && (v->i->omod || v->i->clamp))
		modify_result(v);
	if (v->o->words[0] == 2) {
		u32 *hi = v->w->vgpr[row + 1];

		for (l = 0; l < ISA_LANES; l++)
			if (v->mask >> l & 1) {
				dst[l] = (u32)v->r64[l];
				hi[l] = (u32)(v->r64[l] >> 32);
			}
		return;
	}
	if (v->i->form == ISA_SDWA)
		sdwa_place(v, dst);
	else if (is_half_result(v))
		half_place(v, dst);
	merge(dst, v->r, v->mask);
}

/* May the result go straight to its row? */
static bool is_direct(const struct isa_valu *v)
{
	return v->mask == ~0ull && v->o->words[0] == 1 && v->i->form != ISA_SDWA &&
	       !is_half_result(v) && v->i->format != ISA_FMT_VOPC;
}

static bool compute(struct isa_valu *v)
{
	if (v->i->format == ISA_FMT_VOPC)
		return isa_valu_compare(v);
	if (v->i->format == ISA_FMT_VOP3P)
		return isa_valu_packed(v);
	switch (v->o->what & 15) {
	case TY_I + 4 * TY_I:
		return isa_valu_int(v) || isa_valu_int64(v) || isa_valu_int16(v);
	case TY_F + 4 * TY_F:
		return isa_valu_f32(v);
	case TY_H + 4 * TY_H:
		return isa_valu_f16(v);
	case TY_D + 4 * TY_D:
		return isa_valu_f64(v);
	}
	return isa_valu_convert(v);
}

/* The mask of a compare or a carry: lanes that are off give 0. */
static void mask_result(struct isa_valu *v)
{
	u64 x = v->carry & v->w->exec;

	isa_write_reg64(v->w, v->i->sdst, x);
	/* v_cmpx: every second group of sixteen opcodes. */
	if (v->i->format == ISA_FMT_VOPC) {
		u32 n = v->o->number[v->env->arch];

		if (n >= 0x20 ? n & 0x10 : n & 1)
			v->w->exec = x;
	}
}

static bool is_lane_op(u32 op)
{
	switch (op) {
	case ISA_OP_v_nop:
	case ISA_OP_v_clrexcp:
	case ISA_OP_v_readfirstlane_b32:
	case ISA_OP_v_readlane_b32:
	case ISA_OP_v_writelane_b32:
	case ISA_OP_v_swap_b32:
	case ISA_OP_v_accvgpr_read_b32:
	case ISA_OP_v_accvgpr_write_b32:
	case ISA_OP_v_accvgpr_mov_b32:
		return true;
	}
	return false;
}

enum isa_reason isa_exec_valu(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	struct isa_valu v = { .w = w, .env = env, .i = i, .o = &isa_ops[i->op], .mask = w->exec };
	u32 k;

	if (!index_fits(&v))
		return ISA_ILLEGAL;
	if (is_lane_op(i->op))
		return isa_valu_lane(w, env, i);
	if (i->format == ISA_FMT_VOP3P && isa_is_matrix(i->op))
		return isa_valu_matrix(w, env, i);
	for (k = 0; k < 3; k++)
		if (v.o->words[k + 1])
			source(&v, k);
	v.r64 = env->lanes.r64;
	v.r = is_direct(&v) ? w->vgpr[isa_row(w, i->dst) + index_of(w, 3)] : env->lanes.r32;
	if (!compute(&v))
		return ISA_ILLEGAL;
	if (v.o->words[0])
		result(&v);
	if (v.o->flags & OF_SD || i->format == ISA_FMT_VOPC)
		mask_result(&v);
	return ISA_GO;
}
