/* SPDX-License-Identifier: MIT */
/*
 * Machine code: the compiled kernels of tests/isa (vehicle/kernels packs them), launched by AQL
 * packets on the ioctls. What they have to leave is what the processor's build of the same
 * source leaves. A test that uses this says "Needs: kernels" in its first comment.
 */
#ifndef GT_CODE_H
#define GT_CODE_H

#include "gt/gt.h"

#include "../../isa/cpu.h"

/**
 * struct gt_code - a code object
 * @gpu: GPU that has it
 * @file: the file
 * @at: where it is in memory
 */
struct gt_code {
	struct gt_gpu *gpu;
	uint8_t *file;
	uint8_t *at;
};

/**
 * struct gt_run - a kernel of tests/isa and what it works on
 * @gpu: GPU
 * @launch: which kernel, how large
 * @buffer: LAUNCH_BUFFER_BYTES each, the kernel's first arguments
 * @args: arguments
 * @signal: 1 until it is done
 * @seed: of what was in the buffers before it ran
 */
struct gt_run {
	struct gt_gpu *gpu;
	struct launch launch;
	uint32_t *buffer[3];
	uint64_t *args;
	volatile struct gpu_signal *signal;
	uint64_t seed;
};

/* Loads the code object of that name for this GPU; without one the case is skipped. */
void gt_code_load(struct gt_gpu *gpu, const char *name, struct gt_code *code);
/* The address of a kernel's descriptor; ends the case if it has none. */
uint64_t gt_code_find(const struct gt_code *code, const char *name);
/* A descriptor with these instructions behind it. */
uint64_t gt_code_assemble(struct gt_gpu *gpu, const uint32_t *words, unsigned int nr);

/* Scratch memory for a queue, described as ROCr does. */
void gt_queue_give_scratch(struct gt_queue *q);

/* Memory for runs of a kernel; the buffers may be exchanged for others. */
void gt_run_create(struct gt_gpu *gpu, const struct launch *launch, struct gt_run *run);
/* Fills the buffers; the same for the same seed. */
void gt_run_fill(struct gt_run *run, uint64_t seed);
/* Writes a packet and rings. */
void gt_run_launch(struct gt_run *run, struct gt_queue *q, uint64_t descriptor);
/* The same for a kernel of a code object. */
void gt_run_start(struct gt_run *run, struct gt_queue *q, const struct gt_code *code);
/* Return: 0 or -ETIMEDOUT. */
int gt_run_wait(const struct gt_run *run, unsigned int ms);
/* Whether the buffers hold what the processor's build leaves there. */
bool gt_run_is_right(const struct gt_run *run, cpu_kernel *kernel);

#endif
