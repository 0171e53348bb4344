// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "sim/sim_mem.h"

#include <sys/mman.h>

int sim_space_init(struct sim_space *s, u32 pasid, u64 size)
{
	void *host = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (host == MAP_FAILED)
		return -ENOMEM;
	*s = (struct sim_space){
		.base = ((u64)pasid + 1) << SIM_MEM_SPACE_BITS,
		.host = host,
		.size = size,
	};
	return 0;
}

void sim_space_fini(struct sim_space *s)
{
	if (s->host)
		munmap(s->host, s->size);
	memset(s, 0, sizeof(*s));
}

u64 sim_space_alloc(struct sim_space *s, u64 bytes, u64 align)
{
	u64 at = (s->used + align - 1) & ~(align - 1);

	if (at > s->size || bytes > s->size - at)
		return 0;
	s->used = at + bytes;
	return s->base + at;
}
