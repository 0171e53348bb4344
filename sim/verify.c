// SPDX-License-Identifier: MIT
/*
 * Nothing lost, nothing repeated: judged by what the simulated kernels left in
 * memory, not by what the model believes. A kernel adds 1 to its tally for every
 * workgroup that ends and the time that workgroup really executed; its completion
 * signal counts down once. Only what a killed workgroup had done cannot be seen
 * in memory: the model counts those.
 */
#include "sim.h"

/**
 * gp_verify_packet() - check the memory of a completed dispatch
 * @q: queue
 * @packet: index of the packet
 * @k: its kernel
 */
void gp_verify_packet(struct gp_sim_queue *q, u64 packet, const struct gp_kernel_image *k)
{
	struct gp_sim_result *r = q->proc->sim->result;
	u64 slot = packet & (q->nr_packets - 1);
	u64 wgs = q->tally[slot][0], ns = q->tally[slot][1];
	s64 signal = q->signals[slot].value;

	r->dispatches++;
	r->lost += signal > 0;
	r->repeated += signal < 0;
	if (wgs < k->nr_workgroups)
		r->lost += k->nr_workgroups - wgs;
	else if (wgs > k->nr_workgroups)
		r->repeated += wgs - k->nr_workgroups;
	else if (ns < k->nr_workgroups * k->workgroup_ns)
		r->lost++;
	else if (ns > k->nr_workgroups * k->workgroup_ns)
		r->repeated++;
}

/* The oldest packet not complete has vanished: the GPU has neither it nor its waves. */
static bool has_vanished(struct gp_sim_queue *q)
{
	struct gp_sim *sim = q->proc->sim;

	return gp_sim_queue_outstanding(q) && q->pointers[0] == gp_sim_queue_written(q) &&
	       q->where == GP_AT_GPU && !gp_gpu_waves(sim->gpu, GP_SIM_DOORBELL(q->index));
}

/**
 * gp_verify_end() - check what is still outstanding after the run has settled
 * @sim: run
 */
void gp_verify_end(struct gp_sim *sim)
{
	for (u32 i = 0; i < sim->nr_queues; i++) {
		struct gp_sim_queue *q = &sim->queues[i];
		u64 kernel = q->nr_requests ? q->done - q->requests[q->head].first : 0;

		if (has_vanished(q))
			sim->result->lost += q->proc->kernels[kernel].nr_workgroups;
	}
	/* Killed on purpose they start again; killed otherwise they are gone. */
	if (sim->sc->mechanism == GP_MECH_RESET)
		sim->result->repeated += gp_gpu_stats(sim->gpu)->nr_killed;
	else
		sim->result->lost += gp_gpu_stats(sim->gpu)->nr_killed;
}
