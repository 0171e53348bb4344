/* SPDX-License-Identifier: MIT */
/*
 * A client whose doorbells are armed, for the tests of races. What it submits is work for
 * the monitor only: its write pointer moves, and it rings a doorbell that belongs to no
 * queue; the GPU takes no part.
 */
#ifndef GT_RACE_H
#define GT_RACE_H

#include "gt/gt_gpk.h"

/* How long the monitor may take to notice. Longer is lost. */
#define GT_RACE_MS 4000

/**
 * struct gt_racer - the client
 * @gpu: its GPU
 * @q: its queue
 * @doorbell: of no queue, of the same pages
 * @signal: completion signal of what it submits
 * @dev: its own /dev/gpreempt, for events
 * @place: where gt_board_run() says what the monitor thinks of it; NULL = it reads events
 * @state: of its random numbers
 * @tries: submissions
 */
struct gt_racer {
	struct gt_gpu gpu;
	struct gt_queue q;
	volatile uint64_t *doorbell;
	volatile struct gpu_signal *signal;
	int dev;
	struct gt_place *place;
	uint64_t state;
	uint64_t tries;
};

/**
 * struct gt_place - of a racer among several, in shared memory
 * @pid: racer
 * @busy: it has work, says the monitor; a futex
 */
struct gt_place {
	int pid;
	uint32_t busy;
};

void gt_racer_init(struct gt_racer *r, uint64_t seed, struct gt_place *place);
/* Reads events for all of them, or each event would wake all; until @nr_running is 0. */
void gt_board_run(struct gt_place *places, unsigned int nr, volatile uint32_t *nr_running);
uint64_t gt_racer_any(struct gt_racer *r, uint64_t below);
/* Lets the monitor arm the doorbells, about now. */
void gt_racer_rearm(struct gt_racer *r);
/* Submits some nanoseconds from now. Return: 0, or -ETIMEDOUT: it was not noticed. */
int gt_racer_submit(struct gt_racer *r, uint64_t after_ns);
/* What was submitted is done; waits until that is noticed. */
int gt_racer_complete(struct gt_racer *r);
/* Some submissions, against an arming each. Return: 0 or -ETIMEDOUT. */
int gt_racer_round(struct gt_racer *r);

#endif
