// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/bits.h"
#include "isa/exec.h"

static void put32(struct isa_wave *w, const struct isa_inst *i, u32 x)
{
	isa_write_reg(w, i->dst, x);
}

static void put64(struct isa_wave *w, const struct isa_inst *i, u64 x)
{
	isa_write_reg64(w, i->dst, x);
}

/* A result whose SCC says that it is not zero. */
static enum isa_reason logic32(struct isa_wave *w, const struct isa_inst *i, u32 x)
{
	put32(w, i, x);
	isa_set_scc(w, x);
	return ISA_GO;
}

static enum isa_reason logic64(struct isa_wave *w, const struct isa_inst *i, u64 x)
{
	put64(w, i, x);
	isa_set_scc(w, x);
	return ISA_GO;
}

static enum isa_reason carry(struct isa_wave *w, const struct isa_inst *i, u64 x)
{
	put32(w, i, (u32)x);
	isa_set_scc(w, x >> 32 & 1);
	return ISA_GO;
}

static enum isa_reason overflow(struct isa_wave *w, const struct isa_inst *i, s64 x)
{
	put32(w, i, (u32)x);
	isa_set_scc(w, x != (s32)x);
	return ISA_GO;
}

static enum isa_reason select(struct isa_wave *w, const struct isa_inst *i, u32 a, u32 b,
			      bool first)
{
	put32(w, i, first ? a : b);
	isa_set_scc(w, first);
	return ISA_GO;
}

static u64 field64(u64 a, u32 b, bool is_signed)
{
	u32 shift = b & 63, width = b >> 16 & 127;

	if (!width)
		return 0;
	if (width + shift >= 64)
		return is_signed ? (u64)((s64)a >> shift) : a >> shift;
	a >>= shift;
	if (is_signed)
		return (u64)((s64)(a << (64 - width)) >> (64 - width));
	return a & ((1ull << width) - 1);
}

static enum isa_reason sop2_64(struct isa_wave *w, const struct isa_inst *i)
{
	u64 a = isa_read64(w, i, i->src[0]);
	u64 b = isa_read64(w, i, i->src[1]);
	u32 n = isa_read32(w, i, i->src[1]);

	switch (i->op) {
	case ISA_OP_s_cselect_b64:
		put64(w, i, w->status & ISA_STATUS_SCC ? a : b);
		return ISA_GO;
	case ISA_OP_s_and_b64:
		return logic64(w, i, a & b);
	case ISA_OP_s_or_b64:
		return logic64(w, i, a | b);
	case ISA_OP_s_xor_b64:
		return logic64(w, i, a ^ b);
	case ISA_OP_s_andn2_b64:
		return logic64(w, i, a & ~b);
	case ISA_OP_s_orn2_b64:
		return logic64(w, i, a | ~b);
	case ISA_OP_s_nand_b64:
		return logic64(w, i, ~(a & b));
	case ISA_OP_s_nor_b64:
		return logic64(w, i, ~(a | b));
	case ISA_OP_s_xnor_b64:
		return logic64(w, i, ~(a ^ b));
	case ISA_OP_s_lshl_b64:
		return logic64(w, i, a << (n & 63));
	case ISA_OP_s_lshr_b64:
		return logic64(w, i, a >> (n & 63));
	case ISA_OP_s_ashr_i64:
		return logic64(w, i, (u64)((s64)a >> (n & 63)));
	case ISA_OP_s_bfe_u64:
		return logic64(w, i, field64(a, n, false));
	case ISA_OP_s_bfe_i64:
		return logic64(w, i, field64(a, n, true));
	case ISA_OP_s_bfm_b64:
		put64(w, i, ((1ull << (a & 63)) - 1) << (n & 63));
		return ISA_GO;
	}
	return ISA_ILLEGAL;
}

static enum isa_reason lshl_add(struct isa_wave *w, const struct isa_inst *i, u32 a, u32 b, u32 n)
{
	u64 x = ((u64)a << n) + b;

	put32(w, i, (u32)x);
	isa_set_scc(w, x >> 32);
	return ISA_GO;
}

