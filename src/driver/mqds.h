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

/**
 * struct drv_mqd - what the image of a queue says
 * @pid: process, as the kernel's first namespace counts
 * @gpu_id: node
 * @is_compute: else a copy engine's
 * @is_aql: of a compute queue: AQL packets, else PM4
 * @nr_xcc: images, one for each XCC; means nothing of a copy engine
 * @prio: 0..15; of a compute queue
 * @ring_addr: ring in the process
 * @ring_bytes: its size
 * @rptr_addr: where the read index is
 * @wptr_addr: where the write index is
 */
struct drv_mqd {
	uint32_t pid;
	uint32_t gpu_id;
	bool is_compute;
	bool is_aql;
	uint32_t nr_xcc;
	uint32_t prio;
	uint64_t ring_addr;
	uint64_t ring_bytes;
	uint64_t rptr_addr;
	uint64_t wptr_addr;
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
