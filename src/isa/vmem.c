// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Global, flat, scratch and buffer memory. An instruction has two phases: all
 * lanes find their bytes first, and only if all of them have does any lane load
 * or store. So a fault, or a page that is not there, leaves the wave whole.
 */
#include "isa/memory.h"

/* Scratch: dwords of a lane are a row of all lanes apart. */
#define SWIZZLE_BYTES (4u * ISA_LANES)

static enum isa_reason locate(struct isa_wave *w, struct isa_env *env, u32 l, u64 address,
			      u32 bytes, bool write)
{
	u32 offset = (u32)(address % ISA_PAGE_BYTES);
	struct isa_lanes *p = &env->lanes;
	enum isa_reason reason = ISA_GO;
	u8 *page = isa_page(w, env, address, write, &reason);

	if (!page)
		return reason;
	p->at[0][l] = page + offset;
	p->split[l] = 0;
	if (offset + bytes <= ISA_PAGE_BYTES)
		return ISA_GO;
	p->split[l] = (u8)(ISA_PAGE_BYTES - offset);
	p->next[l] = isa_page(w, env, address + bytes - 1, write, &reason);
	return reason;
}

/* Lanes that are private memory. The dword is the unit: none lies on two. */
static enum isa_reason locate_scratch(struct isa_wave *w, struct isa_env *env, u32 l, u64 base,
				      u32 offset, u32 bytes, bool write)
{
	u32 k;

	if (offset % 4 && offset % 4 + bytes > 4) {
		w->stop_address = base + offset;
		return ISA_FAULT;
	}
	env->lanes.split[l] = 0;
	for (k = 0; k * 4 < bytes; k++) {
		u64 at = base + (u64)(offset / 4 + k) * SWIZZLE_BYTES + l * 4 + offset % 4;
		enum isa_reason reason = ISA_GO;
		u8 *page = isa_page(w, env, at, write, &reason);

		if (!page)
			return reason;
		env->lanes.at[k][l] = page + at % ISA_PAGE_BYTES;
	}
	return ISA_GO;
}

static void locate_lds(struct isa_wave *w, struct isa_env *env, u32 l, u32 offset, u32 bytes)
{
	bool fits = offset < w->lds_bytes && bytes <= w->lds_bytes - offset;

	env->lanes.split[l] = 0;
	env->lanes.at[0][l] = fits ? w->lds + offset : NULL;
}

static u64 flat_address(struct isa_wave *w, const struct isa_inst *i, u32 l)
{
	u32 row = i->src[0] - ISA_R_VGPR;
	u64 v = w->vgpr[row][l];

	if (i->sbase != 0x7f)
		v += isa_read_reg64(w, i->sbase);
	else
		v |= (u64)w->vgpr[row + 1][l] << 32;
	return v + (u64)(s64)i->imm;
}

static u32 scratch_offset(struct isa_wave *w, const struct isa_inst *i, u32 l)
{
	u32 offset = (u32)i->imm;

	if (i->bits & ISA_M_OFFEN)
		offset += w->vgpr[i->src[0] - ISA_R_VGPR][l];
	if (i->sbase != 0x7f)
		offset += isa_read_reg(w, i->sbase);
	return offset;
}

/* A flat instruction whose lanes are in different kinds of memory does each apart. */
struct kinds {
	u64 lds;
	u64 scratch;
	u64 global;
};

static enum isa_reason locate_lane(struct isa_wave *w, struct isa_env *env,
				   const struct isa_inst *i, u32 l, struct kinds *kinds, u32 bytes,
				   bool write)
{
	u64 scratch = isa_read_reg64(w, ISA_R_FLAT_SCRATCH);
	u64 address, bit = 1ull << l;

	if (i->format == ISA_FMT_SCRATCH) {
		kinds->scratch |= bit;
		return locate_scratch(w, env, l, scratch, scratch_offset(w, i, l), bytes, write);
	}
	address = flat_address(w, i, l);
	if (i->format == ISA_FMT_FLAT && address >> 32 == env->shared_base) {
		kinds->lds |= bit;
		locate_lds(w, env, l, (u32)address, bytes);
		return ISA_GO;
	}
	if (i->format == ISA_FMT_FLAT && address >> 32 == env->private_base) {
		kinds->scratch |= bit;
		return locate_scratch(w, env, l, scratch, (u32)address, bytes, write);
	}
	kinds->global |= bit;
	return locate(w, env, l, address, bytes, write);
}

