// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whole rows. A loop for the mode that nearly all code runs in, where the
 * compiler drops what other modes need, and one for the rest. In that mode the
 * processor's own floating point gives the same bits, NaN aside, where the
 * port has it: then these are done again one by one.
 */
#include "isa/float_arith.h"

#define LANES GP_PORT_ROW

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

static bool has_nan(const u32 *r)
{
	u32 i, any = 0;

	/* Carries into the sign bit. */
	for (i = 0; i < LANES; i++)
		any |= (r[i] & 0x7fffffff) + 0x7fffff;
	return any >> 31;
}

/* Lanes of the host's row r; the NaN among them as the header says. */
#define take_row(d, r, exec, soft)                                             \
	do {                                                                   \
		u32 lane;                                                      \
		if (has_nan(r))                                                \
			for_each_lane(lane, exec, d[lane] = isa_is_nan(ISA_F32, r[lane]) ? \
					      (soft) : r[lane]);               \
		else                                                           \
			for_each_lane(lane, exec, d[lane] = r[lane]);          \
	} while (0)

void isa_f32_add_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode)
{
	u32 r[LANES], i;

	if (!is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_add(ISA_F32, a[i], b[i], mode));
	else if (!gp_port_f32_add_row(r, a, b))
		for_each_lane(i, exec, d[i] = (u32)isa_add(ISA_F32, a[i], b[i], 0));
	else
		take_row(d, r, exec, isa_f32_add(a[lane], b[lane], 0));
}

void isa_f32_mul_lanes(u32 *d, const u32 *a, const u32 *b, u64 exec, u32 mode)
{
	u32 r[LANES], i;

	if (!is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_mul(ISA_F32, a[i], b[i], mode));
	else if (!gp_port_f32_mul_row(r, a, b))
		for_each_lane(i, exec, d[i] = (u32)isa_mul(ISA_F32, a[i], b[i], 0));
	else
		take_row(d, r, exec, isa_f32_mul(a[lane], b[lane], 0));
}

void isa_f32_fma_lanes(u32 *d, const u32 *a, const u32 *b, const u32 *c, u64 exec, u32 mode)
{
	u32 r[LANES], i;

	if (!is_plain(mode))
		for_each_lane(i, exec, d[i] = (u32)isa_fma(ISA_F32, a[i], b[i], c[i], mode));
	else if (!gp_port_f32_fma_row(r, a, b, c))
		for_each_lane(i, exec, d[i] = (u32)isa_fma(ISA_F32, a[i], b[i], c[i], 0));
	else
		take_row(d, r, exec, isa_f32_fma(a[lane], b[lane], c[lane], 0));
}
