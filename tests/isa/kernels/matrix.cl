// SPDX-License-Identifier: MIT
#include "kernel.h"

/*
 * One matrix instruction after the other over k; the processor's build does the
 * same sums in the same order, element by element.
 */
#ifdef __OPENCL_C_VERSION__
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef double d4 __attribute__((ext_vector_type(4)));
#endif

#define F(p) ((GLOBAL float *)(p))

KERNEL(mfma_f32, 64, 1)
{
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	f4 d = 0;

	for (k = 0; k < n; k += 4)
		d = __builtin_amdgcn_mfma_f32_16x16x4f32(F(a)[(l & 15) * n + k + (l >> 4)],
							 F(b)[(k + (l >> 4)) * 16 + (l & 15)], d, 0,
							 0, 0);
	for (i = 0; i < 4; i++)
		F(c)[((l >> 4) * 4 + i) * 16 + (l & 15)] = d[i];
#else
	for (i = 0; i < 4; i++) {
		float s = 0;

		for (k = 0; k < n; k++)
			s = fma(F(a)[((l >> 4) * 4 + i) * n + k], F(b)[k * 16 + (l & 15)], s);
		F(c)[((l >> 4) * 4 + i) * 16 + (l & 15)] = s;
	}
#endif
}

KERNEL(mfma_f32_large, 64, 1)
{
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	f16v d = 0;

	for (k = 0; k < n; k += 2)
		d = __builtin_amdgcn_mfma_f32_32x32x2f32(F(a)[(l & 31) * n + k + (l >> 5)],
							 F(b)[(k + (l >> 5)) * 32 + (l & 31)], d, 0,
							 0, 0);
	for (i = 0; i < 16; i++)
		F(c)[(i / 4 * 8 + (l >> 5) * 4 + (i & 3)) * 32 + (l & 31)] = d[i];
#else
	for (i = 0; i < 16; i++) {
		uint r = i / 4 * 8 + (l >> 5) * 4 + (i & 3);
		float s = 0;

		for (k = 0; k < n; k++)
			s = fma(F(a)[r * n + k], F(b)[k * 32 + (l & 31)], s);
		F(c)[r * 32 + (l & 31)] = s;
	}
#endif
}

KERNEL(mfma_f16, 64, 1)
{
	GLOBAL const HALF *x = (GLOBAL const HALF *)a, *y = (GLOBAL const HALF *)b;
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	f16v d = 0;

	for (k = 0; k < n; k += 8)
		d = __builtin_amdgcn_mfma_f32_32x32x8f16(
			*(GLOBAL const h4 *)&x[(l & 31) * n + k + 4 * (l >> 5)],
			*(GLOBAL const h4 *)&y[(l & 31) * n + k + 4 * (l >> 5)], d, 0, 0, 0);
	for (i = 0; i < 16; i++)
		F(c)[(i / 4 * 8 + (l >> 5) * 4 + (i & 3)) * 32 + (l & 31)] = d[i];
#else
	for (i = 0; i < 16; i++) {
		uint r = i / 4 * 8 + (l >> 5) * 4 + (i & 3);
		float s = 0;

		for (k = 0; k < n; k++)
			s = fma((float)x[r * n + k], (float)y[(l & 31) * n + k], s);
		F(c)[r * 32 + (l & 31)] = s;
	}
#endif
}

KERNEL(mfma_bf16, 64, 1)
{
	GLOBAL const ushort *x = (GLOBAL const ushort *)a, *y = (GLOBAL const ushort *)b;
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	f4 d = 0;

	for (k = 0; k < n; k += 16)
		d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(
			*(GLOBAL const s4 *)&x[(l & 15) * n + k + 4 * (l >> 4)],
			*(GLOBAL const s4 *)&y[(l & 15) * n + k + 4 * (l >> 4)], d, 0, 0, 0);
	for (i = 0; i < 4; i++)
		F(c)[((l >> 4) * 4 + i) * 16 + (l & 15)] = d[i];
#else
	for (i = 0; i < 4; i++) {
		uint r = (l >> 4) * 4 + i;
		float s = 0;

		for (k = 0; k < n; k++)
			s = fma(AS_FLOAT((uint)x[r * n + k] << 16),
				AS_FLOAT((uint)y[(l & 15) * n + k] << 16), s);
		F(c)[r * 16 + (l & 15)] = s;
	}
#endif
}

#if !defined(__OPENCL_C_VERSION__) || defined(__gfx90a__)
KERNEL(mfma_i8, 64, 1)
{
	GLOBAL const signed char *x = (GLOBAL const signed char *)a;
	GLOBAL const signed char *y = (GLOBAL const signed char *)b;
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	i4 d = 0;

	for (k = 0; k < n; k += 16)
		d = __builtin_amdgcn_mfma_i32_16x16x16i8(
			*(GLOBAL const int *)&x[(l & 15) * n + k + 4 * (l >> 4)],
			*(GLOBAL const int *)&y[(l & 15) * n + k + 4 * (l >> 4)], d, 0, 0, 0);
	for (i = 0; i < 4; i++)
		c[((l >> 4) * 4 + i) * 16 + (l & 15)] = (uint)d[i];
#else
	for (i = 0; i < 4; i++) {
		uint r = (l >> 4) * 4 + i, s = 0;

		for (k = 0; k < n; k++)
			s += (uint)(x[r * n + k] * y[(l & 15) * n + k]);
		c[r * 16 + (l & 15)] = s;
	}
#endif
}
#endif

KERNEL(mfma_f64, 64, 1)
{
	GLOBAL const double *x = (GLOBAL const double *)a, *y = (GLOBAL const double *)b;
	GLOBAL double *z = (GLOBAL double *)c;
	uint l = LID, k, i;

#ifdef __OPENCL_C_VERSION__
	d4 d = 0;

	for (k = 0; k < n; k += 4)
		d = __builtin_amdgcn_mfma_f64_16x16x4f64(x[(l & 15) * n + k + (l >> 4)],
							 y[(k + (l >> 4)) * 16 + (l & 15)], d, 0, 0,
							 0);
	for (i = 0; i < 4; i++)
		z[((l >> 4) + 4 * i) * 16 + (l & 15)] = d[i];
#else
	for (i = 0; i < 4; i++) {
		double s = 0;

		for (k = 0; k < n; k++)
			s = fma(x[((l >> 4) + 4 * i) * n + k], y[k * 16 + (l & 15)], s);
		z[((l >> 4) + 4 * i) * 16 + (l & 15)] = s;
	}
#endif
}
