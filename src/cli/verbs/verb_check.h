/* SPDX-License-Identifier: MIT */
/*
 * The doctor's findings, and the examinations that make them.
 */
#ifndef GP_CLI_CHECK_H
#define GP_CLI_CHECK_H

#include "cli/cli_verb.h"

enum cli_check_result {
	CLI_CHECK_OK,
	CLI_CHECK_WARN,	/* something does not work, the rest does */
	CLI_CHECK_FAIL,	/* no preemption on this machine as it is */
	CLI_CHECK_RESULT_COUNT
};

/* The findings. */
struct cli_check {
	json_t *list;	/* objects with name, result, text, remedy */
	u32 nr[CLI_CHECK_RESULT_COUNT];
};

/**
 * cli_check_add() - add a finding
 * @c: findings
 * @result: how bad it is
 * @name: what was looked at
 * @remedy: what to do; NULL = nothing
 * @format: what was found, as printf
 */
void cli_check_add(struct cli_check *c, enum cli_check_result result, const char *name,
		   const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Says more of what was found under @name, if anything was. */
void cli_check_append(struct cli_check *c, const char *name, const char *text);

/* Kernel, driver, GPUs, firmware, permissions. False = no GPU, the rest is pointless. */
bool cli_check_machine(struct cli_check *c, const char *root);

/* Hooks in the driver and kernel module. True = the module is loaded. */
bool cli_check_module(struct cli_check *c, const char *root);

/* Shim, daemon, and what schedules. */
void cli_check_stack(struct cli_check *c, const struct cli_options *o, bool has_module);

#endif
