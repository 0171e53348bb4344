/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Bit counting and fields, without the compiler's library. */
#ifndef ISA_BITS_H
#define ISA_BITS_H

#include "gp_port.h"

static inline u32 isa_popcount(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	return x * 0x01010101 >> 24;
}

static inline u32 isa_reverse(u32 x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
	return x >> 16 | x << 16;
}

/* Zeroes above the highest one; all ones if there is none. */
static inline u32 isa_find_high(u32 x)
{
	return x ? (u32)__builtin_clz(x) : ~0u;
}

/* Zeroes below the lowest one; all ones if there is none. */
static inline u32 isa_find_low(u32 x)
{
	return x ? (u32)__builtin_ctz(x) : ~0u;
}

/* Bits above the highest that differs from the sign; all ones if none does. */
static inline u32 isa_find_sign(u32 x)
{
	return isa_find_high((s32)x < 0 ? ~x : x);
}

static inline u32 isa_field32(u32 a, u32 shift, u32 width, bool is_signed)
{
	if (!width)
		return 0;
	a >>= shift;
	if (width + shift >= 32)
		return is_signed && shift ? (u32)((s32)(a << shift) >> shift) : a;
	if (is_signed)
		return (u32)((s32)(a << (32 - width)) >> (32 - width));
	return a & ((1u << width) - 1);
}

#endif
