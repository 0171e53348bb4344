// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/elastic.h"

#define FORGET_SHIFT 10

void gp_elastic_learn(struct gp_elastic_fill *fill, u32 cus)
{
	u32 seen = min(cus, 65535u) << 16;

	if (seen >= fill->cus_q16)
		fill->cus_q16 = seen;
	else
		fill->cus_q16 -= (fill->cus_q16 - seen) >> FORGET_SHIFT;
}

u32 gp_elastic_need(const struct gp_elastic_fill *fill, const struct gp_elastic_gpu *gpu)
{
	u32 cus = (fill->cus_q16 + 0xffff) >> 16;

	return cus ? min(cus, gpu->nr_cus) : gpu->nr_cus;
}

/* What is left when so many are not to be used, the same on each XCC. */
static u32 all_but(const struct gp_elastic_gpu *gpu, u32 cus)
{
	return cus < gpu->nr_cus ? (gpu->nr_cus - cus) / gpu->nr_xcc * gpu->nr_xcc : 0;
}

u32 gp_elastic_most(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu,
		    u32 reserved)
{
	u32 most = all_but(gpu, reserved);

	if (attr->ceiling)
		most = min(most, attr->ceiling / gpu->nr_xcc * gpu->nr_xcc);
	return max(most, gpu->nr_xcc);
}

/*
 * What kernels lose that need @need CUs, where @cus are another's: alone they would be dealt to
 * all CUs, now to the rest, and each is so much fuller.
 */
static u64 loss_ppm(const struct gp_elastic_gpu *gpu, u32 need, u32 cus)
{
	u64 left = gpu->nr_cus - cus;

	return (u64)need * cus * gpu->issue_ppm / (left * gpu->nr_cus) +
	       (u64)cus * gpu->memory_ppm / gpu->nr_cus;
}

/* At most as many rounds as an XCC has CUs. */
static u32 most_within_slack(const struct gp_elastic_gpu *gpu, u32 need, u32 cus)
{
	while (cus && loss_ppm(gpu, need, cus) > gpu->slack_ppm)
		cus -= gpu->nr_xcc;
	return cus;
}

/*
 * The workgroups that run get ahead of those that wait, and the kernel ends with the last of
 * them: on few CUs that costs more than it brings.
 */
static u32 floor_of(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu)
{
	if (attr->floor || attr->mode != GP_ELASTIC_AUTO)
		return attr->floor;
	return gpu->nr_cus / 4;
}

u32 gp_elastic_shrink(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu,
		      u32 need, u32 reserved)
{
	u32 most = gp_elastic_most(attr, gpu, reserved), cus;

	if (attr->mode == GP_ELASTIC_OFF)
		return 0;
	if (need <= reserved)
		return most;
	cus = min(most, all_but(gpu, need));
	if (attr->mode == GP_ELASTIC_AUTO)
		cus = most_within_slack(gpu, need, cus);
	return cus < floor_of(attr, gpu) ? 0 : cus;
}
