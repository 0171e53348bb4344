// SPDX-License-Identifier: MIT
/*
 * exp2, log2, sin, cos against long double. The promise is 1 ULP; what is
 * asked for is the half ULP of correct rounding and a little.
 */
#include <float.h>

#include "float_unit.h"

#define HALF_AND_A_LITTLE (0.5l + 0x1p-16l)

/* A multiple of a quarter is taken off first, so that small sines are exact too. */
static long double sin_quarters(long double r, int quarter)
{
	static const long double two_pi = 6.283185307179586476925286766559005768l;

	switch (quarter & 3) {
	case 0:
		return sinl(two_pi * r);
	case 1:
		return cosl(two_pi * r);
	case 2:
		return -sinl(two_pi * r);
	default:
		return -cosl(two_pi * r);
	}
}

static long double sin_shifted(float x, int quarters)
{
	long double quarter = rintl((long double)x * 4);

	if (!isfinite(x))
		return NAN;
	quarter = fmodl(quarter, 4 * 0x1p20l);
	return sin_quarters(x - rintl((long double)x * 4) / 4, (int)quarter + quarters);
}

static long double host_sin(float x)
{
	return sin_shifted(x, 0);
}

static long double host_cos(float x)
{
	return sin_shifted(x, 1);
}

static long double host_exp2(float x)
{
	return exp2l((long double)x);
}

static long double host_log2(float x)
{
	return log2l((long double)x);
}

static const struct math {
	const char *name;
	u32 (*f32)(u32 a, u32 mode);
	u16 (*f16)(u16 a, u32 mode);
	long double (*host)(float x);
} maths[] = {
	{ "exp2", isa_f32_exp2, isa_f16_exp2, host_exp2 },
	{ "log2", isa_f32_log2, isa_f16_log2, host_log2 },
	{ "sin", isa_f32_sin, isa_f16_sin, host_sin },
	{ "cos", isa_f32_cos, isa_f16_cos, host_cos },
};

/* Distance in units of the last place that the true value has in the format. */
static long double ulps(long double got, long double want, int mant, int exp_min, int exp_max)
{
	int exp;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : 1000;
	if (fabsl(want) >= ldexpl(2 - ldexpl(1, -mant - 1), exp_max))
		return isinf(got) && signbit(got) == signbit(want) ? 0 : 1000;
	if (isinf(got))
		return 1000;
	if (want == 0)
		return got == 0 ? 0 : 1000;
	exp = ilogbl(want);
	return fabsl(got - want) / ldexpl(1, (exp < exp_min ? exp_min : exp) - mant);
}

static long double ulps32(const struct math *m, u32 a, u32 off)
{
	float x = fu_f32(a);

	return ulps(fu_f32(m->f32(a, 0) + off), m->host(x), 23, -126, 127);
}

static u32 math_number(u64 i)
{
	/* Half of them where the functions do something. */
	if (i % 2)
		return (u32)fu_number(32);
	return (u32)fu_u32((float)((double)(s64)fu_random() * (i % 4 ? 0x1p-55 : 0x1p-63)));
}

static void f32_is_within_half_an_ulp_and_a_little(void **state)
{
	u64 cases = fu_cases(), k, noticed;
	long double worst, e;
	u32 i, a;

	for (i = 0; i < ARRAY_SIZE(maths); i++) {
		for (k = worst = noticed = 0; k < cases; k++) {
			a = math_number(k);
			e = ulps32(&maths[i], a, 0);
			worst = e > worst ? e : worst;
			if (k < 10000)
				noticed += ulps32(&maths[i], a, 1) > HALF_AND_A_LITTLE;
			if (e > HALF_AND_A_LITTLE)
				fail_msg("%s(%08x): %Lf ULP", maths[i].name, a, e);
		}
		print_message("%s: at most %.6Lf ULP\n", maths[i].name, worst);
		/* One ULP more is seen, but for those that are NaN. */
		assert_true(noticed > 1000);
	}
}

static void all_of_f16_is_within_half_an_ulp_and_a_little(void **state)
{
	u32 i, a;

	for (i = 0; i < ARRAY_SIZE(maths); i++)
		for (a = 0; a < 0x10000; a++) {
			double x = fu_value16((u16)a);
			long double e = ulps(fu_value16(maths[i].f16((u16)a, 0)),
					     maths[i].host((float)x), 10, -14, 15);

			if (e > 0.5l + 0x1p-12l)
				fail_msg("f16 %s(%04x): %Lf ULP", maths[i].name, a, e);
		}
}

