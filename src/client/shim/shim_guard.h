/* SPDX-License-Identifier: MIT */
/*
 * What a thread of the application passes through on its way into the shim. A doorbell
 * store neither is a point where a thread can be cancelled, nor changes errno, nor is
 * forbidden in a handler of signals; with us behind it, all of that must stay so. A thread
 * that went away with a lock would leave held queues held for ever.
 */
#ifndef GP_SHIM_GUARD_H
#define GP_SHIM_GUARD_H

#include <signal.h>

#include "client/shim/shim.h"

/**
 * struct gp_guard - what was there before
 * @mask: signals that were blocked
 * @cancel: whether the thread could be cancelled
 * @error: errno
 */
struct gp_guard {
	sigset_t mask;
	int cancel;
	int error;
};

/**
 * gp_guard_lock() - take @s->lock on a thread of the application
 * @s: shim
 * @g: memory until gp_guard_unlock()
 *
 * No signal comes and nobody cancels the thread until it is free again.
 */
void gp_guard_lock(struct gp_shim *s, struct gp_guard *g);

/**
 * gp_guard_unlock() - free it
 * @s: shim
 * @g: of gp_guard_lock()
 */
void gp_guard_unlock(struct gp_shim *s, const struct gp_guard *g);

#endif
