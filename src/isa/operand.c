// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/exec.h"

static const u32 float32[9] = {
	0x3f000000,
	0xbf000000,
	0x3f800000,
	0xbf800000,
	0x40000000,
	0xc0000000,
	0x40800000,
	0xc0800000,
	0x3e22f983,
};

static const u64 float64[9] = {
	0x3fe0000000000000,
	0xbfe0000000000000,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x4000000000000000,
	0xc000000000000000,
	0x4010000000000000,
	0xc010000000000000,
	0x3fc45f306dc9c882,
};

/* What is neither a register nor a number that depends on the size. */
static s64 special(struct isa_wave *w, u32 n)
{
	if (n <= 192)
		return (s64)n - 128;
	if (n <= 208)
		return 192 - (s64)n;
	switch (n) {
	case ISA_R_VCCZ:
		return !isa_vcc(w);
	case ISA_R_EXECZ:
		return !w->exec;
	case ISA_R_SCC:
		return w->status & ISA_STATUS_SCC;
	}
	return 0;
}

u32 isa_read32(struct isa_wave *w, const struct isa_inst *i, u32 n)
{
	if (n < ISA_R_INLINE)
		return isa_read_reg(w, n);
	if (n == ISA_R_LITERAL)
		return i->lit;
	if (n >= ISA_R_FLOAT && n < ISA_R_FLOAT + 9)
		return float32[n - ISA_R_FLOAT];
	return (u32)special(w, n);
}

u64 isa_read64(struct isa_wave *w, const struct isa_inst *i, u32 n)
{
	if (n < ISA_R_INLINE)
		return isa_read_reg64(w, n);
	if (n == ISA_R_LITERAL)
		return i->lit;
	if (n >= ISA_R_FLOAT && n < ISA_R_FLOAT + 9)
		return float64[n - ISA_R_FLOAT];
	return (u64)special(w, n);
}
