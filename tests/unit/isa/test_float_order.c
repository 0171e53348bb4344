// SPDX-License-Identifier: MIT
/* cmp, class, min, max, min3, max3, med3, clamp. */
#include "float_unit.h"

static u32 host_cmp(double x, double y)
{
	if (isunordered(x, y))
		return ISA_CMP_UNORDERED;
	return x < y ? ISA_CMP_LESS : x > y ? ISA_CMP_GREATER : ISA_CMP_EQUAL;
}

/* The second is the first or next to it, now and then. */
static u64 partner(u32 bits, u64 a)
{
	u64 r = fu_random();

	if (r % 4)
		return fu_number(bits);
	return (a + r / 4 % 3 - 1) ^ (r & 16 ? fu_sign_bit(bits) : 0);
}

static void comparisons_are_those_of_the_host(void **state)
{
	u64 i, seen = 0;

	for (i = 0; i < fu_cases(); i++) {
		u64 a = fu_number(64), b = partner(64, a);
		u32 c = (u32)fu_number(32), d = (u32)partner(32, c);
		u16 e = (u16)fu_number(16), f = (u16)partner(16, e);

		assert_int_equal(isa_f64_cmp(a, b, 0), host_cmp(fu_f64(a), fu_f64(b)));
		assert_int_equal(isa_f32_cmp(c, d, 0), host_cmp(fu_f32(c), fu_f32(d)));
		assert_int_equal(isa_f16_cmp(e, f, 0), host_cmp(fu_value16(e), fu_value16(f)));
		seen |= isa_f32_cmp(c, d, 0);
	}
	assert_int_equal(seen, 15);
	assert_int_equal(isa_f32_cmp(1, 0x80000002, 0), ISA_CMP_GREATER);
	assert_int_equal(isa_f32_cmp(1, 0x80000002, ISA_FP_FLUSH_IN), ISA_CMP_EQUAL);
}

static u32 host_class(double x, bool quiet, bool denormal)
{
	bool neg = signbit(x);

	if (isnan(x))
		return quiet ? ISA_CLASS_QNAN : ISA_CLASS_SNAN;
	if (isinf(x))
		return neg ? ISA_CLASS_NEG_INF : ISA_CLASS_POS_INF;
	if (x == 0)
		return neg ? ISA_CLASS_NEG_ZERO : ISA_CLASS_POS_ZERO;
	if (denormal)
		return neg ? ISA_CLASS_NEG_DENORMAL : ISA_CLASS_POS_DENORMAL;
	return neg ? ISA_CLASS_NEG_NORMAL : ISA_CLASS_POS_NORMAL;
}

static void classes_are_those_of_the_host(void **state)
{
	u64 i;

	for (i = 0; i < 100000; i++) {
		u64 a = fu_number(64);
		u32 b = (u32)fu_number(32);
		u16 c = (u16)fu_number(16);

		assert_int_equal(isa_f64_class(a), host_class(fu_f64(a), a >> 51 & 1,
							      !(a << 1 >> 53)));
		assert_int_equal(isa_f32_class(b), host_class(fu_f32(b), b >> 22 & 1,
							      !(b << 1 >> 24)));
		assert_int_equal(isa_f16_class(c), host_class(fu_value16(c), c >> 9 & 1,
							      !(c & 0x7c00)));
	}
}

/* The rules of AMD's manual for v_max_f32, in floats where they say so. */
static u32 manual(u32 a, u32 b, u32 mode, bool want_max)
{
	float x = fu_f32(a), y = fu_f32(b);

	if ((mode & ISA_FP_IEEE) && isnan(x) && !(a & 0x400000))
		return a | 0x400000;
	if ((mode & ISA_FP_IEEE) && isnan(y) && !(b & 0x400000))
		return b | 0x400000;
	if (isnan(x))
		return b;
	if (isnan(y))
		return a;
	if (x == 0 && y == 0)
		return want_max ? a & b : a | b;
	return (x >= y) == want_max ? a : b;
}

static u32 manual_med3(u32 a, u32 b, u32 c, u32 mode)
{
	float top;

	if (isnan(fu_f32(a)) || isnan(fu_f32(b)) || isnan(fu_f32(c)))
		return manual(manual(a, b, mode, false), c, mode, false);
	top = fu_f32(manual(manual(a, b, mode, true), c, mode, true));
	if (top == fu_f32(a))
		return manual(b, c, mode, true);
	return top == fu_f32(b) ? manual(a, c, mode, true) : manual(a, b, mode, true);
}

