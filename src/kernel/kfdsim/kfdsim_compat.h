/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What moved inside the 6.12 series. amdkfd is built against the source that
 * belongs to the running kernel, so the version decides.
 */
#ifndef KFDSIM_COMPAT_H
#define KFDSIM_COMPAT_H

#include <linux/version.h>

/* The buffer of amdgpu_amdkfd_get_dmabuf_info() became an output. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 96)
#define KFDSIM_METADATA void **metadata_buffer
#else
#define KFDSIM_METADATA void *metadata_buffer
#endif

#define KFDSIM_GET_DMABUF_INFO                                                                   \
	int amdgpu_amdkfd_get_dmabuf_info(struct amdgpu_device *adev, int dma_buf_fd,            \
					  struct amdgpu_device **dmabuf_adev, uint64_t *bo_size, \
					  KFDSIM_METADATA, size_t buffer_size,                   \
					  uint32_t *metadata_size, uint32_t *flags,              \
					  int8_t *xcp_id)

#endif
