// SPDX-License-Identifier: MIT
/*
 * What amdkfd does under the firmware scheduler, as far as a run needs it: the
 * HIQ, one unmap of everything dynamic with a fence behind it, one runlist of
 * everything that may run. Packets as kfd_packet_manager_v9.c builds them.
 */
#include "sim/sim.h"
#include "gpu/mqd.h"
#include "gpu/pm4.h"

#include <stdlib.h>

#define HIQ_DW 8192u
#define HIQ_DW_LOG2_MINUS_1 12u

static void submit(struct sim *sim, const u32 *pkt, u32 nr_dw)
{
	struct sim_hws *h = &sim->hws;

	for (u32 i = 0; i < nr_dw; i++)
		h->ring[(h->wptr + i) % HIQ_DW] = pkt[i];
	h->wptr += nr_dw;
}

static void ring_hiq(struct sim *sim)
{
	sim->gpu_next_ns = gpu_doorbell(sim->gpu, SIM_HIQ_DOORBELL, sim->hws.wptr,
					sim->now_ns);
}

static void set_resources(struct sim *sim)
{
	u32 pkt[GPU_PM4_SET_RESOURCES_DW];

	gpu_pm4_begin(pkt, GPU_PM4_SET_RESOURCES, GPU_PM4_SET_RESOURCES_DW);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_VMID_MASK, ((1u << sim->profile->nr_vmids) - 1) << 3);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_UNMAP_LATENCY, 40);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_QUEUE_TYPE, 1);
	gpu_pm4_set(pkt, GPU_SET_RESOURCES_QUEUE_MASK_LO, ~0u);
	submit(sim, pkt, GPU_PM4_SET_RESOURCES_DW);
}

static int alloc_hiq(struct sim *sim)
{
	struct sim_hws *h = &sim->hws;
	u8 *mqd;

	h->ring_va = sim_space_alloc(&sim->gart, HIQ_DW * 4, 4096);
	h->mqd = sim_space_alloc(&sim->gart, 4096ull * sim->profile->nr_xcc, 4096);
	h->fence_va = sim_space_alloc(&sim->gart, 4096, 4096);
	if (!h->ring_va || !h->mqd || !h->fence_va)
		return -ENOMEM;
	h->ring = sim_space_ptr(&sim->gart, h->ring_va, HIQ_DW * 4);
	h->fence = sim_space_ptr(&sim->gart, h->fence_va, 8);
	mqd = sim_space_ptr(&sim->gart, h->mqd, 4096);
	sim_put64(mqd, GPU_MQD_PQ_BASE_LO, h->ring_va >> 8);
	sim_put64(mqd, GPU_MQD_RPTR_REPORT_LO, h->fence_va + 64);
	sim_put32(mqd, GPU_MQD_DOORBELL_CONTROL, SIM_HIQ_DOORBELL << 2);
	sim_put32(mqd, GPU_MQD_PQ_CONTROL, HIQ_DW_LOG2_MINUS_1);
	sim_put32(mqd, GPU_MQD_STRIDE, 4096);
	return 0;
}

static u32 *put_process(u32 *ib, const struct sim_proc *proc, u32 nr_queues)
{
	gpu_pm4_begin(ib, GPU_PM4_MAP_PROCESS, GPU_PM4_MAP_PROCESS_ALDEBARAN_DW);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_PASID, proc->pasid);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_QUANTUM, 10);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_SDMA_ENABLE, 1);
	gpu_pm4_set(ib, GPU_MAP_PROCESS_NUM_QUEUES, nr_queues);
	return ib + GPU_PM4_MAP_PROCESS_ALDEBARAN_DW;
}

