// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_commands.h"

#include "cli/cli.h"

int gp_sim_main(int argc, char **argv)
{
	static const struct gp_command commands[] = {
		{ "run", gp_sim_cmd_run, "run a scenario" },
		{ "compare", gp_sim_cmd_compare, "run scenarios under every mechanism" },
		{ "demo", gp_sim_cmd_demo, "inference beside training: table, trace, page" },
		{ "list", gp_sim_cmd_list, "GPUs, policies, mechanisms, detection modes, mixes" },
		{ "params", gp_sim_cmd_params, "parameters of the scheduling core" },
		{ NULL, NULL, NULL },
	};

	return gp_command_run("gpreempt sim", commands, argc - 1, argv + 1);
}
