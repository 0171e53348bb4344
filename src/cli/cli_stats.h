/* SPDX-License-Identifier: MIT */
/* What the scheduler counted on each device. */
#ifndef GP_CLI_STATS_H
#define GP_CLI_STATS_H

#include "cli/cli_session.h"

/* Keys of a device that are histograms. */
#define CLI_STATS_HISTOGRAMS 5
extern const char *const cli_stats_histograms[CLI_STATS_HISTOGRAMS];

/**
 * cli_stats_get() - GetStatistics, each device with its "id"
 * @s: conversation; with --since what a file has, an output of gpreempt stats --json, is taken away
 * @rows: output, a new reference
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_stats_get(struct cli_session *s, json_t **rows);

#endif
