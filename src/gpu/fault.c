// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/fault.h"

#define MAX_SLOW 1000000

void gpu_fault_init(struct gpu *gpu)
{
	memset(&gpu->faults, 0, sizeof(gpu->faults));
	gpu->faults.slow = 1;
}

void gpu_fault_reset(struct gpu *gpu)
{
	gpu->faults.nr_refusing = 0;
	gpu->faults.is_hung = false;
}

static int add_refusing(struct gpu_faults *f, u32 doorbell)
{
	u32 i;

	for (i = 0; i < f->nr_refusing; i++)
		if (f->refusing[i] == doorbell)
			return 0;
	if (f->nr_refusing == GPU_MAX_REFUSING)
		return -ENOSPC;
	f->refusing[f->nr_refusing++] = doorbell;
	return 0;
}

bool gpu_fault_refuses(struct gpu *gpu, const struct gpu_slot *slot, bool is_reset)
{
	struct gpu_faults *f = &gpu->faults;
	u32 i;

	for (i = 0; i < f->nr_refusing; i++)
		if (f->refusing[i] == slot->doorbell)
			break;
	if (i == f->nr_refusing)
		return false;
	if (is_reset) {
		f->refusing[i] = f->refusing[--f->nr_refusing];
		return false;
	}
	gpu_trace(gpu, GPU_TRACE_FAULT, slot, GPU_FAULT_REFUSE, 0);
	return true;
}

bool gpu_fault_loses_fence(struct gpu *gpu)
{
	if (!gpu->faults.lose_fences)
		return false;
	gpu->faults.lose_fences--;
	gpu_trace(gpu, GPU_TRACE_FAULT, NULL, GPU_FAULT_LOSE_FENCE, 0);
	return true;
}

int gpu_inject(struct gpu *gpu, enum gpu_fault fault, u64 arg)
{
	struct gpu_faults *f = &gpu->faults;

	switch (fault) {
	case GPU_FAULT_REFUSE:
		return add_refusing(f, (u32)arg);
	case GPU_FAULT_LOSE_FENCE:
		f->lose_fences = arg;
		return 0;
	case GPU_FAULT_HANG:
		f->is_hung = arg != 0;
		gpu->is_firmware_kicked = true;
		return 0;
	case GPU_FAULT_CORRUPT:
		f->is_corrupting = true;
		f->corrupt_byte = arg;
		return 0;
	case GPU_FAULT_SHIFT:
		f->is_shifting = true;
		f->shift_byte = arg;
		return 0;
	case GPU_FAULT_SLOW:
		if (!arg || arg > MAX_SLOW)
			return -EINVAL;
		f->slow = arg;
		return 0;
	case GPU_FAULT_DEAD:
		f->is_dead = arg != 0;
		return 0;
	case GPU_FAULT_CLEAR:
		gpu_fault_init(gpu);
		gpu->is_firmware_kicked = true;
		return 0;
	default:
		return -EINVAL;
	}
}
