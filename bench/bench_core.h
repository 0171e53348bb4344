/* SPDX-License-Identifier: MIT */
/*
 * Benches of core/: cost of an event at 2 to 4096 entities, against a scan of
 * all pairs, and memory.
 */
#ifndef GP_BENCH_CORE_H
#define GP_BENCH_CORE_H

struct gp_bench;

/**
 * gp_bench_core() - run them
 * @b: run
 *
 * Return: 0, -ENOMEM.
 */
int gp_bench_core(struct gp_bench *b);

#endif
