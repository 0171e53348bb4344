/* SPDX-License-Identifier: MIT */
/*
 * What the workload programs load_*.c share: clients of amdkfd that know nothing of
 * gpreempt, run until they are told to stop, and know what their kernels must leave
 * in memory (expect.h).
 */
#ifndef LOAD_H
#define LOAD_H

#include "gt/gt.h"

/**
 * struct load_progress - what a load tells while it runs, in a file others map
 * @launched: kernels
 * @completed: kernels
 * @last_ns: CLOCK_MONOTONIC of the last completion
 * @wrong: kernels with a wrong result
 */
struct load_progress {
	volatile uint64_t launched;
	volatile uint64_t completed;
	volatile uint64_t last_ns;
	volatile uint64_t wrong;
};

/**
 * struct load - a client with one queue
 * @gpu: its GPU
 * @queue: its queue
 * @progress: never NULL
 * @event: raised by its kernels
 * @mailbox: of the event
 * @max_gap_ns: longest time between two completions
 */
struct load {
	struct gt_gpu gpu;
	struct gt_queue queue;
	struct load_progress *progress;
	uint32_t event;
	uint64_t mailbox;
	uint64_t max_gap_ns;
};

/**
 * struct load_options - what every load can be told
 * @count: --count N: kernels, UINT64_MAX = until it is stopped
 * @runtime: --runtime: enable the runtime first, as ROCr does
 * @progress: --progress FILE: for struct load_progress, or NULL
 * @gpu: --gpu N: which GPU
 */
struct load_options {
	uint64_t count;
	bool runtime;
	const char *progress;
	uint32_t gpu;
};

#define LOAD_OPTIONS_DEFAULT { .count = UINT64_MAX }
#define LOAD_OPTIONS_USAGE "[--count N] [--runtime] [--progress FILE] [--gpu N]"

/* In the list for getopt_long(); others have no letter of these. */
#define LOAD_OPTIONS_LIST                                 \
	{ "count", required_argument, NULL, 'n' },        \
	{ "runtime", no_argument, NULL, 'r' },            \
	{ "progress", required_argument, NULL, 'p' },     \
	{ "gpu", required_argument, NULL, 'g' }

/* An option of getopt_long(). Return: it was one of ours. */
bool load_option(struct load_options *o, int letter);

/* Ends the program with a message. */
void load_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Set by SIGTERM and SIGINT. */
extern volatile int load_is_stopped;

/**
 * load_open() - GPU 0, a queue, an event
 * @l: load
 * @runtime: RUNTIME_ENABLE before the first queue, as ROCr does
 * @progress: file to create, or NULL
 */
void load_open(struct load *l, bool runtime, const char *progress);

/* The same as it was told. */
void load_open_as(struct load *l, const struct load_options *o);

/* Says that it has begun, and its name. */
void load_say_started(void);

/* CUs of the GPU. */
uint32_t load_nr_cus(const struct load *l);

/* A kernel whose signal raises the load's event. */
void load_kernel_create(struct load *l, const struct gt_shape *shape, struct gt_kernel *k);

/* Waits on the event, at most @ms. Return: 0 or -ETIMEDOUT; says so in @progress. */
int load_kernel_wait(struct load *l, struct gt_kernel *k, unsigned int ms);

/* The digest of a run of that shape without any interruption. */
uint64_t load_expected(const struct gt_shape *shape);

/* Compares; counts in @progress. Return: whether the result is exact. */
bool load_kernel_is_exact(struct load *l, const struct gt_kernel *k, uint64_t expected);

#endif
