// SPDX-License-Identifier: MIT
/*
 * The driver's side of the HIQ, after pm_*_v9() of kfd_packet_manager_v9.c.
 */
#include "world.h"

#define FENCE_LIMIT_NS 10000000000ull

void world_hiq_emit(struct world *w, const u32 *pkt, u32 nr_dw)
{
	u32 i;

	for (i = 0; i < nr_dw; i++)
		world_set_u32(w, GPU_PASID_GART,
			      w->hiq_ring + (w->hiq_wptr++ % w->hiq_dwords) * 4, pkt[i]);
}

void world_hiq_ring(struct world *w)
{
	world_set_u64(w, GPU_PASID_GART, w->hiq_wptr_addr, w->hiq_wptr);
	w->next_ns = gpu_doorbell(w->gpu, WORLD_HIQ_DOORBELL, w->hiq_wptr, w->now_ns);
}

void world_set_resources(struct world *w, u32 vmid_mask, u64 queue_mask)
{
	u32 pkt[GPU_PM4_SET_RESOURCES_DW];

	gpu_pm4_begin(pkt, GPU_PM4_SET_RESOURCES, GPU_PM4_SET_RESOURCES_DW);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_VMID_MASK, vmid_mask);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_UNMAP_LATENCY, 40);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_QUEUE_TYPE, 1);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_QUEUE_MASK_LO, (u32)queue_mask);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_QUEUE_MASK_HI, (u32)(queue_mask >> 32));
	world_hiq_emit(w, pkt, GPU_PM4_SET_RESOURCES_DW);
}

static u32 put_process(struct world *w, u32 *ib, u32 pasid, u32 nr_queues)
{
	u32 nr_dw = w->profile->gfx_version >= 90010 ? GPU_PM4_MAP_PROCESS_ALDEBARAN_DW :
						      GPU_PM4_MAP_PROCESS_DW;

	gpu_pm4_begin(ib, GPU_PM4_MAP_PROCESS, nr_dw);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_PASID, pasid);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_DIQ_ENABLE, 0);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_QUANTUM, w->quantum);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_SH_MEM_BASES, WORLD_SH_MEM_BASES);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_TBA_LO, (u32)(w->tba >> 8));
	gpu_pm4_set(ib, GPU_MAP_PROCESS_TBA_HI, (u32)(w->tba >> 40));
	gpu_pm4_set(ib, GPU_MAP_PROCESS_TMA_LO, (u32)(w->tma >> 8));
	gpu_pm4_set(ib, GPU_MAP_PROCESS_TMA_HI, (u32)(w->tma >> 40));
	gpu_pm4_set(ib, GPU_MAP_PROCESS_SDMA_ENABLE, 1);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_NUM_QUEUES, nr_queues);
	return nr_dw;
}

static u32 put_queue(u32 *ib, const struct world_queue *q)
{
	gpu_pm4_begin(ib, GPU_PM4_MAP_QUEUES, GPU_PM4_MAP_QUEUES_DW);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_NUM_QUEUES, 1);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_QUEUE_SEL, 1);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_QUEUE_TYPE,
		    q->is_static ? GPU_MAP_QUEUE_NORMAL_STATIC : GPU_MAP_QUEUE_NORMAL);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_DOORBELL, q->doorbell);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_MQD_LO, (u32)q->mqd);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_MQD_HI, (u32)(q->mqd >> 32));
	gpu_pm4_set(ib, GPU_MAP_QUEUES_WPTR_LO, (u32)q->wptr_addr);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_WPTR_HI, (u32)(q->wptr_addr >> 32));
	return GPU_PM4_MAP_QUEUES_DW;
}

static void put_runlist(struct world *w, u32 *pkt, u32 nr_dw, u32 nr_processes, bool is_chain)
{
	gpu_pm4_begin(pkt, GPU_PM4_RUN_LIST, GPU_PM4_RUN_LIST_DW);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_LO, (u32)w->ib);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_HI, (u32)(w->ib >> 32));
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_SIZE, nr_dw);
	gpu_pm4_set(pkt, GPU_RUN_LIST_CHAIN, is_chain);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IDLE_DISABLE, is_chain);
	gpu_pm4_set(pkt, GPU_RUN_LIST_VALID, 1);
	gpu_pm4_set(pkt, GPU_RUN_LIST_PROCESS_CNT, min(nr_processes, w->profile->nr_vmids));
}

/* Queues of a process follow its MAP_PROCESS, whatever their order in @queues. */
u32 world_build_ib(struct world *w, u32 *ib, struct world_queue **queues, u32 nr)
{
	u32 at = 0, pasid, i;

	for (pasid = WORLD_FIRST_PASID; pasid < WORLD_FIRST_PASID + WORLD_MAX_PROCS; pasid++) {
		u32 nr_queues = 0;

		for (i = 0; i < nr; i++)
			nr_queues += queues[i]->pasid == pasid;
		if (!nr_queues)
			continue;
		at += put_process(w, ib + at, pasid, nr_queues);
		for (i = 0; i < nr; i++)
			if (queues[i]->pasid == pasid)
				at += put_queue(ib + at, queues[i]);
	}
	return at;
}

