// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Matrix operations: D = A x B + C, in blocks, each element a chain of fma in
 * the order of k. EXEC does not matter. AMD documents neither order nor
 * intermediate roundings for all types: these are ours, nearest even, denormals
 * kept. Where elements lie: AMD's matrix instruction calculator.
 *
 * Lane l of a block's lanes holds row (A) or column (B) l modulo m, elements k
 * from (l / m) x per_lane on. D has four rows to a group of lanes.
 */
#include "isa/float.h"
#include "isa/valu.h"

enum kind {
	KIND_F32,
	KIND_F16,
	KIND_BF16,
	KIND_I8,
	KIND_F64,
};

/**
 * struct shape - a matrix opcode
 * @kind: of elements
 * @m: rows of A and D, columns of B and D
 * @k: columns of A
 * @blocks: how many matrices
 * @per_lane: elements of A or B in a lane
 */
struct shape {
	u8 kind;
	u8 m;
	u8 k;
	u8 blocks;
	u8 per_lane;
};

#define S(kind, m, k, blocks, per_lane) \
	((struct shape){ KIND_##kind, m, k, blocks, per_lane })

static bool shape_of(u32 op, struct shape *s)
{
	switch (op) {
	case ISA_OP_v_mfma_f32_32x32x1f32:
	case ISA_OP_v_mfma_f32_32x32x1_2b_f32:
		*s = S(F32, 32, 1, 2, 1);
		return true;
	case ISA_OP_v_mfma_f32_16x16x1f32:
	case ISA_OP_v_mfma_f32_16x16x1_4b_f32:
		*s = S(F32, 16, 1, 4, 1);
		return true;
	case ISA_OP_v_mfma_f32_4x4x1f32:
	case ISA_OP_v_mfma_f32_4x4x1_16b_f32:
		*s = S(F32, 4, 1, 16, 1);
		return true;
	case ISA_OP_v_mfma_f32_32x32x2f32:
	case ISA_OP_v_mfma_f32_32x32x2_f32:
		*s = S(F32, 32, 2, 1, 1);
		return true;
	case ISA_OP_v_mfma_f32_16x16x4f32:
	case ISA_OP_v_mfma_f32_16x16x4_f32:
		*s = S(F32, 16, 4, 1, 1);
		return true;
	case ISA_OP_v_mfma_f32_32x32x4f16:
	case ISA_OP_v_mfma_f32_32x32x4_2b_f16:
		*s = S(F16, 32, 4, 2, 4);
		return true;
	case ISA_OP_v_mfma_f32_16x16x4f16:
	case ISA_OP_v_mfma_f32_16x16x4_4b_f16:
		*s = S(F16, 16, 4, 4, 4);
		return true;
	case ISA_OP_v_mfma_f32_4x4x4f16:
	case ISA_OP_v_mfma_f32_4x4x4_16b_f16:
		*s = S(F16, 4, 4, 16, 4);
		return true;
	case ISA_OP_v_mfma_f32_32x32x8f16:
	case ISA_OP_v_mfma_f32_32x32x8_f16:
		*s = S(F16, 32, 8, 1, 4);
		return true;
	case ISA_OP_v_mfma_f32_16x16x16f16:
	case ISA_OP_v_mfma_f32_16x16x16_f16:
		*s = S(F16, 16, 16, 1, 4);
		return true;
	case ISA_OP_v_mfma_f32_32x32x2bf16:
		*s = S(BF16, 32, 2, 2, 2);
		return true;
	case ISA_OP_v_mfma_f32_16x16x2bf16:
		*s = S(BF16, 16, 2, 4, 2);
		return true;
	case ISA_OP_v_mfma_f32_4x4x2bf16:
		*s = S(BF16, 4, 2, 16, 2);
		return true;
	case ISA_OP_v_mfma_f32_32x32x4bf16:
		*s = S(BF16, 32, 4, 1, 2);
		return true;
	case ISA_OP_v_mfma_f32_16x16x8bf16:
		*s = S(BF16, 16, 8, 1, 2);
		return true;
	case ISA_OP_v_mfma_f32_32x32x4bf16_1k:
	case ISA_OP_v_mfma_f32_32x32x4_2b_bf16:
		*s = S(BF16, 32, 4, 2, 4);
		return true;
	case ISA_OP_v_mfma_f32_16x16x4bf16_1k:
	case ISA_OP_v_mfma_f32_16x16x4_4b_bf16:
		*s = S(BF16, 16, 4, 4, 4);
		return true;
	case ISA_OP_v_mfma_f32_4x4x4bf16_1k:
	case ISA_OP_v_mfma_f32_4x4x4_16b_bf16:
		*s = S(BF16, 4, 4, 16, 4);
		return true;
	case ISA_OP_v_mfma_f32_32x32x8bf16_1k:
	case ISA_OP_v_mfma_f32_32x32x8_bf16:
		*s = S(BF16, 32, 8, 1, 4);
		return true;
	case ISA_OP_v_mfma_f32_16x16x16bf16_1k:
	case ISA_OP_v_mfma_f32_16x16x16_bf16:
		*s = S(BF16, 16, 16, 1, 4);
		return true;
	}
	return false;
}

static bool shape_of_other(u32 op, struct shape *s)
{
	switch (op) {
	case ISA_OP_v_mfma_i32_32x32x4i8:
	case ISA_OP_v_mfma_i32_32x32x4_2b_i8:
		*s = S(I8, 32, 4, 2, 4);
		return true;
	case ISA_OP_v_mfma_i32_16x16x4i8:
	case ISA_OP_v_mfma_i32_16x16x4_4b_i8:
		*s = S(I8, 16, 4, 4, 4);
		return true;
	case ISA_OP_v_mfma_i32_4x4x4i8:
	case ISA_OP_v_mfma_i32_4x4x4_16b_i8:
		*s = S(I8, 4, 4, 16, 4);
		return true;
	case ISA_OP_v_mfma_i32_32x32x8i8:
		*s = S(I8, 32, 8, 1, 4);
		return true;
	case ISA_OP_v_mfma_i32_16x16x16i8:
		*s = S(I8, 16, 16, 1, 4);
		return true;
	case ISA_OP_v_mfma_i32_32x32x16_i8:
		*s = S(I8, 32, 16, 1, 8);
		return true;
	case ISA_OP_v_mfma_i32_16x16x32_i8:
		*s = S(I8, 16, 32, 1, 8);
		return true;
	case ISA_OP_v_mfma_f64_16x16x4f64:
	case ISA_OP_v_mfma_f64_16x16x4_f64:
		*s = S(F64, 16, 4, 1, 1);
		return true;
	case ISA_OP_v_mfma_f64_4x4x4f64:
	case ISA_OP_v_mfma_f64_4x4x4_4b_f64:
		*s = S(F64, 4, 4, 4, 1);
		return true;
	}
	return false;
}

bool isa_is_matrix(u32 op)
{
	return op >= ISA_OP_v_mfma_f32_32x32x1f32 && op < ISA_END_VOP3P;
}

/* Element e of every lane, as a number that is added up. */
static void unpack(struct isa_wave *w, const struct shape *s, u32 src, u32 e, u32 *to)
{
	u32 row = isa_row(w, src), l;

	switch (s->kind) {
	case KIND_F32:
		memcpy(to, w->vgpr[row], 4 * ISA_LANES);
		return;
	case KIND_I8:
		for (l = 0; l < ISA_LANES; l++)
			to[l] = (u32)(s8)(w->vgpr[row + e / 4][l] >> (8 * (e % 4)));
		return;
	case KIND_BF16:
		for (l = 0; l < ISA_LANES; l++)
			to[l] = w->vgpr[row + e / 2][l] >> (16 * (e % 2)) << 16;
		return;
	}
	for (l = 0; l < ISA_LANES; l++)
		to[l] = isa_f32_from_f16((u16)(w->vgpr[row + e / 2][l] >> (16 * (e % 2))), 0);
}

/* Row and block of result register r in a lane. */
static void place_of(const struct shape *s, u32 r, u32 lane, u32 *row, u32 *block)
{
	u32 per_block = s->m * s->m / ISA_LANES;

	if (s->m == 4) {
		*row = r;
		*block = lane / 4;
		return;
	}
	*block = r / per_block;
	r %= per_block;
	*row = r / 4 * (ISA_LANES / s->m * 4) + lane / s->m * 4 + r % 4;
}

/* For each lane: the lanes of A and of B that hold its first element. */
static void sources_of(const struct shape *s, u32 r, u8 *from_a, u8 *from_b)
{
	u32 row, block, l;

	for (l = 0; l < ISA_LANES; l++) {
		place_of(s, r, l, &row, &block);
		from_a[l] = (u8)(block * (ISA_LANES / s->blocks) + row);
		from_b[l] = (u8)(block * (ISA_LANES / s->blocks) + l % s->m);
	}
}

static void accumulate(struct isa_env *env, const struct shape *s, u32 r, u32 *d)
{
	u32 *a = env->lanes.s32[0], *b = env->lanes.s32[1], k, l;
	u8 from_a[ISA_LANES], from_b[ISA_LANES];

	sources_of(s, r, from_a, from_b);
	for (k = 0; k < s->k; k++) {
		const u32 *all_a = env->lanes.matrix_a[k % s->per_lane];
		const u32 *all_b = env->lanes.matrix_b[k % s->per_lane];
		u32 step = k / s->per_lane * s->m;

		for (l = 0; l < ISA_LANES; l++) {
			a[l] = all_a[from_a[l] + step];
			b[l] = all_b[from_b[l] + step];
		}
		if (s->kind != KIND_I8) {
			isa_f32_fma_lanes(d, a, b, d, ~0ull, 0);
			continue;
		}
		for (l = 0; l < ISA_LANES; l++)
			d[l] += a[l] * b[l];
	}
}

/* C: a row of registers, or a constant. */
static void addend(struct isa_wave *w, const struct isa_inst *i, u32 r, u32 *d)
{
	u32 l;

	if (i->src[2] >= ISA_R_VGPR) {
		memcpy(d, w->vgpr[isa_row(w, i->src[2]) + r], 4 * ISA_LANES);
		return;
	}
	for (l = 0; l < ISA_LANES; l++)
		d[l] = isa_read32(w, i, i->src[2]);
}

static u64 pair(struct isa_wave *w, u32 row, u32 l)
{
	return w->vgpr[row][l] | (u64)w->vgpr[row + 1][l] << 32;
}

/* Doubles: rows of D are four apart, blocks lie between them. */
static void double_row(struct isa_wave *w, struct isa_env *env, const struct shape *s,
		       const struct isa_inst *i, u32 r, u64 *out)
{
	u32 row_a = isa_row(w, i->src[0]), row_b = isa_row(w, i->src[1]), l, k;

	for (l = 0; l < ISA_LANES; l++) {
		u32 block = s->m == 4 ? l / 4 % 4 * 4 : 0;
		u32 row = s->m == 4 ? l / 16 : l / 16 + 4 * r, col = l % s->m;
		u64 x = isa_read64(w, i, i->src[2]);

		if (i->src[2] >= ISA_R_VGPR)
			x = pair(w, isa_row(w, i->src[2]) + 2 * r, l);
		for (k = 0; k < 4; k++)
			x = isa_f64_fma(pair(w, row_a, 16 * k + block + row),
					pair(w, row_b, 16 * k + block + col), x, 0);
		out[l] = x;
	}
}

/* Results wait until all are there: D may be A or B. */
static void doubles(struct isa_wave *w, struct isa_env *env, const struct shape *s,
		    const struct isa_inst *i)
{
	u32 nr = s->m == 4 ? 1 : 4, r, l, dst = isa_row(w, i->dst);
	u64 *out = env->lanes.matrix64;

	for (r = 0; r < nr; r++)
		double_row(w, env, s, i, r, out + r * ISA_LANES);
	for (r = 0; r < nr; r++)
		for (l = 0; l < ISA_LANES; l++) {
			w->vgpr[dst + 2 * r][l] = (u32)out[r * ISA_LANES + l];
			w->vgpr[dst + 2 * r + 1][l] = (u32)(out[r * ISA_LANES + l] >> 32);
		}
}

enum isa_reason isa_valu_matrix(struct isa_wave *w, struct isa_env *env, const struct isa_inst *i)
{
	u32 nr = isa_ops[i->op].words[0], dst = isa_row(w, i->dst), r;
	struct shape s;

	/* Broadcast of blocks and exchange of lanes: not written. */
	if (i->neg_hi || i->opsel || i->neg)
		return ISA_ILLEGAL;
	if (!shape_of(i->op, &s) && !shape_of_other(i->op, &s))
		return ISA_ILLEGAL;
	if (s.kind == KIND_F64) {
		doubles(w, env, &s, i);
		return ISA_GO;
	}
	for (r = 0; r < s.per_lane; r++) {
		unpack(w, &s, i->src[0], r, env->lanes.matrix_a[r]);
		unpack(w, &s, i->src[1], r, env->lanes.matrix_b[r]);
	}
	for (r = 0; r < nr; r++) {
		addend(w, i, r, env->lanes.matrix[r]);
		accumulate(env, &s, r, env->lanes.matrix[r]);
	}
	memcpy(w->vgpr[dst], env->lanes.matrix, nr * 4 * ISA_LANES);
	return ISA_GO;
}
