/* SPDX-License-Identifier: MIT */
/*
 * Where the library is that run preloads, and the daemon.
 */
#ifndef GP_CLI_SHIM_PATH_H
#define GP_CLI_SHIM_PATH_H

#include <stddef.h>

#define CLI_SHIM_PATH_MAX 4096

/**
 * cli_shim_find() - find it
 * @named: what the user named; NULL = nothing
 * @out: the path, absolute; also of the last place that was tried
 * @size: room
 *
 * What the user named; else $GPREEMPT_SHIM; else beside the program in its build
 * folder; else where it is installed.
 *
 * Return: 0, -ENOENT.
 */
int cli_shim_find(const char *named, char *out, size_t size);

/* The daemon of the same build folder or installation; gives @out. Not in every PATH. */
const char *cli_daemon_find(char *out, size_t size);

#endif
