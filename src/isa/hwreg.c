// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Hardware registers as s_getreg and s_setreg see them. Numbers and fields:
 * amdkfd's cwsr_trap_handler_gfx9.asm and LLVM's AMDGPUUsage.
 */
#include "isa/exec.h"

enum {
	HW_MODE = 1,
	HW_STATUS,
	HW_TRAPSTS,
	HW_HW_ID,
	HW_GPR_ALLOC,
	HW_LDS_ALLOC,
	HW_IB_STS,
	HW_TBA_LO = 16,
	HW_TBA_HI,
	HW_TMA_LO,
	HW_TMA_HI,
};

/* What s_setreg does not reach. */
#define STATUS_FIXED (ISA_STATUS_PRIV | ISA_STATUS_EXECZ | ISA_STATUS_VCCZ)

static u32 status_now(struct isa_wave *w)
{
	u32 x = w->status & ~(ISA_STATUS_EXECZ | ISA_STATUS_VCCZ);

	if (!w->exec)
		x |= ISA_STATUS_EXECZ;
	if (!isa_vcc(w))
		x |= ISA_STATUS_VCCZ;
	return x;
}

static u32 gpr_alloc(const struct isa_wave *w)
{
	u32 acc = w->acc_offset / 4;

	return (w->nr_vgprs / 8 - 1) << 6 | ((acc - 1) & 0x3f) << 12 | (w->nr_sgprs / 16 - 1) << 24;
}

static u32 whole(const struct isa_wave *w, u32 id)
{
	switch (id) {
	case HW_MODE:
		return w->mode;
	case HW_STATUS:
		return status_now((struct isa_wave *)w);
	case HW_TRAPSTS:
		return w->trapsts;
	case HW_HW_ID:
		return w->hw_id;
	case HW_GPR_ALLOC:
		return gpr_alloc(w);
	case HW_LDS_ALLOC:
		return w->lds_bytes / 256 << 12;
	case HW_IB_STS:
		return w->ib_sts;
	case HW_TBA_LO:
		return (u32)(w->tba >> 8);
	case HW_TBA_HI:
		return (u32)(w->tba >> 40);
	case HW_TMA_LO:
		return (u32)(w->tma >> 8);
	case HW_TMA_HI:
		return (u32)(w->tma >> 40);
	}
	return 0;
}

static u32 mask_of(u32 field)
{
	u32 size = (field >> 11 & 31) + 1;

	return size == 32 ? ~0u : (1u << size) - 1;
}

u32 isa_hwreg_read(const struct isa_wave *w, u32 field)
{
	return whole(w, field & 63) >> (field >> 6 & 31) & mask_of(field);
}

static void put(u32 *reg, u32 mask, u32 value)
{
	*reg = (*reg & ~mask) | (value & mask);
}

void isa_hwreg_write(struct isa_wave *w, u32 field, u32 value)
{
	u32 shift = field >> 6 & 31;
	u32 mask = mask_of(field) << shift;

	value <<= shift;
	switch (field & 63) {
	case HW_MODE:
		put(&w->mode, mask, value);
		break;
	case HW_STATUS:
		put(&w->status, mask & ~STATUS_FIXED, value);
		break;
	case HW_TRAPSTS:
		put(&w->trapsts, mask, value);
		break;
	case HW_IB_STS:
		put(&w->ib_sts, mask, value);
		break;
	}
}