/* Of 32 bits, and neither sums nor bits: products, fields, halves. */
static enum isa_reason sop2_parts(struct isa_wave *w, const struct isa_inst *i, u32 a, u32 b)
{
	switch (i->op) {
	case ISA_OP_s_bfm_b32:
		put32(w, i, ((1u << (a & 31)) - 1) << (b & 31));
		return ISA_GO;
	case ISA_OP_s_mul_i32:
		put32(w, i, a * b);
		return ISA_GO;
	case ISA_OP_s_mul_hi_u32:
		put32(w, i, (u32)((u64)a * b >> 32));
		return ISA_GO;
	case ISA_OP_s_mul_hi_i32:
		put32(w, i, (u32)((u64)((s64)(s32)a * (s32)b) >> 32));
		return ISA_GO;
	case ISA_OP_s_bfe_u32:
		return logic32(w, i, isa_field32(a, b & 31, b >> 16 & 127, false));
	case ISA_OP_s_bfe_i32:
		return logic32(w, i, isa_field32(a, b & 31, b >> 16 & 127, true));
	case ISA_OP_s_absdiff_i32:
		return logic32(w, i, (s32)(a - b) < 0 ? b - a : a - b);
	case ISA_OP_s_lshl1_add_u32:
		return lshl_add(w, i, a, b, 1);
	case ISA_OP_s_lshl2_add_u32:
		return lshl_add(w, i, a, b, 2);
	case ISA_OP_s_lshl3_add_u32:
		return lshl_add(w, i, a, b, 3);
	case ISA_OP_s_lshl4_add_u32:
		return lshl_add(w, i, a, b, 4);
	case ISA_OP_s_pack_ll_b32_b16:
		put32(w, i, (a & 0xffff) | b << 16);
		return ISA_GO;
	case ISA_OP_s_pack_lh_b32_b16:
		put32(w, i, (a & 0xffff) | (b & 0xffff0000));
		return ISA_GO;
	case ISA_OP_s_pack_hh_b32_b16:
		put32(w, i, a >> 16 | (b & 0xffff0000));
		return ISA_GO;
	}
	return sop2_64(w, i);
}

/* Of 32 bits, and bit by bit. */
static enum isa_reason sop2_bits(struct isa_wave *w, const struct isa_inst *i, u32 a, u32 b)
{
	switch (i->op) {
	case ISA_OP_s_and_b32:
		return logic32(w, i, a & b);
	case ISA_OP_s_or_b32:
		return logic32(w, i, a | b);
	case ISA_OP_s_xor_b32:
		return logic32(w, i, a ^ b);
	case ISA_OP_s_andn2_b32:
		return logic32(w, i, a & ~b);
	case ISA_OP_s_orn2_b32:
		return logic32(w, i, a | ~b);
	case ISA_OP_s_nand_b32:
		return logic32(w, i, ~(a & b));
	case ISA_OP_s_nor_b32:
		return logic32(w, i, ~(a | b));
	case ISA_OP_s_xnor_b32:
		return logic32(w, i, ~(a ^ b));
	case ISA_OP_s_lshl_b32:
		return logic32(w, i, a << (b & 31));
	case ISA_OP_s_lshr_b32:
		return logic32(w, i, a >> (b & 31));
	case ISA_OP_s_ashr_i32:
		return logic32(w, i, (u32)((s32)a >> (b & 31)));
	}
	return sop2_parts(w, i, a, b);
}

enum isa_reason isa_exec_sop2(struct isa_wave *w, const struct isa_inst *i)
{
	u32 a = isa_read32(w, i, i->src[0]);
	u32 b = isa_read32(w, i, i->src[1]);
	u32 scc = w->status & ISA_STATUS_SCC;

	switch (i->op) {
	case ISA_OP_s_add_u32:
		return carry(w, i, (u64)a + b);
	case ISA_OP_s_sub_u32:
		return carry(w, i, (u64)a - b);
	case ISA_OP_s_addc_u32:
		return carry(w, i, (u64)a + b + scc);
	case ISA_OP_s_subb_u32:
		return carry(w, i, (u64)a - b - scc);
	case ISA_OP_s_add_i32:
		return overflow(w, i, (s64)(s32)a + (s32)b);
	case ISA_OP_s_sub_i32:
		return overflow(w, i, (s64)(s32)a - (s32)b);
	case ISA_OP_s_min_i32:
		return select(w, i, a, b, (s32)a < (s32)b);
	case ISA_OP_s_min_u32:
		return select(w, i, a, b, a < b);
	case ISA_OP_s_max_i32:
		return select(w, i, a, b, (s32)a > (s32)b);
	case ISA_OP_s_max_u32:
		return select(w, i, a, b, a > b);
	case ISA_OP_s_cselect_b32:
		put32(w, i, scc ? a : b);
		return ISA_GO;
	}
	return sop2_bits(w, i, a, b);
}

enum isa_reason isa_exec_sopc(struct isa_wave *w, const struct isa_inst *i)
{
	u32 a = isa_read32(w, i, i->src[0]);
	u32 b = isa_read32(w, i, i->src[1]);
	bool scc;

