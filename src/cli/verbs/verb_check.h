/* SPDX-License-Identifier: MIT */
/*
 * The doctor's findings, and the examinations that make them.
 */
#ifndef GP_CLI_CHECK_H
#define GP_CLI_CHECK_H

#include "cli/cli_options.h"

#include <jansson.h>

enum gp_check_result {
	GP_CHECK_OK,
	GP_CHECK_WARN,	/* something does not work, the rest does */
	GP_CHECK_FAIL,	/* no preemption on this machine as it is */
	GP_CHECK_RESULT_COUNT
};

/**
 * struct gp_check - the findings
 * @list: objects with name, result, text, remedy
 * @nr: how many of each result
 */
struct gp_check {
	json_t *list;
	u32 nr[GP_CHECK_RESULT_COUNT];
};

/**
 * gp_check_add() - add a finding
 * @c: findings
 * @result: how bad it is
 * @name: what was looked at
 * @remedy: what to do; NULL = nothing
 * @format: what was found, as printf
 */
void gp_check_add(struct gp_check *c, enum gp_check_result result, const char *name,
		  const char *remedy, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Says more of what was found under @name, if anything was. */
void gp_check_append(struct gp_check *c, const char *name, const char *text);

/* Kernel, driver, GPUs, firmware, permissions. False = no GPU, the rest is pointless. */
bool gp_check_machine(struct gp_check *c, const char *root);

/* Hooks in the driver and kernel module. True = the module is loaded. */
bool gp_check_module(struct gp_check *c, const char *root);

/* Shim, daemon, and what schedules. */
void gp_check_stack(struct gp_check *c, const struct gp_options *o, bool has_module);

#endif
