/* SPDX-License-Identifier: MIT */
/*
 * What the verbs of gpreempt sim share.
 */
#ifndef GP_CLI_SIM_H
#define GP_CLI_SIM_H

#include "cli/cli_verb.h"
#include "sim/sim_scenario.h"

/**
 * cli_sim_load() - read a scenario, change what the options say, check it
 * @o: options
 * @file: scenario file
 * @sc: output
 *
 * Prints the error itself.
 *
 * Return: CLI_GO_ON or the exit code.
 */
int cli_sim_load(const struct cli_options *o, const char *file, struct sim_scenario *sc);

/* Value @i of --gpu, --policy, --mechanism or --detect; NULL = there is no such. */
const char *cli_sim_name(const char *option, u32 i);

/* Says why a run failed, in @error if that is not empty. Gives the exit code. */
int cli_sim_fail(const char *file, int err, const char *error);

#endif
