// SPDX-License-Identifier: MIT
/*
 * Nothing lost, nothing repeated: judged by what the simulated kernels left in
 * memory, not by what the model believes. A kernel adds 1 to its tally for every
 * workgroup that ends and the time that workgroup really executed; its completion
 * signal counts down once. Only what a killed workgroup had done cannot be seen
 * in memory: the model counts those.
 */
#include "sim/sim.h"
#include "gpu/inspect.h"
#include "gpu/mqd.h"

/**
 * sim_verify_packet() - check the memory of a completed dispatch
 * @q: queue
 * @packet: index of the packet
 */
void sim_verify_packet(struct sim_queue *q, u64 packet)
{
	struct sim_result *r = q->proc->sim->result;
	u64 slot = packet & (q->nr_packets - 1);
	const struct sim_kernel_image *k = q->image[slot];
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

/* A queue off the GPU has something to go on with: its control stack is not empty. */
static bool is_saved(const struct sim_queue *q)
{
	const struct sim *sim = q->proc->sim;
	const u8 *mqd = sim_space_ptr(&sim->gart, q->mqd, GPU_MQD_BYTES);
	u32 offset, size;

	memcpy(&offset, mqd + GPU_MQD_CTL_STACK_OFFSET, sizeof(offset));
	memcpy(&size, mqd + GPU_MQD_CTL_STACK_SIZE, sizeof(size));
	return offset < size;
}

/**
 * sim_verify_has_vanished() - the oldest packet not complete is nowhere any more
 * @q: queue
 *
 * Consumed from the ring, its signal not fired, and neither in a slot nor saved.
 */
bool sim_verify_has_vanished(const struct sim_queue *q)
{
	u64 slot = q->done & (q->nr_packets - 1);

	if (q->proc->gone || !sim_queue_outstanding(q) || q->signals[slot].value <= 0)
		return false;
	return q->pointers[0] > q->done && !is_saved(q) &&
	       !gpu_dispatches(q->proc->sim->gpu, SIM_DOORBELL(q->index));
}

/* Check what is still outstanding after the run has settled. */
void sim_verify_end(struct sim *sim)
{
	u64 nr_killed = gpu_stats(sim->gpu)->nr_killed - sim->nr_killed_dead;

	for (u32 i = 0; i < sim->nr_queues; i++) {
		struct sim_queue *q = &sim->queues[i];

		if (sim_verify_has_vanished(q))
			sim->result->lost += q->image[q->done & (q->nr_packets - 1)]->nr_workgroups;
	}
	/* Killed on purpose they start again; killed otherwise they are gone. */
	if (sim->sc->mechanism == SIM_MECH_RESET)
		sim->result->repeated += nr_killed;
	else
		sim->result->lost += nr_killed;
}
