/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an interval: what they are now less what they were when an output of
 * gpreempt stats --json was written.
 */
#ifndef GP_CLI_STATS_SINCE_H
#define GP_CLI_STATS_SINCE_H

#include "cli/cli.h"

#include <jansson.h>

/**
 * cli_stats_since() - take away what was before
 * @rows: devices now; changed
 * @file: earlier output
 *
 * Percentiles are made of the buckets that are left; the largest and the smallest value of
 * an interval cannot be known.
 *
 * Return: CLI_GO_ON, or the exit code after a message.
 */
int cli_stats_since(json_t *rows, const char *file);

#endif
