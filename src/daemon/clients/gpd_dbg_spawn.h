/* SPDX-License-Identifier: MIT */
/* The process of a tracer. */
#ifndef GPD_DBG_SPAWN_H
#define GPD_DBG_SPAWN_H

#include <sys/types.h>

/* Starts @path for @target with @fd as its descriptor 3. Return: 0 or -errno. */
int gpd_dbg_spawn(const char *path, pid_t target, int fd, pid_t *pid);

#endif
