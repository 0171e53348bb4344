// SPDX-License-Identifier: MIT
/*
 * Executes opcodes one at a time on random registers and memory, and writes what was before and
 * what is after, for test_meaning.py to judge.
 *
 *   meaning ARCH TRIALS [NAME]
 *
 * mutate.c may give an opcode the meaning of another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/isa/isa_rig.h"
#include "mutate.h"

#define CODE (RIG_BASE + (1u << 20))
#define DATA (RIG_BASE + (2u << 20))
#define LANES 8
#define EXEC 0xb7u /* of these lanes two do not take part */
#define NR_SGPRS 32
#define NR_ROWS 36
#define MEM_WORDS 256

/* What an instruction may read and change. */
struct state {
	u32 sgpr[NR_SGPRS];
	u64 vcc;
	u64 exec;
	u32 scc;
	u32 m0;
	u64 pc;
	u32 vgpr[NR_ROWS][LANES];
	u32 data[MEM_WORDS];
	u32 lds[MEM_WORDS];
};

/* One trial. */
struct trial {
	char name[40];
	u32 format;
	u32 what;
	u8 words[4];
	u32 why;
	struct state before;
	struct state after;
};

/* Source registers are v4, v8 and v12, s4 and s6; the result is v16, s8. */
static void encode(const struct isa_op_info *o, u32 n, u32 *w)
{
	const u8 *s = o->words;
	u32 v0 = s[1] ? 0x100 + 4 : 0, v1 = s[2] ? 0x100 + 8 : 0, v2 = s[3] ? 0x100 + 12 : 0;
	bool is_atomic = (o->what & ME_ACTION) >= ME_AT_SWAP;

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
		w[0] = 0xbf800000 | n << 16 | 0x10;
		break;
	case ISA_FMT_SOPK:
		w[0] = 0xb0000000 | n << 23 | 8 << 16 | 0xf801;
		break;
	case ISA_FMT_SMEM:
		w[0] = 0xc0000000 | n << 18 | (s[1] ? 1u << 17 | 6 : 0) | (s[0] ? 16 << 6 : 0);
		break;
	case ISA_FMT_VOP1:
		w[0] = 0x7e000000 | n << 9 | (s[0] ? 16 << 17 : 0) | v0;
		break;
	case ISA_FMT_VOP2:
		w[0] = n << 25 | 16 << 17 | v0 | 8 << 9;
		w[1] = o->flags & OF_K ? 0x40490fdb : 0;
		break;
	case ISA_FMT_VOPC:
		w[0] = 0x7c000000 | n << 17 | v0 | 8 << 9;
		break;
	case ISA_FMT_VOP3:
		w[0] = 0xd0000000 | n << 16 | 16 | (o->flags & OF_SD ? 106u << 8 : 0);
		w[1] = v0 | v1 << 9 | v2 << 18;
		if (s[2] && (n == 0x289 || n == 0x28a))
			w[1] = (n == 0x289 ? v0 : 4) | 6 << 9;
		break;
	case ISA_FMT_VOP3P:
		/* A sum of f32, the upper half of the second source, and f32. */
		if (n >= 0x20 && n <= 0x22) {
			w[0] = 0xd3800000 | n << 16 | 16 | 2u << 11;
			w[1] = v0 | v1 << 9 | v2 << 18 | 2u << 27;
			break;
		}
		/* Both halves of each source; of matrices these bits mean something else. */
		w[0] = 0xd3800000 | n << 16 | 16 | (n < 0x40 ? 1u << 14 : 0);
		w[1] = v0 | v1 << 9 | (s[3] > 4 ? 0x80 : v2) << 18 | (n < 0x40 ? 3u << 27 : 0);
		break;
	case ISA_FMT_DS:
		w[0] = 0xd8000000 | n << 17 | 0x100;
		w[1] = (s[1] ? 2u : 0) | (s[2] ? 4u << 8 : 0) | (s[3] ? 8u << 16 : 0) |
		       (s[0] ? 16u << 24 : 0);
		break;
	case ISA_FMT_FLAT:
	case ISA_FMT_GLOBAL:
	case ISA_FMT_SCRATCH:
		w[0] = 0xdc000000 | n << 18 | (is_atomic ? 1u << 16 : 0) |
		       (o->format == ISA_FMT_GLOBAL ? 2u : o->format == ISA_FMT_SCRATCH) << 14;
		w[1] = (o->format == ISA_FMT_SCRATCH ? 2u : 0) | (s[2] ? 4u << 8 : 0) |
		       (o->format == ISA_FMT_FLAT ? 0 : 0x7fu << 16) |
		       (s[0] || is_atomic ? 16u << 24 : 0);
		break;
	case ISA_FMT_MUBUF:
		w[0] = 0xe0000000 | n << 18 | 1u << 12 | (is_atomic ? 1u << 14 : 0);
		w[1] = s[0] ? 2u | 4u << 8 | 6 << 16 | 0x80u << 24 : 0;
		break;
	}
}

/* A number with an exponent near that of 1. */
static u32 random_float(u32 type, u32 bits)
{
	u32 near = bits >> 27 & 3;

	switch (type) {
	case TY_H:
		return (bits & 0x83ff83ff) | (13 + near) << 10 | (14 + (bits >> 24 & 3)) << 26;
	case TY_F:
		return (bits & 0x807fffff) | (125 + near) << 23;
	case TY_D:
		return (bits & 0x800fffff) | (1021 + near) << 20;
	}
	return bits;
}

/* Of what an atomic operation works on. */
static u32 memory_type(const char *name)
{
	/* These halves are finite numbers as bf16, too. */
	if (strstr(name, "pk_add"))
		return TY_H;
	return strstr(name, "_f64") ? TY_D : strstr(name, "_f32") ? TY_F : TY_I;
}

