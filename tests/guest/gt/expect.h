/* SPDX-License-Identifier: MIT */
/*
 * What a kernel must leave in memory, computed by the engine of the GPU model in one
 * piece: a run that was saved and restored any number of times must give the same.
 * For programs of either kind, on the ioctls and on ROCr.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <stdint.h>

/**
 * struct expect_shape - what a kernel is made of
 * @groups: workgroups
 * @waves: waves of a workgroup
 * @vgprs: registers of a wave
 * @lds_bytes: of a workgroup
 * @steps: of the program
 * @seed: of the result
 */
struct expect_shape {
	uint32_t groups;
	uint32_t waves;
	uint32_t vgprs;
	uint32_t lds_bytes;
	uint32_t steps;
	uint64_t seed;
};

/* The results of all waves; NULL if there is no memory. For free(). */
uint64_t *expect_results(const struct expect_shape *shape);

#endif
