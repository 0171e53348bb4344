/* SPDX-License-Identifier: MIT */
/*
 * A comparison as text on stdout.
 */
#ifndef GP_CLI_SIM_COMPARE_H
#define GP_CLI_SIM_COMPARE_H

#include "cli/sim/cli_sim_comparison.h"

/* What is compared, the table, and why rows are missing. Return: 0 or -ENOMEM. */
int cli_sim_compare_print(const struct cli_comparison *c);

#endif
