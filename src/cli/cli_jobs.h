/* SPDX-License-Identifier: MIT */
/*
 * Jobs: the processes of a user that are stopped and continued together, by the name
 * of their group.
 */
#ifndef GP_CLI_JOBS_H
#define GP_CLI_JOBS_H

#include "cli/cli_session.h"

/* All jobs as rows. Return: GP_GO_ON, or the exit code after a message. */
int gp_jobs_get(struct gp_session *s, json_t **out);

/**
 * gp_jobs_pids() - the processes of a job
 * @s: session
 * @name: its name
 * @out: array of numbers; at least one
 *
 * Return: GP_GO_ON, or the exit code after a message.
 */
int gp_jobs_pids(struct gp_session *s, const char *name, json_t **out);

#endif
