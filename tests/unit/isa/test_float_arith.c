// SPDX-License-Identifier: MIT
/* add, sub, mul, fma, mad of all formats and modes, against the host's. */
#include "float_unit.h"

/* Host operands and results are volatile: they belong between two changes of mode. */
#define HOST(name, T, expr)                                              \
	static u64 name(const u64 *a)                                    \
	{                                                                \
		volatile T x = VALUE_##T(a[0]), y = VALUE_##T(a[1]);     \
		volatile T r = expr;                                     \
		return BITS_##T(r);                                      \
	}
#define VALUE_float fu_f32
#define VALUE_double fu_f64
#define BITS_float fu_u32
#define BITS_double fu_u64

HOST(host_add32, float, x + y)
HOST(host_sub32, float, x - y)
HOST(host_mul32, float, x * y)
HOST(host_add64, double, x + y)
HOST(host_sub64, double, x - y)
HOST(host_mul64, double, x * y)

static u64 host_fma32(const u64 *a)
{
	volatile float r = fmaf(fu_f32(a[0]), fu_f32(a[1]), fu_f32(a[2]));

	return fu_u32(r);
}

static u64 host_fma64(const u64 *a)
{
	volatile double r = fma(fu_f64(a[0]), fu_f64(a[1]), fu_f64(a[2]));

	return fu_u64(r);
}

/* Sums and products of f16 are exact in double. */
static u64 host_add16(const u64 *a)
{
	volatile double x = fu_value16((u16)a[0]), y = fu_value16((u16)a[1]);

	return fu_round16(x + y);
}

static u64 host_sub16(const u64 *a)
{
	volatile double x = fu_value16((u16)a[0]), y = fu_value16((u16)a[1]);

	return fu_round16(x - y);
}

static u64 host_mul16(const u64 *a)
{
	return fu_round16(fu_value16((u16)a[0]) * fu_value16((u16)a[1]));
}

/* The exact sum of 80 bits; what a double cannot hold is jammed into its last bit. */
static double exact_fma16(double x, double y, double z)
{
	__int128 sum = (__int128)(x * y * 0x1p48) + (__int128)(z * 0x1p24) * (1 << 24);
	unsigned __int128 m = sum < 0 ? -sum : sum;
	int drop = 0;
	double r;

	while (m >> 53) {
		m = m >> 1 | (m & 1);
		drop++;
	}
	r = ldexp((double)(u64)m, drop - 48);
	return sum < 0 ? -r : r;
}

static u64 host_fma16(const u64 *a)
{
	volatile double x = fu_value16((u16)a[0]), y = fu_value16((u16)a[1]);
	volatile double z = fu_value16((u16)a[2]);
	volatile double r = fma(x, y, z);

	if (isfinite(r) && r != 0)
		r = exact_fma16(x, y, z);
	return fu_round16(r);
}

