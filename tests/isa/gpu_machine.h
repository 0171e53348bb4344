/* SPDX-License-Identifier: MIT */
/*
 * The simulated GPU with machine code: a process that has a code object, three
 * buffers, arguments and AMD's trap handler, and an AQL queue. What the same kernel
 * does in a rig, without any GPU, is the reference.
 */
#ifndef GP_TEST_ISA_GPU_MACHINE_H
#define GP_TEST_ISA_GPU_MACHINE_H

#include "launch.h"
#include "world.h"

#define MACHINE_CODE_BYTES (2u << 20)
#define MACHINE_SCRATCH_BYTES (64u << 20)
#define MACHINE_LIMIT_NS 100000000000ull

/**
 * struct machine - a world and what its process has
 * @w: world
 * @q: queue
 * @code: where the code object is
 * @args: arguments
 * @buffer: three buffers of LAUNCH_BUFFER_BYTES
 * @signal: completion signal of the last dispatch
 */
struct machine {
	struct world w;
	struct world_queue *q;
	u64 code;
	u64 args;
	u64 buffer[3];
	u64 signal;
};

/* What machine_init() needs to know. */
struct machine_options {
	const char *profile;
	enum gpu_handler handler;
	u64 max_wave_bytes;
	u32 slice;
	u32 max_instructions;
	bool has_no_scratch;
};

/* A machine with the code object and the handler of a rig. */
void machine_init(struct machine *m, struct rig *r, const struct machine_options *o);
void machine_fini(struct machine *m);
/* Scratch memory, described as ROCr does; machine_init() gives it if not told otherwise. */
void machine_give_scratch(struct machine *m);
void *machine_at(struct machine *m, u64 address, u64 bytes);

/* The buffers as a kernel finds them; the same for the same seed. In the rig, too. */
void machine_fill(struct machine *m, struct rig *r, u64 seed);

/* Write a dispatch packet; nothing happens until the doorbell is rung. */
void machine_dispatch(struct machine *m, const struct launch *l);
/* The same for code at an address, with a descriptor in front of it. */
void machine_dispatch_at(struct machine *m, const struct launch *l, u64 descriptor);
/* A descriptor with such instructions behind it. */
u64 machine_assemble(struct machine *m, const u32 *words, u32 nr);

void machine_map(struct machine *m);
bool machine_is_done(struct machine *m);
/* Until the dispatch is done. False: not within MACHINE_LIMIT_NS. */
bool machine_finish(struct machine *m);

#endif
