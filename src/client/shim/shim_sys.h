/* SPDX-License-Identifier: MIT */
/*
 * The world as it is.
 */
#ifndef GP_SHIM_SYS_H
#define GP_SHIM_SYS_H

#include "client/shim/shim.h"

/* libc's ioctl or that of the next library that was preloaded, sockets, clock, sysfs. */
extern const struct gp_shim_sys gp_shim_sys_real;

#endif
