// SPDX-License-Identifier: MIT
/*
 * Mechanisms that take single queues out of their slots and put them back, as
 * amdkfd does without the firmware scheduler: no other queue is disturbed. Three
 * of them, by how a queue leaves: saved (cwsr-queue), drained, killed (reset).
 *
 * A switch sets levels; poll moves each queue one step nearer to its level
 * whenever its slot is at rest, until all members are where they should be.
 */
#include "sim/sim.h"

static int hqd_start(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_queues; i++) {
		struct sim_queue *q = &sim->queues[i];
		int ret;

		q->slot = (int)i;
		if (q->proc->gone)
			continue;
		ret = gpu_hqd_load(sim->gpu, i, q->proc->pasid, 8 + q->proc->index, q->mqd, 0);
		if (ret)
			return ret;
	}
	return 0;
}

static void hqd_begin(struct sim *sim)
{
	const struct sim_costs *c = &sim->sc->costs;

	sim_mech_set_levels(sim);
	sim->hws.phase = SIM_HWS_UNMAP;
	sim_at(sim, sim->now_ns + sim_mech_busy_ns(sim) + c->decide_ns + c->driver_ns, SIM_EV_MECH,
	       0, sim->act.sw.seq);
}

static int set_queue_there(struct sim_queue *q)
{
	struct sim_proc *proc = q->proc;
	struct sim *sim = proc->sim;
	u32 slot = (u32)q->slot;

	q->want_on = !proc->gone;
	if (gpu_hqd_is_active(sim->gpu, slot) == q->want_on)
		return 0;
	if (q->want_on)
		return gpu_hqd_load(sim->gpu, slot, proc->pasid, 8 + proc->index, q->mqd,
				    sim->now_ns);
	return gpu_hqd_dequeue(sim->gpu, slot, GPU_DEQUEUE_RESET, sim->now_ns);
}

/* The waves of the dead are killed, also while they drain. */
static void hqd_set_there(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;

	for (u32 i = 0; i < proc->spec->queues; i++) {
		int ret = set_queue_there(&proc->queues[i]);

		/* A switch moves it just now, and looks again. */
		if (ret && ret != -EBUSY)
			sim->error = ret;
	}
	sim->gpu_next_ns = gpu_advance(sim->gpu, sim->now_ns);
}

/* One step towards the queue's level. Return: it is there. */
static bool approach(struct sim *sim, struct sim_queue *q)
{
	u32 slot = (u32)q->slot;
	int ret;

	if (gpu_hqd_is_busy(sim->gpu, slot))
		return false;
	if (gpu_hqd_is_active(sim->gpu, slot) == q->want_on)
		return true;
	if (q->want_on)
		ret = gpu_hqd_load(sim->gpu, slot, q->proc->pasid, 8 + q->proc->index, q->mqd,
				   sim->now_ns);
	else
		ret = gpu_hqd_dequeue(sim->gpu, slot, sim->mech->how, sim->now_ns);
	if (ret && ret != -EBUSY)
		sim->error = ret;
	sim->gpu_next_ns = gpu_advance(sim->gpu, sim->now_ns);
	return false;
}

static void hqd_poll(struct sim *sim)
{
	bool there = true;

	if (sim->hws.phase != SIM_HWS_FENCE)
		return;
	for (u32 i = 0; i < sim->nr_queues; i++)
		there &= approach(sim, &sim->queues[i]);
	if (!there)
		return;
	sim->hws.phase = SIM_HWS_IDLE;
	sim_switch_done(sim);
}

static void hqd_step(struct sim *sim)
{
	sim->hws.phase = SIM_HWS_FENCE;
}

#define HQD_OPS(name, by, local)            \
	const struct sim_mech_ops name = {  \
		.start = hqd_start,         \
		.begin = hqd_begin,         \
		.step = hqd_step,           \
		.poll = hqd_poll,           \
		.set_there = hqd_set_there, \
		.how = by,                  \
		.is_local = local,          \
	}

HQD_OPS(sim_mech_hqd_save, GPU_DEQUEUE_SAVE, true);
HQD_OPS(sim_mech_hqd_drain, GPU_DEQUEUE_DRAIN, false);
HQD_OPS(sim_mech_hqd_reset, GPU_DEQUEUE_RESET, false);
