/* SPDX-License-Identifier: MIT */
/*
 * One observer that several watch through: a run takes only one.
 */
#ifndef GP_CLI_FANOUT_H
#define GP_CLI_FANOUT_H

#include "sim/sim_run.h"

#define CLI_FANOUT_MAX 4

/**
 * struct cli_fanout - the observer
 * @base: to be given to a run
 * @nr: how many watch
 * @to: them
 */
struct cli_fanout {
	struct sim_observer base;
	u32 nr;
	struct sim_observer *to[CLI_FANOUT_MAX];
};

void cli_fanout_init(struct cli_fanout *f);
void cli_fanout_add(struct cli_fanout *f, struct sim_observer *o);

#endif
