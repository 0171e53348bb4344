// SPDX-License-Identifier: MIT
#include "kit/kit_kernel.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WAVE_DIGEST_BYTES (KIT_LANES * 4ull)
#define WAVE_STEP_BYTES (KIT_STEP_WORDS * 4ull)
/* A kernel that is not told to end comes to an end all the same, after some seconds. */
#define MAX_STEPS (1u << 24)
#define POISON 0xa5
/* Longer than this is waited for with sleeps. */
#define SPIN_NS 2000000

u64 kit_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

void kit_sleep_ns(u64 ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static int alloc_parts(struct kit_gpu *gpu, struct kit_run *run, u32 flags)
{
	u64 rows = (u64)kit_rows(run->shape) * WAVE_DIGEST_BYTES;
	u8 *page;
	int ret = kit_gpu_alloc(gpu, KIT_PAGE, &page);

	if (!ret)
		ret = kit_gpu_alloc(gpu, run->nr_waves * WAVE_DIGEST_BYTES, &run->digests);
	if (!ret)
		ret = kit_gpu_alloc(gpu, run->nr_waves * WAVE_STEP_BYTES, &run->steps);
	if (!ret && flags & KIT_FLAG_DUMP)
		ret = kit_gpu_alloc(gpu, run->nr_waves * rows, &run->dump);
	if (ret)
		return ret;
	run->args = (void *)page;
	run->signal = (void *)(page + 1024);
	run->end = (void *)(page + 2048);
	return 0;
}

int kit_run_create(struct kit_gpu *gpu, const struct kit_code *code, enum kit_kernel kernel,
		   u32 nr_groups, u32 flags, struct kit_run *run)
{
	const struct kit_shape *s = &kit_shapes[kernel];
	int ret;

	*run = (struct kit_run){
		.shape = s,
		.descriptor = kit_code_find(code, s->name),
		.nr_groups = nr_groups,
		.nr_waves = nr_groups * s->waves,
	};
	if (!run->descriptor)
		return -ENOENT;
	ret = alloc_parts(gpu, run, flags);
	if (ret)
		return ret;
	*run->args = (struct kit_args){
		.digests = (uintptr_t)run->digests,
		.steps = (uintptr_t)run->steps,
		.dump = (uintptr_t)run->dump,
		.end = (uintptr_t)run->end,
		.max_steps = MAX_STEPS,
		.flags = flags,
	};
	return 0;
}

void kit_run_start(struct kit_run *run, struct kit_queue *q)
{
	const struct kit_shape *s = run->shape;
	struct gpu_aql_dispatch packet = {
		.header = GPU_AQL_KERNEL_DISPATCH | GPU_AQL_HEADER_BARRIER,
		.setup = 1,
		.workgroup_size = { (u16)(s->waves * KIT_LANES), 1, 1 },
		.grid_size = { run->nr_waves * KIT_LANES, 1, 1 },
		.group_segment_size = s->waves * s->nr_lds * KIT_LANES * 4,
		.kernel_object = run->descriptor,
		.kernarg_address = (uintptr_t)run->args,
		.completion_signal = (uintptr_t)run->signal,
	};

	memset(run->digests, POISON, run->nr_waves * WAVE_DIGEST_BYTES);
	memset((void *)run->steps, 0, run->nr_waves * WAVE_STEP_BYTES);
	if (run->dump)
		memset(run->dump, POISON, run->nr_waves * kit_rows(s) * WAVE_DIGEST_BYTES);
	*run->end = 0;
	*(struct gpu_signal *)run->signal = (struct gpu_signal){ .kind = 1, .value = 1 };
	kit_queue_submit(q, &packet);
}

void kit_run_end(struct kit_run *run)
{
	__atomic_store_n(run->end, 1, __ATOMIC_RELEASE);
}

/* Looks without a pause at first: what is measured takes microseconds. Others may run. */
static bool may_wait(u64 begin, u64 ns)
{
	u64 passed = kit_now_ns() - begin;

	if (passed > SPIN_NS)
		kit_sleep_ns(100000);
	else
		sched_yield();
	return passed <= ns;
}

int kit_signal_wait(const volatile struct gpu_signal *signal, u64 ns)
{
	u64 begin = kit_now_ns();

	while (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE))
		if (!may_wait(begin, ns))
			return -ETIMEDOUT;
	return 0;
}

int kit_run_wait_steps(const struct kit_run *run, const u32 *from, u64 ns)
{
	u64 begin = kit_now_ns();

	for (u32 wave = 0; wave < run->nr_waves; wave++)
		while (run->steps[wave * KIT_STEP_WORDS] <= (from ? from[wave] : 0))
			if (!may_wait(begin, ns))
				return -ETIMEDOUT;
	return 0;
}

void kit_run_steps(const struct kit_run *run, u32 *out)
{
	for (u32 wave = 0; wave < run->nr_waves; wave++)
		out[wave] = run->steps[wave * KIT_STEP_WORDS];
}

u32 kit_run_moved(const struct kit_run *run, const u32 *before, const u32 *after)
{
	u32 wave = 0;

	while (wave < run->nr_waves && before[wave] == after[wave])
		wave++;
	return wave;
}

/* Values of a stored wave that are not what they have to be; @first: one of them. */
static u32 count_wrong(const struct kit_run *run, u32 wave, u32 *first)
{
	u32 rows = kit_rows(run->shape), nr = 0;
	const u32 *got = run->dump + (u64)wave * rows * KIT_LANES;

	for (u32 i = 0; i < rows * KIT_LANES; i++)
		if (got[i] != kit_row_value(run->shape, i / KIT_LANES, wave,
					    wave * KIT_LANES + i % KIT_LANES) &&
		    !nr++)
			*first = i;
	return nr;
}

static bool is_stored(const struct kit_run *run, u32 wave, char *why)
{
	u32 rows = kit_rows(run->shape), first = 0, nr = count_wrong(run, wave, &first);
	char name[48];

	if (!nr)
		return true;
	kit_row_name(run->shape, first / KIT_LANES, name, sizeof(name));
	snprintf(why, KIT_TEXT, "%s of lane %u is %08x, not %08x (wave %u; %u values are wrong)",
		 name, first % KIT_LANES, run->dump[(u64)wave * rows * KIT_LANES + first],
		 kit_row_value(run->shape, first / KIT_LANES, wave,
			       wave * KIT_LANES + first % KIT_LANES), wave, nr);
	return false;
}

bool kit_run_check(const struct kit_run *run, char why[KIT_TEXT])
{
	for (u32 wave = 0; wave < run->nr_waves; wave++) {
		u32 steps = run->steps[wave * KIT_STEP_WORDS];

		if (run->dump && !is_stored(run, wave, why))
			return false;
		for (u32 lane = 0; lane < KIT_LANES; lane++) {
			u32 got = run->digests[wave * KIT_LANES + lane];

			if (got == kit_digest(run->shape, wave, wave * KIT_LANES + lane, steps))
				continue;
			snprintf(why, KIT_TEXT, "wave %u of %u, lane %u: a wrong result after %u "
				 "steps", wave, run->nr_waves, lane, steps);
			return false;
		}
	}
	return true;
}
