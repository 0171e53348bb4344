// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/exec.h"

static struct isa_tlb *tlb_of(struct isa_env *env, u64 page)
{
	return &env->tlb[page / ISA_PAGE_BYTES % ISA_NR_TLB];
}

static u8 *fill_tlb(struct isa_wave *w, struct isa_env *env, u64 page, bool write,
		    enum isa_reason *reason)
{
	struct isa_tlb *t = tlb_of(env, page);
	bool can_write = write;
	u8 *at = NULL;
	int err = env->ops->page(env, page, &can_write, &at);

	if (err || !at || (write && !can_write)) {
		w->stop_address = page;
		*reason = err == -EAGAIN ? ISA_NEED_PAGE : ISA_FAULT;
		return NULL;
	}
	t->page = page + 1;
	t->at = at;
	t->generation = env->generation;
	t->can_write = can_write;
	return at;
}

u8 *isa_page(struct isa_wave *w, struct isa_env *env, u64 address, bool write,
	     enum isa_reason *reason)
{
	u64 page = address & ISA_ADDRESS_MASK & ~(u64)(ISA_PAGE_BYTES - 1);
	struct isa_tlb *t = tlb_of(env, page);

	if (t->page == page + 1 && t->generation == env->generation && (t->can_write || !write))
		return t->at;
	return fill_tlb(w, env, page, write, reason);
}

/* The word after the last of a page is on the next one. */
static enum isa_reason decode_at(struct isa_wave *w, struct isa_env *env, struct isa_inst *inst)
{
	u32 at = (u32)(w->pc % ISA_PAGE_BYTES);
	bool has_two = at + 4 < ISA_PAGE_BYTES;
	enum isa_reason reason = ISA_GO;
	u32 word[2] = { 0, 0 };
	u8 *page = isa_page(w, env, w->pc, false, &reason);
	int err;

	if (!page)
		return reason;
	memcpy(word, page + at, has_two ? 8 : 4);
	err = isa_decode(env->arch, word, has_two, inst);
	if (err == -ENODATA) {
		page = isa_page(w, env, w->pc + 4, false, &reason);
		if (!page) {
			inst->len = 0;
			return reason;
		}
		memcpy(&word[1], page, 4);
		isa_decode(env->arch, word, true, inst);
	}
	/* So that ISA_ILLEGAL can name it without another look. */
	if (inst->op == ISA_OP_NONE)
		inst->lit = word[0];
	return ISA_GO;
}

static struct isa_code *code_of(struct isa_env *env, u64 pc)
{
	u64 page = pc & ~(u64)(ISA_PAGE_BYTES - 1);
	struct isa_code *c = &env->code[page / ISA_PAGE_BYTES & (env->nr_code - 1)];
	u32 k;

	if (c->page == page + 1 && c->generation == env->generation)
		return c;
	for (k = 0; k < ISA_PAGE_DWORDS; k++)
		c->inst[k].len = 0;
	c->page = page + 1;
	c->generation = env->generation;
	return c;
}

static enum isa_reason execute(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	switch (i->format) {
	case ISA_FMT_SOP1:
		return isa_exec_sop1(w, env, i);
	case ISA_FMT_SOP2:
		return isa_exec_sop2(w, i);
	case ISA_FMT_SOPC:
		return isa_exec_sopc(w, i);
	case ISA_FMT_SOPK:
		return isa_exec_sopk(w, i);
	case ISA_FMT_SOPP:
		return isa_exec_sopp(w, i);
	case ISA_FMT_SMEM:
		return isa_exec_smem(w, env, i);
	case ISA_FMT_DS:
		return isa_exec_ds(w, env, i);
	case ISA_FMT_FLAT:
	case ISA_FMT_GLOBAL:
	case ISA_FMT_SCRATCH:
		return isa_exec_flat(w, env, i);
	case ISA_FMT_MUBUF:
		return isa_exec_mubuf(w, env, i);
	}
	return isa_exec_valu(w, env, i);
}

/* Registers that the wave does not have. */
static bool is_beyond(const struct isa_wave *w, const struct isa_inst *i)
{
	return i->nr_vgprs > w->nr_vgprs || i->nr_sgprs > w->nr_sgprs ||
	       (i->nr_accs && i->nr_accs + w->acc_offset > w->nr_vgprs);
}

