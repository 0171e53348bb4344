// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Single lanes, and moves between the kinds of VGPRs. */
#include "isa/bits.h"
#include "isa/valu.h"

static u32 index_of(const struct isa_wave *w, u32 which)
{
	return w->mode & ISA_MODE_GPR_IDX && w->m0 >> (12 + which) & 1 ? w->m0 & 0xff : 0;
}

static u32 first_lane(u64 exec)
{
	if ((u32)exec)
		return isa_find_low((u32)exec);
	return exec ? 32 + isa_find_low((u32)(exec >> 32)) : 0;
}

static u32 value(struct isa_wave *w, const struct isa_inst *i, u32 lane)
{
	u32 n = i->src[0];

	if (n < ISA_R_VGPR)
		return isa_read32(w, i, n);
	return w->vgpr[isa_row(w, n) + index_of(w, 0)][lane];
}

static void copy(struct isa_wave *w, u32 *dst, const u32 *src)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++)
		if (w->exec >> l & 1)
			dst[l] = src[l];
}

static void swap_rows(struct isa_wave *w, u32 *a, u32 *b)
{
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x = a[l];

		if (!(w->exec >> l & 1))
			continue;
		a[l] = b[l];
		b[l] = x;
	}
}

static void move(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 *dst = w->vgpr[isa_row(w, i->dst) + index_of(w, 3)], l;

	if (i->src[0] >= ISA_R_VGPR) {
		copy(w, dst, w->vgpr[isa_row(w, i->src[0]) + index_of(w, 0)]);
		return;
	}
	for (l = 0; l < ISA_LANES; l++)
		env->lanes.s32[0][l] = isa_read32(w, i, i->src[0]);
	copy(w, dst, env->lanes.s32[0]);
}

enum isa_reason isa_valu_lane(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	switch (i->op) {
	case ISA_OP_v_nop:
	case ISA_OP_v_clrexcp:
		return ISA_GO;
	case ISA_OP_v_readfirstlane_b32:
		isa_write_reg(w, i->dst, value(w, i, first_lane(w->exec)));
		return ISA_GO;
	case ISA_OP_v_readlane_b32:
		isa_write_reg(w, i->dst, value(w, i, isa_read32(w, i, i->src[1]) % ISA_LANES));
		return ISA_GO;
	case ISA_OP_v_writelane_b32:
		w->vgpr[isa_row(w, i->dst)][isa_read32(w, i, i->src[1]) % ISA_LANES] =
			isa_read32(w, i, i->src[0]);
		return ISA_GO;
	case ISA_OP_v_swap_b32:
		swap_rows(w, w->vgpr[isa_row(w, i->dst)], w->vgpr[isa_row(w, i->src[0])]);
		return ISA_GO;
	}
	move(w, env, i);
	return ISA_GO;
}
