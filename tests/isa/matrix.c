// SPDX-License-Identifier: MIT
/*
 * Executes the matrix opcodes on random registers of all 64 lanes, and writes what was before and
 * what is after, for test_matrix.py to judge.
 *
 *   matrix ARCH [NAME]
 *
 * mutate.c may give an opcode the meaning of another.
 */
#include <stdio.h>
#include <string.h>

#include "../unit/isa/isa_rig.h"
#include "mutate.h"

#define CODE (RIG_BASE + (1u << 20))
#define ROWS 96

/* A, B, C and D begin at these rows. */
enum {
	ROW_A = 4,
	ROW_B = 12,
	ROW_C = 32,
	ROW_D = 64,
};

struct trial {
	char name[40];
	u8 words[4];
	u32 before[ROWS][ISA_LANES];
	u32 after[ROWS][ISA_LANES];
};

static void encode(u32 number, u32 *w)
{
	w[0] = 0xd3800000 | number << 16 | ROW_D;
	w[1] = (0x100 | ROW_A) | (0x100 | ROW_B) << 9 | (0x100 | ROW_C) << 18;
}

/* Numbers of either sign with exponents near that of 1; any bits for integers. */
static u32 random_word(struct rig *r, const char *name, u32 row)
{
	const char *shape = name + strlen("v_mfma_f32_");
	u32 bits = (u32)rig_random(r), near = bits >> 27 & 3;

	if (strstr(shape, "i8"))
		return bits;
	if (strstr(shape, "f64"))
		return row & 1 ? (bits & 0x800fffff) | (1021 + near) << 20 : bits;
	if (row >= ROW_C || strstr(shape, "f32"))
		return (bits & 0x807fffff) | (125 + near) << 23;
	if (strstr(shape, "bf16"))
		return (bits & 0x807f807f) | (125 + near) << 7 | (124 + near) << 23;
	return (bits & 0x83ff83ff) | (13 + near) << 10 | (14 + near) << 26;
}

/* Return: it is executed. */
static bool try(struct rig *r, struct rig_group *g, u32 op, const char *name)
{
	struct isa_wave *w = &g->wave[0];
	static struct trial t;
	u32 row, l;

	rig_group_wipe(r, g);
	w->pc = CODE;
	w->mode = 0xf0;
	/* Matrix opcodes look at no mask. */
	w->exec = 0xb7;
	for (row = 0; row < ROWS; row++)
		for (l = 0; l < ISA_LANES; l++)
			w->vgpr[row][l] = random_word(r, name, row);
	encode(isa_ops[op].number[r->env.arch], rig_at(r, CODE));
	memset(&t, 0, sizeof(t));
	snprintf(t.name, sizeof(t.name), "%s", name);
	memcpy(t.words, isa_ops[op].words, sizeof(t.words));
	memcpy(t.before, w->vgpr, sizeof(t.before));
	r->env.generation++;
	if (isa_run(w, &r->env, 1) == ISA_ILLEGAL)
		return false;
	memcpy(t.after, w->vgpr, sizeof(t.after));
	return fwrite(&t, sizeof(t), 1, stdout) == 1;
}

int main(int argc, char **argv)
{
	struct rig_group g;
	struct rig r;
	u32 op;

	if (argc < 2)
		return 2;
	rig_init(&r, strcmp(argv[1], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	rig_group_init(&r, &g, 1, 256, 128, 112, 4096);
	for (op = 1; op < ISA_NR_OPS; op++) {
		const char *name = mutate_name(op);

		if (!name || strncmp(name, "v_mfma_", 7) ||
		    isa_ops[op].number[r.env.arch] == ISA_NO_NUMBER)
			continue;
		if (argc > 2 && strcmp(name, argv[2]))
			continue;
		r.random = op * 0x9e3779b97f4a7c15ull + 1;
		try(&r, &g, op, name);
	}
	rig_group_fini(&g);
	rig_fini(&r);
	return 0;
}
