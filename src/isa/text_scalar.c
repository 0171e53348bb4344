// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/isa_text.h"

static void put_hwreg(struct isa_text *t, u32 field)
{
	static const char *const names[] = {
		[1] = "MODE", [2] = "STATUS", [3] = "TRAPSTS", [4] = "HW_ID",
		[5] = "GPR_ALLOC", [6] = "LDS_ALLOC", [7] = "IB_STS", [15] = "SH_MEM_BASES",
		[16] = "TBA_LO", [17] = "TBA_HI", [18] = "TMA_LO", [19] = "TMA_HI",
		[20] = "XCC_ID", [21] = "SQ_PERF_SNAPSHOT_DATA", [22] = "SQ_PERF_SNAPSHOT_DATA1",
		[23] = "SQ_PERF_SNAPSHOT_PC_LO", [24] = "SQ_PERF_SNAPSHOT_PC_HI",
	};
	u32 id = field & 63, offset = field >> 6 & 31, size = (field >> 11 & 31) + 1;

	isa_put(t, "hwreg(");
	if (id < ARRAY_SIZE(names) && names[id] && (id < 20 || t->arch)) {
		isa_put(t, "HW_REG_");
		isa_put(t, names[id]);
	} else {
		isa_put_dec(t, id);
	}
	if (offset || size != 32) {
		isa_put(t, ", ");
		isa_put_dec(t, offset);
		isa_put(t, ", ");
		isa_put_dec(t, size);
	}
	isa_put(t, ")");
}

static void put_count(struct isa_text *t, bool *any, const char *name, u32 n)
{
	isa_put(t, *any ? " " : "");
	isa_put(t, name);
	isa_put(t, "(");
	isa_put_dec(t, n);
	isa_put(t, ")");
	*any = true;
}

/* Counters that are not waited for are left out, unless all are. */
static void put_waitcnt(struct isa_text *t, u32 x)
{
	u32 vm = (x & 15) | (x >> 14 & 3) << 4, exp = x >> 4 & 7, lgkm = x >> 8 & 15;
	bool all = vm == 63 && exp == 7 && lgkm == 15, any = false;

	if (vm != 63 || all)
		put_count(t, &any, "vmcnt", vm);
	if (exp != 7 || all)
		put_count(t, &any, "expcnt", exp);
	if (lgkm != 15 || all)
		put_count(t, &any, "lgkmcnt", lgkm);
}

static void put_message_numbers(struct isa_text *t, u32 x)
{
	isa_put_dec(t, x & 15);
	isa_put(t, ", ");
	isa_put_dec(t, x >> 4 & 7);
	isa_put(t, ", ");
	isa_put_dec(t, x >> 8 & 3);
}

static void put_message(struct isa_text *t, u32 x)
{
	static const char *const names[] = {
		[1] = "INTERRUPT", [2] = "GS", [3] = "GS_DONE", [4] = "SAVEWAVE",
		[5] = "STALL_WAVE_GEN", [6] = "HALT_WAVES", [7] = "ORDERED_PS_DONE",
		[8] = "EARLY_PRIM_DEALLOC", [9] = "GS_ALLOC_REQ", [10] = "GET_DOORBELL",
		[11] = "GET_DDID", [15] = NULL,
	};
	static const char *const ops[] = { "NOP", "CUT", "EMIT", "EMIT_CUT" };
	u32 id = x & 15, op = x >> 4 & 7;
	bool is_gs = id == 2 || id == 3, is_known;

	if (x >> 10) {
		isa_put_dec(t, x);
		return;
	}
	isa_put(t, "sendmsg(");
	if (is_gs)
		is_known = op <= 3 && (id == 3 || op) && (op || !(x >> 8));
	else
		is_known = names[id] && !(x >> 4) && id != 11;
	if (!is_known) {
		put_message_numbers(t, x);
	} else {
		isa_put(t, "MSG_");
		isa_put(t, names[id]);
		if (is_gs) {
			isa_put(t, ", GS_OP_");
			isa_put(t, ops[op]);
		}
		if (is_gs && op) {
			isa_put(t, ", ");
			isa_put_dec(t, x >> 8 & 3);
		}
	}
	isa_put(t, ")");
}

static void put_gpr_idx(struct isa_text *t, u32 x)
{
	static const char *const names[] = { "SRC0", "SRC1", "SRC2", "DST" };
	u32 k, n = 0;

	if (x > 15) {
		isa_put_hex(t, x);
		return;
	}
	isa_put(t, "gpr_idx(");
	for (k = 0; k < 4; k++)
		if (x >> k & 1) {
			isa_put(t, n++ ? "," : "");
			isa_put(t, names[k]);
		}
	isa_put(t, ")");
}

