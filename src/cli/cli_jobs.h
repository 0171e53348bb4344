/* SPDX-License-Identifier: MIT */
/*
 * Jobs: the processes of a user that are stopped and continued together, by the name
 * of their group.
 */
#ifndef GP_CLI_JOBS_H
#define GP_CLI_JOBS_H

#include "cli/cli_session.h"

/* All jobs as rows. Return: CLI_GO_ON, or the exit code after a message. */
int cli_jobs_get(struct cli_session *s, json_t **out);

/**
 * cli_jobs_pids() - the processes of a job
 * @s: session
 * @name: its name
 * @out: array of numbers; at least one
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_jobs_pids(struct cli_session *s, const char *name, json_t **out);

#endif
