// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rows by the processor's floating point. Addition, multiplication and fma are
 * defined to the last bit by IEEE 754, NaN aside, so that these are the numbers
 * of src/isa/float.h as long as the modes of the processor are unchanged.
 */
#include "gp_port.h"

#ifdef __x86_64__

/* MXCSR without its flags: exceptions masked, to nearest, denormals kept. */
static bool modes_are_plain(void)
{
	return (__builtin_ia32_stmxcsr() & 0xffc0) == 0x1f80;
}

bool gp_port_f32_add_row(u32 *d, const u32 *a, const u32 *b)
{
	const float *x = (const float *)a, *y = (const float *)b;
	float *restrict r = (float *)d;
	int i;

	if (!modes_are_plain())
		return false;
	for (i = 0; i < GP_PORT_ROW; i++)
		r[i] = x[i] + y[i];
	return true;
}

bool gp_port_f32_mul_row(u32 *d, const u32 *a, const u32 *b)
{
	const float *x = (const float *)a, *y = (const float *)b;
	float *restrict r = (float *)d;
	int i;

	if (!modes_are_plain())
		return false;
	for (i = 0; i < GP_PORT_ROW; i++)
		r[i] = x[i] * y[i];
	return true;
}

static __attribute__((target("avx2,fma"))) void fma_row(float *restrict r, const float *x,
							const float *y, const float *z)
{
	int i;

	for (i = 0; i < GP_PORT_ROW; i++)
		r[i] = __builtin_fmaf(x[i], y[i], z[i]);
}

bool gp_port_f32_fma_row(u32 *d, const u32 *a, const u32 *b, const u32 *c)
{
	if (!modes_are_plain() || !__builtin_cpu_supports("fma") ||
	    !__builtin_cpu_supports("avx2"))
		return false;
	fma_row((float *)d, (const float *)a, (const float *)b, (const float *)c);
	return true;
}

#else

bool gp_port_f32_add_row(u32 *d, const u32 *a, const u32 *b)
{
	return false;
}

bool gp_port_f32_mul_row(u32 *d, const u32 *a, const u32 *b)
{
	return false;
}

bool gp_port_f32_fma_row(u32 *d, const u32 *a, const u32 *b, const u32 *c)
{
	return false;
}

#endif
