/* SPDX-License-Identifier: MIT */
/* Benches of whole simulated runs: sim.dispatches, detect, tail. */
#ifndef GP_BENCH_BENCH_SIM_H
#define GP_BENCH_BENCH_SIM_H

#include "bench.h"

int gp_bench_dispatches(struct gp_bench *b);
int gp_bench_detect(struct gp_bench *b);
int gp_bench_tail(struct gp_bench *b);

#endif
