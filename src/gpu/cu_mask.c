// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/cu_mask.h"

#include "gpu/mqd.h"

/* COMPUTE_STATIC_THREAD_MGMT_SE: [15:0] are the CUs of its only array, [31:16] of a second. */
#define CUS_PER_ARRAY 16

u32 gpu_cu_mask_offset(u32 se)
{
	static const u16 offset[GPU_MAX_SE_PER_XCC] = {
		GPU_MQD_CUS_SE0,     GPU_MQD_CUS_SE1,	  GPU_MQD_CUS_SE2,
		GPU_MQD_CUS_SE3,     GPU_MQD_CUS_SE4,	  GPU_MQD_CUS_SE4 + 4,
		GPU_MQD_CUS_SE4 + 8, GPU_MQD_CUS_SE4 + 12,
	};

	return offset[se % GPU_MAX_SE_PER_XCC];
}

/* Round the engines of an XCC, as long as there is one with so many CUs. */
void gpu_cu_mask_spread(const struct gpu_profile *p, const u32 *mask, u32 nr_bits, u32 xcc,
			u32 *se_mask)
{
	u32 i = xcc, cu, se;

	memset(se_mask, 0, gpu_cu_mask_words(p) * sizeof(*se_mask));
	nr_bits = min(nr_bits, p->nr_xcc * p->cu_per_xcc);
	for (cu = 0; cu < CUS_PER_ARRAY; cu++) {
		for (se = 0; se < p->se_per_xcc; se++) {
			if (cu >= gpu_profile_se_cus(p, se))
				continue;
			if (i >= nr_bits)
				return;
			if (se < gpu_cu_mask_words(p))
				se_mask[se] |= (mask[i / 32] >> i % 32 & 1) << cu;
			i += p->nr_xcc;
		}
	}
}

bool gpu_cu_mask_read(const struct gpu_profile *p, const u32 *se_mask, struct gpu_cus *cus)
{
	bool has_off = false;
	u32 se, cu, at = 0;

	/* What no word can name is always on. */
	memset(cus, 0xff, sizeof(*cus));
	for (se = 0; se < gpu_cu_mask_words(p); se++) {
		u32 nr = gpu_profile_se_cus(p, se);
		u32 off = ~se_mask[se] & ((1u << min(nr, (u32)CUS_PER_ARRAY)) - 1);

		has_off |= off != 0;
		for (cu = at; off; cu++, off >>= 1)
			cus->bits[cu / 64] &= ~((u64)(off & 1) << cu % 64);
		at += nr;
	}
	return has_off;
}
