/* SPDX-License-Identifier: MIT */
/*
 * The daemon under load: 200 simulated clients with four queues each.
 */
#ifndef BENCH_BENCH_DAEMON_H
#define BENCH_BENCH_DAEMON_H

#include "bench.h"

int bench_daemon(struct bench *b);

#endif
