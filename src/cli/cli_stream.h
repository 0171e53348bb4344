/* SPDX-License-Identifier: MIT */
/*
 * The daemon's events, one after the other, until enough came, a signal or the end.
 */
#ifndef GP_CLI_STREAM_H
#define GP_CLI_STREAM_H

#include "cli/cli_session.h"

/**
 * cli_stream_run() - read events
 * @s: conversation with the daemon; can do nothing else afterwards
 * @flags: GPREEMPT_MONITOR_*
 * @duration_ns: end after this; 0 = never
 * @event: gets each event, borrowed; false = enough
 * @arg: for it
 *
 * SIGINT and SIGTERM end it as if it were enough.
 *
 * Return: CLI_EXIT_OK, or the exit code after a message.
 */
int cli_stream_run(struct cli_session *s, unsigned int flags, u64 duration_ns,
		   bool (*event)(const json_t *event, void *arg), void *arg);

#endif
