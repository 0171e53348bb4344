// SPDX-License-Identifier: MIT
#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/opcodes.h"

int __real_isa_decode(u32 arch, const u32 word[2], bool has_two, struct isa_inst *inst);
int __wrap_isa_decode(u32 arch, const u32 word[2], bool has_two, struct isa_inst *inst);

static const char *const names[ISA_NR_OPS] = {
#define X(name, n90a, n942, d, s0, s1, s2, t, fl) [ISA_OP_##name] = #name,
#define F(f) ISA_##f(X)
	ISA_FORMATS(F)
#undef F
#undef X
};

const char *mutate_name(u32 op)
{
	return names[op];
}

static u32 find(const char *name)
{
	u32 op;

	for (op = 1; op < ISA_NR_OPS; op++)
		if (names[op] && !strcmp(names[op], name))
			return op;
	return ISA_OP_s_nop;
}

/* Looked up once. */
static void load(u32 pair[2])
{
	const char *text = getenv("GP_ISA_MUTANT");
	char from[64] = "", to[64] = "";

	pair[0] = ISA_NR_OPS;
	if (!text || sscanf(text, "%63s %63s", from, to) < 1)
		return;
	pair[0] = find(from);
	pair[1] = find(to);
}

static bool is_seen[ISA_NR_OPS];

static void write_seen(void)
{
	FILE *f = fopen(getenv("GP_ISA_SEEN"), "we");
	u32 op;

	for (op = 1; f && op < ISA_NR_OPS; op++)
		if (is_seen[op])
			fprintf(f, "%s\n", names[op]);
	if (f)
		fclose(f);
}

int __wrap_isa_decode(u32 arch, const u32 word[2], bool has_two, struct isa_inst *inst)
{
	int err = __real_isa_decode(arch, word, has_two, inst);
	static u32 pair[2];

	if (!pair[0]) {
		load(pair);
		if (getenv("GP_ISA_SEEN"))
			atexit(write_seen);
	}
	if (!err)
		is_seen[inst->op] = true;
	if (!err && inst->op == pair[0]) {
		inst->op = (u16)pair[1];
		inst->format = isa_ops[pair[1]].format;
	}
	return err;
}
