/* SPDX-License-Identifier: MIT */
/*
 * The kernels of kernels.s: how they are started and ended, and what they have to leave. They
 * walk until they are told to end, so that they can be stopped as often as one likes, whatever
 * the speed of the GPU; the number of steps that each wave says it took decides its result.
 */
#ifndef GP_KIT_KERNEL_H
#define GP_KIT_KERNEL_H

#include "kit/kit_code.h"

#define KIT_LANES 64
#define KIT_TEXT 320

enum kit_kernel {
	KIT_LIVE,  /* one wave with VGPRs, ACC VGPRs, SGPRs and LDS */
	KIT_GROUP, /* four waves that fill a compute unit, with a barrier in each step */
	KIT_LIGHT, /* one wave, of which 32 fill a compute unit; no ACC VGPRs, no LDS */
	KIT_KERNELS
};

/**
 * struct kit_shape - what kernels.s makes a kernel of
 * @name: symbol
 * @waves: of a workgroup
 * @nr_vgprs: of a wave
 * @nr_accs: ACC VGPRs of a wave
 * @nr_lds: rows of 256 bytes of LDS, of a wave
 * @per_cu: workgroups that fill a compute unit
 */
struct kit_shape {
	const char *name;
	u32 waves;
	u32 nr_vgprs;
	u32 nr_accs;
	u32 nr_lds;
	u32 per_cu;
};

extern const struct kit_shape kit_shapes[KIT_KERNELS];

/* A row is a register, or as much of LDS, of all lanes. */
u32 kit_rows(const struct kit_shape *s);

/* "ACC VGPR a17", "s30", "LDS at 512 of its wave". */
void kit_row_name(const struct kit_shape *s, u32 row, char *out, size_t size);

/* What a row holds; @lane and @wave of the grid. */
u32 kit_row_value(const struct kit_shape *s, u32 row, u32 wave, u32 lane);

/* A digest after @steps steps. */
u32 kit_digest(const struct kit_shape *s, u32 wave, u32 lane, u32 steps);

/* As kernels.s reads them. */
struct kit_args {
	u64 digests;
	u64 steps;
	u64 dump;
	u64 end;
	u32 max_steps;
	u32 flags;
};

#define KIT_FLAG_DUMP 1u  /* store all rows too */
#define KIT_FLAG_SLEEP 2u /* rest in each step: many waves, little to compute */

/* A kernel and what it works on. */
struct kit_run {
	const struct kit_shape *shape;
	u64 descriptor;
	u32 nr_groups;
	u32 nr_waves;
	struct kit_args *args;
	volatile struct gpu_signal *signal;
	volatile u32 *end;
	u32 *digests;	     /* 64 a wave */
	volatile u32 *steps; /* KIT_STEP_WORDS a wave */
	u32 *dump;	     /* NULL = none */
};

#define KIT_STEP_WORDS 16 /* a cache line each */

/**
 * kit_run_create() - memory for a kernel
 * @gpu: GPU
 * @code: with the kernel
 * @kernel: which
 * @nr_groups: workgroups
 * @flags: KIT_FLAG_*
 * @run: output
 *
 * Return: 0, -ENOENT the object lacks it, -errno.
 */
int kit_run_create(struct kit_gpu *gpu, const struct kit_code *code, enum kit_kernel kernel,
		   u32 nr_groups, u32 flags, struct kit_run *run);

/* Starts it anew. */
void kit_run_start(struct kit_run *run, struct kit_queue *q);

/* Tells it to end. */
void kit_run_end(struct kit_run *run);

/* Waits for a signal: 0 or -ETIMEDOUT. */
int kit_signal_wait(const volatile struct gpu_signal *signal, u64 ns);

/* Every wave has taken a step since @from (NULL = its first): 0 or -ETIMEDOUT. */
int kit_run_wait_steps(const struct kit_run *run, const u32 *from, u64 ns);

/* Copies the steps of all waves. */
void kit_run_steps(const struct kit_run *run, u32 *out);

/* A wave that took a step between two copies; nr_waves if none did. */
u32 kit_run_moved(const struct kit_run *run, const u32 *before, const u32 *after);

/**
 * kit_run_check() - is what it left exact?
 * @run: a kernel that has ended
 * @why: output: what is not
 *
 * Return: it is.
 */
bool kit_run_check(const struct kit_run *run, char why[KIT_TEXT]);

u64 kit_now_ns(void);
void kit_sleep_ns(u64 ns);

#endif
