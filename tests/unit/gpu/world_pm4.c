// SPDX-License-Identifier: MIT
/* Packets of user queues as a client of amdkfd writes them. */
#include "world.h"

#define LDS_UNIT 512

void world_queue_make_pm4(struct world_queue *q)
{
	u32 x;

	q->is_pm4 = true;
	for (x = 0; x < q->world->profile->nr_xcc; x++)
		world_set_u32(q->world, GPU_PASID_GART,
			      q->mqd + x * q->stride + GPU_MQD_AQL_CONTROL, 0);
}

void world_pm4_put(struct world_queue *q, const u32 *pkt, u32 nr)
{
	u32 ring_dw = q->nr_packets * GPU_AQL_PACKET_BYTES / 4, i;

	for (i = 0; i < nr; i++) {
		u64 addr = q->ib ? q->ib + 4ull * q->ib_dw++ : q->ring + 4 * (q->wptr++ % ring_dw);

		world_set_u32(q->world, q->pasid, addr, pkt[i]);
	}
}

static void set_address(u32 *pkt, u64 addr)
{
	pkt[0] = (u32)addr;
	pkt[1] = (u32)(addr >> 32);
}

void world_pm4_nop(struct world_queue *q, u32 nr)
{
	u32 pkt[8];

	if (GP_WARN_ON(nr > ARRAY_SIZE(pkt)))
		return;
	gpu_pm4_begin(pkt, GPU_PM4_NOP, nr);
	if (nr == 1)
		gpu_pm4_set(pkt, GPU_PM4_COUNT, GPU_PM4_NOP_COUNT_ONE);
	world_pm4_put(q, pkt, nr);
}

void world_pm4_write(struct world_queue *q, u64 addr, u32 value, u32 dst_sel)
{
	u32 pkt[GPU_PM4_WRITE_DATA_DW];

	gpu_pm4_begin(pkt, GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_DST_SEL, dst_sel);
	set_address(&pkt[2], addr);
	pkt[4] = value;
	world_pm4_put(q, pkt, GPU_PM4_WRITE_DATA_DW);
}

void world_pm4_release(struct world_queue *q, u64 addr, u64 value, enum gpu_release_data data,
		       u32 context)
{
	u32 pkt[GPU_PM4_RELEASE_MEM_DW];

	gpu_pm4_begin(pkt, GPU_PM4_RELEASE_MEM, GPU_PM4_RELEASE_MEM_DW);
	gpu_pm4_set(pkt, GPU_RELEASE_MEM_DATA_SEL, data);
	gpu_pm4_set(pkt, GPU_RELEASE_MEM_INT_SEL,
		    context ? GPU_RELEASE_INT_AFTER_WRITE : GPU_RELEASE_INT_NONE);
	set_address(&pkt[3], addr);
	set_address(&pkt[5], value);
	pkt[7] = context;
	world_pm4_put(q, pkt, GPU_PM4_RELEASE_MEM_DW);
}

void world_pm4_acquire(struct world_queue *q)
{
	u32 pkt[GPU_PM4_ACQUIRE_MEM_DW];

	gpu_pm4_begin(pkt, GPU_PM4_ACQUIRE_MEM, GPU_PM4_ACQUIRE_MEM_DW);
	world_pm4_put(q, pkt, GPU_PM4_ACQUIRE_MEM_DW);
}

void world_pm4_wait(struct world_queue *q, u64 addr, enum gpu_wait_function function, u32 reference)
{
	u32 pkt[GPU_PM4_WAIT_REG_MEM_DW];

	gpu_pm4_begin(pkt, GPU_PM4_WAIT_REG_MEM, GPU_PM4_WAIT_REG_MEM_DW);
	gpu_pm4_set(pkt, GPU_WAIT_REG_MEM_FUNCTION, function);
	gpu_pm4_set(pkt, GPU_WAIT_REG_MEM_SPACE, 1);
	set_address(&pkt[2], addr);
	pkt[4] = reference;
	pkt[5] = 0xff;
	world_pm4_put(q, pkt, GPU_PM4_WAIT_REG_MEM_DW);
}

void world_pm4_set_sh(struct world_queue *q, u32 reg, const u32 *value, u32 nr)
{
	u32 pkt[8];

	if (GP_WARN_ON(nr > ARRAY_SIZE(pkt) - 2))
		return;
	gpu_pm4_begin(pkt, GPU_PM4_SET_SH_REG, 2 + nr);
	pkt[1] = reg;
	memcpy(&pkt[2], value, nr * sizeof(u32));
	world_pm4_put(q, pkt, 2 + nr);
}

void world_pm4_dispatch(struct world_queue *q, u32 x, u32 y, u32 z)
{
	u32 pkt[GPU_PM4_DISPATCH_DIRECT_DW];

	gpu_pm4_begin(pkt, GPU_PM4_DISPATCH_DIRECT, GPU_PM4_DISPATCH_DIRECT_DW);
	pkt[1] = x;
	pkt[2] = y;
	pkt[3] = z;
	gpu_pm4_set(pkt, GPU_DISPATCH_DIRECT_ENABLE, 1);
	world_pm4_put(q, pkt, GPU_PM4_DISPATCH_DIRECT_DW);
}

void world_pm4_buffer(struct world_queue *q, u64 addr, u32 nr)
{
	u32 pkt[GPU_PM4_INDIRECT_BUFFER_DW];

	gpu_pm4_begin(pkt, GPU_PM4_INDIRECT_BUFFER, GPU_PM4_INDIRECT_BUFFER_DW);
	set_address(&pkt[1], addr);
	gpu_pm4_set(pkt, GPU_INDIRECT_BUFFER_SIZE, nr);
	world_pm4_put(q, pkt, GPU_PM4_INDIRECT_BUFFER_DW);
}

void world_pm4_launch(struct world_queue *q, const struct world_kernel *k, u64 code, u64 args,
		      u32 nr_groups, u32 size)
{
	const u32 threads[] = { size, 1, 1 };
	const u32 where[] = { (u32)(code >> 8), (u32)(code >> 40) };
	const u32 rsrc[] = { (k->vgprs ? (k->vgprs + 7) / 8 : 1) - 1,
			     (k->lds_bytes + LDS_UNIT - 1) / LDS_UNIT << 15 };
	const u32 user[] = { (u32)args, (u32)(args >> 32) };

	world_pm4_set_sh(q, GPU_SH_REG_NUM_THREAD_X, threads, 3);
	world_pm4_set_sh(q, GPU_SH_REG_PGM_LO, where, 2);
	world_pm4_set_sh(q, GPU_SH_REG_PGM_RSRC1, rsrc, 2);
	world_pm4_set_sh(q, GPU_SH_REG_USER_DATA_0, user, 2);
	world_pm4_dispatch(q, nr_groups, 1, 1);
}

void world_pm4_begin_buffer(struct world_queue *q, u32 bytes)
{
	q->ib = world_alloc(q->world, q->pasid, bytes, 256);
	q->ib_dw = 0;
}

void world_pm4_end_buffer(struct world_queue *q)
{
	u64 ib = q->ib;

	q->ib = 0;
	world_pm4_buffer(q, ib, q->ib_dw);
}
