/* SPDX-License-Identifier: MIT */
/*
 * linux/kfd_ioctl.h includes this name for its types alone. Debian's linux-libc-dev has the first
 * and not the second.
 */
#include <linux/ioctl.h>
#include <linux/types.h>
