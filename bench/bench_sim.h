/* SPDX-License-Identifier: MIT */
/* Benches of whole simulated runs: sim.dispatches, sim.tenants, detect, tail. */
#ifndef BENCH_BENCH_SIM_H
#define BENCH_BENCH_SIM_H

#include "bench.h"

int bench_dispatches(struct bench *b);
int bench_tenants(struct bench *b);
int bench_detect(struct bench *b);
int bench_tail(struct bench *b);

#endif
