// SPDX-License-Identifier: MIT
#include "kernel.h"

KERNEL(add_ints, 64, 1)
{
	uint i = GROUP * 64 + LID;

	if (i < n)
		c[i] = a[i] + b[i];
}

KERNEL(copy_bytes, 128, 1)
{
	GLOBAL const uchar *x = (GLOBAL const uchar *)a;
	GLOBAL uchar *y = (GLOBAL uchar *)c;
	uint i;

	for (i = GROUP * 128 + LID; i < n; i += 256)
		y[i] = x[i + 1];
}

KERNEL(copy_shorts, 64, 1)
{
	GLOBAL const short *x = (GLOBAL const short *)a;
	GLOBAL short *y = (GLOBAL short *)c;
	uint i = GROUP * 64 + LID;

	y[i] = (short)(x[i] - x[i + 3]);
}

/* Four dwords at once, and three. */
KERNEL(copy_wide, 64, 1)
{
	uint i = (GROUP * 64 + LID) * 8;
	uint p = a[i], q = a[i + 1], r = a[i + 2], s = a[i + 3];

	c[i] = s;
	c[i + 1] = r;
	c[i + 2] = q;
	c[i + 3] = p;
	c[i + 4] = b[i];
	c[i + 5] = b[i + 1] ^ p;
	c[i + 6] = b[i + 2];
}

KERNEL(divide, 64, 1)
{
	GLOBAL const int *x = (GLOBAL const int *)a, *y = (GLOBAL const int *)b;
	uint i = GROUP * 64 + LID;
	int d = y[i] >> (i % 27);

	if (!d)
		d = 3;
	c[2 * i] = (uint)(x[i] / d) + a[i] / (uint)(i + 1);
	c[2 * i + 1] = (uint)(x[i] % d);
}

KERNEL(divide_long, 64, 1)
{
	GLOBAL const long *x = (GLOBAL const long *)a;
	GLOBAL const ulong *y = (GLOBAL const ulong *)b;
	GLOBAL ulong *z = (GLOBAL ulong *)c;
	uint i = LID;
	ulong d = (y[i] >> (i % 60)) | 1;

	z[i] = (ulong)(x[i] / (long)(d >> 1 | 1)) + y[i] % d;
}

