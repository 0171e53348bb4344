// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/contention.h"

#include "gpu/dispatch.h"
#include "gpu/wave.h"

static u32 ppm_of(u64 part, u32 whole)
{
	return whole ? (u32)(part * GPU_PPM_ONE / whole) : 0;
}

u32 gpu_contention_cu_ppm(const struct gpu_profile *p, const struct gpu_dispatch *d)
{
	u32 most = max(ppm_of(d->waves, p->simd_per_cu * p->waves_per_simd),
		       ppm_of(d->vgpr_charge, p->vgpr_bytes_per_cu));

	most = max(most, ppm_of(d->lds_bytes, p->lds_bytes_per_cu));
	return max(most, 1u);
}

/* It has waves that run: it is not on its way out. */
static bool is_running(const struct gpu_slot *slot)
{
	return slot->nr_resident && slot->state != GPU_SLOT_FROZEN;
}

static void count_cohort(struct gpu *gpu, const struct gpu_cohort *c)
{
	struct gpu_xcc *xcc = &gpu->xcc[c->xcc];
	u32 i;

	for (i = c->lo; i <= c->hi; i++)
		xcc->taken_ppm[i] += c->per_cu[i] * c->dispatch->cu_ppm;
}

/* How full each CU is. Return: all of them together. */
static u64 count_all(struct gpu *gpu)
{
	u64 sum = 0;
	u32 s, i, x;

	for (x = 0; x < gpu->profile->nr_xcc; x++)
		memset(gpu->xcc[x].taken_ppm, 0, sizeof(gpu->xcc[x].taken_ppm));
	for (s = gpu->mapped; s; s &= s - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(s, 0)];

		for (i = 0; i < slot->nr_dispatches && is_running(slot); i++) {
			const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];
			const struct gpu_cohort *c;

			for (x = 0; x < gpu->profile->nr_xcc; x++)
				for (c = d->share[x].resident; c; c = c->next)
					count_cohort(gpu, c);
		}
	}
	for (x = 0; x < gpu->profile->nr_xcc; x++)
		for (i = 0; i < gpu->profile->cu_per_xcc; i++)
			sum += gpu->xcc[x].taken_ppm[i];
	return sum;
}

/* Workgroups of a dispatch on CUs; @seen: how full those are, summed over the workgroups. */
static u32 look_around(struct gpu *gpu, const struct gpu_dispatch *d, u64 *seen)
{
	const struct gpu_cohort *c;
	u32 nr = 0, x, i;

	*seen = 0;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		for (c = d->share[x].resident; c; c = c->next) {
			nr += c->nr;
			for (i = c->lo; i <= c->hi; i++)
				*seen += (u64)c->per_cu[i] * gpu->xcc[x].taken_ppm[i];
		}
	}
	return nr;
}

/*
 * How full a workgroup sees its CU when its kernel is alone and dealt evenly: of @nr on
 * @nr_cus some have one more than others.
 */
static u64 full_alone_ppm(const struct gpu *gpu, const struct gpu_dispatch *d)
{
	u64 nr = ((u64)d->nr_groups + gpu->profile->nr_xcc - 1) / gpu->profile->nr_xcc;
	u64 nr_cus = gpu->profile->cu_per_xcc, least, rest;

	nr = min(nr, nr_cus * max(GPU_PPM_ONE / d->cu_ppm, 1u));
	least = nr / nr_cus;
	rest = nr % nr_cus;
	return ((nr_cus - rest) * least * least + rest * (least + 1) * (least + 1)) * d->cu_ppm /
	       nr;
}

static u32 pace_of(struct gpu *gpu, const struct gpu_dispatch *d, u64 taken_ppm)
{
	const struct gpu_profile *p = gpu->profile;
	u64 seen, fuller, others, alone = full_alone_ppm(gpu, d);
	u32 nr = look_around(gpu, d, &seen);

	if (!nr)
		return GPU_PPM_ONE;
	seen /= nr;
	fuller = seen > alone ? seen - alone : 0;
	others = (taken_ppm - (u64)nr * d->cu_ppm) / (p->nr_xcc * p->cu_per_xcc);
	return GPU_PPM_ONE + (u32)((fuller * p->issue_ppm + others * p->memory_ppm) / GPU_PPM_ONE);
}

/* What has been done so far was done at the old pace; what is left has a new end. */
static void set_pace(struct gpu *gpu, struct gpu_dispatch *d, u32 pace_ppm)
{
	struct gpu_cohort *c;
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		for (c = d->share[x].resident; c; c = c->next) {
			c->ran_ns += gpu_worked_ns(d, gpu->now_ns - c->start_ns);
			c->start_ns = gpu->now_ns;
			c->twin = NULL;
			gpu_heap_remove(&gpu->heap, &c->event);
		}
	}
	d->pace_ppm = pace_ppm;
	d->leader = NULL;
	for (x = 0; x < gpu->profile->nr_xcc; x++)
		for (c = d->share[x].resident; c; c = c->next)
			gpu_cohort_schedule(gpu, c);
}

void gpu_contention_update(struct gpu *gpu)
{
	u64 taken_ppm = count_all(gpu);
	u32 s, i;

	gpu->is_crowd_new = false;
	for (s = gpu->mapped; s; s &= s - 1) {
		struct gpu_slot *slot = &gpu->slot[gpu_next_bit(s, 0)];

		for (i = 0; i < slot->nr_dispatches && is_running(slot); i++) {
			struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];
			u32 pace_ppm = d->engine->run ? GPU_PPM_ONE : pace_of(gpu, d, taken_ppm);

			if (pace_ppm != d->pace_ppm)
				set_pace(gpu, d, pace_ppm);
		}
	}
}
