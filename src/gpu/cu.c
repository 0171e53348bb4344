// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/cu.h"

static u32 waves_per_cu(const struct gpu_profile *p)
{
	return p->simd_per_cu * p->waves_per_simd;
}

void gpu_cu_init(struct gpu *gpu)
{
	const struct gpu_profile *p = gpu->profile;
	u32 x, i;

	for (x = 0; x < p->nr_xcc; x++) {
		for (i = 0; i < p->cu_per_xcc; i++) {
			gpu->xcc[x].waves[i] = waves_per_cu(p);
			gpu->xcc[x].vgpr_bytes[i] = p->vgpr_bytes_per_cu;
			gpu->xcc[x].lds_bytes[i] = p->lds_bytes_per_cu;
		}
		gpu->xcc[x].cursor = 0;
	}
}

u32 gpu_cu_vgpr_charge(const struct gpu_profile *p, u32 vgprs)
{
	u32 simd_bytes = p->vgpr_bytes_per_cu / p->simd_per_cu;
	u32 wave_bytes = vgprs * GPU_LANES * (u32)sizeof(u32);
	u32 waves = wave_bytes ? simd_bytes / wave_bytes : 0;

	return waves ? simd_bytes / waves : 0;
}

bool gpu_cu_could_take(const struct gpu_profile *p, const struct gpu_dispatch *d)
{
	return d->waves <= waves_per_cu(p) && d->vgpr_charge &&
	       d->vgpr_charge <= p->vgpr_bytes_per_cu && d->lds_bytes <= p->lds_bytes_per_cu;
}

void gpu_cu_account(struct gpu *gpu)
{
	if (gpu->busy_since_ns == gpu->now_ns)
		return;
	gpu->stats.busy_cu_ns += gpu->nr_busy_cus * (gpu->now_ns - gpu->busy_since_ns);
	gpu->busy_since_ns = gpu->now_ns;
}

static bool has_room(const struct gpu_xcc *xcc, u32 index, const struct gpu_dispatch *d)
{
	return xcc->waves[index] >= d->waves && xcc->vgpr_bytes[index] >= d->vgpr_charge &&
	       xcc->lds_bytes[index] >= d->lds_bytes;
}

/* Workgroups that a CU could take. */
static u32 room_for(const struct gpu_xcc *xcc, u32 index, const struct gpu_dispatch *d)
{
	u32 most;

	if (!has_room(xcc, index, d))
		return 0;
	most = min(xcc->waves[index] / d->waves, xcc->vgpr_bytes[index] / d->vgpr_charge);
	return d->lds_bytes ? min(most, xcc->lds_bytes[index] / d->lds_bytes) : most;
}

/* On an XCC's ring of CUs. */
static u32 next_cu(const struct gpu *gpu, u32 index)
{
	return index + 1 == gpu->profile->cu_per_xcc ? 0 : index + 1;
}

static void take(struct gpu *gpu, struct gpu_cohort *cohort, u32 index, u32 nr)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];

	if (xcc->waves[index] == waves_per_cu(gpu->profile)) {
		gpu_cu_account(gpu);
		gpu->nr_busy_cus++;
	}
	xcc->waves[index] -= nr * d->waves;
	xcc->vgpr_bytes[index] -= nr * d->vgpr_charge;
	xcc->lds_bytes[index] -= nr * d->lds_bytes;
	cohort->per_cu[index] += (u16)nr;
	cohort->lo = min(cohort->lo, (u16)index);
	cohort->hi = max(cohort->hi, (u16)index);
}

/*
 * What place_round() does when all find room, without a branch on any CU: with many
 * queues this is where the time goes. @fits: 1 for each CU that takes one.
 */
static void take_all(struct gpu *gpu, struct gpu_cohort *cohort, const u32 *fits)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 nr_cus = gpu->profile->cu_per_xcc, full = waves_per_cu(gpu->profile);
	u32 waves = d->waves, vgpr_bytes = d->vgpr_charge, lds_bytes = d->lds_bytes;
	u32 nr_woken = 0, i;

	for (i = 0; i < nr_cus; i++) {
		nr_woken += fits[i] & (xcc->waves[i] == full);
		xcc->waves[i] -= fits[i] * waves;
		xcc->vgpr_bytes[i] -= fits[i] * vgpr_bytes;
		xcc->lds_bytes[i] -= fits[i] * lds_bytes;
	}
	for (i = 0; i < nr_cus; i++)
		cohort->per_cu[i] += (u16)fits[i];
	cohort->lo = 0;
	cohort->hi = (u16)(nr_cus - 1);
	gpu_cu_account(gpu);
	gpu->nr_busy_cus += nr_woken;
}

/* A workgroup of it may go there, if there is room. */
static bool is_allowed(const struct gpu *gpu, const struct gpu_cohort *cohort, u32 index)
{
	const struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];

	return gpu_cus_has(&cohort->dispatch->slot->cus[cohort->xcc], index) &&
	       !(xcc->has_kept && gpu_cus_has(&xcc->kept, index));
}

static bool has_limits(const struct gpu *gpu, const struct gpu_cohort *cohort)
{
	return cohort->dispatch->slot->has_cu_mask || gpu->xcc[cohort->xcc].has_kept;
}

static u32 leave_allowed(const struct gpu *gpu, const struct gpu_cohort *cohort, u32 *fits)
{
	u32 sum = 0, i;

	for (i = 0; i < gpu->profile->cu_per_xcc; i++) {
		fits[i] &= is_allowed(gpu, cohort, i);
		sum += fits[i];
	}
	return sum;
}

