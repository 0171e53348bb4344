/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The second phase of a memory instruction: env->lanes says where the bytes of
 * each lane are, NULL if nowhere (a load gives 0, a store is lost).
 */
#ifndef ISA_MEMORY_H
#define ISA_MEMORY_H

#include "isa/exec.h"

/**
 * struct isa_access - one access of all lanes
 * @what: ISA_ME_* of the opcode
 * @dst: row of the result
 * @data: row of the data
 * @data2: row of the second data; atomics of LDS only
 * @mask: lanes
 * @mode: MODE of the wave, for atomics on floats
 * @returns: atomics: the old value goes to @dst
 * @is_swizzled: each dword of a lane has its own place
 * @is_whole: no lane lies on two pages
 */
struct isa_access {
	u32 what;
	u32 dst;
	u32 data;
	u32 data2;
	u64 mask;
	u32 mode;
	bool returns;
	bool is_swizzled;
	bool is_whole;
};

/* Bytes that an access moves per lane. */
u32 isa_access_bytes(u32 what);
bool isa_access_writes(u32 what);

/* Does it; cannot fail. */
void isa_access_do(struct isa_wave *w, struct isa_env *env, const struct isa_access *a);

/* Row of a vector operand: VGPR or ACC VGPR. */
static inline u32 isa_row(const struct isa_wave *w, u32 n)
{
	return n >= ISA_R_ACC ? n - ISA_R_ACC + w->acc_offset : n - ISA_R_VGPR;
}

#endif
