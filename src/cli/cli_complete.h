/* SPDX-License-Identifier: MIT */
/*
 * What may be typed next, for the completion of shells: bash, zsh and fish ask the command
 * itself, so that verbs, options and values are said once.
 */
#ifndef GP_CLI_COMPLETE_H
#define GP_CLI_COMPLETE_H

#include "cli/cli_verb.h"

/**
 * cli_complete() - print what may stand for the last word
 * @table: commands
 * @argc: words after the program's name
 * @argv: them; the last one is begun, perhaps empty
 *
 * A line each: the word, a tab, what it is. ":files" and ":commands" stand for what a shell
 * knows better.
 *
 * Return: the exit code.
 */
int cli_complete(const struct cli_command *table, int argc, char **argv);

#endif
