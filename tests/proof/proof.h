/* SPDX-License-Identifier: MIT */
/*
 * What the proofs share: a mix of dispatches that a seed determines, the memory it
 * must leave, and how two memories are compared.
 */
#ifndef GP_TEST_PROOF_H
#define GP_TEST_PROOF_H

#include "world.h"

#define PROOF_MAX_DISPATCHES 64

/* A mix: its queues are those of the world. */
struct proof_mix {
	struct world w;
	struct world_dispatch dispatch[PROOF_MAX_DISPATCHES];
	struct world_queue *queue_of[PROOF_MAX_DISPATCHES];
	u32 nr_groups[PROOF_MAX_DISPATCHES];
	u32 nr_dispatches;
};

/* xorshift: good enough, and the same everywhere. */
struct proof_rng {
	u64 state;
};

u64 proof_random(struct proof_rng *rng);
/* 0 .. @n - 1 */
u32 proof_below(struct proof_rng *rng, u32 n);

/* Give up with a message. */
void proof_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void proof_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void proof_add(struct proof_mix *m, struct world_queue *q, const struct world_kernel *k);

/* Dispatches from @first on that have no signal get one: @q, PM4, clears it after them all. */
void proof_release(struct proof_mix *m, struct world_queue *q, u32 first);

/* Map all queues and ring all doorbells. */
void proof_start(struct proof_mix *m);
/* All completion signals are 0. */
bool proof_is_done(struct proof_mix *m);

/**
 * proof_compare() - the memory of all processes, save areas left out
 * @a: one run
 * @b: another run of the same mix
 *
 * Return: NULL if it is the same bit for bit, else where it differs.
 */
const char *proof_compare(struct proof_mix *a, struct proof_mix *b);

/* Every tally has its workgroups and nothing else. */
const char *proof_check_tally(struct proof_mix *m);

#endif
