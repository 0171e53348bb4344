// SPDX-License-Identifier: MIT
#include "kernel.h"

#define F(p) ((GLOBAL float *)(p))
#define D(p) ((GLOBAL double *)(p))
#define H(p) ((GLOBAL HALF *)(p))

KERNEL(add_floats, 64, 1)
{
	uint i = GROUP * 64 + LID;

	if (i < n)
		F(c)[i] = F(a)[i] + F(b)[i];
}

KERNEL(saxpy, 64, 1)
{
	uint i;

	for (i = GROUP * 64 + LID; i < n; i += 128)
		F(c)[i] = 1.5f * F(a)[i] - F(b)[i];
}

KERNEL(gemm, 16, 16)
{
	uint x = GROUP * 16 + LID, y = GROUPY * 16 + LIDY, k;
	float s = 0;

	for (k = 0; k < n; k++)
		s = fma(F(a)[y * n + k], F(b)[k * 32 + x], s);
	F(c)[y * 32 + x] = s;
}

KERNEL(gemm_tiled, 16, 16)
{
	LOCAL float p[16][17], q[16][17];
	uint x = LID, y = LIDY, t, k;
	float s = 0;

	for (t = 0; t < n; t += 16) {
		p[y][x] = F(a)[(GROUPY * 16 + y) * n + t + x];
		q[y][x] = F(b)[(t + y) * 32 + GROUP * 16 + x];
		BARRIER;
		for (k = 0; k < 16; k++)
			s = fma(p[y][k], q[k][x], s);
		BARRIER;
	}
	F(c)[(GROUPY * 16 + y) * 32 + GROUP * 16 + x] = s;
}

KERNEL(axpy_double, 64, 1)
{
	uint i = GROUP * 64 + LID;

	D(c)[i] = fma(1.25, D(a)[i], D(b)[i]) - D(a)[i] * D(b)[i + 1];
}

KERNEL(gemm_double, 8, 8)
{
	uint x = LID, y = LIDY, k;
	double s = 0;

	for (k = 0; k < n; k++)
		s = fma(D(a)[y * n + k], D(b)[k * 8 + x], s);
	D(c)[y * 8 + x] = s;
}

KERNEL(axpy_half, 64, 1)
{
	uint i = GROUP * 64 + LID;
	HALF x = H(a)[i], y = H(b)[i];
	HALF p = x * y;

	H(c)[i] = p + x;
}

KERNEL(convolve, 16, 4)
{
	int x = (int)(GROUP * 16 + LID), y = (int)(GROUPY * 4 + LIDY), i, j;
	float s = 0;

	for (i = -1; i <= 1; i++)
		for (j = -1; j <= 1; j++)
			if (y + i >= 0 && x + j >= 0 && y + i < (int)n && x + j < (int)n)
				s = fma(F(a)[(y + i) * (int)n + x + j], F(b)[(i + 1) * 3 + j + 1], s);
	F(c)[y * (int)n + x] = s;
}

/* Rows of different lengths. */
KERNEL(sparse, 64, 1)
{
	uint r = GROUP * 64 + LID, k, len = a[r] % 9;
	float s = 0;

	for (k = 0; k < len; k++)
		s = fma(F(b)[(r * 8 + k) & 255], F(b)[(a[r + k] >> 7) & 255], s);
	F(c)[r] = s;
}

KERNEL(mandelbrot, 16, 4)
{
	uint x = GROUP * 16 + LID, y = GROUPY * 4 + LIDY, k = 0;
	float cr = fma((float)x, 0.09375f, -2.0f), ci = fma((float)y, 0.125f, -1.0f), p = 0, q = 0;

	while (k < n && fma(p, p, q * q) < 4) {
		float t = fma(p, p, cr) - q * q;

		q = fma(2 * p, q, ci);
		p = t;
		k++;
	}
	c[y * 32 + x] = k;
}

KERNEL(divide_floats, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i], y = F(b)[i];

	F(c)[2 * i] = x / y;
	F(c)[2 * i + 1] = sqrt(fabs(x)) / (y * 1e30f);
}

KERNEL(divide_doubles, 64, 1)
{
	uint i = LID;
	double x = D(a)[i], y = D(b)[i];

	D(c)[2 * i] = x / y;
	D(c)[2 * i + 1] = sqrt(x * x + 1.0);
}

KERNEL(convert, 64, 1)
{
	GLOBAL const signed char *s = (GLOBAL const signed char *)b;
	uint i = GROUP * 64 + LID;
	float x = F(a)[i];

	c[6 * i] = (uint)(int)(x * 1000);
	c[6 * i + 1] = (uint)fabs(x * 3e6f);
	F(c)[6 * i + 2] = (float)s[i] + (float)b[i] + (float)(int)b[i];
	c[6 * i + 3] = (uint)(int)((double)x * 77.5) + AS_UINT((float)((double)x + 1e-9));
	F(c)[6 * i + 4] = (float)(HALF)x + (float)(uchar)b[i];
	c[6 * i + 5] = (uint)(short)(HALF)(x * 100);
}

