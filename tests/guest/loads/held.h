/* SPDX-License-Identifier: MIT */
/*
 * What the waves of tests/isa/kernels/held.s have in their registers and in LDS while they wait,
 * for the program that starts them and for the debugger that looks at them.
 */
#ifndef GT_HELD_H
#define GT_HELD_H

#include <stdint.h>

#define HELD_WAIT 0x1000   /* the loop, from the entry of the kernel ... */
#define HELD_WAIT_BYTES 24 /* ... and how long it is */
#define HELD_GROUP 128	   /* work-items of a workgroup: two waves */
#define HELD_FIRST_VGPR 4
#define HELD_VGPRS 32
#define HELD_ACC_VGPRS 32
#define HELD_FIRST_SGPR 10
#define HELD_SGPRS 96
#define HELD_LDS_WORDS (2 * HELD_GROUP)

static inline uint32_t held_vgpr(uint32_t n, uint32_t item)
{
	return 0x10000 * n + 3 + item;
}

static inline uint32_t held_acc_vgpr(uint32_t n, uint32_t item)
{
	return 0x1357 * n + 1 + item;
}

static inline uint32_t held_sgpr(uint32_t n)
{
	return 0x1001 * n + 7;
}

static inline uint32_t held_lds(uint32_t word)
{
	return held_vgpr(4 + word / HELD_GROUP, word % HELD_GROUP);
}

static inline uint32_t held_add(uint32_t sum, uint32_t value)
{
	return sum * 0x9e3779b1u + value;
}

/* What a work-item stores in the end. */
static inline uint32_t held_sum(uint32_t group, uint32_t item)
{
	uint32_t sum = group, n;

	for (n = HELD_FIRST_VGPR; n < HELD_VGPRS; n++)
		sum = held_add(sum, held_vgpr(n, item));
	for (n = 0; n < HELD_ACC_VGPRS; n++)
		sum = held_add(sum, held_acc_vgpr(n, item));
	for (n = HELD_FIRST_SGPR; n < HELD_SGPRS; n++)
		sum = held_add(sum, held_sgpr(n));
	sum = held_add(sum, held_lds(item));
	return held_add(sum, held_lds(HELD_GROUP + item));
}

#endif