/* Which of them are written: a dword, or less without a sign. */
static bool is_lds_load(u32 action)
{
	return action == ME_LD_B32 || action == ME_LD_U8 || action == ME_LD_U16;
}

/* A load that goes to LDS: M0 + offset + 4 x lane. */
static void to_lds(struct isa_wave *w, struct isa_env *env, const struct isa_access *a, u32 offset)
{
	u32 bytes = isa_access_bytes(a->what), l, k;
	const struct isa_lanes *p = &env->lanes;

	for (l = 0; l < ISA_LANES; l++) {
		u32 at = (w->m0 & 0xffff) + offset + l * 4;
		u8 x[4] = { 0, 0, 0, 0 };

		if (!(a->mask >> l & 1))
			continue;
		for (k = 0; k < bytes && p->at[0][l]; k++)
			x[k] = p->split[l] && k >= p->split[l] ? p->next[l][k - p->split[l]] :
								 p->at[0][l][k];
		if (at < w->lds_bytes && w->lds_bytes - at >= 4)
			memcpy(w->lds + at, x, 4);
	}
}

/*
 * Global memory, where the time goes: neighbours are mostly on one page, so that
 * the page of the lane before is tried first.
 */
static enum isa_reason locate_global(struct isa_wave *w, struct isa_env *env,
				     const struct isa_inst *i, u32 bytes, struct isa_access *a)
{
	bool write = isa_access_writes(a->what), has_base = i->sbase != 0x7f;
	const u32 *lo = w->vgpr[i->src[0] - ISA_R_VGPR];
	const u32 *hi = has_base ? NULL : w->vgpr[i->src[0] - ISA_R_VGPR + 1];
	u64 base = (has_base ? isa_read_reg64(w, i->sbase) : 0) + (u64)(s64)i->imm;
	u64 page = ~0ull;
	u8 *at = NULL;
	u32 l;

	a->is_whole = true;
	for (l = 0; l < ISA_LANES; l++) {
		u64 address = base + lo[l] + (hi ? (u64)hi[l] << 32 : 0);
		u32 offset = (u32)(address % ISA_PAGE_BYTES);
		enum isa_reason r = ISA_GO;

		if (!(w->exec >> l & 1))
			continue;
		if (offset + bytes > ISA_PAGE_BYTES) {
			a->is_whole = false;
			r = locate(w, env, l, address, bytes, write);
			if (r != ISA_GO)
				return r;
			continue;
		}
		if (address - offset != page) {
			at = isa_page(w, env, address, write, &r);
			if (!at)
				return r;
			page = address - offset;
		}
		env->lanes.at[0][l] = at + offset;
		env->lanes.split[l] = 0;
	}
	return ISA_GO;
}

static enum isa_reason exec_global(struct isa_wave *w, struct isa_env *env,
				   const struct isa_inst *i, struct isa_access *a)
{
	enum isa_reason r = locate_global(w, env, i, isa_access_bytes(a->what), a);

	if (r != ISA_GO)
		return r;
	a->mask = w->exec;
	isa_access_do(w, env, a);
	return ISA_GO;
}

enum isa_reason isa_exec_flat(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 what = isa_ops[i->op].what;
	struct isa_access a = { .what = what, .mode = w->mode, .dst = isa_row(w, i->dst) };
	u32 bytes = isa_access_bytes(what), l;
	bool write = isa_access_writes(what);
	struct kinds kinds = { 0, 0, 0 };

	a.data = isa_row(w, i->src[1]);
	a.returns = i->bits & ISA_M_GLC;
	if (!(what & ME_ACTION) || what & ME_LDS)
		return ISA_ILLEGAL;
	if (i->format == ISA_FMT_GLOBAL)
		return exec_global(w, env, i, &a);
	for (l = 0; l < ISA_LANES; l++) {
		enum isa_reason r;

		if (!(w->exec >> l & 1))
			continue;
		r = locate_lane(w, env, i, l, &kinds, bytes, write);
		if (r != ISA_GO)
			return r;
	}
	a.mask = kinds.global | kinds.lds;
	if (a.mask)
		isa_access_do(w, env, &a);
	a.mask = kinds.scratch;
	a.is_swizzled = true;
	if (a.mask)
		isa_access_do(w, env, &a);
	return ISA_GO;
}

/**
 * struct buffer - a buffer descriptor, taken apart
 * @base: address
 * @records: bytes, or elements of @stride
 * @stride: bytes of an element
 * @index_stride: elements that are swizzled together
 * @element: bytes that stay together
 * @add_tid: the lane is part of the index
 * @is_swizzled: see @index_stride
 */
