// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Scalar operations with one source, and those that steer. */
#include "isa/bits.h"
#include "isa/exec.h"

static u64 reverse64(u64 x)
{
	return (u64)isa_reverse((u32)x) << 32 | isa_reverse((u32)(x >> 32));
}

static u32 popcount64(u64 x)
{
	return isa_popcount((u32)x) + isa_popcount((u32)(x >> 32));
}

static u32 find_low64(u64 x)
{
	return (u32)x ? isa_find_low((u32)x) : x ? 32 + isa_find_low((u32)(x >> 32))
						 : ~0u;
}

static u32 find_high64(u64 x)
{
	return x >> 32 ? isa_find_high((u32)(x >> 32)) : x ? 32 + isa_find_high((u32)x)
							   : ~0u;
}

/* Each bit of four: any of the four. */
static u64 whole_quads(u64 x)
{
	x |= x >> 1;
	x |= x >> 2;
	x &= 0x1111111111111111ull;
	return x * 15;
}

static u64 replicate(u32 x)
{
	u64 r = 0;
	u32 n;

	for (n = 0; n < 32; n++)
		r |= (u64)(x >> n & 1) * 3 << (2 * n);
	return r;
}

/* 32 bits that change SCC, or not. */
static bool one32(struct isa_wave *w, const struct isa_inst *i, u32 a, u32 *r, bool *sets)
{
	*sets = true;
	switch (i->op) {
	case ISA_OP_s_not_b32:
		*r = ~a;
		return true;
	case ISA_OP_s_wqm_b32:
		*r = (u32)whole_quads(a);
		return true;
	case ISA_OP_s_bcnt0_i32_b32:
		*r = 32 - isa_popcount(a);
		return true;
	case ISA_OP_s_bcnt1_i32_b32:
		*r = isa_popcount(a);
		return true;
	case ISA_OP_s_bcnt0_i32_b64:
		*r = 64 - popcount64(isa_read64(w, i, i->src[0]));
		return true;
	case ISA_OP_s_bcnt1_i32_b64:
		*r = popcount64(isa_read64(w, i, i->src[0]));
		return true;
	case ISA_OP_s_abs_i32:
		*r = (s32)a < 0 ? 0 - a : a;
		return true;
	}
	*sets = false;
	switch (i->op) {
	case ISA_OP_s_mov_b32:
		*r = a;
		return true;
	case ISA_OP_s_cmov_b32:
		*r = w->status & ISA_STATUS_SCC ? a : isa_read_reg(w, i->dst);
		return true;
	case ISA_OP_s_brev_b32:
		*r = isa_reverse(a);
		return true;
	case ISA_OP_s_ff0_i32_b32:
		*r = isa_find_low(~a);
		return true;
	case ISA_OP_s_ff0_i32_b64:
		*r = find_low64(~isa_read64(w, i, i->src[0]));
		return true;
	case ISA_OP_s_ff1_i32_b32:
		*r = isa_find_low(a);
		return true;
	case ISA_OP_s_ff1_i32_b64:
		*r = find_low64(isa_read64(w, i, i->src[0]));
		return true;
	case ISA_OP_s_flbit_i32_b32:
		*r = isa_find_high(a);
		return true;
	case ISA_OP_s_flbit_i32_b64:
		*r = find_high64(isa_read64(w, i, i->src[0]));
		return true;
	case ISA_OP_s_flbit_i32:
		*r = isa_find_sign(a);
		return true;
	case ISA_OP_s_flbit_i32_i64: {
		u64 x = isa_read64(w, i, i->src[0]);

		*r = find_high64((s64)x < 0 ? ~x : x);
		return true;
	}
	case ISA_OP_s_sext_i32_i8:
		*r = (u32)(s8)a;
		return true;
	case ISA_OP_s_sext_i32_i16:
		*r = (u32)(s16)a;
		return true;
	case ISA_OP_s_bitset0_b32:
		*r = isa_read_reg(w, i->dst) & ~(1u << (a & 31));
		return true;
	case ISA_OP_s_bitset1_b32:
		*r = isa_read_reg(w, i->dst) | 1u << (a & 31);
		return true;
	}
	return false;
}

static bool one64(struct isa_wave *w, const struct isa_inst *i, u64 a, u64 *r, bool *sets)
{
	u32 n = isa_read32(w, i, i->src[0]);

	*sets = false;
	switch (i->op) {
	case ISA_OP_s_mov_b64:
		*r = a;
		return true;
	case ISA_OP_s_cmov_b64:
		*r = w->status & ISA_STATUS_SCC ? a : isa_read_reg64(w, i->dst);
		return true;
	case ISA_OP_s_brev_b64:
		*r = reverse64(a);
		return true;
	case ISA_OP_s_bitset0_b64:
		*r = isa_read_reg64(w, i->dst) & ~(1ull << (n & 63));
		return true;
	case ISA_OP_s_bitset1_b64:
		*r = isa_read_reg64(w, i->dst) | 1ull << (n & 63);
		return true;
	case ISA_OP_s_bitreplicate_b64_b32:
		*r = replicate(n);
		return true;
	}
	*sets = true;
	switch (i->op) {
	case ISA_OP_s_not_b64:
		*r = ~a;
		return true;
	case ISA_OP_s_wqm_b64:
		*r = whole_quads(a);
		return true;
	}
	return false;
}

