/* SPDX-License-Identifier: MIT */
/*
 * From a recording of events to a timeline for Perfetto.
 */
#ifndef GP_CLI_TRACE_CONVERT_H
#define GP_CLI_TRACE_CONVERT_H

#include <stdio.h>

/**
 * cli_trace_convert() - convert
 * @in: a recording: JSON lines, the first with the schema gpreempt.trace/1
 * @out: Chrome trace JSON
 * @line: where it went wrong
 *
 * A device is a process of the timeline; its tracks are the switches and, for each
 * process, the state of its entity and when its queues had work.
 *
 * Return: 0, -EINVAL not a recording or a line of it is damaged, -ENOMEM, -EIO.
 */
int cli_trace_convert(FILE *in, FILE *out, unsigned long *line);

#endif
