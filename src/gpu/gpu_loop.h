/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The event loop, for callers that change something from outside of it.
 */
#ifndef GP_GPU_LOOP_H
#define GP_GPU_LOOP_H

#include "gpu/gpu_types.h"

/* Work off everything that was noted, without letting time pass. */
void gpu_settle(struct gpu *gpu);

#endif
