/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Between the files of the interpreter. A function that executes an instruction
 * returns ISA_GO, or why the wave stops; the caller then moves PC on for the
 * reasons that are said after the instruction (isa_run()).
 */
#ifndef ISA_EXEC_H
#define ISA_EXEC_H

#include "isa/isa.h"

/* Formats. */
enum isa_reason isa_exec_sop2(struct isa_wave *w, const struct isa_inst *i);
enum isa_reason isa_exec_sop1(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_exec_sopc(struct isa_wave *w, const struct isa_inst *i);
enum isa_reason isa_exec_sopk(struct isa_wave *w, const struct isa_inst *i);
enum isa_reason isa_exec_sopp(struct isa_wave *w, const struct isa_inst *i);
enum isa_reason isa_exec_smem(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_exec_valu(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_exec_ds(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_exec_flat(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);
enum isa_reason isa_exec_mubuf(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i);

/* Hardware registers; a field is offset [10:6], size - 1 [15:11], number [5:0]. */
u32 isa_hwreg_read(const struct isa_wave *w, u32 field);
void isa_hwreg_write(struct isa_wave *w, u32 field, u32 value);

/* Bytes of a page, or NULL: *reason then says why the wave stops. */
u8 *isa_page(struct isa_wave *w, struct isa_env *env, u64 address, bool write,
	     enum isa_reason *reason);

/* Where named scalar registers are; NULL: nothing has this number. */
static inline u32 *isa_sreg(struct isa_wave *w, u32 n)
{
	if (n < ISA_R_FLAT_SCRATCH)
		return &w->sgpr[n];
	if (n < ISA_R_TTMP)
		return &w->sgpr[min(w->nr_sgprs, 108u) - 108 + n];
	if (n < ISA_R_M0)
		return &w->ttmp[n - ISA_R_TTMP];
	if (n == ISA_R_M0)
		return &w->m0;
	return NULL;
}

static inline u32 isa_read_reg(struct isa_wave *w, u32 n)
{
	u32 *p = isa_sreg(w, n);

	if (p)
		return *p;
	return n == ISA_R_EXEC ? (u32)w->exec : n == ISA_R_EXEC + 1 ? (u32)(w->exec >> 32)
								    : 0;
}

static inline void isa_write_reg(struct isa_wave *w, u32 n, u32 x)
{
	u32 *p = isa_sreg(w, n);

	if (p)
		*p = x;
	else if (n == ISA_R_EXEC)
		w->exec = (w->exec & ~0xffffffffull) | x;
	else if (n == ISA_R_EXEC + 1)
		w->exec = (u32)w->exec | (u64)x << 32;
}

static inline u64 isa_read_reg64(struct isa_wave *w, u32 n)
{
	return isa_read_reg(w, n) | (u64)isa_read_reg(w, n + 1) << 32;
}

static inline void isa_write_reg64(struct isa_wave *w, u32 n, u64 x)
{
	isa_write_reg(w, n, (u32)x);
	isa_write_reg(w, n + 1, (u32)(x >> 32));
}

static inline u64 isa_vcc(struct isa_wave *w)
{
	return isa_read_reg64(w, ISA_R_VCC);
}

static inline void isa_set_scc(struct isa_wave *w, bool x)
{
	w->status = (w->status & ~ISA_STATUS_SCC) | (x ? ISA_STATUS_SCC : 0);
}

/* A scalar source of 32 or 64 bits: register, inline constant or literal. */
u32 isa_read32(struct isa_wave *w, const struct isa_inst *i, u32 n);
u64 isa_read64(struct isa_wave *w, const struct isa_inst *i, u32 n);

#endif
