// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/memory.h"

#include "isa/float.h"

u32 isa_access_bytes(u32 what)
{
	switch (what & ME_ACTION) {
	case ME_LD_U8:
	case ME_LD_I8:
	case ME_ST_U8:
		return 1;
	case ME_LD_U16:
	case ME_LD_I16:
	case ME_ST_U16:
		return 2;
	case ME_LD_B64:
	case ME_ST_B64:
		return 8;
	case ME_LD_B96:
	case ME_ST_B96:
		return 12;
	case ME_LD_B128:
	case ME_ST_B128:
		return 16;
	}
	return what & ME_X2 ? 8 : 4;
}

bool isa_access_writes(u32 what)
{
	return (what & ME_ACTION) >= ME_ST_U8;
}

/* Byte k of a lane that lies on two pages. */
static u8 *byte_of(const struct isa_lanes *p, u32 l, u32 k)
{
	return k < p->split[l] ? p->at[0][l] + k : p->next[l] + (k - p->split[l]);
}

static __attribute__((__noinline__)) void get_split(const struct isa_lanes *p, u32 l, u32 offset,
						    u8 *to, u32 bytes)
{
	u32 k;

	for (k = 0; k < bytes; k++)
		to[k] = *byte_of(p, l, offset + k);
}

static __attribute__((__noinline__)) void put_split(const struct isa_lanes *p, u32 l, u32 offset,
						    const u8 *from, u32 bytes)
{
	u32 k;

	for (k = 0; k < bytes; k++)
		*byte_of(p, l, offset + k) = from[k];
}

static void get(const struct isa_env *env, const struct isa_access *a, u32 l, u32 offset, void *to,
		u32 bytes)
{
	const struct isa_lanes *p = &env->lanes;

	if (a->is_swizzled)
		memcpy(to, p->at[offset / 4][l], bytes);
	else if (!p->split[l])
		memcpy(to, p->at[0][l] + offset, bytes);
	else
		get_split(p, l, offset, to, bytes);
}

static void put(struct isa_env *env, const struct isa_access *a, u32 l, u32 offset,
		const void *from, u32 bytes)
{
	const struct isa_lanes *p = &env->lanes;

	if (a->is_swizzled)
		memcpy(p->at[offset / 4][l], from, bytes);
	else if (!p->split[l])
		memcpy(p->at[0][l] + offset, from, bytes);
	else
		put_split(p, l, offset, from, bytes);
}

static u32 load_small(const struct isa_env *env, const struct isa_access *a, u32 l, u32 action)
{
	u8 b = 0;
	u16 h = 0;

	if (!env->lanes.at[0][l])
		return 0;
	if (action == ME_LD_U8 || action == ME_LD_I8) {
		get(env, a, l, 0, &b, 1);
		return action == ME_LD_I8 ? (u32)(s8)b : b;
	}
	get(env, a, l, 0, &h, 2);
	return action == ME_LD_I16 ? (u32)(s16)h : h;
}

static void loads_small(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	u32 *dst = w->vgpr[a->dst];
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x;

		if (!(a->mask >> l & 1))
			continue;
		x = load_small(env, a, l, a->what & ME_ACTION);
		if (a->what & ME_HI)
			x = (dst[l] & 0xffff) | x << 16;
		else if (a->what & ME_D16)
			x = (dst[l] & 0xffff0000) | (x & 0xffff);
		dst[l] = x;
	}
}

/* Dwords that no lane has on two pages: what nearly all loads are. */
static void loads_whole(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	u32 words = isa_access_bytes(a->what) / 4, k, l;

	for (k = 0; k < words; k++) {
		u32 *dst = w->vgpr[a->dst + k];

		for (l = 0; l < ISA_LANES; l++) {
			const u8 *at = env->lanes.at[0][l];

			if (!(a->mask >> l & 1))
				continue;
			if (at)
				memcpy(&dst[l], at + 4 * k, 4);
			else
				dst[l] = 0;
		}
	}
}

static void loads(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	u32 words = isa_access_bytes(a->what) / 4, k, l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 x[4] = { 0, 0, 0, 0 };

		if (!(a->mask >> l & 1))
			continue;
		for (k = 0; k < words && env->lanes.at[0][l]; k++)
			get(env, a, l, k * 4, &x[k], 4);
		for (k = 0; k < words; k++)
			w->vgpr[a->dst + k][l] = x[k];
	}
}

static void stores(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	u32 bytes = isa_access_bytes(a->what), words = (bytes + 3) / 4, k, l;
	u32 shift = a->what & ME_HI ? 16 : 0;

	for (l = 0; l < ISA_LANES; l++) {
		if (!(a->mask >> l & 1) || !env->lanes.at[0][l])
			continue;
		for (k = 0; k < words; k++) {
			u32 x = w->vgpr[a->data + k][l] >> shift;

			put(env, a, l, k * 4, &x, min(bytes, 4u));
		}
	}
}

