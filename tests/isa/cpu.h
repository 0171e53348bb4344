/* SPDX-License-Identifier: MIT */
/* Kernels of the processor's build: their work-items take turns at barriers. */
#ifndef GP_TEST_ISA_CPU_H
#define GP_TEST_ISA_CPU_H

#include "launch.h"

typedef void cpu_kernel(unsigned int *a, unsigned int *b, unsigned int *c, unsigned int n);

/* Runs all groups of a kernel, one after the other. */
void cpu_run(cpu_kernel *kernel, const struct launch *l, void *buffer[3]);

#endif
