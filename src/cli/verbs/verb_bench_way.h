/* SPDX-License-Identifier: MIT */
/*
 * Ways to stop a queue. Each is tried in a process of its own, with queues of its
 * own, so that none disturbs the next and one that hangs is ended.
 */
#ifndef GP_CLI_BENCH_WAY_H
#define GP_CLI_BENCH_WAY_H

#include "gp_port.h"

#include "driver/discover.h"

#define GP_BENCH_SAMPLES 1000
#define GP_BENCH_QUEUES 64

enum gp_bench_side {
	GP_BENCH_STOP,
	GP_BENCH_RESUME,
	GP_BENCH_SIDE_COUNT
};

/**
 * struct gp_bench_result - what a way costs
 * @err: 0, or the -errno it failed with
 * @nr: samples of each side
 * @step: what failed
 * @ns: how long it took, sorted
 */
struct gp_bench_result {
	int err;
	u32 nr;
	char step[64];
	u64 ns[GP_BENCH_SIDE_COUNT][GP_BENCH_SAMPLES];
};

/**
 * struct gp_bench_way - a way
 * @name: word
 * @what: what is called, for people
 * @is_batch: on several queues; else on one
 * @is_one_cycle: all queues in one runlist cycle; else one each
 * @run: does it in a process that ends afterwards; NULL = it cannot be done
 * @reason: why not
 */
struct gp_bench_way {
	const char *name;
	const char *what;
	bool is_batch;
	bool is_one_cycle;
	void (*run)(const struct gp_node *node, u32 nr_queues, struct gp_bench_result *r);
	const char *reason;
};

extern const struct gp_bench_way gp_bench_ways[];
extern const u32 gp_bench_nr_ways;

/**
 * gp_bench_try() - measure a way, in a process of its own
 * @way: way
 * @node: GPU
 * @nr_queues: how many
 * @count: samples
 * @r: output; err is -ETIMEDOUT if it did not end in ten seconds and 100 ms a sample
 */
void gp_bench_try(const struct gp_bench_way *way, const struct gp_node *node, u32 nr_queues,
		  u32 count, struct gp_bench_result *r);

#endif