	switch (i->op) {
	case ISA_OP_s_cmp_eq_i32:
	case ISA_OP_s_cmp_eq_u32:
		scc = a == b;
		break;
	case ISA_OP_s_cmp_lg_i32:
	case ISA_OP_s_cmp_lg_u32:
		scc = a != b;
		break;
	case ISA_OP_s_cmp_gt_i32:
		scc = (s32)a > (s32)b;
		break;
	case ISA_OP_s_cmp_ge_i32:
		scc = (s32)a >= (s32)b;
		break;
	case ISA_OP_s_cmp_lt_i32:
		scc = (s32)a < (s32)b;
		break;
	case ISA_OP_s_cmp_le_i32:
		scc = (s32)a <= (s32)b;
		break;
	case ISA_OP_s_cmp_gt_u32:
		scc = a > b;
		break;
	case ISA_OP_s_cmp_ge_u32:
		scc = a >= b;
		break;
	case ISA_OP_s_cmp_lt_u32:
		scc = a < b;
		break;
	case ISA_OP_s_cmp_le_u32:
		scc = a <= b;
		break;
	case ISA_OP_s_bitcmp0_b32:
		scc = !(a >> (b & 31) & 1);
		break;
	case ISA_OP_s_bitcmp1_b32:
		scc = a >> (b & 31) & 1;
		break;
	case ISA_OP_s_bitcmp0_b64:
		scc = !(isa_read64(w, i, i->src[0]) >> (b & 63) & 1);
		break;
	case ISA_OP_s_bitcmp1_b64:
		scc = isa_read64(w, i, i->src[0]) >> (b & 63) & 1;
		break;
	case ISA_OP_s_cmp_eq_u64:
		scc = isa_read64(w, i, i->src[0]) == isa_read64(w, i, i->src[1]);
		break;
	case ISA_OP_s_cmp_lg_u64:
		scc = isa_read64(w, i, i->src[0]) != isa_read64(w, i, i->src[1]);
		break;
	case ISA_OP_s_set_gpr_idx_on:
		w->mode |= ISA_MODE_GPR_IDX;
		w->m0 = (w->m0 & ~0xf0ffu) | (a & 0xff) | (i->src[1] & 15u) << 12;
		return ISA_GO;
	default:
		return ISA_ILLEGAL;
	}
	isa_set_scc(w, scc);
	return ISA_GO;
}

static enum isa_reason cmpk(struct isa_wave *w, u32 op, u32 a, u32 imm)
{
	s32 s = (s32)a, k = (s16)imm;
	bool scc;

	switch (op) {
	case ISA_OP_s_cmpk_eq_i32:
		scc = s == k;
		break;
	case ISA_OP_s_cmpk_lg_i32:
		scc = s != k;
		break;
	case ISA_OP_s_cmpk_gt_i32:
		scc = s > k;
		break;
	case ISA_OP_s_cmpk_ge_i32:
		scc = s >= k;
		break;
	case ISA_OP_s_cmpk_lt_i32:
		scc = s < k;
		break;
	case ISA_OP_s_cmpk_le_i32:
		scc = s <= k;
		break;
	case ISA_OP_s_cmpk_eq_u32:
		scc = a == imm;
		break;
	case ISA_OP_s_cmpk_lg_u32:
		scc = a != imm;
		break;
	case ISA_OP_s_cmpk_gt_u32:
		scc = a > imm;
		break;
	case ISA_OP_s_cmpk_ge_u32:
		scc = a >= imm;
		break;
	case ISA_OP_s_cmpk_lt_u32:
		scc = a < imm;
		break;
	case ISA_OP_s_cmpk_le_u32:
		scc = a <= imm;
		break;
	default:
		return ISA_ILLEGAL;
	}
	isa_set_scc(w, scc);
	return ISA_GO;
}

enum isa_reason isa_exec_sopk(struct isa_wave *w, const struct isa_inst *i)
{
	u32 imm = (u32)i->imm;
	u32 a = isa_read_reg(w, i->dst);

	switch (i->op) {
	case ISA_OP_s_movk_i32:
		put32(w, i, (u32)(s16)imm);
		return ISA_GO;
	case ISA_OP_s_cmovk_i32:
		if (w->status & ISA_STATUS_SCC)
			put32(w, i, (u32)(s16)imm);
		return ISA_GO;
	case ISA_OP_s_addk_i32:
		return overflow(w, i, (s64)(s32)a + (s16)imm);
	case ISA_OP_s_mulk_i32:
		put32(w, i, a * (u32)(s16)imm);
		return ISA_GO;
	case ISA_OP_s_getreg_b32:
		put32(w, i, isa_hwreg_read(w, imm));
		return ISA_GO;
	case ISA_OP_s_setreg_b32:
		isa_hwreg_write(w, imm, a);
		return ISA_GO;
	case ISA_OP_s_setreg_imm32_b32:
		isa_hwreg_write(w, imm, i->lit);
		return ISA_GO;
	case ISA_OP_s_call_b64:
		put64(w, i, w->next_pc);
		w->next_pc += (u64)((s64)(s16)imm * 4);
		return ISA_GO;
	}
	return cmpk(w, i->op, a, imm);
}
