/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which CUs a queue may use. A client says it in a row of bits (SET_CU_MASK), the driver
 * spreads them over XCCs and shader engines, the MQD of each XCC has a word for each of its
 * engines, and workgroups go where these allow.
 *
 * That waves restored under another mask than they were saved with go to CUs of the new one,
 * and wait where it has no room, is an assumption: AMD documents neither.
 */
#ifndef GP_GPU_CU_MASK_H
#define GP_GPU_CU_MASK_H

#include "gpu/profile.h"

#define GPU_MAX_SE_PER_XCC 8

/* CUs of one XCC, a bit each. */
struct gpu_cus {
	u64 bits[GPU_MAX_CU_PER_XCC / 64];
};

static inline bool gpu_cus_has(const struct gpu_cus *cus, u32 cu)
{
	return cus->bits[cu / 64] >> cu % 64 & 1;
}

/* Words of a mask: engines beyond them are always on. */
static inline u32 gpu_cu_mask_words(const struct gpu_profile *p)
{
	return min(p->se_per_xcc, (u32)GPU_MAX_SE_PER_XCC);
}

/* Offset in the MQD of COMPUTE_STATIC_THREAD_MGMT_SE @se. */
u32 gpu_cu_mask_offset(u32 se);

/**
 * gpu_cu_mask_spread() - what amdkfd writes into the MQD of an XCC
 * @p: GPU
 * @mask: the client's: one bit a CU of the node
 * @nr_bits: how many it has; CUs beyond them are off
 * @xcc: which
 * @se_mask: output: gpu_cu_mask_words()
 *
 * The bits go round the XCCs first, then round the engines: so that any mask takes about as
 * much of each (mqd_symmetrically_map_cu_mask() of kfd_mqd_manager.c).
 */
void gpu_cu_mask_spread(const struct gpu_profile *p, const u32 *mask, u32 nr_bits, u32 xcc,
			u32 *se_mask);

/**
 * gpu_cu_mask_read() - which CUs the words of an MQD allow
 * @p: GPU
 * @se_mask: gpu_cu_mask_words(); bits of CUs that it does not have mean nothing
 * @cus: output; bits beyond the CUs of an XCC mean nothing
 *
 * Return: it is not all of them.
 */
bool gpu_cu_mask_read(const struct gpu_profile *p, const u32 *se_mask, struct gpu_cus *cus);

#endif
