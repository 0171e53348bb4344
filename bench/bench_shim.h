/* SPDX-License-Identifier: MIT */
/*
 * What the shim adds to a store to a doorbell.
 */
#ifndef BENCH_SHIM_H
#define BENCH_SHIM_H

struct bench;

/**
 * bench_shim() - shim.doorbell: a ring of a queue that has work, and a store to
 * another signal, with and without the wrapper
 * @b: run
 *
 * Return: 0, -ENOMEM, -ENOSYS: nothing was wrapped.
 */
int bench_shim(struct bench *b);

#endif
