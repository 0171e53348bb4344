/* SPDX-License-Identifier: MIT */
/*
 * A debug session of the process on itself: stops any number of queues in one
 * runlist cycle. It has side effects (see docs/design/shim.md), so it is used only where
 * the daemon allows it and the process has enabled its runtime. At the first error it
 * is given up for the life of the process. Callers hold call_lock.
 */
#ifndef GP_SHIM_SELFDBG_H
#define GP_SHIM_SELFDBG_H

#include "client/shim/shim_pause.h"

/**
 * shim_selfdbg_suspend() - stop queues
 * @s: shim
 * @queues: queues; those that were stopped have is_dbg_stopped set
 * @nr: how many
 * @grace: 1..255, 0 = the default
 * @out: counts are added
 */
void shim_selfdbg_suspend(struct shim *s, struct shim_queue **queues, uint32_t nr,
			  uint32_t grace, struct shim_pause_result *out);

/**
 * shim_selfdbg_resume() - continue queues that were stopped so
 * @s: shim
 * @queues: queues; others among them are passed over
 * @nr: how many
 * @out: counts are added
 */
void shim_selfdbg_resume(struct shim *s, struct shim_queue **queues, uint32_t nr,
			 struct shim_pause_result *out);

/**
 * shim_selfdbg_end() - close the session, never open one again
 * @s: shim
 *
 * Every queue goes on.
 */
void shim_selfdbg_end(struct shim *s);

#endif
