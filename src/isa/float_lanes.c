// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whole rows. A loop for the mode that nearly all code runs in, where the
 * compiler drops what other modes need, and one for the rest.
 */
#include "isa/float_arith.h"

#define LANES 64

/* Runs `call` for every lane of exec; the test of a full row is worth its while. */
#define for_each_lane(i, exec, call)                               \
	do {                                                       \
		if ((exec) == ~0ull) {                             \
			for (i = 0; i < LANES; i++)                \
				call;                              \
		} else {                                           \
			u64 left;                                  \
			for (left = (exec); left; left &= left - 1) { \
				i = (u32)__builtin_ctzll(left);    \
				call;                              \
			}                                          \
		}                                                  \
	} while (0)

/* Nothing to do but round to nearest and keep denormals. */
static bool is_plain(u32 mode)
{
	return !(mode & (ISA_FP_ROUND | ISA_FP_FLUSH));
}

void isa_f32_add_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode)
{
	u32 i;

	if (is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_add(ISA_F32, a[i], b[i], 0));
	else
		for_each_lane(i, exec, d[i] = (u32)isa_add(ISA_F32, a[i], b[i], mode));
}

void isa_f32_mul_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode)
{
	u32 i;

	if (is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_mul(ISA_F32, a[i], b[i], 0));
	else
		for_each_lane(i, exec, d[i] = (u32)isa_mul(ISA_F32, a[i], b[i], mode));
}

void isa_f32_fma_lanes(u32 *d, const u32 *a, const u32 *b, const u32 *c, u64 exec, u32 mode)
{
	u32 i;

	if (is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_fma(ISA_F32, a[i], b[i], c[i], 0));
	else
		for_each_lane(i, exec, d[i] = (u32)isa_fma(ISA_F32, a[i], b[i], c[i], mode));
}
