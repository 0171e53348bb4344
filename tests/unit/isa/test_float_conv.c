// SPDX-License-Identifier: MIT
/* Conversions between formats and with integers, sums of products. */
#include <fenv.h>

#include "float_unit.h"

static u64 host_f32_from_f64(const u64 *a)
{
	volatile double x = fu_f64(a[0]);
	volatile float r = (float)x;

	return fu_u32(r);
}

static u64 host_f64_from_f32(const u64 *a)
{
	volatile float x = fu_f32(a[0]);

	return fu_u64(x);
}

static u64 host_f16_from_f32(const u64 *a)
{
	return fu_round16(fu_f32(a[0]));
}

static u64 host_f32_from_i32(const u64 *a)
{
	volatile s32 x = (s32)a[0];
	volatile float r = (float)x;

	return fu_u32(r);
}

static u64 host_f32_from_u32(const u64 *a)
{
	volatile u32 x = (u32)a[0];
	volatile float r = (float)x;

	return fu_u32(r);
}

FU_SOFT1(f32_from_f64, u64)
FU_SOFT1(f64_from_f32, u32)
FU_SOFT1(f16_from_f32, u32)
FU_SOFT1(f32_from_i32, u32)
FU_SOFT1(f32_from_u32, u32)

/* NaN have a test of their own: these take the default one as expected. */
static u64 no_nan(u64 r, u32 bits)
{
	return fu_is_nan(bits, r) ? fu_default_nan(bits) : r;
}

static u64 plain_f32_from_f64(const u64 *a, u32 mode)
{
	return no_nan(soft_f32_from_f64(a, mode), 32);
}

static u64 plain_f64_from_f32(const u64 *a, u32 mode)
{
	return no_nan(soft_f64_from_f32(a, mode), 64);
}

static u64 plain_f16_from_f32(const u64 *a, u32 mode)
{
	return no_nan(soft_f16_from_f32(a, mode), 16);
}

/* A tie of the narrow format, or next to one. */
static u64 tie64(const u64 *a)
{
	return (a[0] & ~0x1fffffffull) + 0x10000000 + fu_random() % 3 - 1;
}

static u64 tie32(const u64 *a)
{
	return (u32)((a[0] & ~0x1fffull) + 0x1000 + fu_random() % 3 - 1);
}

static const struct fu_op rounded_ops[] = {
	FU_OP("f32 from f64", 64, 1, plain_f32_from_f64, host_f32_from_f64,
	      .related = tie64, .bits_out = 32),
	FU_OP("f16 from f32", 32, 1, plain_f16_from_f32, host_f16_from_f32,
	      .related = tie32, .bits_out = 16),
};

static void results_are_those_of_the_host(void **state)
{
	static const struct fu_op widen =
		FU_OP("f64 from f32", 32, 1, plain_f64_from_f32, host_f64_from_f32,
		      .bits_out = 64);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rounded_ops); i++)
		fu_check(&rounded_ops[i]);
	fu_check_exact(&widen);
}

