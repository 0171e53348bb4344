// SPDX-License-Identifier: MIT
/* sqrt, rcp, rsq: correctly rounded in every mode; all of f16, the others at random. */
#include <fenv.h>

#include "float_unit.h"

typedef unsigned __int128 u128;

static u64 host_sqrt32(const u64 *a)
{
	volatile float x = fu_f32(a[0]);
	volatile float r = sqrtf(x);

	return fu_u32(r);
}

static u64 host_sqrt64(const u64 *a)
{
	volatile double x = fu_f64(a[0]);
	volatile double r = sqrt(x);

	return fu_u64(r);
}

static u64 host_rcp32(const u64 *a)
{
	volatile float x = fu_f32(a[0]);
	volatile float r = 1 / x;

	return fu_u32(r);
}

static u64 host_rcp64(const u64 *a)
{
	volatile double x = fu_f64(a[0]);
	volatile double r = 1 / x;

	return fu_u64(r);
}

/* No f32 has a root this near to a tie: 40 more bits decide. */
static u64 host_rsq32(const u64 *a)
{
	volatile long double x = fu_f32(a[0]);
	volatile long double wide = 1 / sqrtl(x);
	volatile float r = (float)wide;

	return fu_u32(r);
}

/* y * y * x against 2^162, exactly. */
static int compare_square(u64 y, u64 x)
{
	u128 square = (u128)y * y;
	u128 low = (u128)(u64)square * x;
	u128 high = (square >> 64) * x + (low >> 64);
	u128 limit = (u128)1 << (162 - 64);

	if (high != limit)
		return high < limit ? -1 : 1;
	return (u64)low != 0;
}

/* Digits of 1 / sqrt(x) in integers, rounded by the host's conversion to double. */
static u64 host_rsq64(const u64 *a)
{
	volatile double x = fu_f64(a[0]);
	volatile u64 digits;
	volatile double r;
	int exp;
	u64 m, y;

	if (!(x > 0) || isinf(x)) {
		r = 1 / sqrt(x);
		return fu_u64(r);
	}
	m = (u64)ldexp(frexp(x, &exp), 53);
	exp -= 53;
	if (exp & 1) {
		m <<= 1;
		exp--;
	}
	y = (u64)(0x1p81l / sqrtl((long double)m));
	while (compare_square(y, m) > 0)
		y--;
	while (compare_square(y + 1, m) <= 0)
		y++;
	digits = y << 2 | (compare_square(y, m) < 0);
	r = (double)digits;
	r = scalbn(r, -83 - exp / 2);
	return fu_u64(r);
}

FU_SOFT1(f32_sqrt, u32)
FU_SOFT1(f32_rcp, u32)
FU_SOFT1(f32_rsq, u32)
FU_SOFT1(f64_sqrt, u64)
FU_SOFT1(f64_rcp, u64)
FU_SOFT1(f64_rsq, u64)

static const struct fu_op ops[] = {
	FU_OP("f32 sqrt", 32, 1, soft_f32_sqrt, host_sqrt32),
	FU_OP("f32 rcp", 32, 1, soft_f32_rcp, host_rcp32),
	FU_OP("f32 rsq", 32, 1, soft_f32_rsq, host_rsq32),
	FU_OP("f64 sqrt", 64, 1, soft_f64_sqrt, host_sqrt64),
	FU_OP("f64 rcp", 64, 1, soft_f64_rcp, host_rcp64),
	FU_OP("f64 rsq", 64, 1, soft_f64_rsq, host_rsq64),
};

static void results_are_those_of_the_host(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		fu_check(&ops[i]);
}

static u16 nan_of(u16 a, u16 r)
{
	if ((r & 0x7fff) <= 0x7c00)
		return r;
	return (a & 0x7fff) > 0x7c00 ? a | 0x200 : 0xfe00;
}

/* A double has more than twice the digits of f16: rounding twice does no harm. */
static u32 wrong_f16(u32 mode, u32 twist)
{
	static const int round[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	u32 a, nr = 0;

	for (a = 0; a < 0x10000; a++) {
		volatile double x = fu_value16((u16)a);
		u16 want[3];

		fesetround(round[mode]);
		want[0] = nan_of((u16)a, fu_round16(sqrt(x)));
		want[1] = nan_of((u16)a, fu_round16(1 / x));
		want[2] = nan_of((u16)a, fu_round16(1 / sqrt(x)));
		fesetround(FE_TONEAREST);
		nr += isa_f16_sqrt((u16)a, mode ^ twist) != want[0];
		nr += isa_f16_rcp((u16)a, mode ^ twist) != want[1];
		nr += isa_f16_rsq((u16)a, mode ^ twist) != want[2];
	}
	return nr;
}

static void all_of_f16_is_that_of_the_host(void **state)
{
	u32 mode;

	for (mode = 0; mode < 4; mode++) {
		assert_int_equal(wrong_f16(mode, 0), 0);
		assert_true(wrong_f16(mode, 1) > 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_the_host),
		cmocka_unit_test(all_of_f16_is_that_of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
