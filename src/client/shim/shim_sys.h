/* SPDX-License-Identifier: MIT */
/*
 * The real world.
 */
#ifndef GP_SHIM_SYS_H
#define GP_SHIM_SYS_H

#include "client/shim/shim.h"

/* libc's ioctl or that of the next library that was preloaded, sockets, clock, sysfs. */
extern const struct shim_sys shim_sys_real;

/*
 * Find the ioctl() behind this library's own; the system call is used before. Called by the
 * constructor: dlsym() takes locks and allocates, and a program's first ioctl() may be in a
 * signal handler or in a child of vfork().
 */
void shim_sys_resolve(void);

/*
 * shim_env.c: copy the variables of the environment that the shim reads, before the program
 * begins: another thread must not call getenv() while the application changes the environment.
 * A relative name of the socket is completed: the program may go elsewhere.
 */
void shim_env_freeze(void);

/* A variable, GPREEMPT_* or XDG_RUNTIME_DIR, as it was then, or is if that was never called. */
const char *shim_env(const char *name);

#endif
