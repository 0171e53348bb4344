// SPDX-License-Identifier: MIT
/*
 * The sequence that compilers emit for a / b (LLVM, LowerFDIV32 and 64) gives
 * the correctly rounded quotient. It would with a reciprocal that is off a
 * little, too, but for a denominator of all ones, where Newton's method does not
 * find the last bit (Markstein's exception); so ours is exact.
 */
#include "float_unit.h"

/* What the sequence is spoiled with, for the controls. */
enum spoil { NONE, NO_SCALE, NO_FIXUP, ONE_STEP_LESS };

static u32 divide32(u32 num, u32 den, s32 off, enum spoil spoil)
{
	u32 vcc, no, d = isa_f32_div_scale(den, den, num, &no, 0);
	u32 n = isa_f32_div_scale(num, den, num, &vcc, 0);
	u32 minus = d ^ 0x80000000, one = 0x3f800000;
	/* v_rcp_f32 flushes: the scaling must keep away from that, too. */
	u32 r = isa_f32_rcp(d, ISA_FP_FLUSH) + (u32)off;
	u32 e, q;

	if (spoil != ONE_STEP_LESS)
		r = isa_f32_fma(isa_f32_fma(minus, r, one, 0), r, r, 0);
	q = isa_f32_mul(n, r, 0);
	e = isa_f32_fma(minus, q, n, 0);
	if (spoil != ONE_STEP_LESS)
		q = isa_f32_fma(e, r, q, 0);
	e = isa_f32_fma(minus, q, n, 0);
	q = isa_f32_div_fmas(e, r, q, spoil == NO_SCALE ? 0 : vcc, 0);
	return spoil == NO_FIXUP ? q : isa_f32_div_fixup(q, den, num, 0);
}

static u64 divide64(u64 num, u64 den, s64 off, enum spoil spoil)
{
	u32 vcc, no;
	u64 d = isa_f64_div_scale(den, den, num, &no, 0);
	u64 n = isa_f64_div_scale(num, den, num, &vcc, 0);
	u64 minus = d ^ 1ull << 63, one = 0x3ff0000000000000ull;
	u64 r = isa_f64_rcp(d, 0) + (u64)off;
	u64 q;

	r = isa_f64_fma(isa_f64_fma(minus, r, one, 0), r, r, 0);
	if (spoil != ONE_STEP_LESS)
		r = isa_f64_fma(isa_f64_fma(minus, r, one, 0), r, r, 0);
	q = isa_f64_mul(n, r, 0);
	q = isa_f64_div_fmas(isa_f64_fma(minus, q, n, 0), r, q, spoil == NO_SCALE ? 0 : vcc, 0);
	return spoil == NO_FIXUP ? q : isa_f64_div_fixup(q, den, num, 0);
}

/* NaN: the numerator's, else the denominator's, else the one of div_fixup. */
static u64 nan_of(u32 bits, u64 num, u64 den)
{
	u64 quiet = fu_min_normal(bits) >> 1;

	if (fu_is_nan(bits, num))
		return num | quiet;
	return fu_is_nan(bits, den) ? den | quiet : fu_default_nan(bits);
}

static u64 host32(u64 num, u64 den)
{
	u64 q = fu_u32(fu_f32(num) / fu_f32(den));

	return fu_is_nan(32, q) ? nan_of(32, num, den) : q;
}

static u64 host64(u64 num, u64 den)
{
	u64 q = fu_u64(fu_f64(num) / fu_f64(den));

	return fu_is_nan(64, q) ? nan_of(64, num, den) : q;
}

/* Wrong quotients of f32; the reciprocal is off by -1, 0, 1 in turn. */
static u64 wrong32(u64 cases, enum spoil spoil)
{
	u64 i, nr = 0;

	for (i = 0; i < cases; i++) {
		u32 num = (u32)fu_number(32), den = (u32)fu_number(32);
		s32 off = ~den << 9 ? (s32)(i % 3) - 1 : 0;
		u32 got = divide32(num, den, off, spoil);

		if (got == host32(num, den))
			continue;
		if (!nr++ && spoil == NONE)
			print_error("%08x / %08x, rcp %+d: %08x\n", num, den, off, got);
	}
	return nr;
}

static u64 wrong64(u64 cases, enum spoil spoil)
{
	u64 i, nr = 0;

	for (i = 0; i < cases; i++) {
		u64 num = fu_number(64), den = fu_number(64);
		/* v_rcp_f64 is good to half of its digits. */
		s64 off = (s64)(fu_random() >> 36) - (1 << 27);
		u64 got = divide64(num, den, i % 2 && ~den << 12 ? off : 0, spoil);

		if (got == host64(num, den))
			continue;
		if (!nr++ && spoil == NONE)
			print_error("%016llx / %016llx: %016llx\n", (unsigned long long)num,
				    (unsigned long long)den, (unsigned long long)got);
	}
	return nr;
}

static void f32_quotients_are_correctly_rounded(void **state)
{
	assert_int_equal(wrong32(fu_cases(), NONE), 0);
	assert_true(wrong32(10000, NO_SCALE) > 0);
	assert_true(wrong32(10000, NO_FIXUP) > 0);
	assert_true(wrong32(10000, ONE_STEP_LESS) > 0);
}

static void f64_quotients_are_correctly_rounded(void **state)
{
	assert_int_equal(wrong64(fu_cases(), NONE), 0);
	assert_true(wrong64(10000, NO_SCALE) > 0);
	assert_true(wrong64(10000, NO_FIXUP) > 0);
	assert_true(wrong64(10000, ONE_STEP_LESS) > 0);
}

/* As LLVM does it: in f32, the last correction cut to a power of two. */
static u16 divide16(u16 num, u16 den, bool fixup)
{
	u32 n = isa_f32_from_f16(num, 0), d = isa_f32_from_f16(den, 0);
	u32 minus = d ^ 0x80000000, r = isa_f32_rcp(d, ISA_FP_FLUSH);
	u32 q = isa_f32_mul(n, r, 0);
	u16 h;

	q = isa_f32_fma(isa_f32_fma(minus, q, n, 0), r, q, 0);
	q = isa_f32_add(q, isa_f32_mul(isa_f32_fma(minus, q, n, 0), r, 0) & 0xff800000, 0);
	h = isa_f16_from_f32(q, 0);
	return fixup ? isa_f16_div_fixup(h, den, num, 0) : h;
}

static u64 wrong16(u64 cases, bool fixup)
{
	u64 i, nr = 0;

	for (i = 0; i < cases; i++) {
		u16 num = (u16)fu_number(16), den = (u16)fu_number(16);
		u16 got = divide16(num, den, fixup);
		u16 want = fu_round16(fu_value16(num) / fu_value16(den));

		if (fu_is_nan(16, want))
			want = (u16)nan_of(16, num, den);
		if (got == want)
			continue;
		if (!nr++ && fixup)
			print_error("%04x / %04x: %04x, expected %04x\n", num, den, got, want);
	}
	return nr;
}

static void f16_quotients_are_correctly_rounded(void **state)
{
	assert_int_equal(wrong16(fu_cases(), true), 0);
	assert_true(wrong16(10000, false) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_quotients_are_correctly_rounded),
		cmocka_unit_test(f64_quotients_are_correctly_rounded),
		cmocka_unit_test(f16_quotients_are_correctly_rounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
