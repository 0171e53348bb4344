/* SPDX-License-Identifier: MIT */
/*
 * --watch and --count: a verb that reads, once or again and again.
 */
#ifndef GP_CLI_WATCH_H
#define GP_CLI_WATCH_H

#include "cli/cli_session.h"

/**
 * cli_watch() - do it once, or as often as the options say
 * @s: conversation
 * @o: options
 * @once: does it and prints; gives CLI_EXIT_OK or the exit code to end with
 * @arg: for it
 *
 * Return: exit code.
 */
int cli_watch(struct cli_session *s, const struct cli_options *o,
	      int (*once)(struct cli_session *s, const struct cli_options *o, void *arg),
	      void *arg);

/* JSON in one line? It is when there will be several. */
bool cli_watch_is_line(const struct cli_options *o);

#endif
