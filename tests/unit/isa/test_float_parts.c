// SPDX-License-Identifier: MIT
/* floor, ceil, trunc, rndne, fract, frexp, ldexp, omod against the host's. */
#include <fenv.h>

#include "float_unit.h"

#define HOST(name, expr)                                \
	static u64 host_##name##16(const u64 *a)        \
	{                                               \
		double x = fu_value16((u16)a[0]);       \
		return fu_round16(expr);                \
	}                                               \
	static u64 host_##name##32(const u64 *a)        \
	{                                               \
		double x = fu_f32(a[0]);                \
		return fu_u32((float)(expr));           \
	}                                               \
	static u64 host_##name##64(const u64 *a)        \
	{                                               \
		double x = fu_f64(a[0]);                \
		return fu_u64(expr);                    \
	}

/* Whatever the host's mode is. */
static double to_nearest(double x)
{
	double whole = trunc(x), rest = fabs(x - whole);

	if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0))
		whole += copysign(1, x);
	return copysign(whole, x);
}

HOST(floor, floor(x))
HOST(ceil, ceil(x))
HOST(trunc, trunc(x))
HOST(rndne, to_nearest(x))

static double mantissa(double x)
{
	int exp;

	return frexp(x, &exp);
}

HOST(frexp_mant, mantissa(x))

static u64 host_fract16(const u64 *a)
{
	volatile double x = fu_value16((u16)a[0]);
	u16 r = fu_round16(x - floor(x));

	return r == 0x3c00 ? 0x3bff : r;
}

static u64 host_fract32(const u64 *a)
{
	volatile float x = fu_f32(a[0]), whole = floorf(x);
	volatile float r = x - whole;

	return fu_u32(r == 1 ? 0x1.fffffep-1f : r);
}

static u64 host_fract64(const u64 *a)
{
	volatile double x = fu_f64(a[0]), whole = floor(x);
	volatile double r = x - whole;

	return fu_u64(r == 1 ? 0x1.fffffffffffffp-1 : r);
}

/* An exponent that belongs to the number and reaches all edges from it. */
static s32 some_exp(u64 a, s32 most)
{
	return (s32)(a * 0x9e3779b97f4a7c15ull >> 40) % most - most / 2;
}

static u64 host_ldexp16(const u64 *a)
{
	return fu_round16(ldexp(fu_value16((u16)a[0]), some_exp(a[0], 100)));
}

static u64 host_ldexp32(const u64 *a)
{
	volatile double x = ldexp(fu_f32(a[0]), some_exp(a[0], 600));
	volatile float r = (float)x;

	return fu_u32(r);
}

static u64 host_ldexp64(const u64 *a)
{
	volatile long double x = ldexpl(fu_f64(a[0]), some_exp(a[0], 4400));
	volatile double r = (double)x;

	return fu_u64(r);
}

