/* SPDX-License-Identifier: MIT */
/*
 * One observer that several watch through: a run takes only one.
 */
#ifndef GP_CLI_FANOUT_H
#define GP_CLI_FANOUT_H

#include "sim/sim_run.h"

#define GP_FANOUT_MAX 4

/**
 * struct gp_fanout - the observer
 * @base: to be given to a run
 * @nr: how many watch
 * @to: them
 */
struct gp_fanout {
	struct gp_observer base;
	u32 nr;
	struct gp_observer *to[GP_FANOUT_MAX];
};

void gp_fanout_init(struct gp_fanout *f);
void gp_fanout_add(struct gp_fanout *f, struct gp_observer *o);

#endif
