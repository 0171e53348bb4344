// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vector integers of 32 bits. */
#include "isa/bits.h"
#include "isa/valu.h"

#define LANES(x)                          \
	do {                              \
		ISA_EACH_LANE r[l] = (x); \
		return true;              \
	} while (0)

#define A a[l]
#define B b[l]
#define C c[l]

static inline u32 i24(u32 x)
{
	return (u32)((s32)(x << 8) >> 8);
}

static inline u32 u24(u32 x)
{
	return x & 0xffffff;
}

static inline u32 min_s32(u32 x, u32 y)
{
	return (s32)x < (s32)y ? x : y;
}

static inline u32 max_s32(u32 x, u32 y)
{
	return (s32)x > (s32)y ? x : y;
}

static inline u32 min_u32(u32 x, u32 y)
{
	return x < y ? x : y;
}

static inline u32 max_u32(u32 x, u32 y)
{
	return x > y ? x : y;
}

static inline u32 diff(u32 x, u32 y)
{
	return x > y ? x - y : y - x;
}

static u32 sad8(u32 x, u32 y, u32 add, bool masked)
{
	u32 k;

	for (k = 0; k < 32; k += 8)
		if (!masked || (y >> k & 0xff))
			add += diff(x >> k & 0xff, y >> k & 0xff);
	return add;
}

/* A byte of two registers, or a constant: sel 0 to 3 of y, 4 to 7 of x. */
static u32 perm_byte(u32 x, u32 y, u32 sel)
{
	u64 both = (u64)x << 32 | y;

	if (sel < 8)
		return (u32)(both >> (sel * 8)) & 0xff;
	if (sel < 12)
		return both >> (15 + 16 * (sel - 8)) & 1 ? 0xff : 0;
	return sel == 12 ? 0 : 0xff;
}

static u32 perm(u32 x, u32 y, u32 sel)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 8)
		r |= perm_byte(x, y, sel >> k & 0xff) << k;
	return r;
}

static u32 lerp8(u32 x, u32 y, u32 c)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k += 8)
		r |= (((x >> k & 0xff) + (y >> k & 0xff) + (c >> k & 1)) >> 1 & 0xff) << k;
	return r;
}

static u32 saturate(s64 x, s64 low, s64 high)
{
	return (u32)(x < low ? low : x > high ? high
					      : x);
}

/* Sums that stop at the ends of the range. */
static bool clamped(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_u32:
		LANES(A + B < A ? ~0u : A + B);
	case ISA_OP_v_sub_u32:
		LANES(A < B ? 0 : A - B);
	case ISA_OP_v_subrev_u32:
		LANES(B < A ? 0 : B - A);
	case ISA_OP_v_add_i32:
		LANES(saturate((s64)(s32)A + (s32)B, -0x80000000ll, 0x7fffffff));
	case ISA_OP_v_sub_i32:
		LANES(saturate((s64)(s32)A - (s32)B, -0x80000000ll, 0x7fffffff));
	}
	return false;
}

static bool one(struct isa_valu *v, u32 *r, const u32 *a)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_mov_b32:
		LANES(A);
	case ISA_OP_v_not_b32:
		LANES(~A);
	case ISA_OP_v_bfrev_b32:
		LANES(isa_reverse(A));
	case ISA_OP_v_ffbh_u32:
		LANES(isa_find_high(A));
	case ISA_OP_v_ffbl_b32:
		LANES(isa_find_low(A));
	case ISA_OP_v_ffbh_i32:
		LANES(isa_find_sign(A));
	}
	return false;
}

static bool two(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_add_u32:
	case ISA_OP_v_add_i32:
		LANES(A + B);
	case ISA_OP_v_sub_u32:
	case ISA_OP_v_sub_i32:
		LANES(A - B);
	case ISA_OP_v_subrev_u32:
		LANES(B - A);
	case ISA_OP_v_mul_i32_i24:
		LANES(i24(A) * i24(B));
	case ISA_OP_v_mul_hi_i32_i24:
		LANES((u32)((u64)((s64)(s32)i24(A) * (s32)i24(B)) >> 32));
	case ISA_OP_v_mul_u32_u24:
		LANES(u24(A) * u24(B));
	case ISA_OP_v_mul_hi_u32_u24:
		LANES((u32)((u64)u24(A) * u24(B) >> 32));
	case ISA_OP_v_mul_lo_u32:
		LANES(A * B);
	case ISA_OP_v_mul_hi_u32:
		LANES((u32)((u64)A * B >> 32));
	case ISA_OP_v_mul_hi_i32:
		LANES((u32)((u64)((s64)(s32)A * (s32)B) >> 32));
	case ISA_OP_v_min_i32:
		LANES(min_s32(A, B));
	case ISA_OP_v_max_i32:
		LANES(max_s32(A, B));
	case ISA_OP_v_min_u32:
		LANES(min_u32(A, B));
	case ISA_OP_v_max_u32:
		LANES(max_u32(A, B));
	case ISA_OP_v_lshrrev_b32:
		LANES(B >> (A & 31));
	case ISA_OP_v_ashrrev_i32:
		LANES((u32)((s32)B >> (A & 31)));
	case ISA_OP_v_lshlrev_b32:
		LANES(B << (A & 31));
	case ISA_OP_v_and_b32:
		LANES(A & B);
	case ISA_OP_v_or_b32:
		LANES(A | B);
	case ISA_OP_v_xor_b32:
		LANES(A ^ B);
	case ISA_OP_v_xnor_b32:
		LANES(~(A ^ B));
	case ISA_OP_v_bfm_b32:
		LANES(((1u << (A & 31)) - 1) << (B & 31));
	case ISA_OP_v_bcnt_u32_b32:
		LANES(isa_popcount(A) + B);
	case ISA_OP_v_mbcnt_lo_u32_b32:
		LANES(isa_popcount(A & (l >= 32 ? ~0u : (1u << l) - 1)) + B);
	case ISA_OP_v_mbcnt_hi_u32_b32:
		LANES((l <= 32 ? 0 : isa_popcount(A & ((1u << (l - 32)) - 1))) + B);
	case ISA_OP_v_cvt_pk_u16_u32:
		LANES(min_u32(A, 0xffff) | min_u32(B, 0xffff) << 16);
	case ISA_OP_v_cvt_pk_i16_i32:
		LANES((saturate((s32)A, -0x8000, 0x7fff) & 0xffff) |
		      saturate((s32)B, -0x8000, 0x7fff) << 16);
	}
	return false;
}

