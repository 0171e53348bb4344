/* SPDX-License-Identifier: MIT */
/*
 * Reads debugfs kfd/mqds, which root may see: the memory images of all queues, as
 * hexadecimal words without a word of explanation (pqm_debugfs_mqds() in
 * kfd_process_queue_manager.c):
 *
 *   Process 148 PASID 0x8000:
 *     Compute queue on device f916
 *       00000000: c0310800 00000000 ...     eight words a line, 64 lines
 *       00000000: ...                       again for each further XCC
 *
 * There is no queue id: a queue is recognised by the address of its ring. Only
 * what the driver wrote is used; pointers in an image are stale while it is mapped.
 */
#ifndef GP_MECHANISM_MQDS_H
#define GP_MECHANISM_MQDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the image of a queue says. */
struct drv_mqd {
	uint32_t pid; /* process, as the kernel's first namespace counts */
	uint32_t gpu_id; /* node */
	bool is_compute; /* else a copy engine's */
	bool is_aql; /* of a compute queue: AQL packets, else PM4 */
	uint32_t nr_xcc; /* images, one for each XCC; means nothing of a copy engine */
	uint32_t prio; /* 0..15; of a compute queue */
	uint64_t ring_addr; /* ring in the process */
	uint64_t ring_bytes; /* its size */
	uint64_t rptr_addr; /* where the read index is */
	uint64_t wptr_addr; /* where the write index is */
};

/**
 * drv_mqds_read() - all queues in a file
 * @f: the file
 * @out: an array for free(); NULL if there is none
 * @nr: its length
 *
 * Lines that make no sense end the queue they are in; a queue without all its
 * words is left out.
 *
 * Return: 0, -ENOMEM, -EIO.
 */
int drv_mqds_read(FILE *f, struct drv_mqd **out, size_t *nr);

#endif
