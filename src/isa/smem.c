// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/exec.h"

#define MAX_WORDS 16

/* The dwords of an access, which may lie on two pages; all of them or none. */
static enum isa_reason locate(struct isa_wave *w, struct isa_env *env, u64 address, u32 words,
			      bool write, u8 *at[2], u32 *first)
{
	enum isa_reason reason = ISA_GO;
	u32 offset = (u32)(address % ISA_PAGE_BYTES);

	*first = min(words, (ISA_PAGE_BYTES - offset) / 4);
	at[0] = isa_page(w, env, address, write, &reason);
	if (!at[0])
		return reason;
	at[0] += offset;
	at[1] = NULL;
	if (*first < words) {
		at[1] = isa_page(w, env, address + *first * 4, write, &reason);
		if (!at[1])
			return reason;
	}
	return ISA_GO;
}

static enum isa_reason transfer(struct isa_wave *w, struct isa_env *env, u64 address, u32 reg,
				u32 words, bool write)
{
	u32 data[MAX_WORDS], first, k;
	enum isa_reason r;
	u8 *at[2];

	r = locate(w, env, address, words, write, at, &first);
	if (r != ISA_GO)
		return r;
	if (write) {
		for (k = 0; k < words; k++)
			data[k] = isa_read_reg(w, reg + k);
		memcpy(at[0], data, first * 4);
		if (at[1])
			memcpy(at[1], data + first, (words - first) * 4);
		return ISA_GO;
	}
	memcpy(data, at[0], first * 4);
	if (at[1])
		memcpy(data + first, at[1], (words - first) * 4);
	for (k = 0; k < words; k++)
		isa_write_reg(w, reg + k, data[k]);
	return ISA_GO;
}

/* Buffers end: beyond, loads give 0 and stores are lost. */
static u32 in_bounds(struct isa_wave *w, const struct isa_inst *i, u64 offset, u32 words)
{
	u32 stride = isa_read_reg(w, i->sbase + 1) >> 16 & 0x3fff;
	u64 bytes = (u64)isa_read_reg(w, i->sbase + 2) * (stride ? stride : 1);

	if (offset >= bytes)
		return 0;
	return (u32)min((u64)words, (bytes - offset) / 4);
}

static enum isa_reason access(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i,
			      bool is_buffer, bool write)
{
	u64 base = isa_read_reg64(w, i->sbase);
	u32 words = isa_ops[i->op].words[0], ok = words, k;
	u64 offset = 0;
	enum isa_reason r;

	if (i->bits & ISA_M_IMM)
		offset = (u64)(s64)i->imm;
	if (i->bits & ISA_M_SOFF)
		offset += isa_read_reg(w, i->soff);
	if (is_buffer) {
		base &= ISA_ADDRESS_MASK;
		offset &= ~3ull;
		ok = in_bounds(w, i, offset, words);
	}
	if (ok) {
		r = transfer(w, env, (base + offset) & ISA_ADDRESS_MASK & ~3ull, i->dst, ok, write);
		if (r != ISA_GO)
			return r;
	}
	for (k = ok; k < words && !write; k++)
		isa_write_reg(w, i->dst + k, 0);
	return ISA_GO;
}

enum isa_reason isa_exec_smem(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	switch (i->op) {
	case ISA_OP_s_load_dword:
	case ISA_OP_s_load_dwordx2:
	case ISA_OP_s_load_dwordx4:
	case ISA_OP_s_load_dwordx8:
	case ISA_OP_s_load_dwordx16:
		return access(w, env, i, false, false);
	case ISA_OP_s_store_dword:
	case ISA_OP_s_store_dwordx2:
	case ISA_OP_s_store_dwordx4:
		return access(w, env, i, false, true);
	case ISA_OP_s_buffer_load_dword:
	case ISA_OP_s_buffer_load_dwordx2:
	case ISA_OP_s_buffer_load_dwordx4:
	case ISA_OP_s_buffer_load_dwordx8:
	case ISA_OP_s_buffer_load_dwordx16:
		return access(w, env, i, true, false);
	case ISA_OP_s_buffer_store_dword:
	case ISA_OP_s_buffer_store_dwordx2:
	case ISA_OP_s_buffer_store_dwordx4:
		return access(w, env, i, true, true);
	case ISA_OP_s_dcache_inv:
	case ISA_OP_s_dcache_wb:
	case ISA_OP_s_dcache_inv_vol:
	case ISA_OP_s_dcache_wb_vol:
	case ISA_OP_s_dcache_discard:
	case ISA_OP_s_dcache_discard_x2:
		return ISA_GO;
	case ISA_OP_s_memtime:
		isa_write_reg64(w, i->dst, env->clock + w->retired);
		return ISA_GO;
	case ISA_OP_s_memrealtime:
		isa_write_reg64(w, i->dst, env->realtime);
		return ISA_GO;
	}
	return ISA_ILLEGAL;
}
