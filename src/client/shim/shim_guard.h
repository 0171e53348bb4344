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
 * struct gp_guard - state of the thread before
 * @mask: blocked signals
 * @cancel: whether the thread could be cancelled
 * @error: errno; gp_guard_lock() alone
 */
struct gp_guard {
	sigset_t mask;
	int cancel;
	int error;
};

/**
 * gp_guard_begin() - neither signal nor cancellation until gp_guard_end()
 * @g: memory until then
 *
 * A signal handler may end the program or jump away: not with a lock.
 */
void gp_guard_begin(struct gp_guard *g);

/**
 * gp_guard_end() - as it was before
 * @g: of gp_guard_begin()
 */
void gp_guard_end(const struct gp_guard *g);

/**
 * gp_guard_lock() - gp_guard_begin(), then take @s->lock
 * @s: shim
 * @g: memory until gp_guard_unlock()
 */
void gp_guard_lock(struct gp_shim *s, struct gp_guard *g);

/**
 * gp_guard_unlock() - free it; errno is what it was
 * @s: shim
 * @g: of gp_guard_lock()
 */
void gp_guard_unlock(struct gp_shim *s, const struct gp_guard *g);

#endif
