/* SPDX-License-Identifier: MIT */
/* Bench of the interpreter in isa/: compiled kernels, and AMD's handler. */
#ifndef BENCH_WAVES_H
#define BENCH_WAVES_H

struct bench;

/**
 * bench_waves() - isa.waves: wave-instructions per second on one core
 * @b: run
 *
 * Without the kernels that the tests compile, or the kernel source that holds the
 * handler, there is nothing to measure and nothing is reported.
 *
 * Return: 0, -ENOMEM, -EIO: a kernel did not end.
 */
int bench_waves(struct bench *b);

#endif
