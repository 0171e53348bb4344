/* SPDX-License-Identifier: MIT */
/*
 * A progress bar on stderr: only on a terminal, and only for what lasts longer
 * than a second.
 */
#ifndef GP_CLI_PROGRESS_H
#define GP_CLI_PROGRESS_H

#include "sim/sim_run.h"

/* The bar. */
struct cli_progress {
	struct sim_observer base;	/* to be given to a run */
	bool is_on;	/* it may show */
	bool is_shown;	/* it is on the screen */
	u64 begin_ns;	/* wall-clock time of the start */
	u64 drawn_ns;	/* of the last drawing */
	u32 part;	/* which run of several this is, from 0 */
	u32 nr_parts;
};

void cli_progress_init(struct cli_progress *p, bool is_quiet, u32 nr_parts);

/* Part @part of cli_progress.nr_parts begins. */
void cli_progress_set_part(struct cli_progress *p, u32 part);

/* Takes the bar off the screen. */
void cli_progress_finish(struct cli_progress *p);

#endif
