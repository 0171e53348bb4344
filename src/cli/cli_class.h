/* SPDX-License-Identifier: MIT */
/* Classes of the daemon's configuration. */
#ifndef GP_CLI_CLASS_H
#define GP_CLI_CLASS_H

#include "cli/cli_session.h"

/**
 * cli_class_check() - is there a class of this name
 * @g: handle with the daemon
 * @object: what the message is about if there is none; it names those there are
 * @name: class
 *
 * Return: CLI_GO_ON, also if the daemon does not tell; CLI_EXIT_NOT_FOUND after a message.
 */
int cli_class_check(struct gpreempt *g, const char *object, const char *name);

#endif
