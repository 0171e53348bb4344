/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The HIQ: the ring from which the firmware reads what the driver wants.
 */
#ifndef GP_GPU_HIQ_H
#define GP_GPU_HIQ_H

#include "gpu/gpu_types.h"

/* Read packets until one takes time or none is left. */
void gpu_hiq_run(struct gpu *gpu);

/* The packet under way is done. */
void gpu_hiq_done(struct gpu *gpu);

/* Its doorbell. */
void gpu_hiq_doorbell(struct gpu *gpu, u64 value);

#endif
