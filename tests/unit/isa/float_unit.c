// SPDX-License-Identifier: MIT
#include <fenv.h>
#include <stdio.h>

#include "float_unit.h"

#define BLOCK 250u

static const int host_round[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

u64 fu_random(void)
{
	static u64 state = 0x9e3779b97f4a7c15ull;
	u64 z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

u64 fu_cases(void)
{
	const char *cases = getenv("GP_ISA_FLOAT_CASES");
	const char *scale = getenv("GP_TEST_SCALE");
	u64 nr = cases ? strtoull(cases, NULL, 0) : 1000000;
	u64 by = scale ? strtoull(scale, NULL, 0) : 1;

	nr /= by ? by : 1;
	return nr < 1000 ? 1000 : nr;
}

/* Exponent and significand by chance of their own, so that edges meet edges. */
u64 fu_number(u32 bits)
{
	u64 r = fu_random(), one = fu_min_normal(bits), mask = one - 1;
	u64 top = fu_inf(bits) / one, bias = top / 2;
	u64 exp = 0, m = r >> 4;

	switch (fu_random() % 16) {
	case 0: /* zero, denormal */
		break;
	case 1: /* denormals with few bits */
		return (r & fu_sign_bit(bits)) | (m & mask) >> (fu_random() % 52);
	case 2:
		exp = 1 + fu_random() % 3;
		break;
	case 3:
		exp = top - 1 - fu_random() % 3;
		break;
	case 4:
		exp = top;
		break;
	case 5: /* integers and halves */
		exp = bias + fu_random() % (bits == 16 ? 14 : 34);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
		exp = bias + fu_random() % 8 - 4;
		break;
	default:
		exp = fu_random() % top;
		break;
	}
	switch (fu_random() % 8) {
	case 0:
		m = 0;
		break;
	case 1:
		m = r >> 60;
		break;
	case 2:
		m = 0 - (r >> 60);
		break;
	case 3: /* few bits: ties, exact quotients */
		m = (r >> 58) << (fu_random() % 52);
		break;
	}
	return (r << 63 >> (64 - bits)) | exp * one | (m & mask);
}

double fu_value16(u16 a)
{
	int exp = a >> 10 & 31;
	double m = exp ? 1024 + (a & 1023) : a & 1023;

	if (exp == 31)
		m = a & 1023 ? NAN : INFINITY;
	m = ldexp(m, (exp ? exp : 1) - 25);
	return a >> 15 ? -m : m;
}

/* Largest number or infinity, for a format of 16 bits. */
static u16 overflow16(bool neg, u16 inf)
{
	int round = fegetround();
	bool away = round == FE_TONEAREST || round == (neg ? FE_DOWNWARD : FE_UPWARD);

	return (u16)(neg << 15 | (inf - !away));
}

static u16 round_to(double x, int mant, int exp_min)
{
	u16 inf = (u16)(0x7fff >> mant << mant);
	u16 sign = (u16)(!!signbit(x) << 15);
	/* volatile: a compiler would draw the sign out of rint() */
	volatile double whole;
	int exp;

	if (isnan(x))
		return inf | (u16)(1 << (mant - 1));
	if (isinf(x) || x == 0)
		return sign | (isinf(x) ? inf : 0);
	exp = ilogb(x);
	if (exp > 1 - exp_min)
		return overflow16(x < 0, inf);
	exp = exp < exp_min ? exp_min : exp;
	whole = rint(scalbn(x, mant - exp));
	/* Of an exponent of 1 the hidden bit adds 1 to the field. */
	return sign | (u16)(fabs(whole) + ldexp(exp - exp_min, mant));
}

u16 fu_round16(double x)
{
	return round_to(x, 10, -14);
}

u16 fu_round_bf16(double x)
{
	return round_to(x, 7, -126);
}

static u64 flush(u32 bits, u64 a, u32 wanted)
{
	u64 sign = fu_sign_bit(bits);

	return wanted && (a & (sign - 1)) < fu_min_normal(bits) ? a & sign : a;
}

/* The rule of float.h: the first NaN, quiet, else the default one. */
static u64 expected_nan(const struct fu_op *op, const u64 *a)
{
	u32 out = op->bits_out ? op->bits_out : op->bits;
	u64 quiet = fu_min_normal(op->bits) >> 1;
	u32 i;

	for (i = 0; i < op->nr_args; i++)
		if (fu_is_nan(op->bits, a[i]) && out == op->bits)
			return a[i] | quiet;
	return fu_default_nan(out);
}

static u64 expected(const struct fu_op *op, const u64 *a, u32 mode)
{
	u32 out = op->bits_out ? op->bits_out : op->bits;
	u64 in[3] = { 0 };
	u64 r;
	u32 i;

	for (i = 0; i < op->nr_args; i++)
		in[i] = flush(op->bits, a[i], mode & ISA_FP_FLUSH_IN);
	r = op->host(in);
	if (fu_is_nan(out, r))
		return expected_nan(op, a);
	return flush(out, r, mode & ISA_FP_FLUSH_OUT);
}

static void fill(const struct fu_op *op, u64 *a)
{
	u32 i;

	for (i = 0; i < op->nr_args; i++)
		a[i] = fu_number(op->bits);
	if (op->related && fu_random() % 4 == 0)
		a[op->nr_args - 1] = op->related(a);
}

static void show(const struct fu_op *op, const u64 *a, u32 mode, u64 got, u64 want)
{
	print_error("%s mode %u: %llx %llx %llx: got %llx, expected %llx\n", op->name, mode,
		    (unsigned long long)a[0], (unsigned long long)a[1],
		    (unsigned long long)a[2], (unsigned long long)got,
		    (unsigned long long)want);
}

/* Results that differ in one block; twist changes the mode of the function under test. */
static u64 block(const struct fu_op *op, u32 mode, u32 twist, u64 flip, bool quiet)
{
	static u64 a[BLOCK][3], want[BLOCK];
	u64 nr = 0;
	u32 i;

	for (i = 0; i < BLOCK; i++)
		fill(op, a[i]);
	fesetround(host_round[mode & ISA_FP_ROUND]);
	for (i = 0; i < BLOCK; i++)
		want[i] = expected(op, a[i], mode);
	fesetround(FE_TONEAREST);
	for (i = 0; i < BLOCK; i++) {
		u64 got = op->soft(a[i], mode ^ twist) ^ (i ? 0 : flip);

		if (got == want[i])
			continue;
		if (!nr++ && !quiet)
			show(op, a[i], mode, got, want[i]);
	}
	return nr;
}

static u64 differences(const struct fu_op *op, u64 cases, u32 twist, u64 flip, bool quiet)
{
	u64 nr = 0, i;

	for (i = 0; i * BLOCK < cases && nr < 1000; i++)
		nr += block(op, i % 16, twist, flip, quiet);
	return nr;
}

void fu_check(const struct fu_op *op)
{
	assert_int_equal(differences(op, fu_cases(), 0, 0, false), 0);
	assert_true(differences(op, 16 * BLOCK, 1, 0, true) > 0);
	assert_true(differences(op, 16 * BLOCK, 2, 0, true) > 0);
}

void fu_check_exact(const struct fu_op *op)
{
	assert_int_equal(differences(op, fu_cases(), 0, 0, false), 0);
	assert_int_equal(differences(op, 16 * BLOCK, 0, 1, true), 16);
}
