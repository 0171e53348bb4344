/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the soft float share: numbers that hit the edges, a
 * comparison with the host's floating point in every mode, and its control.
 *
 * 10^6 cases a test, divided by GP_TEST_SCALE; GP_ISA_FLOAT_CASES replaces the
 * number.
 */
#ifndef FLOAT_UNIT_H
#define FLOAT_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/float.h"

#include <cmocka.h>

/**
 * struct fu_op - an operation to be compared
 * @name: for the message
 * @bits: of the operands: 16, 32, 64
 * @nr_args: 1 to 3
 * @soft: the function under test
 * @host: the same on the host, which has the rounding mode set; a NaN counts as any
 * @related: makes the last operand from the others, now and then: may be NULL
 * @bits_out: of the result, 0 = as @bits
 */
struct fu_op {
	const char *name;
	u32 bits;
	u32 nr_args;
	u64 (*soft)(const u64 *a, u32 mode);
	u64 (*host)(const u64 *a);
	u64 (*related)(const u64 *a);
	u32 bits_out;
};

#define FU_OP(op_name, op_bits, nr, soft_op, host_op, ...)                       \
	{ .name = op_name, .bits = op_bits, .nr_args = nr, .soft = soft_op,      \
	  .host = host_op, __VA_ARGS__ }

/**
 * fu_check() - compare in all modes, with the control that a wrong rounding is noticed
 * @op: operation
 */
void fu_check(const struct fu_op *op);

/**
 * fu_check_exact() - as fu_check(), for an operation without rounding: the control
 * is a result with one bit flipped in one case of a thousand
 * @op: operation
 */
void fu_check_exact(const struct fu_op *op);

/**
 * fu_cases() - cases a test has
 *
 * Return: at least 1000.
 */
u64 fu_cases(void);

u64 fu_random(void);
/* A number of 16, 32 or 64 bits at some edge, NaN among them. */
u64 fu_number(u32 bits);

/* Rounds to f16 or bf16 as the host's mode says. */
u16 fu_round16(double x);
u16 fu_round_bf16(double x);
double fu_value16(u16 a);

/* soft_<name>(): a function of float.h as struct fu_op wants it. */
#define FU_SOFT1(name, T)                               \
	static u64 soft_##name(const u64 *a, u32 mode)  \
	{                                               \
		return isa_##name((T)a[0], mode);       \
	}
#define FU_SOFT2(name, T)                                       \
	static u64 soft_##name(const u64 *a, u32 mode)          \
	{                                                       \
		return isa_##name((T)a[0], (T)a[1], mode);      \
	}
#define FU_SOFT3(name, T)                                               \
	static u64 soft_##name(const u64 *a, u32 mode)                  \
	{                                                               \
		return isa_##name((T)a[0], (T)a[1], (T)a[2], mode);     \
	}

static inline float fu_f32(u64 a)
{
	u32 x = (u32)a;
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static inline double fu_f64(u64 a)
{
	double f;

	memcpy(&f, &a, sizeof(f));
	return f;
}

static inline u64 fu_u32(float f)
{
	u32 x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

static inline u64 fu_u64(double f)
{
	u64 x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

static inline u64 fu_sign_bit(u32 bits)
{
	return 1ull << (bits - 1);
}

static inline u64 fu_inf(u32 bits)
{
	return bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : 0x7ffull << 52;
}

static inline u64 fu_min_normal(u32 bits)
{
	return bits == 16 ? 1u << 10 : bits == 32 ? 1u << 23 : 1ull << 52;
}

static inline u64 fu_default_nan(u32 bits)
{
	return fu_sign_bit(bits) | fu_inf(bits) | fu_min_normal(bits) >> 1;
}

static inline bool fu_is_nan(u32 bits, u64 a)
{
	return (a & (fu_sign_bit(bits) - 1)) > fu_inf(bits);
}

#endif
