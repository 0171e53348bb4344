/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Slots loaded and dequeued by hand (the calls are in gpu.h).
 */
#ifndef GP_GPU_HQD_H
#define GP_GPU_HQD_H

#include "gpu/gpu_types.h"

/* The event of a slot. */
void gp_hqd_event(struct gp_gpu *gpu, struct gp_slot *slot);

/* Waves have ended: dequeues that wait for that may go on. */
void gp_hqd_settle(struct gp_gpu *gpu);

#endif