/* EXEC gets the combination, the destination the old EXEC or the new one. */
static enum isa_reason saveexec(struct isa_wave *w, const struct isa_inst *i)
{
	u64 a = isa_read64(w, i, i->src[0]), old = w->exec, x;
	bool is_write = false;

	switch (i->op) {
	case ISA_OP_s_and_saveexec_b64:
		x = a & old;
		break;
	case ISA_OP_s_or_saveexec_b64:
		x = a | old;
		break;
	case ISA_OP_s_xor_saveexec_b64:
		x = a ^ old;
		break;
	case ISA_OP_s_andn2_saveexec_b64:
		x = a & ~old;
		break;
	case ISA_OP_s_orn2_saveexec_b64:
		x = a | ~old;
		break;
	case ISA_OP_s_nand_saveexec_b64:
		x = ~(a & old);
		break;
	case ISA_OP_s_nor_saveexec_b64:
		x = ~(a | old);
		break;
	case ISA_OP_s_xnor_saveexec_b64:
		x = ~(a ^ old);
		break;
	case ISA_OP_s_andn1_saveexec_b64:
		x = ~a & old;
		break;
	case ISA_OP_s_orn1_saveexec_b64:
		x = ~a | old;
		break;
	case ISA_OP_s_andn1_wrexec_b64:
		x = ~a & old;
		is_write = true;
		break;
	case ISA_OP_s_andn2_wrexec_b64:
		x = a & ~old;
		is_write = true;
		break;
	default:
		return ISA_ILLEGAL;
	}
	w->exec = x;
	isa_write_reg64(w, i->dst, is_write ? x : old);
	isa_set_scc(w, x);
	return ISA_GO;
}

/* Register numbers that come from M0: beyond the allocation is no instruction. */
static enum isa_reason movrel(struct isa_wave *w, const struct isa_inst *i)
{
	bool is_wide = i->op == ISA_OP_s_movrels_b64 || i->op == ISA_OP_s_movreld_b64;
	bool is_src = i->op == ISA_OP_s_movrels_b32 || i->op == ISA_OP_s_movrels_b64;
	u64 n = (u64)(is_src ? i->src[0] : i->dst) + w->m0;
	u64 x = is_wide ? isa_read64(w, i, i->src[0]) : isa_read32(w, i, i->src[0]);
	u32 words = is_wide ? 2 : 1;
	u32 k;

	if (n + words > w->nr_sgprs)
		return ISA_ILLEGAL;
	for (k = 0; k < words; k++) {
		if (is_src)
			isa_write_reg(w, i->dst + k, w->sgpr[n + k]);
		else
			w->sgpr[n + k] = (u32)(x >> (32 * k));
	}
	return ISA_GO;
}

static enum isa_reason jump(struct isa_wave *w, const struct isa_inst *i)
{
	u64 to = isa_read64(w, i, i->src[0]) & ISA_ADDRESS_MASK & ~3ull;

	switch (i->op) {
	case ISA_OP_s_getpc_b64:
		isa_write_reg64(w, i->dst, w->next_pc);
		return ISA_GO;
	case ISA_OP_s_swappc_b64:
		isa_write_reg64(w, i->dst, w->next_pc);
		w->next_pc = to;
		return ISA_GO;
	case ISA_OP_s_setpc_b64:
		w->next_pc = to;
		return ISA_GO;
	case ISA_OP_s_rfe_b64:
		if (!(w->status & ISA_STATUS_PRIV))
			return ISA_ILLEGAL;
		w->status &= ~ISA_STATUS_PRIV;
		w->next_pc = to;
		return ISA_GO;
	}
	return ISA_ILLEGAL;
}

/* The source of aperture registers is known to the environment only. */
static u64 aperture(const struct isa_env *env, u32 n, u64 value)
{
	switch (n) {
	case ISA_R_SHARED_BASE:
		return (u64)env->shared_base << 32;
	case ISA_R_SHARED_LIMIT:
		return (u64)env->shared_base << 32 | 0xffffffff;
	case ISA_R_PRIVATE_BASE:
		return (u64)env->private_base << 32;
	case ISA_R_PRIVATE_LIMIT:
		return (u64)env->private_base << 32 | 0xffffffff;
	}
	return value;
}