/* Their operands are no floats: nothing of them is flushed, none is NaN. */
static u64 wrong_from_int(u32 twist)
{
	static const int round[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	u64 cases = twist ? 10000 : fu_cases(), i, nr = 0;

	for (i = 0; i < cases; i++) {
		u32 mode = (u32)(i / 1000 % 4);
		u64 a = fu_random() >> 32 >> fu_random() % 32;
		u64 want[2];

		a = i % 2 ? a : (u32)-a;
		fesetround(round[mode]);
		want[0] = host_f32_from_i32(&a);
		want[1] = host_f32_from_u32(&a);
		fesetround(FE_TONEAREST);
		nr += soft_f32_from_i32(&a, mode ^ twist) != want[0];
		nr += soft_f32_from_u32(&a, mode ^ twist) != want[1];
		nr += isa_f64_from_i32((u32)a) != fu_u64((s32)a);
		nr += isa_f64_from_u32((u32)a) != fu_u64((u32)a);
	}
	return nr;
}

static void integers_become_what_the_host_makes_of_them(void **state)
{
	u32 a;

	assert_int_equal(wrong_from_int(0), 0);
	assert_true(wrong_from_int(1) > 100);
	for (a = 0; a < 0x10000; a++) {
		assert_int_equal(isa_f16_from_i16((u16)a, 0), fu_round16((s16)a));
		assert_int_equal(isa_f16_from_u16((u16)a, 0), fu_round16(a));
	}
	/* 65535 is beyond the largest f16 unless it is cut. */
	assert_int_equal(isa_f16_from_u16(0xffff, ISA_FP_ZERO), 0x7bff);
	for (a = 0; a < 256; a++)
		assert_int_equal(isa_f32_from_ubyte(a << 16 | 0xff00ffff, 2), fu_u32(a));
	for (a = 0; a < 16; a++)
		assert_int_equal(isa_f32_from_off_i4(a | 0xabcdef0),
				 fu_u32((float)(a < 8 ? (int)a : (int)a - 16) / 16));
}

static void all_of_f16_widens_and_comes_back(void **state)
{
	u32 a, mode;

	for (a = 0; a < 0x10000; a++) {
		u32 wide = isa_f32_from_f16((u16)a, 0);
		bool nan = fu_is_nan(16, a);

		if (nan)
			assert_int_equal(wide, (a & 0x8000) << 16 | 0x7fc00000 | (a & 0x1ff) << 13);
		else
			assert_int_equal(wide, fu_u32((float)fu_value16((u16)a)));
		for (mode = 0; mode < 4; mode++)
			assert_int_equal(isa_f16_from_f32(wide, mode), nan ? a | 0x200 : a);
		if (!(a & 0x7c00))
			assert_int_equal(isa_f32_from_f16((u16)a, ISA_FP_FLUSH_IN),
					 (a & 0x8000) << 16);
	}
	assert_int_equal(isa_f16_pkrtz(0x3f801fff, 0x47800000, 0), 0x7bff3c00);
}

static void bf16_is_half_of_f32(void **state)
{
	static const int round[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	u64 i, twisted = 0;
	u32 a;

	for (a = 0; a < 0x10000; a++) {
		bool nan = (a & 0x7fff) > 0x7f80;

		assert_int_equal(isa_f32_from_bf16((u16)a, 0), (nan ? a | 0x40 : a) << 16);
		assert_int_equal(isa_bf16_from_f32(a << 16, 0), nan ? a | 0x40 : a);
	}
	for (i = 0; i < fu_cases(); i++) {
		u32 mode = (u32)(i / 1000 % 4);
		u16 want;

		a = (u32)fu_number(32);
		if (fu_is_nan(32, a))
			continue;
		fesetround(round[mode]);
		want = fu_round_bf16(fu_f32(a));
		fesetround(FE_TONEAREST);
		assert_int_equal(isa_bf16_from_f32(a, mode), want);
		twisted += isa_bf16_from_f32(a, mode ^ 1) != want;
	}
	assert_true(twisted > 100);
}

static void payloads_of_nan_keep_their_top(void **state)
{
	assert_int_equal(isa_f32_from_f64(0x7ff0000020000001ull, 0), 0x7fc00001);
	assert_int_equal(isa_f32_from_f64(0xfff0000000000001ull, 0), 0xffc00000);
	assert_true(isa_f64_from_f32(0xffc00001, 0) == 0xfff8000020000000ull);
	assert_true(isa_f64_from_f32(0x7f800001, 0) == 0x7ff8000020000000ull);
	assert_int_equal(isa_f16_from_f32(0x7f800001, 0), 0x7e00);
	assert_int_equal(isa_f16_from_f32(0xff802000, 0), 0xfe01);
}

static double limited(double x, double low, double high)
{
	if (isnan(x))
		return 0;
	return x < low ? low : x > high ? high : x;
}

#define assert_int(got, x, low, high)                                                   \
	do {                                                                            \
		s64 want = (s64)limited(x, low, high);                                  \
											\
		if ((u32)(got) != (u32)want)                                            \
			fail_msg("%s of %a: %x, expected %x", #got, x, (u32)(got), (u32)want); \
	} while (0)

#define S32_MIN_D -2147483648.0
#define S32_MAX_D 2147483647.0
#define U32_MAX_D 4294967295.0

static void floats_become_integers_within_their_range(void **state)
{
	u64 i;

	for (i = 0; i < fu_cases(); i++) {
		u64 a = fu_number(64);
		u32 b = (u32)fu_number(32);
		double x = fu_f64(a), y = fu_f32(b);

		assert_int(isa_i32_from_f64(a, 0), x, S32_MIN_D, S32_MAX_D);
		assert_int(isa_u32_from_f64(a, 0), x, 0, U32_MAX_D);
		assert_int(isa_i32_from_f32(b, 0), y, S32_MIN_D, S32_MAX_D);
		assert_int(isa_u32_from_f32(b, 0), y, 0, U32_MAX_D);
		assert_int(isa_i32_from_f32_flr(b, 0), floor(y), S32_MIN_D, S32_MAX_D);
		assert_int(isa_i32_from_f32_rpi(b, 0), floor(y + 0.5), S32_MIN_D, S32_MAX_D);
		assert_int(isa_u8_from_f32(b, 0), rint(y), 0, 255);
		assert_int(isa_u8_from_f32(b, ISA_FP_UP), ceil(y), 0, 255);
	}
	for (i = 0; i < 0x10000; i++) {
		double x = fu_value16((u16)i);

		assert_int((s32)(s16)isa_i16_from_f16((u16)i, 0), x, -32768, 32767);
		assert_int(isa_u16_from_f16((u16)i, 0), x, 0, 65535);
	}
	/* What a rounded sum would get wrong. */
	assert_int_equal(isa_i32_from_f32_rpi(0x3effffff, 0), 0);
	assert_int_equal(isa_i32_from_f32_flr(0x80000001, 0), (u32)-1);
	assert_int_equal(isa_i32_from_f32_flr(0x80000001, ISA_FP_FLUSH_IN), 0);
}

static void normalised_integers_are_to_nearest(void **state)
{
	u64 i;

	for (i = 0; i < fu_cases(); i++) {
		u32 a = (u32)fu_number(32);
		double x = fu_f32(a);

		assert_int((s16)isa_snorm16_from_f32(a, 0), rint(limited(x, -1, 1) * 32767),
			   -32767, 32767);
		assert_int(isa_unorm16_from_f32(a, 0), rint(limited(x, 0, 1) * 65535), 0, 65535);
	}
	for (i = 0; i < 0x10000; i++) {
		double x = fu_value16((u16)i);

		assert_int((s16)isa_snorm16_from_f16((u16)i, 0), rint(limited(x, -1, 1) * 32767),
			   -32767, 32767);
		assert_int(isa_unorm16_from_f16((u16)i, 0), rint(limited(x, 0, 1) * 65535), 0,
			   65535);
	}
}

/* A chain in another order, or one that rounds its products, has other bits. */
static void sums_of_products_are_chains_of_fma(void **state)
{
	u16 a[4], b[4];
	u64 i, other = 0;
	u32 k;

	for (i = 0; i < 10000; i++) {
		float sum = fu_f32(fu_number(32) & 0xbfffffff), sum_b = sum, back = sum;

		for (k = 0; k < 4; k++) {
			a[k] = (u16)fu_number(16) & 0xbfff;
			b[k] = (u16)fu_number(16) & 0xbfff;
		}
		u32 got = isa_f32_dot_f16((u32)fu_u32(sum), a, b, 4, 0);
		u32 got_b = isa_f32_dot_bf16((u32)fu_u32(sum_b), a, b, 4, 0);

		for (k = 0; k < 4; k++) {
			sum = fmaf((float)fu_value16(a[k]), (float)fu_value16(b[k]), sum);
			sum_b = fmaf(fu_f32((u32)a[k] << 16), fu_f32((u32)b[k] << 16), sum_b);
			back = fmaf((float)fu_value16(a[3 - k]), (float)fu_value16(b[3 - k]), back);
		}
		assert_int_equal(got, fu_u32(sum));
		assert_int_equal(got_b, fu_u32(sum_b));
		other += got != fu_u32(back);
	}
	assert_true(other > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_the_host),
		cmocka_unit_test(integers_become_what_the_host_makes_of_them),
		cmocka_unit_test(all_of_f16_widens_and_comes_back),
		cmocka_unit_test(bf16_is_half_of_f32),
		cmocka_unit_test(payloads_of_nan_keep_their_top),
		cmocka_unit_test(floats_become_integers_within_their_range),
		cmocka_unit_test(normalised_integers_are_to_nearest),
		cmocka_unit_test(sums_of_products_are_chains_of_fma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