KERNEL(round_floats, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i] * 10;

	F(c)[5 * i] = floor(x);
	F(c)[5 * i + 1] = ceil(x);
	F(c)[5 * i + 2] = trunc(x);
	F(c)[5 * i + 3] = rint(x);
	F(c)[5 * i + 4] = fmax(x, F(b)[i]) - fmin(x, F(b)[i]);
}

KERNEL(compare_floats, 64, 1)
{
	uint i = GROUP * 64 + LID, r = 0;
	float x = F(a)[i], y = F(b)[i];

	r |= x < y ? 1 : 0;
	r |= x >= y ? 2 : 0;
	r |= x == y ? 4 : 0;
	r |= !(x > y) ? 8 : 0;
	r |= x != x ? 16 : 0;
	r |= (double)x < (double)y * 2 ? 32 : 0;
	r |= (HALF)x > (HALF)y ? 64 : 0;
	c[i] = r;
}

KERNEL(softmax, 64, 1)
{
	LOCAL float s[64];
	uint l = LID, k;
	float m = -1e30f, t = 0;

	for (k = l; k < n; k += 64)
		m = fmax(m, F(a)[GROUP * n + k]);
	s[l] = m;
	BARRIER;
	for (k = 32; k; k >>= 1) {
		if (l < k)
			s[l] = fmax(s[l], s[l + k]);
		BARRIER;
	}
	m = s[0];
	BARRIER;
	for (k = l; k < n; k += 64)
		t += exp(F(a)[GROUP * n + k] - m);
	s[l] = t;
	BARRIER;
	for (k = 32; k; k >>= 1) {
		if (l < k)
			s[l] += s[l + k];
		BARRIER;
	}
	for (k = l; k < n; k += 64)
		F(c)[GROUP * n + k] = exp(F(a)[GROUP * n + k] - m) / s[0];
}

KERNEL(layer_norm, 64, 1)
{
	LOCAL float s[64], q[64];
	uint l = LID, k;
	float x = 0, y = 0, mean, scale;

	for (k = l; k < n; k += 64) {
		float v = F(a)[GROUP * n + k];

		x += v;
		y += v * v;
	}
	s[l] = x;
	q[l] = y;
	BARRIER;
	for (k = 32; k; k >>= 1) {
		if (l < k) {
			s[l] += s[l + k];
			q[l] += q[l + k];
		}
		BARRIER;
	}
	mean = s[0] / n;
	scale = rsqrt(q[0] / n - mean * mean + 1e-5f);
	for (k = l; k < n; k += 64)
		F(c)[GROUP * n + k] = (F(a)[GROUP * n + k] - mean) * scale * F(b)[k];
}

KERNEL(gelu, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i];

	F(c)[i] = 0.5f * x * (1 + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}

KERNEL(gelu_erf, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i];

	F(c)[i] = 0.5f * x * (1 + erf(x * 0.70710678f));
}

KERNEL(silu, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i];

	F(c)[i] = x / (1 + exp(-x));
}

KERNEL(rope, 64, 1)
{
	uint i = LID;
	float t = GROUP * pow(10000.0f, -2.0f * (float)i / 128.0f), x = F(a)[2 * i], y = F(a)[2 * i + 1];

	F(c)[GROUP * 128 + 2 * i] = x * cos(t) - y * sin(t);
	F(c)[GROUP * 128 + 2 * i + 1] = x * sin(t) + y * cos(t);
}

KERNEL(functions, 64, 1)
{
	uint i = GROUP * 64 + LID;
	float x = F(a)[i];

	F(c)[4 * i] = log(1 + exp(x)) + sqrt(fabs(x));
	F(c)[4 * i + 1] = cbrt(x) + exp2(x);
	F(c)[4 * i + 2] = log2(fabs(x) + 1) + sin(x);
	F(c)[4 * i + 3] = fmod(x, 0.75f);
}

KERNEL(functions_double, 64, 1)
{
	uint i = LID;
	double x = D(a)[i] * D(a)[i] + 0.5;

	D(c)[i] = exp(x) / sqrt(x) + log(x) + sin(x) + floor(x);
}

KERNEL(functions_half, 64, 1)
{
	uint i = GROUP * 64 + LID;
	HALF x = H(a)[i] * H(a)[i];

	H(c)[i] = (HALF)(exp((float)x)) / (x + (HALF)1.0f);
}
