// SPDX-License-Identifier: MIT
#include "gt/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wave.h"

/* The engine alone, without a GPU around it: nothing is ever saved. */
static int write_result(struct gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len)
{
	memcpy((void *)(uintptr_t)addr, src, len);
	return 0;
}

static void *alloc_zeroed(struct gpu_host *host, size_t bytes)
{
	return calloc(1, bytes);
}

static void give_back(struct gpu_host *host, void *mem)
{
	free(mem);
}

static const struct gpu_host_ops engine_ops = {
	.write = write_result,
	.alloc = alloc_zeroed,
	.free = give_back,
};

/* Of the engine's surroundings: never called here. */
int gpu_saver_write(struct gpu_saver *s, const void *src, u32 len)
{
	return -ENOSPC;
}

int gpu_saver_read(struct gpu_saver *s, void *dst, u32 len)
{
	return -EINVAL;
}

static void describe(struct gpu_dispatch *d, const struct expect_shape *shape)
{
	d->waves = shape->waves;
	d->vgprs = shape->vgprs;
	d->lds_bytes = shape->lds_bytes;
	d->wave_bytes = GPU_WAVE_FIXED_BYTES + shape->vgprs * GPU_LANES * 4;
	d->group_bytes = shape->waves * d->wave_bytes + shape->lds_bytes;
	d->steps = shape->steps;
	d->arg.seed = shape->seed;
}

uint64_t *expect_results(const struct expect_shape *shape)
{
	uint64_t *out = calloc((size_t)shape->groups * shape->waves, sizeof(*out));
	struct gpu_profile profile = { .nr_xcc = 1 };
	struct gpu_host host = { .ops = &engine_ops };
	struct gpu *gpu = calloc(1, sizeof(*gpu));
	struct gpu_slot *slot = calloc(1, sizeof(*slot));
	struct gpu_dispatch *d = calloc(1, sizeof(*d));
	struct gpu_cohort c = { .dispatch = d, .nr = shape->groups };

	if (gpu && slot && d && out) {
		gpu->profile = &profile;
		gpu->host = &host;
		describe(d, shape);
		d->slot = slot;
		d->arg.out = (uintptr_t)out;
		if (gpu_state_wave_ops.launch(gpu, &c, 0, shape->groups) ||
		    gpu_state_wave_ops.finish(gpu, &c)) {
			free(out);
			out = NULL;
		}
	}
	free(d);
	free(slot);
	free(gpu);
	return out;
}
