// SPDX-License-Identifier: MIT
/*
 * Rows give the bits of their scalar functions, lane by lane: by the host's
 * floating point, and in integers, which is what happens if the host's modes
 * are not the usual ones.
 */
#include <fenv.h>

#include "float_unit.h"

#define LANES 64

static u32 a[LANES], b[LANES], c[LANES], d[LANES], before[LANES];

/* Rows of one kind, as kernels have them, and rows of everything. */
static void fill(u64 i)
{
	u32 k;

	for (k = 0; k < LANES; k++) {
		bool plain = i % 4 && fu_random() % 64;

		a[k] = plain ? (u32)fu_u32((float)(s32)fu_random()) : (u32)fu_number(32);
		b[k] = plain ? (u32)fu_u32((float)(s32)fu_random() / 3) : (u32)fu_number(32);
		c[k] = plain ? (u32)fu_u32((float)(s32)fu_random() * 7) : (u32)fu_number(32);
		if (fu_random() % 8 == 0)
			c[k] = (u32)fu_u32(-fu_f32(a[k]) * fu_f32(b[k])) + (u32)(fu_random() % 3);
	}
	memset(d, 0x55, sizeof(d));
}

static u64 some_exec(u64 i)
{
	return i % 3 ? ~0ull : fu_random() & fu_random();
}

/* Lanes that differ from what `want` says of an active one. */
static u32 wrong(const u32 *row, const u32 *want, u64 exec)
{
	u32 k, nr = 0;

	for (k = 0; k < LANES; k++)
		nr += row[k] != (exec >> k & 1 ? want[k] : before[k]);
	return nr;
}

static void check_row(u64 i, u32 *noticed)
{
	u32 mode = i % 2 ? 0 : i / 2 % 16, want[3][LANES], k;
	u64 exec = some_exec(i);

	fill(i);
	for (k = 0; k < LANES; k++) {
		want[0][k] = isa_f32_add(a[k], b[k], mode);
		want[1][k] = isa_f32_mul(a[k], b[k], mode);
		want[2][k] = isa_f32_fma(a[k], b[k], c[k], mode);
	}
	fesetround(i % 8 < 4 ? FE_TONEAREST : FE_UPWARD);
	memcpy(before, d, sizeof(d));
	isa_f32_add_lanes(d, a, b, exec, mode);
	assert_int_equal(wrong(d, want[0], exec), 0);
	memcpy(before, d, sizeof(d));
	isa_f32_mul_lanes(d, a, b, exec, mode);
	assert_int_equal(wrong(d, want[1], exec), 0);
	/* onto an operand */
	memcpy(before, c, sizeof(c));
	isa_f32_fma_lanes(c, a, b, c, exec, mode);
	assert_int_equal(wrong(c, want[2], exec), 0);
	fesetround(FE_TONEAREST);
	*noticed += wrong(c, want[2], exec ^ 1) != 0;
}

static void rows_are_made_of_lanes(void **state)
{
	u64 nr = fu_cases() / LANES, i;
	u32 noticed = 0;

	for (i = 0; i < nr; i++)
		check_row(i, &noticed);
	assert_true(noticed > nr / 2);
}

/* The host says no when it would round otherwise, and does not touch the row. */
static void the_host_is_asked_in_its_usual_mode_only(void **state)
{
	fill(1);
	memcpy(before, d, sizeof(d));
	fesetround(FE_TOWARDZERO);
	assert_false(gp_port_f32_add_row(d, a, b));
	assert_false(gp_port_f32_mul_row(d, a, b));
	assert_false(gp_port_f32_fma_row(d, a, b, c));
	fesetround(FE_TONEAREST);
	assert_memory_equal(d, before, sizeof(d));
#ifdef __x86_64__
	assert_true(gp_port_f32_add_row(d, a, b));
	assert_true(gp_port_f32_mul_row(d, a, b));
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_made_of_lanes),
		cmocka_unit_test(the_host_is_asked_in_its_usual_mode_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
