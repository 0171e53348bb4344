/* SPDX-License-Identifier: MIT */
/*
 * Options of the gpreempt sim commands, and the scenario they lead to.
 */
#ifndef GP_CLI_SIM_OPTIONS_H
#define GP_CLI_SIM_OPTIONS_H

#include "cli/cli.h"
#include "sim/sim_scenario.h"

/* Which command takes an option. */
enum cli_sim_verb {
	CLI_VERB_RUN = 1,
	CLI_VERB_COMPARE = 2,
	CLI_VERB_DEMO = 4,
	CLI_VERB_LIST = 8,
};

/**
 * struct cli_sim_options - what the user said; NULL and 0 = nothing
 * @policy: instead of the scenario's
 * @mechanism: the same
 * @detect: the same
 * @gpu: the same
 * @seed: the same, checked
 * @has_seed: @seed is valid
 * @duration_ns: the same, checked; 0 = the scenario's
 * @is_json: output for programs
 * @is_quiet: no progress bar
 * @trace: file for the timeline
 * @out: folder for the demo
 * @scenario: scenario of the demo
 * @nr_files: scenario files
 * @files: them
 */
struct cli_sim_options {
	const char *policy;
	const char *mechanism;
	const char *detect;
	const char *gpu;
	u64 seed;
	bool has_seed;
	u64 duration_ns;
	bool is_json;
	bool is_quiet;
	const char *trace;
	const char *out;
	const char *scenario;
	int nr_files;
	char **files;
};

/**
 * cli_sim_options_parse() - read the command line; prints help and errors itself
 * @argc: arguments
 * @argv: them; argv[0] is the command; sorted so that files come last
 * @verb: command
 * @usage: what follows the command's name in its help
 * @o: output
 *
 * Return: CLI_GO_ON or the exit code.
 */
int cli_sim_options_parse(int argc, char **argv, enum cli_sim_verb verb, const char *usage,
			  struct cli_sim_options *o);

/**
 * cli_sim_options_load() - read a scenario, change what the options say, check it
 * @o: options
 * @file: scenario file
 * @sc: output
 *
 * Prints the error itself.
 *
 * Return: CLI_GO_ON or the exit code.
 */
int cli_sim_options_load(const struct cli_sim_options *o, const char *file,
			 struct sim_scenario *sc);

#endif
