// SPDX-License-Identifier: MIT
#include "kernel.h"

KERNEL(reduce, 256, 1)
{
	LOCAL uint s[256];
	uint l = LID, k, sum = 0;

	for (k = GROUP * 256 + l; k < n; k += 512)
		sum += a[k];
	s[l] = sum;
	BARRIER;
	for (k = 128; k; k >>= 1) {
		if (l < k)
			s[l] += s[l + k];
		BARRIER;
	}
	if (!l)
		c[GROUP] = s[0];
}

/* As long as it is asked to be, from barrier to barrier. */
KERNEL(churn_shared, 128, 1)
{
	LOCAL uint s[128];
	uint l = LID, i = GROUP * 128 + l, x = a[i], k;

	for (k = 0; k < n; k++) {
		s[l] = x;
		BARRIER;
		x = x * 1664525u + s[(l + 65) & 127] + k;
		BARRIER;
	}
	c[i] = x;
}

KERNEL(scan, 128, 1)
{
	LOCAL uint s[2][128];
	uint l = LID, p = 0, k;

	s[0][l] = a[GROUP * 128 + l];
	BARRIER;
	for (k = 1; k < 128; k <<= 1) {
		uint v = s[p][l];

		if (l >= k)
			v += s[p][l - k];
		p ^= 1;
		s[p][l] = v;
		BARRIER;
	}
	c[GROUP * 128 + l] = s[p][l];
}

KERNEL(transpose, 16, 8)
{
	LOCAL uint t[16][17];
	uint x = LID, y = LIDY, k;

	for (k = 0; k < 16; k += 8)
		t[y + k][x] = a[(GROUPY * 16 + y + k) * n + GROUP * 16 + x];
	BARRIER;
	for (k = 0; k < 16; k += 8)
		c[(GROUP * 16 + y + k) * n + GROUPY * 16 + x] = t[x][y + k];
}

KERNEL(sort, 128, 1)
{
	LOCAL uint s[256];
	uint l = LID, j, k;

	s[l] = a[l];
	s[l + 128] = a[l + 128];
	for (k = 2; k <= 256; k <<= 1)
		for (j = k >> 1; j; j >>= 1) {
			uint i = 2 * l - (l & (j - 1)), x, y;

			BARRIER;
			x = s[i];
			y = s[i + j];
			if ((x > y) == ((i & k) == 0)) {
				s[i] = y;
				s[i + j] = x;
			}
		}
	BARRIER;
	c[l] = s[l];
	c[l + 128] = s[l + 128];
}

KERNEL(histogram, 128, 1)
{
	LOCAL uint s[64];
	uint l = LID, k;

	if (l < 64)
		s[l] = 0;
	BARRIER;
	for (k = GROUP * 128 + l; k < n; k += 256)
		ATOMIC(add, &s[a[k] & 63], 1u);
	BARRIER;
	if (l < 64 && s[l])
		ATOMIC(add, &c[l], s[l]);
}

KERNEL(stencil, 64, 1)
{
	LOCAL uint s[66];
	uint l = LID, i = GROUP * 64 + l;

	s[l + 1] = a[i + 1];
	if (!l)
		s[0] = a[i];
	if (l == 63)
		s[65] = a[i + 2];
	BARRIER;
	c[i] = s[l] + 2 * s[l + 1] - s[l + 2];
}

/* Bytes and words in LDS, and pairs of words. */
KERNEL(shared_sizes, 64, 1)
{
	LOCAL uchar s[256];
	LOCAL ulong t[64];
	uint l = LID;

	s[l * 4] = (uchar)a[l];
	s[l * 4 + 1] = (uchar)(a[l] >> 9);
	s[l * 4 + 2] = (uchar)l;
	s[l * 4 + 3] = (uchar)(b[l] >> 3);
	t[l] = (ulong)a[l] << 32 | b[l];
	BARRIER;
	c[2 * l] = s[(l * 5 + 3) & 255] + ((uint)(signed char)s[l] << 8) + (uint)t[63 - l];
	c[2 * l + 1] = (uint)(t[l ^ 5] >> 32) ^ (uint)(t[(l + 7) & 63] >> 7);
}

KERNEL(atomics, 64, 1)
{
	uint i = GROUP * 64 + LID;

	ATOMIC(add, &c[0], a[i]);
	ATOMIC(sub, &c[1], a[i]);
	ATOMIC(min, &c[2], a[i]);
	ATOMIC(max, &c[3], a[i]);
	ATOMIC(and, &c[4], a[i] | 0xffff0000u);
	ATOMIC(or, &c[5], a[i] & 0x11111111u);
	ATOMIC(xor, &c[6], a[i]);
	c[16 + i] = ATOMIC(add, &c[8 + i % 8], 1u) >= n;
}

KERNEL(atomics_wide, 64, 1)
{
	GLOBAL ulong *z = (GLOBAL ulong *)c;
	ulong x = (ulong)a[LID] << 20 | b[LID];

#ifdef __OPENCL_C_VERSION__
	atom_add(&z[0], x);
	atom_sub(&z[1], x);
	atom_xchg(&z[2 + LID], x);
#else
	z[0] += x;
	z[1] -= x;
	z[2 + LID] = x;
#endif
}

/* A sum by compare and swap: the loop that lanes leave one by one. */
KERNEL(compare_swap, 64, 1)
{
	uint x = a[GROUP * 64 + LID];

#ifdef __OPENCL_C_VERSION__
	uint old = *(volatile GLOBAL uint *)c, seen;

	for (;;) {
		seen = atomic_cmpxchg((volatile GLOBAL uint *)c, old, old * 1 + x);
		if (seen == old)
			break;
		old = seen;
	}
#else
	c[0] += x;
#endif
}

/* Values of other lanes, by way of LDS hardware and without. */
KERNEL(lanes, 64, 1)
{
	uint l = LID;

#ifdef __OPENCL_C_VERSION__
	uint x = a[l];

	c[l] = (uint)__builtin_amdgcn_ds_bpermute((int)(((l * 5 + 1) & 63) * 4), (int)x);
	c[64 + l] = (uint)__builtin_amdgcn_readlane((int)x, 17);
	c[128 + l] = (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x041f);
	c[192 + l] = (uint)__builtin_amdgcn_update_dpp(0, (int)x, 0x111, 0xf, 0xf, true);
	c[256 + l] = (uint)__builtin_amdgcn_update_dpp(7, (int)x, 0x1b, 0xf, 0xf, false);
	c[320 + l] = (uint)__builtin_amdgcn_readfirstlane((int)(x + 1));
	c[384 + l] = (uint)__builtin_amdgcn_mbcnt_hi(0xffff00ffu, __builtin_amdgcn_mbcnt_lo(~0u, 3));
#else
	uint k, m = 3;

	for (k = 0; k < l; k++)
		m += k < 32 || 0xffff00ffu >> (k - 32) & 1;
	c[l] = a[(l * 5 + 1) & 63];
	c[64 + l] = a[17];
	c[128 + l] = a[l ^ 1];
	c[192 + l] = l & 15 ? a[l - 1] : 0;
	c[256 + l] = a[(l & ~3u) | (3 - (l & 3))];
	c[320 + l] = a[0] + 1;
	c[384 + l] = m;
#endif
}
