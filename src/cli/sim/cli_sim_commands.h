/* SPDX-License-Identifier: MIT */
/*
 * The commands of gpreempt sim, a file each. All give an exit code.
 */
#ifndef GP_CLI_SIM_COMMANDS_H
#define GP_CLI_SIM_COMMANDS_H

int cli_sim_cmd_run(int argc, char **argv);
int cli_sim_cmd_compare(int argc, char **argv);
int cli_sim_cmd_demo(int argc, char **argv);
int cli_sim_cmd_list(int argc, char **argv);
int cli_sim_cmd_params(int argc, char **argv);

#endif