static void sopp(struct isa_text *t, const struct isa_inst *i)
{
	u32 x = (u32)i->imm;

	switch (i->op) {
	case ISA_OP_s_barrier:
	case ISA_OP_s_icache_inv:
	case ISA_OP_s_ttracedata:
	case ISA_OP_s_wakeup:
	case ISA_OP_s_set_gpr_idx_off:
	case ISA_OP_s_endpgm_saved:
	case ISA_OP_s_endpgm_ordered_ps_done:
		return;
	case ISA_OP_s_endpgm:
		if (!x)
			return;
		break;
	case ISA_OP_s_waitcnt:
		isa_put(t, " ");
		put_waitcnt(t, x);
		return;
	case ISA_OP_s_sendmsg:
	case ISA_OP_s_sendmsghalt:
		isa_put(t, " ");
		put_message(t, x);
		return;
	case ISA_OP_s_set_gpr_idx_mode:
		isa_put(t, " ");
		put_gpr_idx(t, x);
		return;
	}
	isa_put(t, " ");
	switch (i->op) {
	case ISA_OP_s_nop:
	case ISA_OP_s_sleep:
	case ISA_OP_s_sethalt:
	case ISA_OP_s_setprio:
	case ISA_OP_s_trap:
	case ISA_OP_s_setkill:
	case ISA_OP_s_incperflevel:
	case ISA_OP_s_decperflevel:
		if (x <= 64)
			isa_put_dec(t, x);
		else
			isa_put_hex(t, x);
		return;
	}
	isa_put_dec(t, x);
}

static void sopk(struct isa_text *t, const struct isa_inst *i)
{
	u32 words = isa_ops[i->op].words[0];

	isa_next(t);
	switch (i->op) {
	case ISA_OP_s_setreg_b32:
		put_hwreg(t, (u32)i->imm);
		isa_next(t);
		isa_put_sreg(t, i->dst, 1);
		return;
	case ISA_OP_s_setreg_imm32_b32:
		put_hwreg(t, (u32)i->imm);
		isa_next(t);
		isa_put_operand(t, i, ISA_R_LITERAL, 1, TY_I);
		return;
	case ISA_OP_s_getreg_b32:
		isa_put_sreg(t, i->dst, 1);
		isa_next(t);
		put_hwreg(t, (u32)i->imm);
		return;
	}
	isa_put_sreg(t, i->dst, words);
	isa_next(t);
	if (i->op == ISA_OP_s_call_b64 || i->op == ISA_OP_s_cbranch_i_fork)
		isa_put_dec(t, i->imm);
	else
		isa_put_hex(t, (u32)i->imm);
}

static void smem(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];

	if (i->op == ISA_OP_s_atc_probe || i->op == ISA_OP_s_atc_probe_buffer) {
		isa_next(t);
		isa_put_dec(t, i->dst);
	} else if (o->words[0]) {
		isa_next(t);
		isa_put_sreg(t, i->dst, o->words[0]);
	}
	if (!o->words[1])
		return;
	isa_next(t);
	isa_put_sreg(t, i->sbase, o->words[1]);
	isa_next(t);
	if (i->bits & ISA_M_SOFF)
		isa_put_sreg(t, i->soff, 1);
	if (i->bits & ISA_M_IMM) {
		isa_put(t, i->bits & ISA_M_SOFF ? " offset:" : "");
		isa_put(t, i->imm < 0 ? "-" : "");
		isa_put_hex(t, i->imm < 0 ? 0 - (u32)i->imm : (u32)i->imm);
	}
	if (i->bits & ISA_M_GLC)
		isa_put(t, " glc");
}

void isa_text_scalar(struct isa_text *t, const struct isa_inst *i)
{
	const struct isa_op_info *o = &isa_ops[i->op];
	u32 k;

	isa_put_name(t, i, "");
	switch (i->format) {
	case ISA_FMT_SOPP:
		sopp(t, i);
		return;
	case ISA_FMT_SOPK:
		sopk(t, i);
		return;
	case ISA_FMT_SMEM:
		smem(t, i);
		return;
	}
	if (o->words[0]) {
		isa_next(t);
		isa_put_sreg(t, i->dst, o->words[0]);
	}
	if (i->op == ISA_OP_s_set_gpr_idx_on) {
		isa_next(t);
		isa_put_operand(t, i, i->src[0], 1, TY_I);
		isa_next(t);
		put_gpr_idx(t, i->src[1]);
		return;
	}
	for (k = 0; k < 2; k++)
		if (o->words[k + 1]) {
			isa_next(t);
			isa_put_operand(t, i, i->src[k], o->words[k + 1], TY_I);
		}
}