/* The examples of the CDNA3 manual, and what float.h adds to them. */
static void special_values_are_those_of_the_manual(void **state)
{
	static const struct {
		u32 (*f)(u32 a, u32 mode);
		u32 a, mode, want;
	} cases[] = {
		{ isa_f32_exp2, 0xff800000, 0, 0 },
		{ isa_f32_exp2, 0x80000000, 0, 0x3f800000 },
		{ isa_f32_exp2, 0x7f800000, 0, 0x7f800000 },
		{ isa_f32_exp2, 0x7f800001, 0, 0x7fc00001 },
		{ isa_f32_exp2, 0x43000000, 0, 0x7f800000 },	/* 128 */
		{ isa_f32_exp2, 0xc3150000, 0, 1 },		/* -149 */
		{ isa_f32_exp2, 0xc3150000, ISA_FP_FLUSH, 0 },
		{ isa_f32_log2, 0xff800000, 0, 0xffc00000 },
		{ isa_f32_log2, 0xbf800000, 0, 0xffc00000 },
		{ isa_f32_log2, 0x80000000, 0, 0xff800000 },
		{ isa_f32_log2, 0, 0, 0xff800000 },
		{ isa_f32_log2, 0x3f800000, 0, 0 },
		{ isa_f32_log2, 0x7f800000, 0, 0x7f800000 },
		{ isa_f32_log2, 1, 0, 0xc3150000 },
		{ isa_f32_log2, 1, ISA_FP_FLUSH, 0xff800000 },
		{ isa_f32_rcp, 0xff800000, 0, 0x80000000 },
		{ isa_f32_rcp, 0xc0000000, 0, 0xbf000000 },
		{ isa_f32_rcp, 0x80000000, 0, 0xff800000 },
		{ isa_f32_rcp, 0, 0, 0x7f800000 },
		{ isa_f32_rcp, 0x7f800000, 0, 0 },
		{ isa_f32_rsq, 0xff800000, 0, 0xffc00000 },
		{ isa_f32_rsq, 0x80000000, 0, 0xff800000 },
		{ isa_f32_rsq, 0x40800000, 0, 0x3f000000 },
		{ isa_f32_rsq, 0x7f800000, 0, 0 },
		{ isa_f32_sqrt, 0xff800000, 0, 0xffc00000 },
		{ isa_f32_sqrt, 0x80000000, 0, 0x80000000 },
		{ isa_f32_sqrt, 0x40800000, 0, 0x40000000 },
		{ isa_f32_sqrt, 0x7f800000, 0, 0x7f800000 },
		{ isa_f32_sin, 0xff800000, 0, 0xffc00000 },
		{ isa_f32_sin, 0xff7fffff, 0, 0 },
		{ isa_f32_sin, 0x80000000, 0, 0x80000000 },
		{ isa_f32_sin, 0x3e800000, 0, 0x3f800000 },	/* a quarter */
		{ isa_f32_sin, 0xbe800000, 0, 0xbf800000 },
		{ isa_f32_sin, 0x3f000000, 0, 0 },
		{ isa_f32_sin, 0x4b000001, 0, 0 },		/* 2^23 + 1 */
		{ isa_f32_cos, 0xff800000, 0, 0xffc00000 },
		{ isa_f32_cos, 0xff7fffff, 0, 0x3f800000 },
		{ isa_f32_cos, 0x80000000, 0, 0x3f800000 },
		{ isa_f32_cos, 0x3e800000, 0, 0 },
		{ isa_f32_cos, 0x3f000000, 0, 0xbf800000 },
		{ isa_f32_cos, 0xffc00001, 0, 0xffc00001 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(cases[i].f(cases[i].a, cases[i].mode), cases[i].want);
	assert_int_equal(isa_f16_log2(0xbc00, 0), 0xfe00);
	assert_int_equal(isa_f16_sqrt(0xfc00, 0), 0xfe00);
	assert_int_equal(isa_f16_sin(0xfbff, 0), 0);
	assert_int_equal(isa_f16_sin(0x7c00, 0), 0xfe00);
	assert_int_equal(isa_f16_cos(0x7bff, 0), 0x3c00);
}

/*
 * a * 2 / pi modulo 4 out of three pieces; the bits before them are multiples
 * of 4. The pieces are integers of 53 bits times a power of two.
 */
static long double quarters_of(double a)
{
	int exp = (int)(fu_u64(a) >> 52), i;
	u64 m = (fu_u64(a) & ((1ull << 52) - 1)) | 1ull << 52;
	long double sum = 0;

	for (i = 2; i >= 0; i--) {
		int shift = 53 * i + (exp > 1077 ? exp - 1077 : 0);
		double piece = fu_f64(isa_f64_trig_preop(fu_u64(a), (u32)i));
		u64 bits = (u64)ldexpl(piece, 53 + shift - (exp >= 1968 ? 128 : 0));
		unsigned __int128 p = (unsigned __int128)m * bits;

		if (!i)
			p &= ((unsigned __int128)1 << 53) - 1;
		sum += ldexpl((long double)p, -51 - 53 * i);
	}
	return sum;
}

static void pieces_of_two_over_pi_reduce_large_angles(void **state)
{
	u64 exp, i;

	for (exp = 1077; exp < 2047; exp++)
		for (i = 0; i < 8; i++) {
			double a = fu_f64(exp << 52 | fu_random() >> 12);
			long double q = quarters_of(a);
			long double got = sin_quarters((q - rintl(q)) / 4, (int)rintl(q) & 3);

			if (fabsl(got - sin(a)) > 1e-15)
				fail_msg("sin(%a): %La, expected %a", a, got, sin(a));
		}
	/* Beyond the constant there is nothing. */
	assert_int_equal(isa_f64_trig_preop(0x7feull << 52, 31), 0);
	assert_true(isa_f64_trig_preop(0, 0) == 0x3fe45f306dc9c882ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_is_within_half_an_ulp_and_a_little),
		cmocka_unit_test(all_of_f16_is_within_half_an_ulp_and_a_little),
		cmocka_unit_test(special_values_are_those_of_the_manual),
		cmocka_unit_test(pieces_of_two_over_pi_reduce_large_angles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
