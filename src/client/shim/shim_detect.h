/* SPDX-License-Identifier: MIT */
/*
 * DOC: Which queues have work
 *
 * Busy begins with a ring of the doorbell. The wrapped store of shim_hsa.c tells of it,
 * but only if the queue counts as idle: one load and a compare otherwise. Queues
 * whose rings are not told of (clients without ROCr, queues inside ROCr) are watched
 * by looking at their pointers, less often the longer nothing happens.
 *
 * Busy ends with a proof. A queue that was quiet for a while gets a barrier packet; if
 * that completes and nothing was written behind it, all work before it is done. Where no
 * packet may be put in, rules/idle.h decides by pointers, packets and waves.
 *
 * A ring between the decision and its publication must not be lost. The submitter
 * moves the write index, loads the state, rings. The detector publishes "idle", makes
 * every thread of the process pass a barrier (membarrier) and reads the write index
 * again: either the submitter saw "idle" or the detector sees the index. So
 * the submitter needs no fence, which would wait for the uncached store.
 */
#ifndef GP_SHIM_DETECT_H
#define GP_SHIM_DETECT_H

#include "client/shim/shim.h"

/**
 * shim_detect_new_locked() - begin to follow a queue that was made just now
 * @s: shim
 * @q: queue
 */
void shim_detect_new_locked(struct shim *s, struct shim_queue *q);

/**
 * shim_detect_begin_locked() - begin to follow all queues: there is a daemon
 * @s: shim; the lock is released meanwhile, and @is_welcome is set when it is held for good
 *
 * A queue counts as busy until idle is proven, unless nothing was ever put in.
 */
void shim_detect_begin_locked(struct shim *s);

/**
 * shim_detect_ring() - a doorbell was rung that may belong to an idle queue
 * @s: shim; no lock is held
 * @doorbell: address of the doorbell
 * @wptr_addr: address of the write index: says which queue
 *
 * Context: any thread of the application, after the ring.
 */
void shim_detect_ring(struct shim *s, uintptr_t doorbell, uint64_t wptr_addr);

/**
 * shim_detect_api() - ROCr was called and may have rung queues of its own
 * @s: shim; no lock is held
 */
void shim_detect_api(struct shim *s);

/**
 * shim_detect_step_locked() - look where it is time to
 * @s: shim; the lock is released meanwhile
 * @now_ns: time
 *
 * Return: when to look next, UINT64_MAX = not at all.
 */
uint64_t shim_detect_step_locked(struct shim *s, uint64_t now_ns);

#endif