static u32 find_room(const struct gpu *gpu, const struct gpu_cohort *cohort, u32 *fits)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	const struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 waves = d->waves, vgpr_bytes = d->vgpr_charge, lds_bytes = d->lds_bytes;
	u32 sum = 0, i;

	for (i = 0; i < gpu->profile->cu_per_xcc; i++) {
		fits[i] = (xcc->waves[i] >= waves) & (xcc->vgpr_bytes[i] >= vgpr_bytes) &
			  (xcc->lds_bytes[i] >= lds_bytes);
		sum += fits[i];
	}
	return has_limits(gpu, cohort) ? leave_allowed(gpu, cohort, fits) : sum;
}

/* The last CU before the cursor that is set in @fits; there is one. */
static u32 last_before(const struct gpu *gpu, const u32 *fits, u32 cursor)
{
	u32 at = cursor;

	do
		at = at ? at - 1 : gpu->profile->cu_per_xcc - 1;
	while (!fits[at] && at != cursor);
	return at;
}

/* One workgroup on each CU that has room, from the cursor on. */
static u32 place_round(struct gpu *gpu, struct gpu_cohort *cohort, u32 nr, u32 *last)
{
	struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 fits[GPU_MAX_CU_PER_XCC];
	u32 sum = find_room(gpu, cohort, fits), placed = 0;

	if (!sum)
		return 0;
	if (sum < nr) {
		take_all(gpu, cohort, fits);
		*last = last_before(gpu, fits, xcc->cursor);
		return sum;
	}
	for (; placed < nr; xcc->cursor = next_cu(gpu, xcc->cursor)) {
		if (!fits[xcc->cursor])
			continue;
		take(gpu, cohort, xcc->cursor, 1);
		*last = xcc->cursor;
		placed++;
	}
	return placed;
}

static u32 sum_up_to(const u16 *room, u32 nr_cus, u32 each)
{
	u32 sum = 0, i;

	for (i = 0; i < nr_cus; i++)
		sum += min((u32)room[i], each);
	return sum;
}

/*
 * The most that every CU may take without more than @nr being taken; there is room
 * for more. Ends at the largest of @room, and mostly at once: CUs fill up evenly.
 */
static u32 fair_part(const u16 *room, u32 nr_cus, u32 nr)
{
	u32 each = nr / nr_cus;

	while (sum_up_to(room, nr_cus, each + 1) <= nr)
		each++;
	return each;
}

/* Place @each or what there is room for on every CU; @last is where the last one went. */
static u32 place_each(struct gpu *gpu, struct gpu_cohort *cohort, const u16 *room, u32 each,
		      u32 *last)
{
	u32 at = gpu->xcc[cohort->xcc].cursor, placed = 0, most = 1, i;

	for (i = 0; i < gpu->profile->cu_per_xcc; i++, at = next_cu(gpu, at)) {
		u32 part = min((u32)room[at], each);

		if (part >= most) {
			most = part;
			*last = at;
		}
		if (part)
			take(gpu, cohort, at, part);
		placed += part;
	}
	return placed;
}

/* Round after round: whole ones at once, then what is left of @nr. */
static u32 place_rounds(struct gpu *gpu, struct gpu_cohort *cohort, u32 nr, u32 *last)
{
	struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 each = waves_per_cu(gpu->profile), nr_cus = gpu->profile->cu_per_xcc;
	bool is_limited = has_limits(gpu, cohort);
	u32 placed, sum = 0, i;
	u16 room[GPU_MAX_CU_PER_XCC];

	for (i = 0; i < nr_cus; i++) {
		room[i] = is_limited && !is_allowed(gpu, cohort, i) ?
				  0 : (u16)room_for(xcc, i, cohort->dispatch);
		sum += room[i];
	}
	if (sum > nr)
		each = fair_part(room, nr_cus, nr);
	placed = place_each(gpu, cohort, room, each, last);
	if (sum > nr)
		placed += place_round(gpu, cohort, nr - placed, last);
	return placed;
}

/*
 * The next search begins behind the CU that was taken last, except after a single
 * round: that leaves the cursor where it was.
 */
u32 gpu_cu_place(struct gpu *gpu, struct gpu_cohort *cohort, u32 nr, bool is_one_round)
{
	u32 last = 0, placed = place_round(gpu, cohort, nr, &last);

	gpu->is_crowd_new |= placed && gpu->has_contention;
	if (!placed || placed == nr || is_one_round)
		return placed;
	placed += place_rounds(gpu, cohort, nr - placed, &last);
	gpu->xcc[cohort->xcc].cursor = next_cu(gpu, last);
	return placed;
}

void gpu_cu_release(struct gpu *gpu, struct gpu_cohort *cohort)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	struct gpu_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 waves = d->waves, vgpr_bytes = d->vgpr_charge, lds_bytes = d->lds_bytes;
	u32 full = waves_per_cu(gpu->profile), nr_idle = 0, i;

	for (i = cohort->lo; i <= cohort->hi; i++) {
		u32 nr = cohort->per_cu[i];

		xcc->waves[i] += nr * waves;
		xcc->vgpr_bytes[i] += nr * vgpr_bytes;
		xcc->lds_bytes[i] += nr * lds_bytes;
		nr_idle += (nr != 0) & (xcc->waves[i] == full);
		cohort->per_cu[i] = 0;
	}
	gpu_cu_account(gpu);
	gpu->nr_busy_cus -= nr_idle;
	cohort->lo = GPU_MAX_CU_PER_XCC;
	cohort->hi = 0;
	gpu->is_crowd_new = gpu->has_contention;
	gpu->fill |= GPU_BIT(cohort->xcc);
}
