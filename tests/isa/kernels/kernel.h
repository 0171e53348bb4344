/* SPDX-License-Identifier: MIT */
/*
 * One source, two builds: OpenCL C for the GPU, C for the processor of the
 * build machine, which says what the result has to be. All kernels have the
 * same parameters; the size of a workgroup is part of the declaration.
 */
#ifndef GP_TEST_KERNEL_H
#define GP_TEST_KERNEL_H

#ifdef __OPENCL_C_VERSION__

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define GLOBAL __global
#define LOCAL __local
#define KERNEL(name, x, y)                                                    \
	__attribute__((reqd_work_group_size(x, y, 1))) __kernel void name(    \
		__global uint *a, __global uint *b, __global uint *c, uint n)
#define LID (uint) __builtin_amdgcn_workitem_id_x()
#define LIDY (uint) __builtin_amdgcn_workitem_id_y()
#define GROUP (uint) __builtin_amdgcn_workgroup_id_x()
#define GROUPY (uint) __builtin_amdgcn_workgroup_id_y()
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define AS_FLOAT(x) as_float(x)
#define AS_UINT(x) as_uint(x)
#define ATOMIC(op, p, x) atomic_##op(p, x)
#define HALF half

#else

#include <math.h>
#include <string.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define GLOBAL
#define LOCAL static
#define KERNEL(name, x, y)                                     \
	void name(uint *a, uint *b, uint *c, uint n);          \
	void name(uint *a, uint *b, uint *c, uint n)
#define LID cpu_local_id(0)
#define LIDY cpu_local_id(1)
#define GROUP cpu_group_id(0)
#define GROUPY cpu_group_id(1)
#define BARRIER cpu_barrier()
#define HALF _Float16
#define ATOMIC(op, p, x) cpu_atomic_##op(p, x)

/* cpu.c: which work-item this is; a barrier lets the others of its group run. */
uint cpu_local_id(uint dim);
uint cpu_group_id(uint dim);
void cpu_barrier(void);

static inline float AS_FLOAT(uint x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static inline uint AS_UINT(float f)
{
	uint x;

	memcpy(&x, &f, 4);
	return x;
}

#define CPU_ATOMIC(op, expr)                                     \
	static inline uint cpu_atomic_##op(uint *p, uint x)      \
	{                                                        \
		uint old = *p;                                   \
								 \
		*p = (expr);                                     \
		return old;                                      \
	}
CPU_ATOMIC(add, old + x)
CPU_ATOMIC(sub, old - x)
CPU_ATOMIC(min, old < x ? old : x)
CPU_ATOMIC(max, old > x ? old : x)
CPU_ATOMIC(and, old & x)
CPU_ATOMIC(or, old | x)
CPU_ATOMIC(xor, old ^ x)
CPU_ATOMIC(xchg, x)

#define mul_hi(x, y) ((uint)((ulong)(x) * (y) >> 32))
#define popcount(x) ((uint)__builtin_popcountl(x))
#define clz(x) ((x) ? (uint)__builtin_clz(x) : 32u)
#define rotate(x, k) ((x) << (k) | (x) >> (32 - (k)))
#define fma(x, y, z) _Generic((x), float : fmaf, default : (fma))(x, y, z)
#define sqrt(x) _Generic((x), float : sqrtf, default : (sqrt))(x)
#define exp(x) _Generic((x), float : expf, default : (exp))(x)
#define log(x) _Generic((x), float : logf, default : (log))(x)
#define sin(x) _Generic((x), float : sinf, default : (sin))(x)
#define cos(x) _Generic((x), float : cosf, default : (cos))(x)
#define tanh(x) tanhf(x)
#define pow(x, y) powf(x, y)
#define floor(x) _Generic((x), float : floorf, default : (floor))(x)
#define ceil(x) ceilf(x)
#define trunc(x) truncf(x)
#define rint(x) rintf(x)
#define fmax(x, y) fmaxf(x, y)
#define fmin(x, y) fminf(x, y)
#define fabs(x) fabsf(x)
#define erf(x) erff(x)
#define exp2(x) exp2f(x)
#define log2(x) log2f(x)
#define cbrt(x) cbrtf(x)
#define fmod(x, y) fmodf(x, y)
#define rsqrt(x) (1.0f / sqrtf(x))

#endif

#endif
