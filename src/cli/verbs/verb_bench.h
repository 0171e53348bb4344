/* SPDX-License-Identifier: MIT */
/*
 * Ways to stop a queue. Each is tried in a process of its own, with queues of its own, made
 * through /dev/kfd without a runtime, so that none disturbs the next and one that hangs is
 * ended. The queues get no work: what is measured is the call, not the saving of waves.
 */
#ifndef GP_CLI_BENCH_H
#define GP_CLI_BENCH_H

#include "gp_port.h"

#include "driver/discover.h"

#define CLI_BENCH_SAMPLES 1000
#define CLI_BENCH_QUEUES 64

enum cli_bench_side {
	CLI_BENCH_STOP,
	CLI_BENCH_RESUME,
	CLI_BENCH_SIDE_COUNT
};

/* What a way costs. */
struct cli_bench_result {
	int err;	/* 0, or the -errno it failed with */
	u32 nr;	/* samples of each side */
	char step[64];	/* what failed */
	u64 ns[CLI_BENCH_SIDE_COUNT][CLI_BENCH_SAMPLES];	/* how long it took, sorted */
};

/**
 * struct cli_bench_way - a way
 * @name: word
 * @what: what is called, for people
 * @is_batch: on several queues; else on one
 * @is_one_cycle: all queues in one runlist cycle; else one each
 * @run: does it in a process that ends afterwards; NULL = it cannot be done
 * @reason: why not
 */
struct cli_bench_way {
	const char *name;
	const char *what;
	bool is_batch;
	bool is_one_cycle;
	void (*run)(const struct drv_node *node, u32 nr_queues, struct cli_bench_result *r);
	const char *reason;
};

extern const struct cli_bench_way cli_bench_ways[];
extern const u32 cli_bench_nr_ways;

/**
 * cli_bench_try() - measure a way, in a process of its own
 * @way: way
 * @node: GPU
 * @nr_queues: how many
 * @count: samples
 * @r: output; err is -ETIMEDOUT if it did not end in ten seconds and 100 ms a sample
 */
void cli_bench_try(const struct cli_bench_way *way, const struct drv_node *node, u32 nr_queues,
		   u32 count, struct cli_bench_result *r);

#endif
