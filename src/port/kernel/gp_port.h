/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The port contract for the kernel. See port/README.md for what belongs here;
 * user space has a file of the same name and the same content. Everything the
 * contract names exists in Linux under the same name.
 */
#ifndef GP_PORT_H
#define GP_PORT_H

#include <linux/array_size.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#define GP_WARN_ON(cond) WARN_ON_ONCE(cond)

/* The kernel computes in integers. */
#define GP_PORT_ROW 64
#define gp_port_f32_fma_row(d, a, b, c) false
#define gp_port_f32_add_row(d, a, b) false
#define gp_port_f32_mul_row(d, a, b) false

#endif
