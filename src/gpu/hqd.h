/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Slots loaded and dequeued by hand (the calls are in gpu.h).
 */
#ifndef GP_GPU_HQD_H
#define GP_GPU_HQD_H

#include "gpu/gpu_types.h"

/* The event of a slot. */
void gpu_hqd_event(struct gpu *gpu, struct gpu_slot *slot);

/* Waves have ended: dequeues that wait for that may go on. */
void gpu_hqd_settle(struct gpu *gpu);

#endif
