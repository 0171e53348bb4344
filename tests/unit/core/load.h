/* SPDX-License-Identifier: MIT */
/*
 * Minutes of random load in virtual time: clients whose requests arrive by
 * themselves or one after the other, on an ideal GPU that the scheduler of a rig
 * shares out. Entities that are RUNNING have the GPU, in equal parts if they are
 * several; a switch takes rig.switch_ns, in which its members have nothing.
 */
#ifndef GP_TESTS_UNIT_CORE_LOAD_H
#define GP_TESTS_UNIT_CORE_LOAD_H

#include "rig.h"

#define LOAD_CLIENTS 64

/**
 * struct load_request - one request
 * @arrival_ns: when it came
 * @work_ns: GPU time it needs
 * @done_ns: when it was completed, if it is
 */
struct load_request {
	u64 arrival_ns;
	u64 work_ns;
	u64 done_ns;
};

/**
 * struct load_client - one client: an entity with one queue
 * @attr: attributes
 * @gap_ns: mean time from one arrival to the next, or of the pause after a request if @closed
 * @jitter: gaps are exponential, else all alike
 * @closed: a request comes only after the one before has ended
 * @depth: @closed: so many requests at a time, at least 1
 * @work_ns: mean GPU time of a request; U64_MAX = endless
 * @spread: GPU times are from half to one and a half of that, else all alike
 * @silent: completions are not told to the scheduler
 * @e: number in the rig
 * @next_ns: next arrival
 * @request: all its requests, in the order of arrival
 * @nr: how many
 * @room: for how many there is room
 * @nr_done: how many are completed
 * @left_ns: GPU time the next one still needs
 * @gpu_ns: GPU time it had
 * @waits: has work and does not run
 * @wait_since_ns: since when
 * @wait_max_ns: longest such time
 */
struct load_client {
	struct gp_attr attr;
	u64 gap_ns;
	bool jitter;
	bool closed;
	u32 depth;
	u64 work_ns;
	bool spread;
	bool silent;

	u32 e;
	u64 next_ns;
	struct load_request *request;
	u32 nr;
	u32 room;
	u32 nr_done;
	u64 left_ns;
	u64 gpu_ns;
	bool waits;
	u64 wait_since_ns;
	u64 wait_max_ns;
};

/**
 * struct load - clients and the rig they work on
 * @r: rig
 * @seed: state of the random numbers
 * @nr: clients
 * @client: them
 */
struct load {
	struct rig *r;
	u64 seed;
	u32 nr;
	struct load_client client[LOAD_CLIENTS];
};

/* A rig of its own, so that a test can have many loads. */
struct load *load_new(const char *policy, u64 seed);
void load_free(struct load *l);

/* A random number below a bound. */
u64 load_pick(struct load *l, u64 below);
/* Adds a client with default attributes, endless work and no arrivals; the test sets it up. */
struct load_client *load_add(struct load *l);
/* After all clients are set up: entities are made, first arrivals are drawn. */
void load_start(struct load *l);
/* Time passes. */
void load_run(struct load *l, u64 ns);

/* The smallest latency that so many per mille of the completed requests do not exceed. */
u64 load_percentile(const struct load_client *c, u32 per_mille);
/* Requests that were due by now and are not completed, or were too late. */
u32 load_misses(const struct load *l, const struct load_client *c);
/* How many repetitions: @nr, or less if GP_TEST_SCALE says so. */
u32 load_scaled(u32 nr);

#endif
