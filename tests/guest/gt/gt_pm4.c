// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_pm4.h"

#include <string.h>

#define PAGE 4096ul
#define LDS_UNIT 512

void gt_pm4_put(struct gt_pm4 *p, const uint32_t *pkt, uint32_t nr)
{
	GT_CHECK(nr <= GT_PM4_MAX_DW - p->nr, "too many packets");
	memcpy(&p->dw[p->nr], pkt, nr * sizeof(*pkt));
	p->nr += nr;
}

static void set64(uint32_t *pkt, uint64_t value)
{
	pkt[0] = (uint32_t)value;
	pkt[1] = (uint32_t)(value >> 32);
}

void gt_pm4_nop(struct gt_pm4 *p, uint32_t nr)
{
	uint32_t pkt[GT_PM4_MAX_DW];

	GT_CHECK(nr >= 2 && nr <= GT_PM4_MAX_DW, "%u", nr);
	gpu_pm4_begin(pkt, GPU_PM4_NOP, nr);
	gt_pm4_put(p, pkt, nr);
}

void gt_pm4_write(struct gt_pm4 *p, volatile uint32_t *where, uint32_t value)
{
	uint32_t pkt[GPU_PM4_WRITE_DATA_DW];

	gpu_pm4_begin(pkt, GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_DST_SEL, GPU_WRITE_DATA_DST_MEMORY);
	set64(&pkt[2], (uintptr_t)where);
	pkt[4] = value;
	gt_pm4_put(p, pkt, GPU_PM4_WRITE_DATA_DW);
}

void gt_pm4_wait(struct gt_pm4 *p, volatile uint32_t *where, uint32_t value)
{
	uint32_t pkt[GPU_PM4_WAIT_REG_MEM_DW];

	gpu_pm4_begin(pkt, GPU_PM4_WAIT_REG_MEM, GPU_PM4_WAIT_REG_MEM_DW);
	gpu_pm4_set(pkt, GPU_WAIT_REG_MEM_FUNCTION, GPU_WAIT_EQUAL);
	gpu_pm4_set(pkt, GPU_WAIT_REG_MEM_SPACE, 1);
	set64(&pkt[2], (uintptr_t)where);
	pkt[4] = value;
	pkt[5] = UINT32_MAX;
	gt_pm4_put(p, pkt, GPU_PM4_WAIT_REG_MEM_DW);
}

void gt_pm4_release(struct gt_pm4 *p, uint64_t where, uint64_t value, uint32_t event)
{
	uint32_t pkt[GPU_PM4_RELEASE_MEM_DW];

	gpu_pm4_begin(pkt, GPU_PM4_RELEASE_MEM, GPU_PM4_RELEASE_MEM_DW);
	gpu_pm4_set(pkt, GPU_RELEASE_MEM_DATA_SEL, GPU_RELEASE_DATA_64);
	gpu_pm4_set(pkt, GPU_RELEASE_MEM_INT_SEL,
		    event ? GPU_RELEASE_INT_AFTER_WRITE : GPU_RELEASE_INT_NONE);
	set64(&pkt[3], where);
	set64(&pkt[5], value);
	pkt[7] = event;
	gt_pm4_put(p, pkt, GPU_PM4_RELEASE_MEM_DW);
}

static void set_registers(struct gt_pm4 *p, uint32_t reg, const uint32_t *value, uint32_t nr)
{
	uint32_t pkt[2 + 3];

	gpu_pm4_begin(pkt, GPU_PM4_SET_SH_REG, 2 + nr);
	pkt[1] = reg;
	memcpy(&pkt[2], value, nr * sizeof(*value));
	gt_pm4_put(p, pkt, 2 + nr);
}

void gt_pm4_dispatch(struct gt_pm4 *p, struct gt_kernel *k)
{
	uint64_t code = (uintptr_t)k->program >> 8;
	const uint32_t threads[] = { k->waves * 64, 1, 1 };
	const uint32_t rsrc[] = {
		k->desc->rsrc1, (k->desc->group_segment_bytes + LDS_UNIT - 1) / LDS_UNIT << 15,
	};
	uint32_t pkt[GPU_PM4_DISPATCH_DIRECT_DW], pair[2];

	gt_kernel_clear(k);
	set_registers(p, GPU_SH_REG_NUM_THREAD_X, threads, 3);
	set64(pair, code);
	set_registers(p, GPU_SH_REG_PGM_LO, pair, 2);
	set_registers(p, GPU_SH_REG_PGM_RSRC1, rsrc, 2);
	set64(pair, (uintptr_t)k->kernarg);
	set_registers(p, GPU_SH_REG_USER_DATA_0, pair, 2);
	gpu_pm4_begin(pkt, GPU_PM4_DISPATCH_DIRECT, GPU_PM4_DISPATCH_DIRECT_DW);
	pkt[1] = k->nr_groups;
	pkt[2] = 1;
	pkt[3] = 1;
	gpu_pm4_set(pkt, GPU_DISPATCH_DIRECT_ENABLE, 1);
	gt_pm4_put(p, pkt, GPU_PM4_DISPATCH_DIRECT_DW);
}

void gt_pm4_signal(struct gt_pm4 *p, const struct gt_kernel *k)
{
	gt_pm4_release(p, (uintptr_t)&k->signal->value, 0, 0);
}

void gt_pm4_kernel(struct gt_pm4 *p, struct gt_kernel *k)
{
	gt_pm4_dispatch(p, k);
	gt_pm4_signal(p, k);
}

void gt_pm4_buffer(struct gt_pm4 *p, uint64_t addr, uint32_t nr_dw)
{
	uint32_t pkt[GPU_PM4_INDIRECT_BUFFER_DW];

	gpu_pm4_begin(pkt, GPU_PM4_INDIRECT_BUFFER, GPU_PM4_INDIRECT_BUFFER_DW);
	set64(&pkt[1], addr);
	gpu_pm4_set(pkt, GPU_INDIRECT_BUFFER_SIZE, nr_dw);
	gt_pm4_put(p, pkt, GPU_PM4_INDIRECT_BUFFER_DW);
}

struct gt_pm4 gt_pm4_in_buffer(struct gt_gpu *gpu, const struct gt_pm4 *p)
{
	struct gt_pm4 call = {};
	void *memory = gt_alloc(gpu, sizeof(p->dw));

	memcpy(memory, p->dw, p->nr * sizeof(p->dw[0]));
	gt_pm4_buffer(&call, (uintptr_t)memory, p->nr);
	return call;
}

void gt_pm4_send(struct gt_queue *q, const struct gt_pm4 *p)
{
	uint32_t *ring = (uint32_t *)q->ring, i;
	uint64_t ring_dw = q->ring_bytes / 4;

	for (i = 0; i < p->nr; i++)
		ring[(*q->wptr + i) % ring_dw] = p->dw[i];
	__atomic_store_n(q->wptr, *q->wptr + p->nr, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*q->doorbell = *q->wptr;
}
