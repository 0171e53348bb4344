/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What waves are made of, behind one table: durations only (wave_timed.c), registers
 * and LDS that evolve (wave_state.c), or machine code (wave_isa.c). An engine works on
 * cohorts; when they run and where is not its business.
 *
 * What an engine does in one call is bounded by the workgroups and their bytes, not
 * by how long they have run: a client chooses how long, and the caller may be a
 * kernel. The state engine computes at most GPU_WAVE_MAX_CHANGES changes of a
 * workgroup's state in its whole life, whatever the program.
 */
#ifndef GP_GPU_WAVE_H
#define GP_GPU_WAVE_H

#include "gpu/gpu_types.h"

/* One XCC of one queue on its way to memory or back. */
struct gpu_saver {
	struct gpu *gpu;	/* GPU */
	struct gpu_slot *slot;	/* queue */
	u32 xcc;	/* which part of it */
	u8 *ctl;	/* wave records of the control stack, 8 bytes each */
	u8 *ctl_end;	/* end of them */
	u64 addr;	/* next address in the save area */
	u64 addr_end;	/* end of what may be written, or of what was */
};

/**
 * struct gpu_wave_ops - a wave engine
 * @name: what the user types
 * @magic: marks control stacks of this engine
 * @launch: make @nr new workgroups, the first being number @first of the XCC's
 *	share. -ENOMEM.
 * @move: take the last @nr workgroups of @from over to the empty cohort @to
 * @finish: the workgroups have come to their end: write results. -EFAULT.
 * @drop: forget the workgroups without results
 * @save: append @cohort, which is frozen. -EFAULT, -ENOSPC.
 * @restore: read the next workgroups of @cohort's dispatch, at most @max, that ran
 *	equally long; sets @cohort's nr and ran_ns. -EFAULT, -ENOMEM, -EINVAL the
 *	bytes make no sense.
 * @has_room: it may launch a workgroup of a dispatch on an XCC; NULL = always
 * @run: the end of a cohort is not known: do a slice and schedule the next one, or call
 *	gpu_cohort_end(). A cohort is one workgroup then, and there is neither @move,
 *	@save nor @restore: see wave_isa.h
 * @stop: the waves are to leave. True: they go on until they have saved themselves,
 *	which the slot's nr_saving counts
 */
struct gpu_wave_ops {
	const char *name;
	u32 magic;
	int (*launch)(struct gpu *gpu, struct gpu_cohort *cohort, u32 first, u32 nr);
	void (*move)(struct gpu_cohort *from, struct gpu_cohort *to, u32 nr);
	int (*finish)(struct gpu *gpu, struct gpu_cohort *cohort);
	void (*drop)(struct gpu *gpu, struct gpu_cohort *cohort);
	int (*save)(struct gpu_saver *s, struct gpu_cohort *cohort);
	int (*restore)(struct gpu_saver *s, struct gpu_cohort *cohort, u32 max);
	bool (*has_room)(struct gpu *gpu, struct gpu_dispatch *d, u32 xcc);
	void (*run)(struct gpu *gpu, struct gpu_cohort *cohort);
	bool (*stop)(struct gpu *gpu, struct gpu_cohort *cohort);
};

extern const struct gpu_wave_ops gpu_timed_wave_ops;
extern const struct gpu_wave_ops gpu_state_wave_ops;

/* Saved bytes of a wave besides its VGPRs: cwsr_trap_handler_gfx9.asm saves 128
 * SGPRs and 32 dwords of hardware registers, whatever the kernel uses.
 */
#define GPU_WAVE_SGPRS 128
#define GPU_WAVE_HWREGS 32
#define GPU_WAVE_FIXED_BYTES ((GPU_WAVE_SGPRS + GPU_WAVE_HWREGS) * 4)
#define GPU_CTL_BYTES_PER_WAVE 8

#define GPU_WAVE_MAX_CHANGES 8448

/**
 * gpu_saver_write() - append to the save area
 * @s: saver
 * @src: bytes
 * @len: how many
 *
 * Return: 0, -ENOSPC, -EFAULT.
 */
int gpu_saver_write(struct gpu_saver *s, const void *src, u32 len);

/* Read the next bytes of the save area. -EINVAL past the end, -EFAULT. */
int gpu_saver_read(struct gpu_saver *s, void *dst, u32 len);

#endif