static void extremes_are_those_of_the_manual(void **state)
{
	u64 i, differ = 0;

	for (i = 0; i < fu_cases(); i++) {
		u32 mode = i % 2 ? ISA_FP_IEEE : 0;
		u32 a = (u32)fu_number(32), b = (u32)partner(32, a), c = (u32)partner(32, b);
		u32 low = manual(a, b, mode, false), high = manual(a, b, mode, true);

		assert_int_equal(isa_f32_min(a, b, mode), low);
		assert_int_equal(isa_f32_max(a, b, mode), high);
		assert_int_equal(isa_f32_min3(a, b, c, mode), manual(low, c, mode, false));
		assert_int_equal(isa_f32_max3(a, b, c, mode), manual(high, c, mode, true));
		assert_int_equal(isa_f32_med3(a, b, c, mode), manual_med3(a, b, c, mode));
		differ += isa_f32_max(a, b, mode) != isa_f32_max(a, b, mode ^ ISA_FP_IEEE);
	}
	/* the bit has an effect */
	assert_true(differ > 100);
}

/* Widening keeps the order, so that f32 stands for the other formats. */
static void extremes_of_other_formats_are_those_of_f32(void **state)
{
	u64 i;

	for (i = 0; i < 100000; i++) {
		u16 a = (u16)fu_number(16), b = (u16)partner(16, a), c = (u16)partner(16, b);
		u32 x = isa_f32_from_f16(a, 0), y = isa_f32_from_f16(b, 0);
		u32 z = isa_f32_from_f16(c, 0);

		if (fu_is_nan(16, a) || fu_is_nan(16, b) || fu_is_nan(16, c))
			continue;
		assert_int_equal(isa_f32_from_f16(isa_f16_min(a, b, 0), 0), isa_f32_min(x, y, 0));
		assert_int_equal(isa_f32_from_f16(isa_f16_max(a, b, 0), 0), isa_f32_max(x, y, 0));
		assert_int_equal(isa_f32_from_f16(isa_f16_med3(a, b, c, 0), 0),
				 isa_f32_med3(x, y, z, 0));
		assert_true(isa_f64_min(isa_f64_from_f32(x, 0), isa_f64_from_f32(y, 0), 0) ==
			    isa_f64_from_f32(isa_f32_min(x, y, 0), 0));
		assert_true(isa_f64_max(isa_f64_from_f32(x, 0), isa_f64_from_f32(y, 0), 0) ==
			    isa_f64_from_f32(isa_f32_max(x, y, 0), 0));
	}
	assert_int_equal(isa_f32_max(0x80000001, 0x80000002, ISA_FP_FLUSH_IN), 0x80000000);
	assert_int_equal(isa_f32_min(1, 2, ISA_FP_FLUSH_OUT), 0);
}

static void clamp_keeps_to_the_unit_interval(void **state)
{
	assert_int_equal(isa_f32_clamp(0x3f000000, 0), 0x3f000000);
	assert_int_equal(isa_f32_clamp(0x3f800001, 0), 0x3f800000);
	assert_int_equal(isa_f32_clamp(0x7f800000, 0), 0x3f800000);
	assert_int_equal(isa_f32_clamp(0xbf000000, 0), 0);
	assert_int_equal(isa_f32_clamp(0x80000000, 0), 0);
	assert_int_equal(isa_f32_clamp(1, 0), 1);
	assert_int_equal(isa_f32_clamp(0xffc00001, 0), 0xffc00001);
	assert_int_equal(isa_f32_clamp(0xffc00001, ISA_FP_DX10_CLAMP), 0);
	assert_int_equal(isa_f16_clamp(0x4000, 0), 0x3c00);
	assert_true(isa_f64_clamp(0x4000000000000000ull, 0) == 0x3ff0000000000000ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_are_those_of_the_host),
		cmocka_unit_test(classes_are_those_of_the_host),
		cmocka_unit_test(extremes_are_those_of_the_manual),
		cmocka_unit_test(extremes_of_other_formats_are_those_of_f32),
		cmocka_unit_test(clamp_keeps_to_the_unit_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