static u32 count_processes(struct world_queue **queues, u32 nr)
{
	u32 seen[WORLD_MAX_PROCS] = { 0 };
	u32 i, count = 0;

	for (i = 0; i < nr; i++)
		if (!seen[queues[i]->pasid - WORLD_FIRST_PASID]++)
			count++;
	return count;
}

void world_runlist(struct world *w, struct world_queue **queues, u32 nr)
{
	u32 *ib = world_at(w, GPU_PASID_GART, w->ib, 4);
	u32 nr_dw = world_build_ib(w, ib, queues, nr);
	u32 nr_processes = count_processes(queues, nr);
	bool is_chain = nr > w->profile->nr_slots || nr_processes > w->profile->nr_vmids;
	u32 pkt[GPU_PM4_RUN_LIST_DW];

	if (is_chain) {
		put_runlist(w, ib + nr_dw, nr_dw + GPU_PM4_RUN_LIST_DW, nr_processes, true);
		nr_dw += GPU_PM4_RUN_LIST_DW;
	}
	put_runlist(w, pkt, nr_dw, nr_processes, false);
	world_hiq_emit(w, pkt, GPU_PM4_RUN_LIST_DW);
}

void world_runlist_all(struct world *w)
{
	struct world_queue *queues[WORLD_MAX_QUEUES];
	u32 i;

	for (i = 0; i < w->nr_queues; i++)
		queues[i] = &w->queue[i];
	world_runlist(w, queues, w->nr_queues);
}

void world_unmap(struct world *w, enum gpu_unmap_sel sel, enum gpu_unmap_action action,
		 const u32 *param, u32 nr)
{
	u32 pkt[GPU_PM4_UNMAP_QUEUES_DW];
	u32 i;

	gpu_pm4_begin(pkt, GPU_PM4_UNMAP_QUEUES, GPU_PM4_UNMAP_QUEUES_DW);
	gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_ACTION, action);
	gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_QUEUE_SEL, sel);
	if (sel == GPU_UNMAP_BY_PASID)
		gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_PASID, param[0]);
	if (sel == GPU_UNMAP_SPECIFIED) {
		gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_NUM_QUEUES, nr);
		for (i = 0; i < nr; i++)
			pkt[2 + i] = param[i] << 2;
	}
	world_hiq_emit(w, pkt, GPU_PM4_UNMAP_QUEUES_DW);
}

void world_fence(struct world *w)
{
	u32 pkt[GPU_PM4_QUERY_STATUS_DW];

	w->fence++;
	gpu_pm4_begin(pkt, GPU_PM4_QUERY_STATUS, GPU_PM4_QUERY_STATUS_DW);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_COMMAND, 2);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_ADDR_LO, (u32)w->fence_addr);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_ADDR_HI, (u32)(w->fence_addr >> 32));
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_DATA_LO, (u32)w->fence);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_DATA_HI, (u32)(w->fence >> 32));
	world_hiq_emit(w, pkt, GPU_PM4_QUERY_STATUS_DW);
}

void world_grace(struct world *w, u32 units)
{
	u32 pkt[GPU_PM4_WRITE_DATA_DW];

	gpu_pm4_begin(pkt, GPU_PM4_WRITE_DATA, GPU_PM4_WRITE_DATA_DW);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_NO_INCREMENT, 1);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_REG, GPU_REG_CP_IQ_WAIT_TIME2);
	gpu_pm4_set(pkt, GPU_WRITE_DATA_VALUE, units << GPU_IQ_WAIT_TIME2_SCH_WAVE_SHIFT);
	world_hiq_emit(w, pkt, GPU_PM4_WRITE_DATA_DW);
}

void world_run_for(struct world *w, u64 ns)
{
	w->now_ns += ns;
	w->next_ns = gpu_advance(w->gpu, w->now_ns);
}

bool world_run_idle(struct world *w, u64 limit_ns)
{
	u64 end = w->now_ns + limit_ns;

	w->next_ns = gpu_advance(w->gpu, w->now_ns);
	while (w->next_ns <= end) {
		w->now_ns = w->next_ns;
		w->next_ns = gpu_advance(w->gpu, w->now_ns);
	}
	return w->next_ns == U64_MAX;
}

bool world_run_fence(struct world *w, u64 limit_ns)
{
	u64 end = w->now_ns + limit_ns;

	w->next_ns = gpu_advance(w->gpu, w->now_ns);
	while (world_u64(w, GPU_PASID_GART, w->fence_addr) != w->fence) {
		if (w->next_ns > end)
			return false;
		w->now_ns = w->next_ns;
		w->next_ns = gpu_advance(w->gpu, w->now_ns);
	}
	return true;
}

bool world_preempt(struct world *w)
{
	world_unmap(w, GPU_UNMAP_ALL_NON_STATIC, GPU_UNMAP_PREEMPT, NULL, 0);
	world_fence(w);
	world_hiq_ring(w);
	return world_run_fence(w, FENCE_LIMIT_NS);
}
