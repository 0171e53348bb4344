/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The HIQ: the ring from which the firmware reads what the driver wants.
 */
#ifndef GP_GPU_HIQ_H
#define GP_GPU_HIQ_H

#include "gpu/gpu_types.h"

/* Read packets until one takes time or none is left. */
void gp_hiq_run(struct gp_gpu *gpu);

/* The packet under way is done. */
void gp_hiq_done(struct gp_gpu *gpu);

/* Its doorbell. */
void gp_hiq_doorbell(struct gp_gpu *gpu, u64 value);

#endif
