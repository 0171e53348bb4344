// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/memory.h"

/* Lanes find their bytes; those beyond the allocation have none. */
static void locate(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i, u32 offset,
		   u32 bytes)
{
	const u32 *address = w->vgpr[i->src[0] - ISA_R_VGPR];
	u32 l;

	memset(env->lanes.split, 0, sizeof(env->lanes.split));
	for (l = 0; l < ISA_LANES; l++) {
		u64 at = (u64)address[l] + offset;

		env->lanes.at[0][l] = at + bytes <= w->lds_bytes ? w->lds + at : NULL;
	}
}

/* Two elements, each with an offset of its own in elements. */
static void two(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i,
		struct isa_access *a)
{
	u32 bytes = isa_access_bytes(a->what), unit = bytes * (a->what & ME_ST64 ? 64 : 1);
	u32 address[ISA_LANES], *row = w->vgpr[i->src[0] - ISA_R_VGPR], l;

	/* The first result may overwrite the address. */
	memcpy(address, row, sizeof(address));
	locate(w, env, i, (i->imm & 0xff) * unit, bytes);
	isa_access_do(w, env, a);
	a->data = a->data2;
	a->dst += bytes / 4;
	for (l = 0; l < ISA_LANES; l++) {
		u64 at = (u64)address[l] + (u32)(i->imm >> 8 & 0xff) * unit;

		env->lanes.at[0][l] = at + bytes <= w->lds_bytes ? w->lds + at : NULL;
	}
	isa_access_do(w, env, a);
}

static u32 swizzle_source(u32 pattern, u32 l)
{
	u32 group = l & 32, in = l & 31;

	if (pattern & 0x8000)
		return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
	in = ((in & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
	return group | in;
}

/* From another lane; an inactive one gives 0. */
static void from_lane(struct isa_wave *w, struct isa_env *env, const u32 *data, u32 *dst,
		      const u32 *source)
{
	u32 *r = env->lanes.r32, l;

	for (l = 0; l < ISA_LANES; l++)
		r[l] = w->exec >> source[l] & 1 ? data[source[l]] : 0;
	for (l = 0; l < ISA_LANES; l++)
		if (w->exec >> l & 1)
			dst[l] = r[l];
}

static void permute(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	const u32 *address = w->vgpr[i->src[0] - ISA_R_VGPR];
	const u32 *data = w->vgpr[isa_row(w, i->src[1])];
	u32 *dst = w->vgpr[isa_row(w, i->dst)], *r = env->lanes.r32, l;

	memset(r, 0, sizeof(env->lanes.r32));
	for (l = 0; l < ISA_LANES; l++)
		if (w->exec >> l & 1)
			r[(address[l] + (u32)i->imm) / 4 % ISA_LANES] = data[l];
	for (l = 0; l < ISA_LANES; l++)
		if (w->exec >> l & 1)
			dst[l] = r[l];
}

static enum isa_reason across(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 *source = env->lanes.s32[0], l;
	const u32 *address = w->vgpr[i->src[0] - ISA_R_VGPR];

	switch (i->op) {
	case ISA_OP_ds_nop:
		return ISA_GO;
	case ISA_OP_ds_permute_b32:
		permute(w, env, i);
		return ISA_GO;
	case ISA_OP_ds_bpermute_b32:
		for (l = 0; l < ISA_LANES; l++)
			source[l] = (address[l] + (u32)i->imm) / 4 % ISA_LANES;
		from_lane(w, env, w->vgpr[isa_row(w, i->src[1])], w->vgpr[isa_row(w, i->dst)],
			  source);
		return ISA_GO;
	case ISA_OP_ds_swizzle_b32:
		for (l = 0; l < ISA_LANES; l++)
			source[l] = swizzle_source((u32)i->imm, l);
		from_lane(w, env, address, w->vgpr[isa_row(w, i->dst)], source);
		return ISA_GO;
	}
	return ISA_ILLEGAL;
}

enum isa_reason isa_exec_ds(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 what = isa_ops[i->op].what;
	struct isa_access a = { .what = what, .mask = w->exec, .mode = w->mode };

	if (!(what & ME_ACTION))
		return across(w, env, i);
	a.returns = what & ME_RTN;
	a.is_whole = true;
	a.data = isa_row(w, i->src[1]);
	a.data2 = isa_row(w, i->src[2]);
	a.dst = isa_row(w, i->dst);
	if (what & ME_TWO) {
		two(w, env, i, &a);
		return ISA_GO;
	}
	locate(w, env, i, (u32)i->imm, isa_access_bytes(what));
	isa_access_do(w, env, &a);
	return ISA_GO;
}
