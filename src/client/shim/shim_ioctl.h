/* SPDX-License-Identifier: MIT */
/*
 * The application's ioctls. Those that make, change and end queues are carried out
 * so that a hold stays a hold; everything else goes to the driver as it is.
 */
#ifndef GP_SHIM_IOCTL_H
#define GP_SHIM_IOCTL_H

#include "client/shim/shim.h"

/**
 * shim_ioctl_is_ours() - must shim_ioctl_call() be asked?
 * @request: of the ioctl
 *
 * Console ioctls have the same type but no size.
 *
 * Return: true for the few calls that matter here.
 */
static inline bool shim_ioctl_is_ours(unsigned long request)
{
	if (_IOC_TYPE(request) != DRV_KFD_MAGIC || !_IOC_SIZE(request))
		return false;
	switch (_IOC_NR(request)) {
	case DRV_KFD_NR_CREATE_QUEUE:
	case DRV_KFD_NR_DESTROY_QUEUE:
	case DRV_KFD_NR_UPDATE_QUEUE:
	case DRV_KFD_NR_WAIT_EVENTS:
	case DRV_KFD_NR_RUNTIME_ENABLE:
	case DRV_KFD_NR_DBG_TRAP:
		return true;
	}
	return false;
}

/**
 * shim_ioctl_call() - carry out an ioctl of the application
 * @s: shim
 * @fd: as the application gave it
 * @request: same
 * @arg: same
 *
 * Return: as of ioctl(), with errno; errno is untouched on success.
 */
int shim_ioctl_call(struct shim *s, int fd, unsigned long request, void *arg);

#endif
