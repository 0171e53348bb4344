/* SPDX-License-Identifier: MIT */
/*
 * gpreempt run where the kernel module schedules.
 */
#ifndef GP_CLI_RUN_MODULE_H
#define GP_CLI_RUN_MODULE_H

#include "cli/cli_options.h"

/**
 * cli_run_by_module() - the attributes become those of this process
 * @o: options
 *
 * They stay when the process becomes the program, and are those of its children when
 * these get queues. What is refused is said, and does not stop the program.
 *
 * Return: true if the module schedules: no shim is needed.
 */
bool cli_run_by_module(const struct cli_options *o);

#endif
