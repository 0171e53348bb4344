// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_commands.h"

#include "cli/cli.h"

int cli_sim_main(int argc, char **argv)
{
	static const struct cli_command commands[] = {
		{ "run", cli_sim_cmd_run, "run a scenario" },
		{ "compare", cli_sim_cmd_compare, "run scenarios under every mechanism" },
		{ "demo", cli_sim_cmd_demo, "inference beside training: table, trace, page" },
		{ "list", cli_sim_cmd_list, "GPUs, policies, mechanisms, detection modes, mixes" },
		{ "params", cli_sim_cmd_params, "parameters of the scheduling core" },
		{ NULL, NULL, NULL },
	};

	return cli_command_run("gpreempt sim", commands, argc - 1, argv + 1);
}
