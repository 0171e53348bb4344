/* SPDX-License-Identifier: MIT */
/*
 * Compute queues of this process, made through /dev/kfd without a runtime. They get
 * no work: what is measured on them is the call, not the saving of waves.
 */
#ifndef GP_CLI_BENCH_QUEUE_H
#define GP_CLI_BENCH_QUEUE_H

#include "gp_port.h"

#include "driver/discover.h"
#include "driver/kfd.h"

/**
 * struct cli_bench_gpu - a GPU opened by this process
 * @node: which
 * @kfd: /dev/kfd
 * @drm: its render node
 * @save_bytes: save area of a queue, all XCCs
 */
struct cli_bench_gpu {
	const struct drv_node *node;
	int kfd;
	int drm;
	u64 save_bytes;
};

/* Return: 0 or -errno. Nothing is closed before the process ends. */
int cli_bench_gpu_open(struct cli_bench_gpu *gpu, const struct drv_node *node);

/**
 * cli_bench_queue_create() - make a queue
 * @gpu: GPU
 * @q: output: what UPDATE_QUEUE needs, at 100 percent
 *
 * Return: 0 or -errno.
 */
int cli_bench_queue_create(struct cli_bench_gpu *gpu, struct kfd_ioctl_update_queue_args *q);

#endif