KERNEL(philox, 64, 1)
{
	uint i = GROUP * 64 + LID, x = i, y = n, z = a[0], w = 7, k0 = b[0], k1 = b[1], r;

	for (r = 0; r < 10; r++) {
		uint h0 = mul_hi(0xd2511f53u, x), l0 = 0xd2511f53u * x;
		uint h1 = mul_hi(0xcd9e8d57u, z), l1 = 0xcd9e8d57u * z;

		x = h1 ^ y ^ k0;
		y = l1;
		z = h0 ^ w ^ k1;
		w = l0;
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
	c[4 * i] = x;
	c[4 * i + 1] = y;
	c[4 * i + 2] = z;
	c[4 * i + 3] = w;
}

KERNEL(count_bits, 64, 1)
{
	GLOBAL const ulong *x = (GLOBAL const ulong *)a;
	uint i = GROUP * 64 + LID;

	c[i] = (uint)popcount(x[i]) + clz((uint)x[i]) + rotate((uint)x[i], 7u) +
	       (uint)popcount((ulong)b[i]);
}

KERNEL(wide_math, 64, 1)
{
	GLOBAL const ulong *x = (GLOBAL const ulong *)a, *y = (GLOBAL const ulong *)b;
	GLOBAL ulong *z = (GLOBAL ulong *)c;
	uint i = GROUP * 64 + LID;
	ulong p = x[i] * y[i] + x[i], q = x[i] - y[i];

	z[3 * i] = p ^ q >> (y[i] & 63) ^ q << (x[i] & 63);
	z[3 * i + 1] = (ulong)((long)p >> (q & 63));
	z[3 * i + 2] = x[i] < y[i] ? p : (long)x[i] >= (long)y[i] ? q : p + q;
}

/* Lanes leave one after the other. */
KERNEL(collatz, 64, 1)
{
	uint i = GROUP * 64 + LID, x = i + 1, steps = 0;

	while (x != 1 && steps < n) {
		x = x & 1 ? 3 * x + 1 : x >> 1;
		steps++;
	}
	c[i] = steps;
}

KERNEL(gcd, 64, 1)
{
	uint i = GROUP * 64 + LID, x = a[i] >> 16, y = (b[i] >> 18) + 1;

	while (y) {
		uint t = x % y;

		x = y;
		y = t;
	}
	c[i] = x;
}

KERNEL(crc32, 64, 1)
{
	uint i = GROUP * 64 + LID, x = ~0u, k, j;

	for (k = 0; k < n; k++) {
		x ^= a[i * n + k];
		for (j = 0; j < 8; j++)
			x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
	}
	c[i] = ~x;
}

/* As long as it is asked to be, always at memory. */
KERNEL(churn, 64, 1)
{
	uint i = GROUP * 64 + LID, x = a[i], y = b[i], k;

	for (k = 0; k < n; k++) {
		x = x * 1664525u + a[x >> 20 & 1023];
		y ^= rotate(x, 7u) + k;
		c[i] = y;
	}
	c[i] = x ^ y;
}

/* An array that registers cannot hold: scratch memory. */
KERNEL(private_array, 64, 1)
{
	uint t[64], i = GROUP * 64 + LID, at = i & 63, s = 0, k;

	for (k = 0; k < 64; k++)
		t[k] = a[k] * (i + 1);
	for (k = 0; k < n; k++) {
		s += t[at];
		t[(at * 7 + k) & 63] ^= s;
		at = (at + s) & 63;
	}
	c[i] = s;
}

KERNEL(private_bytes, 64, 1)
{
	uchar t[96];
	uint i = LID, s = 0, k;

	for (k = 0; k < 96; k++)
		t[k] = (uchar)(a[k] + i);
	for (k = 0; k < n; k++)
		s = s * 31 + t[(s ^ i) % 96];
	c[i] = s;
}

KERNEL(choices, 64, 1)
{
	uint i = GROUP * 64 + LID, x = a[i];

	switch (x % 7) {
	case 0:
		x = x * 3 + 1;
		break;
	case 1:
		x ^= b[i];
		break;
	case 2:
		x = x >> 3 | x << 29;
		break;
	case 3:
		x -= b[i] / 3;
		break;
	case 4:
		x = ~x;
		break;
	default:
		x = x > b[i] ? x : b[i];
	}
	c[i] = x;
}

/* Sixteen bits, signed and not, with their ends. */
KERNEL(short_math, 64, 1)
{
	GLOBAL const short *x = (GLOBAL const short *)a, *y = (GLOBAL const short *)b;
	GLOBAL ushort *z = (GLOBAL ushort *)c;
	uint i = GROUP * 64 + LID;
	short p = x[i], q = y[i];

	z[4 * i] = (ushort)(p + q);
	z[4 * i + 1] = (ushort)(p < q ? p : q);
	z[4 * i + 2] = (ushort)((ushort)p * (ushort)q);
	z[4 * i + 3] = (ushort)((ushort)p > (ushort)q ? p >> (q & 15) : (ushort)p << (q & 7));
}

KERNEL(byte_math, 64, 1)
{
	uint i = GROUP * 64 + LID, x = a[i], y = b[i], s = 0, k;

	for (k = 0; k < 32; k += 8) {
		s += (x >> k & 0xff) * (y >> k & 0xff);
		s += (uint)((int)(signed char)(x >> k) * (signed char)(y >> k));
	}
	c[i] = s + ((x & 0xffffff) * (y & 0xffffff));
}

KERNEL(bit_fields, 64, 1)
{
	uint i = GROUP * 64 + LID, x = a[i], y = b[i];

	c[3 * i] = (x >> 5 & 0x7ff) << 3 | (y & 7);
	c[3 * i + 1] = (uint)((int)(x << 9) >> 20) + ((x & y) | (~x & (y >> 3)));
	c[3 * i + 2] = (x + y + 1) + (x << 4) + (y | x << 2 | 1);
}
