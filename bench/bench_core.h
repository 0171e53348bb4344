/* SPDX-License-Identifier: MIT */
/*
 * Benches of core/: cost of an event at 2 to 4096 entities, against a scan of
 * all pairs, and memory.
 */
#ifndef BENCH_CORE_H
#define BENCH_CORE_H

struct bench;

/**
 * bench_core() - run them
 * @b: run
 *
 * Return: 0, -ENOMEM.
 */
int bench_core(struct bench *b);

#endif
