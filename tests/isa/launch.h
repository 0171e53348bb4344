/* SPDX-License-Identifier: MIT */
/*
 * Kernels of a code object, launched in a rig as the command processor and the
 * SPI would: kernel descriptor, user SGPRs, work-item and workgroup ids, LDS,
 * scratch memory. One workgroup after the other.
 */
#ifndef GP_TEST_ISA_LAUNCH_H
#define GP_TEST_ISA_LAUNCH_H

#include "../unit/isa/isa_rig.h"

/* Not where the decode cache would have it instead of the handler. */
#define LAUNCH_CODE (RIG_BASE + (1u << 20) + 0x8000)
#define LAUNCH_ARGS (RIG_BASE + 0x80000)
#define LAUNCH_BUFFERS (RIG_BASE + (4u << 20))
#define LAUNCH_BUFFER_BYTES (256u << 10)
#define LAUNCH_SCRATCH (RIG_BASE + (16u << 20))
#define LAUNCH_SCRATCH_WAVE (256u << 10)

/**
 * struct launch - a kernel and how it is run
 * @name: of the kernel
 * @local: size of a workgroup
 * @groups: how many
 * @n: last argument; the others are three buffers
 */
struct launch {
	const char *name;
	u32 local[2];
	u32 groups[2];
	u32 n;
};

/* How a run is disturbed. */
enum launch_preempt {
	LAUNCH_ALONE,		/* not at all */
	LAUNCH_HANDLER,		/* after every instruction, by AMD's handler */
	LAUNCH_SHORTCUT,	/* the same, by the shortcut */
};

/**
 * struct launch_stats - what a run did
 * @insts: instructions of the kernel
 * @preemptions: how often it was saved and restored
 * @handler_insts: instructions of the handler
 */
struct launch_stats {
	u64 insts;
	u64 preemptions;
	u64 handler_insts;
};

/* Loads a code object; false: there is none. */
bool launch_load(struct rig *r, const char *path);
/* Address of the descriptor of a kernel of the one loaded last, from LAUNCH_CODE; 0: none. */
u64 launch_descriptor(const char *name);
/* A buffer, 0 to 2. */
void *launch_buffer(struct rig *r, u32 k);
/* Does the code object have this kernel? */
bool launch_has(struct rig *r, const char *name);
/* The first group of a kernel, ready to run. */
void launch_group(struct rig *r, struct rig_group *g, const struct launch *l);
/* Runs it to the end; false: a wave did wrong, which is printed. */
bool launch_run(struct rig *r, const struct launch *l, enum launch_preempt how,
		struct launch_stats *stats);

#endif
