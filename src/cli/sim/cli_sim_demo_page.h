/* SPDX-License-Identifier: MIT */
/*
 * The page of the demo: the table, one preemption as a timeline, and how online
 * latency is distributed under every mechanism.
 */
#ifndef GP_CLI_DEMO_PAGE_H
#define GP_CLI_DEMO_PAGE_H

#include "cli/sim/cli_sim_comparison.h"
#include "cli/sim/cli_sim_recorder.h"

/**
 * cli_demo_page() - write the page
 * @out: file
 * @c: comparison, run
 * @rec: one run of the scenario's own mechanism and detection mode
 * @mechanism: that mechanism
 * @detect: that detection mode
 *
 * Return: 0 or -ENOMEM.
 */
int cli_demo_page(FILE *out, const struct cli_comparison *c, const struct cli_recorder *rec,
		  enum sim_mechanism mechanism, enum sim_detect detect);

#endif
