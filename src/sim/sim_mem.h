/* SPDX-License-Identifier: MIT */
/*
 * The memory the simulated GPU sees: one address space for the kernel (GART) and
 * one for each process. A space is one piece of host memory, reserved and
 * touched lazily, so a save area of 177 MiB costs only what is written to it.
 */
#ifndef GP_SIM_MEM_H
#define GP_SIM_MEM_H

#include "gp_port.h"

/* Space p begins at this address times (p + 1): a wrong space cannot go unnoticed. */
#define SIM_MEM_SPACE_BITS 40

/* One address space. */
struct sim_space {
	u64 base; /* address of its first byte, as the GPU sees it */
	u8 *host; /* the same byte, as we see it */
	u64 size; /* bytes reserved */
	u64 used; /* bytes given out */
};

/**
 * sim_space_init() - reserve a space
 * @s: space
 * @pasid: its number, 0 = GART
 * @size: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int sim_space_init(struct sim_space *s, u32 pasid, u64 size);
void sim_space_fini(struct sim_space *s);

/**
 * sim_space_alloc() - take zeroed memory out of a space
 * @s: space, large enough
 * @bytes: how much
 * @align: a power of two
 *
 * Return: its address as the GPU sees it, 0 if the space is full.
 */
u64 sim_space_alloc(struct sim_space *s, u64 bytes, u64 align);

/* Host view of @len bytes at @addr, or NULL if they are not inside what was given out. */
static inline void *sim_space_ptr(const struct sim_space *s, u64 addr, u64 len)
{
	u64 off = addr - s->base;

	return off < s->used && len <= s->used - off ? s->host + off : NULL;
}

#endif