struct buffer {
	u64 base;
	u32 records;
	u32 stride;
	u32 index_stride;
	u32 element;
	bool add_tid;
	bool is_swizzled;
};

static void read_descriptor(struct isa_wave *w, u32 sbase, struct buffer *b)
{
	u32 d1 = isa_read_reg(w, sbase + 1), d3 = isa_read_reg(w, sbase + 3);

	b->base = isa_read_reg(w, sbase) | (u64)(d1 & 0xffff) << 32;
	b->records = isa_read_reg(w, sbase + 2);
	b->stride = d1 >> 16 & 0x3fff;
	b->is_swizzled = d1 >> 31;
	b->add_tid = d3 >> 23 & 1;
	b->index_stride = 8u << (d3 >> 21 & 3);
	b->element = 2u << (d3 >> 19 & 3);
}

/* Beyond the records a lane has no bytes; with an index they are counted in strides. */
static bool in_buffer(const struct buffer *b, u32 index, u64 offset, u32 bytes, bool has_index)
{
	if (b->add_tid)
		return b->records;
	if (b->stride && (b->is_swizzled || has_index))
		return index < b->records;
	return offset + bytes <= b->records;
}

static u64 buffer_address(const struct buffer *b, u32 index, u32 offset)
{
	if (!b->is_swizzled)
		return b->base + offset + (u64)index * b->stride;
	return b->base +
	       ((u64)(index / b->index_stride) * b->stride + offset / b->element * b->element) *
		       b->index_stride +
	       (u64)(index % b->index_stride) * b->element + offset % b->element;
}

static enum isa_reason locate_buffer(struct isa_wave *w, struct isa_env *env,
				     const struct isa_inst *i, const struct buffer *b, u32 l,
				     u32 bytes, bool write, u32 soffset)
{
	u32 row = i->src[0] - ISA_R_VGPR, index = 0, offset = (u32)i->imm, k;

	if (i->bits & ISA_M_IDXEN)
		index = w->vgpr[row++][l];
	if (i->bits & ISA_M_OFFEN)
		offset += w->vgpr[row][l];
	if (b->add_tid)
		index += l;
	env->lanes.split[l] = 0;
	if (!in_buffer(b, index, offset, bytes, i->bits & ISA_M_IDXEN)) {
		env->lanes.at[0][l] = NULL;
		return ISA_GO;
	}
	if (!b->is_swizzled || bytes <= 4)
		return locate(w, env, l, buffer_address(b, index, offset) + soffset, bytes, write);
	for (k = 0; k * 4 < bytes; k++) {
		u64 at = buffer_address(b, index, offset + k * 4) + soffset;
		enum isa_reason reason = ISA_GO;
		u8 *page = isa_page(w, env, at & ~3ull, write, &reason);

		if (!page)
			return reason;
		env->lanes.at[k][l] = page + (at & ~3ull) % ISA_PAGE_BYTES;
	}
	return ISA_GO;
}

enum isa_reason isa_exec_mubuf(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 what = isa_ops[i->op].what;
	struct isa_access a = { .what = what, .mode = w->mode, .mask = w->exec };
	u32 bytes = isa_access_bytes(what), soffset, l;
	struct buffer b;

	if (i->op == ISA_OP_buffer_wbl2 || i->op == ISA_OP_buffer_invl2 ||
	    i->op == ISA_OP_buffer_inv || i->op == ISA_OP_buffer_wbinvl1 ||
	    i->op == ISA_OP_buffer_wbinvl1_vol)
		return ISA_GO;
	if (!(what & ME_ACTION))
		return ISA_ILLEGAL;
	if (!(i->bits & ISA_M_LDS))
		a.dst = a.data = isa_row(w, i->dst);
	else if (!is_lds_load(what & ME_ACTION))
		return ISA_ILLEGAL;
	a.returns = i->bits & ISA_M_GLC;
	read_descriptor(w, i->sbase, &b);
	soffset = isa_read32(w, i, i->soff);
	a.is_swizzled = b.is_swizzled && bytes > 4;
	for (l = 0; l < ISA_LANES; l++) {
		enum isa_reason r;

		if (!(w->exec >> l & 1))
			continue;
		r = locate_buffer(w, env, i, &b, l, bytes, isa_access_writes(what), soffset);
		if (r != ISA_GO)
			return r;
	}
	if (i->bits & ISA_M_LDS)
		to_lds(w, env, &a, (u32)i->imm);
	else
		isa_access_do(w, env, &a);
	return ISA_GO;
}
