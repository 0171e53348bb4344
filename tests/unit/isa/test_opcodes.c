// SPDX-License-Identifier: MIT
/*
 * Every opcode of the table, executed once: it is done, or it is illegal and
 * nothing has changed. How many there are of each is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa_rig.h"

#include <cmocka.h>

#define CODE (RIG_BASE + (1u << 20))
#define DATA (RIG_BASE + (2u << 20))
#define MIN_LEGAL 950

/* Words of an opcode whose operands are registers with even numbers, or none. */
static void encode(const struct isa_op_info *o, u32 n, u32 *w)
{
	const u8 *s = o->words;
	u32 v0 = s[1] ? 0x100 + 4 : 0, v1 = s[2] ? 0x100 + 8 : 0, v2 = s[3] ? 0x100 + 8 : 0;

	w[0] = w[1] = 0;
	switch (o->format) {
	case ISA_FMT_SOP1:
		w[0] = 0xbe800000 | n << 8 | 8 << 16 | 4;
		break;
	case ISA_FMT_SOP2:
		w[0] = 0x80000000 | n << 23 | 8 << 16 | 4 | 6 << 8;
		break;
	case ISA_FMT_SOPC:
		w[0] = 0xbf000000 | n << 16 | 4 | 6 << 8;
		break;
	case ISA_FMT_SOPP:
		w[0] = 0xbf800000 | n << 16;
		break;
	case ISA_FMT_SOPK:
		w[0] = 0xb0000000 | n << 23 | 8 << 16 | 1 | 31 << 11;
		break;
	case ISA_FMT_SMEM:
		w[0] = 0xc0000000 | n << 18 | (s[1] ? 1u << 17 | 6 : 0) | (s[0] ? 16 << 6 : 0);
		break;
	case ISA_FMT_VOP1:
		w[0] = 0x7e000000 | n << 9 | (s[0] ? 12 << 17 : 0) | v0;
		break;
	case ISA_FMT_VOP2:
		w[0] = n << 25 | 12 << 17 | v0 | 8 << 9;
		break;
	case ISA_FMT_VOPC:
		w[0] = 0x7c000000 | n << 17 | v0 | 8 << 9;
		break;
	case ISA_FMT_VOP3:
		w[0] = 0xd0000000 | n << 16 | 12;
		w[1] = v0 | v1 << 9 | v2 << 18;
		if (s[2] && (n == 0x289 || n == 0x28a))
			w[1] = (n == 0x289 ? v0 : 4) | 6 << 9;
		break;
	case ISA_FMT_VOP3P:
		w[0] = 0xd3800000 | n << 16 | 16;
		w[1] = v0 | v1 << 9 | (s[3] > 4 ? 0x80 : v2) << 18;
		break;
	case ISA_FMT_DS:
		w[0] = 0xd8000000 | n << 17;
		w[1] = (s[1] ? 2u : 0) | (s[2] ? 4u << 8 : 0) | (s[3] ? 8u << 16 : 0) |
		       (s[0] ? 12u << 24 : 0);
		break;
	case ISA_FMT_FLAT:
	case ISA_FMT_GLOBAL:
	case ISA_FMT_SCRATCH:
		w[0] = 0xdc000000 | n << 18 |
		       (o->format == ISA_FMT_GLOBAL ? 2u : o->format == ISA_FMT_SCRATCH) << 14;
		w[1] = (o->format == ISA_FMT_SCRATCH ? 2u : 0) | (s[2] ? 4u << 8 : 0) |
		       (o->format == ISA_FMT_FLAT ? 0 : 0x7fu << 16) | (s[0] ? 12u << 24 : 0);
		break;
	case ISA_FMT_MUBUF:
		w[0] = 0xe0000000 | n << 18;
		w[1] = s[0] ? 4u << 8 | 6 << 16 | 0x80u << 24 : 0;
		break;
	}
}

static void prepare(struct rig *r, struct rig_group *g)
{
	struct isa_wave *w = &g->wave[0];
	u32 l;

	rig_group_wipe(r, g);
	w->exec = 0xff;
	w->mode = 0xf0;
	w->m0 = 0;
	w->status = ISA_STATUS_PRIV;
	w->pc = CODE;
	w->ttmp[0] = (u32)CODE;
	/* v[0:1] a flat address, v2 a small one; s[12:13] and s[24:27] point to data. */
	for (l = 0; l < ISA_LANES; l++) {
		w->vgpr[0][l] = (u32)(DATA + 64 * l);
		w->vgpr[1][l] = (u32)(DATA >> 32);
		w->vgpr[2][l] = 16 * l;
	}
	w->sgpr[12] = w->sgpr[24] = (u32)DATA;
	w->sgpr[13] = w->sgpr[25] = (u32)(DATA >> 32);
	w->sgpr[14] = w->sgpr[26] = 4096;
	w->sgpr[15] = w->sgpr[27] = 0;
	w->sgpr[4] = (u32)CODE;
	w->sgpr[5] = (u32)(CODE >> 32);
	w->sgpr[102] = (u32)DATA;
	w->sgpr[103] = (u32)(DATA >> 32);
}

/* Between the formats the numbers of opcodes have gaps. */
static bool is_row(u32 op)
{
#define F(f) \
	if (op >= ISA_FIRST_##f && op < ISA_END_##f) \
		return true;
	ISA_FORMATS(F)
#undef F
	return false;
}

static void count(enum isa_arch arch)
{
	u32 op, legal = 0, illegal = 0, *code;
	struct rig_group g;
	struct rig r;

	rig_init(&r, arch);
	code = rig_at(&r, CODE);
	rig_group_init(&r, &g, 1, 256, 128, 112, 4096);
	for (op = 1; op < ISA_NR_OPS; op++) {
		const struct isa_op_info *o = &isa_ops[op];
		enum isa_reason why;
		struct isa_inst inst;

		if (!is_row(op) || o->number[arch] == ISA_NO_NUMBER)
			continue;
		encode(o, o->number[arch], code);
		assert_int_equal(isa_decode(arch, code, true, &inst), 0);
		assert_int_equal(inst.op, op);
		prepare(&r, &g);
		r.env.generation++;
		why = isa_run(&g.wave[0], &r.env, 1);
		assert_true(why != ISA_FAULT && why != ISA_NEED_PAGE);
		if (why == ISA_ILLEGAL) {
			assert_true(g.wave[0].pc == CODE && g.wave[0].stop_word == code[0]);
			assert_int_equal(g.wave[0].exec, 0xff);
			illegal++;
		} else {
			legal++;
		}
	}
	printf("%s: %u opcodes are executed, %u are illegal\n",
	       arch == ISA_GFX942 ? "gfx942" : "gfx90a", legal, illegal);
	assert_true(legal >= MIN_LEGAL);
	rig_group_fini(&g);
	rig_fini(&r);
}

static void every_opcode_is_done_or_illegal(void **state)
{
	count(ISA_GFX90A);
	count(ISA_GFX942);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode_is_done_or_illegal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
