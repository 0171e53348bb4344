// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The floating-point registers of a guest's process, as the host takes them. A host sets the whole
 * extended state of its processor or, with EFAULT, nothing. User-Mode Linux keeps the first 2696
 * bytes, which end before the tiles of AMX; with these the state has 11008. A process has tiles
 * only after it has asked the host for them, which none does here: that part of the state is 0.
 * vehicle/uml-kernel adds this file to arch/um/kernel.
 */
#include <linux/string.h>
#include <linux/types.h>

#define LARGEST_STATE 65536 /* the host takes what its processor has */

/* For restore_fp_registers() of arch/x86/um/os-Linux. */
void gp_fp_whole(void **regs, size_t *len);

/* One thread of the host calls this, so that one place is enough. */
void gp_fp_whole(void **regs, size_t *len)
{
	static char whole[LARGEST_STATE] __aligned(64);

	memcpy(whole, *regs, *len);
	*regs = whole;
	*len = sizeof(whole);
}
