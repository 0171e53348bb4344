/* SPDX-License-Identifier: MIT */
/* The process of a tracer. */
#ifndef GPD_DBG_SPAWN_H
#define GPD_DBG_SPAWN_H

#include <sys/types.h>

/* Starts @path for @target with @fd as its descriptor 3. Return: 0 or -errno. */
int gpd_dbg_spawn(const char *path, pid_t target, int fd, pid_t *pid);

/**
 * gpd_dbg_end_child() - kill a child that nothing watches, and collect it
 * @pid: child
 *
 * One that is inside of the driver takes a while to die. The loop does not wait for it: it is
 * collected by a later call, of this or of gpd_dbg_spawn().
 */
void gpd_dbg_end_child(pid_t pid);

#endif
