/* SPDX-License-Identifier: MIT */
/*
 * The way of an application's thread into the shim. A doorbell store is no cancellation
 * point, leaves errno alone and is allowed in a signal handler; the wrapped store keeps all
 * of that. A thread that left with a lock would leave held queues held for ever.
 */
#ifndef GP_SHIM_GUARD_H
#define GP_SHIM_GUARD_H

#include <signal.h>

#include "client/shim/shim.h"

/**
 * struct shim_guard - state of the thread before
 * @mask: blocked signals
 * @cancel: whether the thread could be cancelled
 * @error: errno; shim_guard_lock() alone
 */
struct shim_guard {
	sigset_t mask;
	int cancel;
	int error;
};

/**
 * shim_guard_begin() - neither signal nor cancellation until shim_guard_end()
 * @g: memory until then
 *
 * A signal handler may end the program or jump away: not with a lock.
 */
void shim_guard_begin(struct shim_guard *g);

/**
 * shim_guard_end() - as it was before
 * @g: of shim_guard_begin()
 */
void shim_guard_end(const struct shim_guard *g);

/**
 * shim_guard_lock() - shim_guard_begin(), then take @s->lock
 * @s: shim
 * @g: memory until shim_guard_unlock()
 */
void shim_guard_lock(struct shim *s, struct shim_guard *g);

/**
 * shim_guard_unlock() - free it; errno is what it was
 * @s: shim
 * @g: of shim_guard_lock()
 */
void shim_guard_unlock(struct shim *s, const struct shim_guard *g);

#endif
