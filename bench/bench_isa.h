/* SPDX-License-Identifier: MIT */
/* Benches of isa/: what a lane of an instruction costs. */
#ifndef BENCH_ISA_H
#define BENCH_ISA_H

struct bench;

/**
 * bench_isa_float() - isa.float: the soft float, nanoseconds a lane
 * @b: run
 *
 * The baseline is the processor's own floating point where it has the operation.
 *
 * Return: 0 or -ENOMEM.
 */
int bench_isa_float(struct bench *b);

#endif