#define SOFT_ALL(F, T)          \
	FU_SOFT2(F##_add, T)    \
	FU_SOFT2(F##_sub, T)    \
	FU_SOFT2(F##_mul, T)    \
	FU_SOFT3(F##_fma, T)

SOFT_ALL(f16, u16)
SOFT_ALL(f32, u32)
SOFT_ALL(f64, u64)

/* A neighbour of the last operand's partner, of either sign: cancellation. */
static u64 near_first(const u64 *a)
{
	return (a[0] + fu_random() % 5 - 2) ^ (a[1] & fu_sign_bit(64));
}

static u64 near_first16(const u64 *a)
{
	return (u16)((a[0] + fu_random() % 5 - 2) ^ (a[1] & 0x8000));
}

static u64 near_first32(const u64 *a)
{
	return (u32)((a[0] + fu_random() % 5 - 2) ^ (a[1] & 0x80000000));
}

static u64 near_product16(const u64 *a)
{
	return (u16)((host_mul16(a) ^ 0x8000) + fu_random() % 3 - 1);
}

static u64 near_product32(const u64 *a)
{
	return (u32)((host_mul32(a) ^ 0x80000000) + fu_random() % 3 - 1);
}

static u64 near_product64(const u64 *a)
{
	return (host_mul64(a) ^ fu_sign_bit(64)) + fu_random() % 3 - 1;
}

static const struct fu_op ops[] = {
	FU_OP("f16 add", 16, 2, soft_f16_add, host_add16, .related = near_first16),
	FU_OP("f16 sub", 16, 2, soft_f16_sub, host_sub16, .related = near_first16),
	FU_OP("f16 mul", 16, 2, soft_f16_mul, host_mul16),
	FU_OP("f16 fma", 16, 3, soft_f16_fma, host_fma16, .related = near_product16),
	FU_OP("f32 add", 32, 2, soft_f32_add, host_add32, .related = near_first32),
	FU_OP("f32 sub", 32, 2, soft_f32_sub, host_sub32, .related = near_first32),
	FU_OP("f32 mul", 32, 2, soft_f32_mul, host_mul32),
	FU_OP("f32 fma", 32, 3, soft_f32_fma, host_fma32, .related = near_product32),
	FU_OP("f64 add", 64, 2, soft_f64_add, host_add64, .related = near_first),
	FU_OP("f64 sub", 64, 2, soft_f64_sub, host_sub64, .related = near_first),
	FU_OP("f64 mul", 64, 2, soft_f64_mul, host_mul64),
	FU_OP("f64 fma", 64, 3, soft_f64_fma, host_fma64, .related = near_product64),
};

static void results_are_those_of_the_host(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		fu_check(&ops[i]);
}

#define assert_mad(F, T, flush)                                                      \
	do {                                                                         \
		T a = (T)fu_number(8 * sizeof(T)), b = (T)fu_number(8 * sizeof(T));  \
		T c = (T)fu_number(8 * sizeof(T));                                   \
		u32 mode = i % 16;                                                   \
		T p = isa_##F##_mul(a, b, mode | (flush));                           \
									     \
		assert_true(isa_##F##_mad(a, b, c, mode) ==                          \
			    isa_##F##_add(p, c, mode | (flush)));                    \
		fused += isa_##F##_mad(a, b, c, 0) != isa_##F##_fma(a, b, c, 0);     \
	} while (0)

static void mad_rounds_twice(void **state)
{
	u64 fused = 0;
	u32 i;

	for (i = 0; i < 10000; i++) {
		assert_mad(f16, u16, 0);
		assert_mad(f32, u32, ISA_FP_FLUSH);
		assert_mad(f64, u64, 0);
	}
	/* Were it a fused one, this would be 0. */
	assert_true(fused > 1000);
}

static void zero_times_anything_is_zero_the_old_way(void **state)
{
	static const u32 any[] = { 0, 0x80000000, 0x7f800000, 0x7fc00000, 0x7f800001, 1,
				   0x3f800000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(any); i++) {
		assert_int_equal(isa_f32_mul_legacy(0, any[i], 0), 0);
		assert_int_equal(isa_f32_mul_legacy(any[i], 0x80000000, 0), 0);
		assert_int_equal(isa_f32_mad_legacy(any[i], 0, 0x40000000, 0), 0x40000000);
	}
	assert_int_equal(isa_f32_mul_legacy(0x40000000, 0x40400000, 0), 0x40c00000);
	/* Denormal: zero if the mode says so, which mad does by itself. */
	assert_int_equal(isa_f32_mul_legacy(1, 0x7f800000, 0), 0x7f800000);
	assert_int_equal(isa_f32_mul_legacy(1, 0x7f800000, ISA_FP_FLUSH_IN), 0);
	assert_int_equal(isa_f32_mad_legacy(1, 0x7f800000, 0, 0), 0);
}

/* MODE as a wave starts with it: 0xf0 keeps denormals, IEEE is bit 9. */
static void the_mode_register_is_read_as_amd_says(void **state)
{
	assert_int_equal(isa_fp_mode32(0x2f0), ISA_FP_IEEE);
	assert_int_equal(isa_fp_mode64(0x1f0), ISA_FP_DX10_CLAMP);
	assert_int_equal(isa_fp_mode32(0xc0), ISA_FP_FLUSH);
	assert_int_equal(isa_fp_mode64(0xc0), 0);
	assert_int_equal(isa_fp_mode32(0x10), ISA_FP_FLUSH_OUT);
	assert_int_equal(isa_fp_mode64(0x80), ISA_FP_FLUSH_IN);
	assert_int_equal(isa_fp_mode32(0xf6), ISA_FP_DOWN);
	assert_int_equal(isa_fp_mode64(0xf6), ISA_FP_UP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_the_host),
		cmocka_unit_test(mad_rounds_twice),
		cmocka_unit_test(zero_times_anything_is_zero_the_old_way),
		cmocka_unit_test(the_mode_register_is_read_as_amd_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
