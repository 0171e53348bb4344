/* SPDX-License-Identifier: MIT */
/*
 * After a release the daemon wants to know whether the work goes on: WIRE_NOTE_PROGRESS
 * as soon as a read index moves or waves are seen, WIRE_NOTE_NO_PROGRESS after a
 * second without any sign.
 */
#ifndef GP_SHIM_PROGRESS_H
#define GP_SHIM_PROGRESS_H

#include "client/shim/shim.h"

/**
 * shim_progress_expect_locked() - a node is about to be released
 * @s: shim; both locks
 * @gpu_id: node
 */
void shim_progress_expect_locked(struct shim *s, uint32_t gpu_id);

/**
 * shim_progress_step_locked() - look
 * @s: shim; the lock is released meanwhile
 * @now_ns: time
 *
 * Return: when to look again, UINT64_MAX = not at all.
 */
uint64_t shim_progress_step_locked(struct shim *s, uint64_t now_ns);

/**
 * shim_progress_drop() - expect nothing
 * @s: shim
 */
void shim_progress_drop(struct shim *s);

#endif
