/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Decisions: from the policy's keys and the guards to the next switch. Private
 * to the core; the caller of the event serialises.
 */
#ifndef GP_CORE_DECIDE_H
#define GP_CORE_DECIDE_H

#include "core/sched_types.h"

/**
 * gp_decide() - last step of every event: start a switch if one is due, set the timer
 * @c: call
 * @settled: a switch has just ended, so that those it was for may run now even
 *	if the next switch begins at once
 *
 * Context: caller serialises. O(log n) per member of the switch.
 */
void gp_decide(struct gp_call *c, bool settled);

#endif