static u32 *put_queue(u32 *ib, const struct sim_queue *q)
{
	u64 wptr_va = q->rptr_va + 8;

	gpu_pm4_begin(ib, GPU_PM4_MAP_QUEUES, GPU_PM4_MAP_QUEUES_DW);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_QUEUE_SEL, 1);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_NUM_QUEUES, 1);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_DOORBELL, SIM_DOORBELL(q->index));
	gpu_pm4_set(ib, GPU_MAP_QUEUES_MQD_LO, (u32)q->mqd);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_MQD_HI, (u32)(q->mqd >> 32));
	gpu_pm4_set(ib, GPU_MAP_QUEUES_WPTR_LO, (u32)wptr_va);
	gpu_pm4_set(ib, GPU_MAP_QUEUES_WPTR_HI, (u32)(wptr_va >> 32));
	return ib + GPU_PM4_MAP_QUEUES_DW;
}

/* What a process has in a runlist is always the same: made once, copied into each list. */
static int make_packets(struct sim *sim)
{
	u32 *end = calloc(sim->hws.ib_dw, sizeof(u32));

	if (!end)
		return -ENOMEM;
	sim->hws.packets = end;
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct sim_proc *proc = &sim->procs[i];

		proc->packets = end;
		end = put_process(end, proc, proc->spec->queues);
		for (u32 j = 0; j < proc->spec->queues; j++)
			end = put_queue(end, &proc->queues[j]);
		proc->nr_dw = (u32)(end - proc->packets);
	}
	return 0;
}

static int alloc_runlists(struct sim *sim)
{
	struct sim_hws *h = &sim->hws;

	h->ib_dw = sim->nr_procs * GPU_PM4_MAP_PROCESS_ALDEBARAN_DW +
		   sim->nr_queues * GPU_PM4_MAP_QUEUES_DW + GPU_PM4_RUN_LIST_DW;
	for (u32 i = 0; i < ARRAY_SIZE(h->ib); i++) {
		h->ib_va[i] = sim_space_alloc(&sim->gart, h->ib_dw * 4, 4096);
		if (!h->ib_va[i])
			return -ENOMEM;
		h->ib[i] = sim_space_ptr(&sim->gart, h->ib_va[i], h->ib_dw * 4);
	}
	return make_packets(sim);
}

/**
 * sim_hws_init() - set up the HIQ and tell the firmware what it may use
 * @sim: run with its GPU
 *
 * Return: 0 or -errno.
 */
int sim_hws_init(struct sim *sim)
{
	int ret = alloc_hiq(sim);

	if (!ret)
		ret = alloc_runlists(sim);
	if (!ret)
		ret = gpu_hiq_load(sim->gpu, sim->hws.mqd, 0);
	if (!ret)
		set_resources(sim);
	return ret;
}

void sim_hws_fini(struct sim *sim)
{
	free(sim->hws.packets);
}

/* Preempt every dynamic queue; a fence tells when. */
void sim_hws_unmap(struct sim *sim)
{
	struct sim_hws *h = &sim->hws;
	u32 pkt[GPU_PM4_QUERY_STATUS_DW];

	gpu_pm4_begin(pkt, GPU_PM4_UNMAP_QUEUES, GPU_PM4_UNMAP_QUEUES_DW);
	gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_ACTION, GPU_UNMAP_PREEMPT);
	gpu_pm4_set(pkt, GPU_UNMAP_QUEUES_QUEUE_SEL, GPU_UNMAP_ALL_NON_STATIC);
	submit(sim, pkt, GPU_PM4_UNMAP_QUEUES_DW);

	h->fence_seq++;
	gpu_pm4_begin(pkt, GPU_PM4_QUERY_STATUS, GPU_PM4_QUERY_STATUS_DW);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_COMMAND, 2);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_ADDR_LO, (u32)h->fence_va);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_ADDR_HI, (u32)(h->fence_va >> 32));
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_DATA_LO, (u32)h->fence_seq);
	gpu_pm4_set(pkt, GPU_QUERY_STATUS_DATA_HI, (u32)(h->fence_seq >> 32));
	submit(sim, pkt, GPU_PM4_QUERY_STATUS_DW);
	if (!h->waiting)
		h->unmap_ns = sim->now_ns;
	h->waiting = true;
	ring_hiq(sim);
}

