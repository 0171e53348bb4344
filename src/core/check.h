/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The invariants of the core's own memory. Meant for tests and for a home that
 * wants to look at itself after something odd; never called by an event.
 */
#ifndef GP_CORE_CHECK_H
#define GP_CORE_CHECK_H

#include "core/sched_types.h"

/**
 * gp_sched_check() - are states, heaps, lists and the switches in flight consistent?
 * @s: scheduler
 *
 * Context: caller serialises. O(n log n); changes nothing.
 * Return: NULL, or the invariant that does not hold.
 */
const char *gp_sched_check(const struct gp_sched *s);

#endif