static u64 pack_add(u32 action, u32 old, u32 x, u32 mode)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 16) {
		u16 p = (u16)(old >> k), q = (u16)(x >> k);

		if (action == ME_AT_PK_ADD_F16)
			r |= (u32)isa_f16_add(p, q, isa_fp_mode64(mode)) << k;
		else
			r |= (u32)isa_bf16_from_f32(isa_f32_add((u32)p << 16, (u32)q << 16, 0), 0)
			     << k;
	}
	return r;
}

/* Atomics that know floats. */
static u64 combine_float(u32 action, u64 old, u64 x, u32 mode)
{
	switch (action) {
	case ME_AT_ADD_F32:
		return isa_f32_add((u32)old, (u32)x, isa_fp_mode32(mode));
	case ME_AT_MIN_F32:
		return isa_f32_min((u32)old, (u32)x, isa_fp_mode32(mode));
	case ME_AT_MAX_F32:
		return isa_f32_max((u32)old, (u32)x, isa_fp_mode32(mode));
	case ME_AT_ADD_F64:
		return isa_f64_add(old, x, isa_fp_mode64(mode));
	case ME_AT_MIN_F64:
		return isa_f64_min(old, x, isa_fp_mode64(mode));
	case ME_AT_MAX_F64:
		return isa_f64_max(old, x, isa_fp_mode64(mode));
	}
	return pack_add(action, (u32)old, (u32)x, mode);
}

/* What memory holds afterwards. Values of 32 bits are sign-extended. */
static u64 combine(u32 action, u64 old, u64 x, u64 y, u64 all, u32 mode)
{
	u64 uold = old & all, ux = x & all;

	switch (action) {
	case ME_AT_SWAP:
		return x;
	case ME_AT_CMPSWAP:
		return uold == (y & all) ? x : old;
	case ME_AT_CMPST:
		return uold == ux ? y : old;
	case ME_AT_CMPST_F32:
		return isa_f32_cmp((u32)old, (u32)x, isa_fp_mode32(mode)) & ISA_CMP_EQUAL ? y : old;
	case ME_AT_CMPST_F64:
		return isa_f64_cmp(old, x, isa_fp_mode64(mode)) & ISA_CMP_EQUAL ? y : old;
	case ME_AT_ADD:
		return old + x;
	case ME_AT_SUB:
		return old - x;
	case ME_AT_RSUB:
		return x - old;
	case ME_AT_INC:
		return uold >= ux ? 0 : old + 1;
	case ME_AT_DEC:
		return !uold || uold > ux ? x : old - 1;
	case ME_AT_SMIN:
		return (s64)old < (s64)x ? old : x;
	case ME_AT_SMAX:
		return (s64)old > (s64)x ? old : x;
	case ME_AT_UMIN:
		return uold < ux ? old : x;
	case ME_AT_UMAX:
		return uold > ux ? old : x;
	case ME_AT_AND:
		return old & x;
	case ME_AT_OR:
		return old | x;
	case ME_AT_XOR:
		return old ^ x;
	case ME_AT_MSKOR:
		return (old & ~x) | y;
	}
	return combine_float(action, old, x, mode);
}

static u64 operand(struct isa_wave *w, u32 row, u32 l, bool is_wide)
{
	if (is_wide)
		return w->vgpr[row][l] | (u64)w->vgpr[row + 1][l] << 32;
	return (u64)(s64)(s32)w->vgpr[row][l];
}

/* Lanes in order: each sees what those before it left. */
static void atomics(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	bool is_wide = a->what & ME_X2;
	u32 bytes = is_wide ? 8 : 4, action = a->what & ME_ACTION, l;
	u32 second = action == ME_AT_CMPSWAP ? a->data + bytes / 4 : a->data2;
	bool has_second = action == ME_AT_CMPSWAP || action == ME_AT_CMPST ||
			  action == ME_AT_CMPST_F32 || action == ME_AT_CMPST_F64 ||
			  action == ME_AT_MSKOR;

	for (l = 0; l < ISA_LANES; l++) {
		u64 old = 0, x;

		if (!(a->mask >> l & 1))
			continue;
		if (env->lanes.at[0][l]) {
			get(env, a, l, 0, &old, bytes);
			if (!is_wide)
				old = (u64)(s64)(s32)old;
			x = combine(action, old, operand(w, a->data, l, is_wide),
				    has_second ? operand(w, second, l, is_wide) : 0,
				    is_wide ? ~0ull : 0xffffffff, a->mode);
			put(env, a, l, 0, &x, bytes);
		}
		if (a->returns) {
			w->vgpr[a->dst][l] = (u32)old;
			if (is_wide)
				w->vgpr[a->dst + 1][l] = (u32)(old >> 32);
		}
	}
}

void isa_access_do(struct isa_wave *w, struct isa_env *env, const struct isa_access *a)
{
	u32 action = a->what & ME_ACTION;

	if (action >= ME_AT_SWAP)
		atomics(w, env, a);
	else if (action >= ME_ST_U8)
		stores(w, env, a);
	else if (action >= ME_LD_B32 && a->is_whole)
		loads_whole(w, env, a);
	else if (action >= ME_LD_B32)
		loads(w, env, a);
	else
		loads_small(w, env, a);
}
