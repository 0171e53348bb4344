// SPDX-License-Identifier: MIT
#include "driver/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int drv_kfd_call(int fd, unsigned long cmd, void *args)
{
	int r;

	do
		r = ioctl(fd, cmd, args);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

const char *drv_kfd_queue_type_name(uint32_t type)
{
	static const char *const names[] = {
		[DRV_KFD_QUEUE_PM4] = "pm4",
		[DRV_KFD_QUEUE_SDMA] = "sdma",
		[DRV_KFD_QUEUE_AQL] = "aql",
		[DRV_KFD_QUEUE_SDMA_XGMI] = "sdma_xgmi",
		[DRV_KFD_QUEUE_SDMA_BY_ENGINE] = "sdma_by_engine",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

int drv_kfd_open(void)
{
	int fd = open(DRV_KFD_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int drv_kfd_get_version(int fd, struct kfd_ioctl_get_version_args *out)
{
	return drv_kfd_call(fd, AMDKFD_IOC_GET_VERSION, out);
}

bool drv_kfd_version_has_debug(const struct kfd_ioctl_get_version_args *v)
{
	if (v->major_version != DRV_KFD_DEBUG_MAJOR)
		return v->major_version > DRV_KFD_DEBUG_MAJOR;
	return v->minor_version >= DRV_KFD_DEBUG_MINOR;
}

int drv_kfd_smi_open(int fd, uint32_t gpu_id)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = gpu_id };
	uint64_t mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_PRE_RESET) |
			KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_POST_RESET);
	int r = drv_kfd_call(fd, AMDKFD_IOC_SMI_EVENTS, &args);

	if (r)
		return r;
	r = (int)args.anon_fd;
	if (fcntl(r, F_SETFD, FD_CLOEXEC) || fcntl(r, F_SETFL, O_NONBLOCK) ||
	    write(r, &mask, sizeof(mask)) != sizeof(mask)) {
		int err = errno;

		close(r);
		return -err;
	}
	return r;
}

int drv_kfd_smi_read(int fd)
{
	char text[1025], *line, *rest;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	unsigned long event;
	int mask = 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	text[n] = 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		event = strtoul(line, NULL, 16);
		if (event == KFD_SMI_EVENT_GPU_PRE_RESET || event == KFD_SMI_EVENT_GPU_POST_RESET)
			mask |= 1 << event;
	}
	return mask;
}