/* The first word at PC, for the message. */
static enum isa_reason illegal(struct isa_wave *w, struct isa_env *env)
{
	enum isa_reason reason = ISA_GO;
	u8 *page = isa_page(w, env, w->pc, false, &reason);

	w->stop_word = 0;
	if (page && !(w->pc & 3))
		memcpy(&w->stop_word, page + w->pc % ISA_PAGE_BYTES, 4);
	return ISA_ILLEGAL;
}

static bool is_memory(u32 format)
{
	switch (format) {
	case ISA_FMT_SMEM:
	case ISA_FMT_DS:
	case ISA_FMT_FLAT:
	case ISA_FMT_GLOBAL:
	case ISA_FMT_SCRATCH:
	case ISA_FMT_MUBUF:
		return true;
	}
	return false;
}

static enum isa_reason step(struct isa_wave *w, struct isa_env *env, struct isa_inst *i)
{
	enum isa_reason r;

	if (!i->len) {
		r = decode_at(w, env, i);
		if (r != ISA_GO)
			return r;
	}
	if (i->op == ISA_OP_NONE || is_beyond(w, i))
		return illegal(w, env);
	w->next_pc = w->pc + i->len * 4u;
	r = execute(w, env, i);
	switch (r) {
	case ISA_BARRIER:
	case ISA_FAULT:
	case ISA_NEED_PAGE:
		return r;
	case ISA_ILLEGAL:
		return illegal(w, env);
	default:
		w->pc = w->next_pc;
		w->retired++;
		w->retired_memory += is_memory(i->format);
		return r;
	}
}

/* What comes before the next instruction: a trap, or that there is none. */
static enum isa_reason before(struct isa_wave *w)
{
	bool in_handler = w->status & ISA_STATUS_PRIV;

	if (w->trapsts & ISA_TRAPSTS_SAVECTX && !in_handler && w->tba)
		isa_trap(w, 0);
	else if (w->status & ISA_STATUS_HALT && !in_handler)
		return ISA_HALTED;
	return ISA_GO;
}

/* Only these open the way to a trap, or halt. */
static bool is_turn(const struct isa_inst *i)
{
	return i->op == ISA_OP_s_rfe_b64 || i->op == ISA_OP_s_sethalt ||
	       i->op == ISA_OP_s_setreg_b32 || i->op == ISA_OP_s_setreg_imm32_b32;
}

enum isa_reason isa_run(struct isa_wave *wave, struct isa_env *env, u32 budget)
{
	struct isa_code *code = NULL;
	enum isa_reason r = before(wave);

	while (r == ISA_GO && budget--) {
		struct isa_inst *i;

		if (wave->pc & 3 || wave->pc > ISA_ADDRESS_MASK)
			return illegal(wave, env);
		if (!code || code->page != (wave->pc & ~(u64)(ISA_PAGE_BYTES - 1)) + 1)
			code = code_of(env, wave->pc);
		i = &code->inst[wave->pc % ISA_PAGE_BYTES / 4];
		r = step(wave, env, i);
		if (r == ISA_GO && is_turn(i))
			r = before(wave);
	}
	return r;
}

void isa_trap(struct isa_wave *wave, u32 id)
{
	if (GP_WARN_ON(!wave->tba))
		return;
	wave->ttmp[0] = (u32)wave->pc;
	wave->ttmp[1] = (u32)(wave->pc >> 32 & 0xffff) | (id & 0xff) << 16;
	wave->pc = wave->tba;
	wave->status |= ISA_STATUS_PRIV;
}

void isa_save_answer(struct isa_wave *wave, u64 address, bool is_first)
{
	wave->exec = (address & ISA_ADDRESS_MASK) | (is_first ? ISA_SAVE_FIRST : 0);
}

void isa_restore_start(struct isa_wave *wave, u64 address, bool is_first)
{
	wave->status = ISA_STATUS_PRIV;
	wave->trapsts = 0;
	wave->mode = 0;
	wave->ib_sts = 0;
	/* The second word of the handler is the branch to its restore part. */
	wave->pc = wave->tba + 4;
	isa_save_answer(wave, address, is_first);
}

void isa_barrier_pass(struct isa_wave *wave)
{
	wave->pc += 4;
	wave->retired++;
}
