// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "cu.h"

static u32 waves_per_cu(const struct gp_profile *p)
{
	return p->simd_per_cu * p->waves_per_simd;
}

void gp_cu_init(struct gp_gpu *gpu)
{
	const struct gp_profile *p = gpu->profile;
	u32 x, i;

	for (x = 0; x < p->nr_xcc; x++) {
		for (i = 0; i < p->cu_per_xcc; i++) {
			gpu->xcc[x].cu[i].waves = waves_per_cu(p);
			gpu->xcc[x].cu[i].vgpr_bytes = p->vgpr_bytes_per_cu;
			gpu->xcc[x].cu[i].lds_bytes = p->lds_bytes_per_cu;
		}
		gpu->xcc[x].cursor = 0;
	}
}

u32 gp_cu_vgpr_charge(const struct gp_profile *p, u32 vgprs)
{
	u32 simd_bytes = p->vgpr_bytes_per_cu / p->simd_per_cu;
	u32 wave_bytes = vgprs * GP_LANES * (u32)sizeof(u32);
	u32 waves = wave_bytes ? simd_bytes / wave_bytes : 0;

	return waves ? simd_bytes / waves : 0;
}

bool gp_cu_could_take(const struct gp_profile *p, const struct gp_dispatch *d)
{
	return d->waves <= waves_per_cu(p) && d->vgpr_charge &&
	       d->vgpr_charge <= p->vgpr_bytes_per_cu && d->lds_bytes <= p->lds_bytes_per_cu;
}

void gp_cu_account(struct gp_gpu *gpu)
{
	gpu->stats.busy_cu_ns += gpu->nr_busy_cus * (gpu->now_ns - gpu->busy_since_ns);
	gpu->busy_since_ns = gpu->now_ns;
}

static bool has_room(const struct gp_cu *cu, const struct gp_dispatch *d)
{
	return cu->waves >= d->waves && cu->vgpr_bytes >= d->vgpr_charge &&
	       cu->lds_bytes >= d->lds_bytes;
}

static void take(struct gp_gpu *gpu, struct gp_cohort *cohort, u32 index)
{
	const struct gp_dispatch *d = cohort->dispatch;
	struct gp_cu *cu = &gpu->xcc[cohort->xcc].cu[index];

	if (cu->waves == waves_per_cu(gpu->profile)) {
		gp_cu_account(gpu);
		gpu->nr_busy_cus++;
	}
	cu->waves -= d->waves;
	cu->vgpr_bytes -= d->vgpr_charge;
	cu->lds_bytes -= d->lds_bytes;
	cohort->per_cu[index]++;
	cohort->lo = min(cohort->lo, (u16)index);
	cohort->hi = max(cohort->hi, (u16)index);
}

/* Bounded by @rounds times the CUs, and by one round after the last success. */
u32 gp_cu_place(struct gp_gpu *gpu, struct gp_cohort *cohort, u32 nr, u32 rounds)
{
	struct gp_xcc *xcc = &gpu->xcc[cohort->xcc];
	u32 nr_cus = gpu->profile->cu_per_xcc;
	u32 idle = 0, placed = 0, left = 0;

	while (placed < nr && idle < nr_cus) {
		if (!left) {
			if (!rounds--)
				break;
			left = nr_cus;
		}
		left--;
		if (has_room(&xcc->cu[xcc->cursor], cohort->dispatch)) {
			take(gpu, cohort, xcc->cursor);
			placed++;
			idle = 0;
		} else {
			idle++;
		}
		if (++xcc->cursor == nr_cus)
			xcc->cursor = 0;
	}
	return placed;
}

static void give_back(struct gp_gpu *gpu, struct gp_cohort *cohort, u32 index)
{
	const struct gp_dispatch *d = cohort->dispatch;
	struct gp_cu *cu = &gpu->xcc[cohort->xcc].cu[index];
	u32 nr = cohort->per_cu[index];

	cohort->per_cu[index] = 0;
	cu->waves += nr * d->waves;
	cu->vgpr_bytes += nr * d->vgpr_charge;
	cu->lds_bytes += nr * d->lds_bytes;
	if (cu->waves == waves_per_cu(gpu->profile)) {
		gp_cu_account(gpu);
		gpu->nr_busy_cus--;
	}
}

void gp_cu_release(struct gp_gpu *gpu, struct gp_cohort *cohort)
{
	u32 i;

	for (i = cohort->lo; i <= cohort->hi; i++)
		if (cohort->per_cu[i])
			give_back(gpu, cohort, i);
	cohort->lo = GP_GPU_MAX_CU_PER_XCC;
	cohort->hi = 0;
	gpu->fill |= GP_BIT(cohort->xcc);
}