/* Rows 4 to 35: sources and destination, as their type wants them. */
static void fill_rows(struct rig *r, struct isa_wave *w, const struct isa_op_info *o,
		      const char *name)
{
	bool is_vector = o->format >= ISA_FMT_VOP1 && o->format <= ISA_FMT_VOP3P;
	u32 src = is_vector ? o->what & 3 : memory_type(name);
	u32 dst = is_vector ? o->what >> 2 & 3 : TY_I;
	u32 n, l;

	for (n = 4; n < NR_ROWS; n++)
		for (l = 0; l < LANES; l++) {
			u32 type = n < 16 ? src : dst, bits = (u32)rig_random(r);

			/* The upper half has the exponent. */
			if (type == TY_D && !(n & 1))
				type = TY_I;
			/* Amounts and small numbers too. */
			if (type == TY_I && !(rig_random(r) & 3))
				bits &= 0x1f;
			w->vgpr[n][l] = random_float(type, bits);
		}
}

static u32 random_word(struct rig *r, u32 type, u32 n)
{
	return random_float(type == TY_D && !(n & 1) ? TY_I : type, (u32)rig_random(r));
}

/* An offset into memory, or which lane. */
static u32 offset_of(const struct isa_op_info *o, const char *name, u32 lane)
{
	if (o->format == ISA_FMT_SCRATCH)
		return 0;
	return strstr(name, "permute") ? 4 * (LANES - 1 - lane) : 32 * lane;
}

static void prepare(struct rig *r, struct rig_group *g, const struct isa_op_info *o,
		    const char *name)
{
	u32 *lds = (u32 *)g->lds;
	struct isa_wave *w = &g->wave[0];
	u32 l, n, *data = rig_at(r, DATA);

	rig_group_wipe(r, g);
	w->exec = EXEC;
	w->mode = 0xf0;
	w->m0 = 0x1000;
	w->status = ISA_STATUS_PRIV | (rig_random(r) & 1 ? ISA_STATUS_SCC : 0);
	w->pc = CODE;
	fill_rows(r, w, o, name);
	for (l = 0; l < LANES; l++) {
		w->vgpr[0][l] = (u32)(DATA + 64 * l);
		w->vgpr[1][l] = (u32)(DATA >> 32);
		w->vgpr[2][l] = offset_of(o, name, l);
	}
	if (!(rig_random(r) & 3))
		w->sgpr[6] = w->sgpr[4];
	/* Lanes that are shown. */
	if (strstr(name, "lane_b32"))
		w->sgpr[6] %= LANES;
	w->sgpr[12] = w->sgpr[24] = w->sgpr[102] = (u32)DATA;
	w->sgpr[13] = w->sgpr[25] = w->sgpr[103] = (u32)(DATA >> 32);
	w->sgpr[14] = w->sgpr[26] = 4096;
	w->sgpr[15] = w->sgpr[27] = 0;
	for (n = 0; n < MEM_WORDS; n++) {
		data[n] = random_word(r, memory_type(name), n);
		lds[n] = random_word(r, memory_type(name), n);
	}
}

static void look(struct rig *r, const struct rig_group *g, struct state *s)
{
	const struct isa_wave *w = &g->wave[0];
	u32 n;

	memcpy(s->sgpr, w->sgpr, sizeof(s->sgpr));
	s->vcc = w->sgpr[106] | (u64)w->sgpr[107] << 32;
	s->exec = w->exec;
	s->scc = !!(w->status & ISA_STATUS_SCC);
	s->m0 = w->m0;
	s->pc = w->pc - CODE;
	for (n = 0; n < NR_ROWS; n++)
		memcpy(s->vgpr[n], w->vgpr[n], sizeof(s->vgpr[n]));
	memcpy(s->data, rig_at(r, DATA), sizeof(s->data));
	memcpy(s->lds, g->lds, sizeof(s->lds));
}

/* Return: it is executed. */
static bool try(struct rig *r, struct rig_group *g, u32 op, const char *name)
{
	const struct isa_op_info *o = &isa_ops[op];
	struct trial t = { .format = o->format, .what = o->what };

	encode(o, o->number[r->env.arch], rig_at(r, CODE));
	snprintf(t.name, sizeof(t.name), "%s", name);
	memcpy(t.words, o->words, sizeof(t.words));
	prepare(r, g, o, name);
	r->env.generation++;
	look(r, g, &t.before);
	t.why = isa_run(&g->wave[0], &r->env, 1);
	look(r, g, &t.after);
	return t.why != ISA_ILLEGAL && fwrite(&t, sizeof(t), 1, stdout) == 1;
}

int main(int argc, char **argv)
{
	u32 op, trials, k;
	struct rig_group g;
	struct rig r;

	if (argc < 3)
		return 2;
	rig_init(&r, strcmp(argv[1], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	trials = (u32)atoi(argv[2]);
	rig_group_init(&r, &g, 1, 256, 128, 112, 4096);
	for (op = 1; op < ISA_NR_OPS; op++) {
		const char *name = mutate_name(op);

		if (!name || isa_ops[op].number[r.env.arch] == ISA_NO_NUMBER)
			continue;
		if (argc > 3 && strcmp(name, argv[3]))
			continue;
		/* The same for an opcode whatever others are tried. */
		r.random = op * 0x9e3779b97f4a7c15ull + 1;
		for (k = 0; k < trials && try(&r, &g, op, name); k++)
			;
	}
	rig_group_fini(&g);
	rig_fini(&r);
	return 0;
}