#define SOFT_ALL(F, T)                  \
	FU_SOFT1(F##_floor, T)          \
	FU_SOFT1(F##_ceil, T)           \
	FU_SOFT1(F##_trunc, T)          \
	FU_SOFT1(F##_rndne, T)          \
	FU_SOFT1(F##_fract, T)          \
	FU_SOFT1(F##_frexp_mant, T)

SOFT_ALL(f16, u16)
SOFT_ALL(f32, u32)
SOFT_ALL(f64, u64)

static u64 soft_f16_ldexp(const u64 *a, u32 mode)
{
	return isa_f16_ldexp((u16)a[0], some_exp(a[0], 100), mode);
}

static u64 soft_f32_ldexp(const u64 *a, u32 mode)
{
	return isa_f32_ldexp((u32)a[0], some_exp(a[0], 600), mode);
}

static u64 soft_f64_ldexp(const u64 *a, u32 mode)
{
	return isa_f64_ldexp(a[0], some_exp(a[0], 4400), mode);
}

static const struct fu_op exact_ops[] = {
	FU_OP("f16 floor", 16, 1, soft_f16_floor, host_floor16),
	FU_OP("f16 ceil", 16, 1, soft_f16_ceil, host_ceil16),
	FU_OP("f16 trunc", 16, 1, soft_f16_trunc, host_trunc16),
	FU_OP("f16 rndne", 16, 1, soft_f16_rndne, host_rndne16),
	FU_OP("f16 frexp_mant", 16, 1, soft_f16_frexp_mant, host_frexp_mant16),
	FU_OP("f32 floor", 32, 1, soft_f32_floor, host_floor32),
	FU_OP("f32 ceil", 32, 1, soft_f32_ceil, host_ceil32),
	FU_OP("f32 trunc", 32, 1, soft_f32_trunc, host_trunc32),
	FU_OP("f32 rndne", 32, 1, soft_f32_rndne, host_rndne32),
	FU_OP("f32 frexp_mant", 32, 1, soft_f32_frexp_mant, host_frexp_mant32),
	FU_OP("f64 floor", 64, 1, soft_f64_floor, host_floor64),
	FU_OP("f64 ceil", 64, 1, soft_f64_ceil, host_ceil64),
	FU_OP("f64 trunc", 64, 1, soft_f64_trunc, host_trunc64),
	FU_OP("f64 rndne", 64, 1, soft_f64_rndne, host_rndne64),
	FU_OP("f64 frexp_mant", 64, 1, soft_f64_frexp_mant, host_frexp_mant64),
};

static const struct fu_op rounded_ops[] = {
	FU_OP("f16 fract", 16, 1, soft_f16_fract, host_fract16),
	FU_OP("f32 fract", 32, 1, soft_f32_fract, host_fract32),
	FU_OP("f64 fract", 64, 1, soft_f64_fract, host_fract64),
	FU_OP("f16 ldexp", 16, 1, soft_f16_ldexp, host_ldexp16),
	FU_OP("f32 ldexp", 32, 1, soft_f32_ldexp, host_ldexp32),
	FU_OP("f64 ldexp", 64, 1, soft_f64_ldexp, host_ldexp64),
};

static void results_are_those_of_the_host(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(exact_ops); i++)
		fu_check_exact(&exact_ops[i]);
	for (i = 0; i < ARRAY_SIZE(rounded_ops); i++)
		fu_check(&rounded_ops[i]);
}

static int host_exp(double x)
{
	int exp = 0;

	if (isfinite(x))
		frexp(x, &exp);
	return exp;
}

static void exponents_are_those_of_the_host(void **state)
{
	u64 i, a;

	for (i = 0; i < fu_cases(); i++) {
		a = fu_number(64);
		assert_int_equal(isa_f64_frexp_exp(a, 0), host_exp(fu_f64(a)));
		a = fu_number(32);
		assert_int_equal(isa_f32_frexp_exp((u32)a, 0), host_exp(fu_f32(a)));
	}
	for (a = 0; a < 0x10000; a++)
		assert_int_equal(isa_f16_frexp_exp((u16)a, 0), host_exp(fu_value16((u16)a)));
	assert_int_equal(isa_f32_frexp_exp(1, 0), -148);
	assert_int_equal(isa_f32_frexp_exp(1, ISA_FP_FLUSH_IN), 0);
}

static void any_exponent_will_do(void **state)
{
	assert_int_equal(isa_f32_ldexp(1, 0x7fffffff, 0), 0x7f800000);
	assert_int_equal(isa_f32_ldexp(0xff7fffff, -0x7fffffff - 1, 0), 0x80000000);
	assert_int_equal(isa_f32_ldexp(0x7f7fffff, -0x7fffffff - 1, ISA_FP_UP), 1);
	assert_true(isa_f64_ldexp(0x7fefffffffffffffull, -0x7fffffff, ISA_FP_UP) == 1);
	assert_true(isa_f64_ldexp(1, 0x7fffffff, ISA_FP_ZERO) == 0x7fefffffffffffffull);
	assert_int_equal(isa_f16_ldexp(1, 0x7fff, 0), 0x7c00);
}

static void omod_multiplies_unless_denormals_are_kept(void **state)
{
	const u32 on = ISA_FP_FLUSH_OUT;

	assert_int_equal(isa_f32_omod(0x40400000, 0, on), 0x40400000);
	assert_int_equal(isa_f32_omod(0x40400000, 1, on), 0x40c00000);
	assert_int_equal(isa_f32_omod(0x40400000, 2, on), 0x41400000);
	assert_int_equal(isa_f32_omod(0x40400000, 3, on), 0x3fc00000);
	assert_int_equal(isa_f32_omod(0x40400000, 3, 0), 0x40400000);
	assert_int_equal(isa_f32_omod(0x40400000, 3, on | ISA_FP_IEEE), 0x40400000);
	assert_int_equal(isa_f32_omod(0x80000000, 1, on), 0);
	assert_int_equal(isa_f32_omod(0x00800000, 3, on), 0);
	assert_int_equal(isa_f32_omod(0x7f000000, 1, on), 0x7f800000);
	assert_int_equal(isa_f32_omod(0x7f000000, 1, on | ISA_FP_ZERO), 0x7f7fffff);
	assert_int_equal(isa_f16_omod(0x3c00, 2, on), 0x4400);
	assert_true(isa_f64_omod(0x3ff0000000000000ull, 3, on) == 0x3fe0000000000000ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_the_host),
		cmocka_unit_test(exponents_are_those_of_the_host),
		cmocka_unit_test(any_exponent_will_do),
		cmocka_unit_test(omod_multiplies_unless_denormals_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
