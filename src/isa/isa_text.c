// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Instructions as LLVM's disassembler writes them, so that the two can be
 * compared. Not needed to execute anything.
 */
#include "isa/isa_text.h"

static const char *const names[ISA_NR_OPS] = {
#define X(name, n90a, n942, d, s0, s1, s2, t, fl) [ISA_OP_##name] = #name,
#define F(f) ISA_##f(X)
	ISA_FORMATS(F)
#undef F
#undef X
};

void isa_put(struct isa_text *t, const char *s)
{
	for (; *s; s++, t->len++)
		if (t->len + 1 < t->size)
			t->buf[t->len] = *s;
}

void isa_put_dec(struct isa_text *t, s64 x)
{
	char digits[24];
	u32 k = sizeof(digits) - 1;
	u64 v = x < 0 ? 0 - (u64)x : (u64)x;

	digits[k] = 0;
	do {
		digits[--k] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (x < 0)
		digits[--k] = '-';
	isa_put(t, digits + k);
}

void isa_put_hex(struct isa_text *t, u64 v)
{
	char digits[20];
	u32 k = sizeof(digits) - 1;

	digits[k] = 0;
	do {
		digits[--k] = "0123456789abcdef"[v % 16];
		v /= 16;
	} while (v);
	digits[--k] = 'x';
	digits[--k] = '0';
	isa_put(t, digits + k);
}

/* A register or several: v5, v[4:7]. */
static void put_regs(struct isa_text *t, const char *kind, u32 first, u32 words)
{
	isa_put(t, kind);
	if (words > 1)
		isa_put(t, "[");
	isa_put_dec(t, first);
	if (words > 1) {
		isa_put(t, ":");
		isa_put_dec(t, first + words - 1);
		isa_put(t, "]");
	}
}

static void put_pair(struct isa_text *t, const char *name, u32 words, bool is_high)
{
	isa_put(t, name);
	if (words < 2)
		isa_put(t, is_high ? "_hi" : "_lo");
}

void isa_put_sreg(struct isa_text *t, u32 n, u32 words)
{
	if (n < ISA_R_FLAT_SCRATCH)
		put_regs(t, "s", n, words);
	else if (n < ISA_R_XNACK_MASK)
		put_pair(t, "flat_scratch", words, n & 1);
	else if (n < ISA_R_VCC)
		put_pair(t, "xnack_mask", words, n & 1);
	else if (n < ISA_R_TTMP)
		put_pair(t, "vcc", words, n & 1);
	else if (n < ISA_R_M0)
		put_regs(t, "ttmp", n - ISA_R_TTMP, words);
	else if (n == ISA_R_M0)
		isa_put(t, "m0");
	else
		put_pair(t, "exec", words, n & 1);
}

static const char *special(u32 n)
{
	switch (n) {
	case ISA_R_SHARED_BASE:
		return "src_shared_base";
	case ISA_R_SHARED_LIMIT:
		return "src_shared_limit";
	case ISA_R_PRIVATE_BASE:
		return "src_private_base";
	case ISA_R_PRIVATE_LIMIT:
		return "src_private_limit";
	case 239:
		return "src_pops_exiting_wave_id";
	case 240:
		return "0.5";
	case 241:
		return "-0.5";
	case 242:
		return "1.0";
	case 243:
		return "-1.0";
	case 244:
		return "2.0";
	case 245:
		return "-2.0";
	case 246:
		return "4.0";
	case 247:
		return "-4.0";
	case ISA_R_VCCZ:
		return "src_vccz";
	case ISA_R_EXECZ:
		return "src_execz";
	case ISA_R_SCC:
		return "src_scc";
	case ISA_R_LDS_DIRECT:
		return "src_lds_direct";
	}
	return "?";
}

/* 1 / (2 pi), with the digits of the operand's type. */
static const char *inv_2pi(u32 type)
{
	return type == TY_H ? "0.15915494" : type == TY_D ? "0.15915494309189532" : "0.15915494";
}

/* A literal that an inline constant could be is written as that. */
static void put_literal(struct isa_text *t, u32 x, u32 words, u32 type)
{
	static const u32 floats[9] = {
		0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
		0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
	};
	u32 k;

	if (words == 2 && type == TY_D) {
		if (x)
			isa_put_hex(t, x);
		else
			isa_put(t, "0");
		return;
	}
	for (k = 0; k < 9; k++)
		if (x == floats[k] && words == 1) {
			isa_put(t, k == 8 ? inv_2pi(type) : special(240 + k));
			return;
		}
	if ((s32)x >= -16 && (s32)x <= 64 && (words == 1 || (s32)x >= 0))
		isa_put_dec(t, (s32)x);
	else
		isa_put_hex(t, x);
}

void isa_put_operand(struct isa_text *t, const struct isa_inst *i, u32 n, u32 words, u32 type)
{
	if (n >= ISA_R_ACC)
		put_regs(t, "a", n - ISA_R_ACC, words);
	else if (n >= ISA_R_VGPR)
		put_regs(t, "v", n - ISA_R_VGPR, words);
	else if (n < ISA_R_INLINE)
		isa_put_sreg(t, n, words);
	else if (n <= 192)
		isa_put_dec(t, (s64)n - 128);
	else if (n <= 208)
		isa_put_dec(t, 192 - (s64)n);
	else if (n == 248)
		isa_put(t, words == 2 ? inv_2pi(TY_D) : inv_2pi(type));
	else if (n == ISA_R_LITERAL)
		put_literal(t, i->lit, words, type);
	else
		isa_put(t, special(n));
}

void isa_put_name(struct isa_text *t, const struct isa_inst *i, const char *suffix)
{
	isa_put(t, names[i->op]);
	isa_put(t, suffix);
}

/* "a, b": a comma before every operand but the first. */
void isa_next(struct isa_text *t)
{
	isa_put(t, t->nr++ ? ", " : " ");
}

u32 isa_text(u32 arch, const struct isa_inst *inst, char *buf, u32 size)
{
	struct isa_text t = { .buf = buf, .size = size, .arch = arch };

	switch (inst->format) {
	case ISA_FMT_SOP1:
	case ISA_FMT_SOP2:
	case ISA_FMT_SOPC:
	case ISA_FMT_SOPK:
	case ISA_FMT_SOPP:
	case ISA_FMT_SMEM:
		isa_text_scalar(&t, inst);
		break;
	case ISA_FMT_VOP1:
	case ISA_FMT_VOP2:
	case ISA_FMT_VOPC:
	case ISA_FMT_VOP3:
	case ISA_FMT_VOP3P:
		isa_text_vector(&t, inst);
		break;
	default:
		isa_text_memory(&t, inst);
		break;
	}
	if (size)
		buf[t.len < size ? t.len : size - 1] = 0;
	return t.len;
}
