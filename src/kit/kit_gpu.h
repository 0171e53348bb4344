/* SPDX-License-Identifier: MIT */
/*
 * DOC: A GPU of one's own, by amdkfd's ioctls alone
 *
 * Memory, an AQL queue, packets and code objects without ROCr, so that nothing but the driver is
 * between a test and the GPU. All of it belongs to the process that opened it, and amdkfd takes
 * it back when the process ends, however it ends. Functions give 0 or -errno.
 */
#ifndef GP_KIT_GPU_H
#define GP_KIT_GPU_H

#include "gp_port.h"

#include "driver/discover.h"
#include "driver/kfd.h"
#include "gpu/aql.h"

#define KIT_PAGE 4096ul

/* A GPU opened by this process. */
struct kit_gpu {
	const struct drv_node *node;
	int kfd;	/* /dev/kfd */
	int drm;	/* its render node */
	u64 save_bytes;	/* save area of a queue, all XCCs */
	u8 *doorbells;	/* mapped with the first queue */
};

/* Nothing is closed before the process ends. */
int kit_gpu_open(struct kit_gpu *gpu, const struct drv_node *node);

/* Host memory that the GPU sees at the same address, zeroed. */
int kit_gpu_alloc(struct kit_gpu *gpu, u64 bytes, void *out);

/* An AQL queue. */
struct kit_queue {
	struct kit_gpu *gpu;
	struct kfd_ioctl_update_queue_args update; /* what UPDATE_QUEUE needs, at 100 percent */
	u8 *ring;
	volatile u64 *wptr;
	volatile u64 *doorbell;
};

/* Makes a queue, which the driver maps at once. */
int kit_queue_create(struct kit_gpu *gpu, struct kit_queue *q);

/* Ends it; its kernels must have ended. */
int kit_queue_destroy(struct kit_queue *q);

/* UPDATE_QUEUE: 0 stops it, 100 lets it go on. */
int kit_queue_percent(struct kit_queue *q, u32 percent);

/* Writes a packet, with its header last, and rings. */
void kit_queue_submit(struct kit_queue *q, const struct gpu_aql_dispatch *packet);

/* A packet that only counts @signal down when all before it have ended. */
void kit_queue_barrier(struct kit_queue *q, struct gpu_signal *signal);

#endif
