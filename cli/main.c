// SPDX-License-Identifier: MIT
#include "cli.h"

#include <string.h>

static int print_version(int argc, char **argv)
{
	printf("gpreempt %s\n", GP_VERSION);
	return gp_cli_finish(GP_EXIT_OK);
}

static const struct gp_command commands[] = {
	{ "sim", gp_sim_main, "run scenarios on a simulated GPU" },
	{ "version", print_version, "print the version" },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		return print_version(0, NULL);
	return gp_command_run("gpreempt", commands, argc - 1, argv + 1);
}