static void put_runlist(u32 *pkt, u64 ib_va, u32 nr_dw, u32 nr_procs, bool chain)
{
	gpu_pm4_begin(pkt, GPU_PM4_RUN_LIST, GPU_PM4_RUN_LIST_DW);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_LO, (u32)ib_va);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_HI, (u32)(ib_va >> 32));
	gpu_pm4_set(pkt, GPU_RUN_LIST_IB_SIZE, nr_dw);
	gpu_pm4_set(pkt, GPU_RUN_LIST_CHAIN, chain);
	gpu_pm4_set(pkt, GPU_RUN_LIST_IDLE_DISABLE, chain);
	gpu_pm4_set(pkt, GPU_RUN_LIST_VALID, 1);
	gpu_pm4_set(pkt, GPU_RUN_LIST_PROCESS_CNT, nr_procs);
}

/* Queues that the firmware can map at a time. */
u32 sim_hws_slots(const struct sim *sim)
{
	return sim->sc->nr_slots ? sim->sc->nr_slots : sim->profile->nr_slots;
}

/*
 * A new runlist begins with its first entry, whatever the one before had come to. One that does
 * not fit begins where the first turn of the one before ended, or the last would never run.
 */
static u32 next_first(const struct sim *sim)
{
	u32 nr_procs = 0, nr_queues = 0;

	for (u32 i = 0; i < sim->nr_procs; i++) {
		u32 at = (sim->hws.first + i) % sim->nr_procs;
		const struct sim_proc *proc = &sim->procs[at];

		if (proc->off || proc->gone)
			continue;
		nr_queues += proc->spec->queues;
		if (nr_procs == sim->profile->nr_vmids || nr_queues > sim_hws_slots(sim))
			return at;
		nr_procs++;
	}
	return sim->hws.first;
}

/**
 * sim_hws_map() - submit a runlist of every process that is not off
 * @sim: run
 *
 * amdkfd also lists processes without active queues, of which the firmware takes no notice;
 * here the cost of a switch does not grow with them.
 */
void sim_hws_map(struct sim *sim)
{
	struct sim_hws *h = &sim->hws;
	u32 which = h->next_ib++ % ARRAY_SIZE(h->ib);
	u32 *ib = h->ib[which], *end = ib;
	u32 nr_active = 0, concurrent = min(sim->nr_procs, sim->profile->nr_vmids);
	u32 pkt[GPU_PM4_RUN_LIST_DW];
	bool chain;

	for (u32 i = 0; i < sim->nr_procs; i++) {
		const struct sim_proc *proc = &sim->procs[(h->first + i) % sim->nr_procs];

		if (proc->off || proc->gone)
			continue;
		memcpy(end, proc->packets, proc->nr_dw * sizeof(u32));
		end += proc->nr_dw;
		nr_active += proc->spec->queues;
	}
	chain = nr_active > sim_hws_slots(sim) || sim->nr_procs > sim->profile->nr_vmids;
	h->first = next_first(sim);
	if (chain) {
		u32 total = (u32)(end - ib) + GPU_PM4_RUN_LIST_DW;

		put_runlist(end, h->ib_va[which], total, concurrent, true);
		end += GPU_PM4_RUN_LIST_DW;
	}
	put_runlist(pkt, h->ib_va[which], (u32)(end - ib), concurrent, false);
	submit(sim, pkt, GPU_PM4_RUN_LIST_DW);
	ring_hiq(sim);
}

/**
 * sim_hws_take_refused() - which queue refused to be preempted
 * @sim: run
 *
 * Return: its doorbell, 0 = none did; the word is cleared as amdkfd clears it.
 */
u32 sim_hws_take_refused(struct sim *sim)
{
	u32 refused = 0;

	for (u32 xcc = 0; xcc < sim->profile->nr_xcc; xcc++) {
		u64 va = sim->hws.mqd + 4096ull * xcc + GPU_MQD_REFUSED_DOORBELL;
		u32 *word = sim_space_ptr(&sim->gart, va, 4);

		if (*word)
			refused = *word;
		*word = 0;
	}
	return refused;
}