static bool three(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b, const u32 *c)
{
	u32 l;

	switch (v->i->op) {
	case ISA_OP_v_mad_i32_i24:
		LANES(i24(A) * i24(B) + C);
	case ISA_OP_v_mad_u32_u24:
		LANES(u24(A) * u24(B) + C);
	case ISA_OP_v_bfe_u32:
		LANES(isa_field32(A, B & 31, C & 31, false));
	case ISA_OP_v_bfe_i32:
		LANES(isa_field32(A, B & 31, C & 31, true));
	case ISA_OP_v_bfi_b32:
		LANES((A & B) | (~A & C));
	case ISA_OP_v_lerp_u8:
		LANES(lerp8(A, B, C));
	case ISA_OP_v_alignbit_b32:
		LANES((u32)(((u64)A << 32 | B) >> (C & 31)));
	case ISA_OP_v_alignbyte_b32:
		LANES((u32)(((u64)A << 32 | B) >> (8 * (C & 3))));
	case ISA_OP_v_min3_i32:
		LANES(min_s32(min_s32(A, B), C));
	case ISA_OP_v_max3_i32:
		LANES(max_s32(max_s32(A, B), C));
	case ISA_OP_v_min3_u32:
		LANES(min_u32(min_u32(A, B), C));
	case ISA_OP_v_max3_u32:
		LANES(max_u32(max_u32(A, B), C));
	case ISA_OP_v_med3_i32:
		LANES(max_s32(min_s32(A, B), min_s32(max_s32(A, B), C)));
	case ISA_OP_v_med3_u32:
		LANES(max_u32(min_u32(A, B), min_u32(max_u32(A, B), C)));
	case ISA_OP_v_sad_u8:
		LANES(sad8(A, B, C, false));
	case ISA_OP_v_sad_hi_u8:
		LANES((sad8(A, B, 0, false) << 16) + C);
	case ISA_OP_v_msad_u8:
		LANES(sad8(A, B, C, true));
	case ISA_OP_v_sad_u16:
		LANES(diff(A & 0xffff, B & 0xffff) + diff(A >> 16, B >> 16) + C);
	case ISA_OP_v_sad_u32:
		LANES(diff(A, B) + C);
	case ISA_OP_v_perm_b32:
		LANES(perm(A, B, C));
	case ISA_OP_v_xad_u32:
		LANES((A ^ B) + C);
	case ISA_OP_v_lshl_add_u32:
		LANES((A << (B & 31)) + C);
	case ISA_OP_v_add_lshl_u32:
		LANES((A + B) << (C & 31));
	case ISA_OP_v_add3_u32:
		LANES(A + B + C);
	case ISA_OP_v_lshl_or_b32:
		LANES((A << (B & 31)) | C);
	case ISA_OP_v_and_or_b32:
		LANES((A & B) | C);
	case ISA_OP_v_or3_b32:
		LANES(A | B | C);
	}
	return false;
}

/* Chains: a carry in, a carry out, or both. */
static bool carries(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u64 in = v->o->flags & OF_CIN ? isa_read_reg64(v->w, v->i->src[2]) : 0, out = 0;
	u32 l;

	if (v->i->clamp)
		return false;
	for (l = 0; l < ISA_LANES; l++) {
		u64 x, cin = in >> l & 1;

		switch (v->i->op) {
		case ISA_OP_v_add_co_u32:
		case ISA_OP_v_addc_co_u32:
			x = (u64)A + B + cin;
			break;
		case ISA_OP_v_sub_co_u32:
		case ISA_OP_v_subb_co_u32:
			x = (u64)A - B - cin;
			break;
		case ISA_OP_v_subrev_co_u32:
		case ISA_OP_v_subbrev_co_u32:
			x = (u64)B - A - cin;
			break;
		default:
			return false;
		}
		out |= (x >> 32 & 1) << l;
		r[l] = (u32)x;
	}
	v->carry = out;
	return true;
}

static bool choose(struct isa_valu *v, u32 *r, const u32 *a, const u32 *b)
{
	u64 mask = isa_read_reg64(v->w, v->i->src[2]);
	u32 l;

	for (l = 0; l < ISA_LANES; l++) {
		u32 m = 0 - (u32)(mask >> l & 1);

		r[l] = (B & m) | (A & ~m);
	}
	return true;
}

bool isa_valu_int(struct isa_valu *v)
{
	const u32 *a = v->s[0], *b = v->s[1], *c = v->s[2];
	const u8 *words = v->o->words;

	if (words[0] != 1 || words[1] != 1 || words[2] == 2 || words[3] == 2)
		return false;
	if (v->i->op == ISA_OP_v_cndmask_b32)
		return choose(v, v->r, a, b);
	if (v->o->flags & OF_SD)
		return carries(v, v->r, a, b);
	if (v->i->clamp)
		return words[2] && !words[3] && clamped(v, v->r, a, b);
	if (words[3])
		return three(v, v->r, a, b, c);
	return words[2] ? two(v, v->r, a, b) : one(v, v->r, a);
}