enum isa_reason isa_exec_sop1(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u64 a64 = aperture(env, i->src[0], isa_read64(w, i, i->src[0])), r64, a;
	u32 r;
	bool sets;

	if (one64(w, i, a64, &r64, &sets)) {
		isa_write_reg64(w, i->dst, r64);
		if (sets)
			isa_set_scc(w, r64);
		return ISA_GO;
	}
	/* Of 32 bits an aperture register gives its upper half. */
	a = aperture(env, i->src[0], (u64)isa_read32(w, i, i->src[0]) << 32) >> 32;
	if (one32(w, i, (u32)a, &r, &sets)) {
		isa_write_reg(w, i->dst, r);
		if (sets)
			isa_set_scc(w, r);
		return ISA_GO;
	}
	switch (i->op) {
	case ISA_OP_s_movrels_b32:
	case ISA_OP_s_movrels_b64:
	case ISA_OP_s_movreld_b32:
	case ISA_OP_s_movreld_b64:
		return movrel(w, i);
	case ISA_OP_s_getpc_b64:
	case ISA_OP_s_setpc_b64:
	case ISA_OP_s_swappc_b64:
	case ISA_OP_s_rfe_b64:
		return jump(w, i);
	case ISA_OP_s_set_gpr_idx_idx:
		w->m0 = (w->m0 & ~0xffu) | (isa_read32(w, i, i->src[0]) & 0xff);
		return ISA_GO;
	}
	return saveexec(w, i);
}

static bool is_taken(struct isa_wave *w, u32 op)
{
	switch (op) {
	case ISA_OP_s_branch:
		return true;
	case ISA_OP_s_cbranch_scc0:
		return !(w->status & ISA_STATUS_SCC);
	case ISA_OP_s_cbranch_scc1:
		return w->status & ISA_STATUS_SCC;
	case ISA_OP_s_cbranch_vccz:
		return !isa_vcc(w);
	case ISA_OP_s_cbranch_vccnz:
		return isa_vcc(w);
	case ISA_OP_s_cbranch_execz:
		return !w->exec;
	case ISA_OP_s_cbranch_execnz:
		return w->exec;
	}
	return false; /* no debugger looks at this wave */
}

enum isa_reason isa_exec_sopp(struct isa_wave *w, const struct isa_inst *i)
{
	switch (i->op) {
	case ISA_OP_s_nop:
	case ISA_OP_s_waitcnt:
	case ISA_OP_s_setprio:
	case ISA_OP_s_icache_inv:
	case ISA_OP_s_incperflevel:
	case ISA_OP_s_decperflevel:
	case ISA_OP_s_ttracedata:
	case ISA_OP_s_wakeup:
		return ISA_GO;
	case ISA_OP_s_endpgm:
		return ISA_ENDED;
	case ISA_OP_s_endpgm_saved:
		return ISA_SAVED;
	case ISA_OP_s_barrier:
		return ISA_BARRIER;
	case ISA_OP_s_sleep:
		w->stop_word = i->imm & 0x7f;
		return ISA_SLEEP;
	case ISA_OP_s_sendmsg:
		w->stop_word = (u32)i->imm;
		return ISA_MESSAGE;
	case ISA_OP_s_sethalt:
		w->status = (w->status & ~ISA_STATUS_HALT) | (i->imm & 1 ? ISA_STATUS_HALT : 0);
		return ISA_GO;
	case ISA_OP_s_trap:
		if (!w->tba)
			return ISA_GO;
		isa_trap(w, i->imm & 0xff);
		w->next_pc = w->pc;
		return ISA_GO;
	case ISA_OP_s_set_gpr_idx_off:
		w->mode &= ~ISA_MODE_GPR_IDX;
		return ISA_GO;
	case ISA_OP_s_set_gpr_idx_mode:
		w->m0 = (w->m0 & ~0xf000u) | (i->imm & 15u) << 12;
		return ISA_GO;
	case ISA_OP_s_branch:
	case ISA_OP_s_cbranch_scc0:
	case ISA_OP_s_cbranch_scc1:
	case ISA_OP_s_cbranch_vccz:
	case ISA_OP_s_cbranch_vccnz:
	case ISA_OP_s_cbranch_execz:
	case ISA_OP_s_cbranch_execnz:
	case ISA_OP_s_cbranch_cdbgsys:
	case ISA_OP_s_cbranch_cdbguser:
	case ISA_OP_s_cbranch_cdbgsys_or_user:
	case ISA_OP_s_cbranch_cdbgsys_and_user:
		if (is_taken(w, i->op))
			w->next_pc += (u64)((s64)(s16)i->imm * 4);
		return ISA_GO;
	}
	return ISA_ILLEGAL;
}
