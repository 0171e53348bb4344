// SPDX-License-Identifier: MIT
/*
 * resize: the cycle of cwsr, in which elastic processes that are to leave come back at once on
 * fewer CUs. Between the fence and the runlist, when their waves are saved, the driver writes
 * other CU masks into their MQDs, as update_queue() of amdkfd does for SET_CU_MASK.
 *
 * To the scheduling core a process that has shrunk is off the GPU. What the more urgent ones
 * need is counted for all that are there, whether they have work now or not, so that one that
 * gets some while another has some finds its CUs.
 *
 * An elastic process has the upper bits of a mask, the lower ones are those that it leaves.
 */
#include "sim/sim.h"

#include <stdio.h>

#define MASK_WORDS (GPU_MAX_XCC * GPU_MAX_CU_PER_XCC / 32)

static struct gp_elastic_gpu gpu_of(const struct sim *sim)
{
	const struct gpu_profile *p = sim->profile;

	return (struct gp_elastic_gpu){
		.nr_cus = p->nr_xcc * p->cu_per_xcc,
		.nr_xcc = p->nr_xcc,
		.issue_ppm = p->issue_ppm,
		.memory_ppm = p->memory_ppm,
		.slack_ppm = (u32)sim->sc->slack_ppm,
	};
}

/* CUs that a kernel of so many workgroups fills: those on the XCC that has most, on each. */
static u32 cus_of(const struct sim *sim, const struct sim_kernel_image *k)
{
	const struct gpu_profile *p = sim->profile;
	u64 per_cu = sim_kernel_room(p, k->spec) / (p->nr_xcc * p->cu_per_xcc);
	u64 groups = (k->nr_workgroups + p->nr_xcc - 1) / p->nr_xcc;
	u64 cus = min((groups + per_cu - 1) / per_cu, (u64)p->cu_per_xcc);

	return (u32)cus * p->nr_xcc;
}

/**
 * sim_resize_began() - a dispatch of a queue has its first wave on a CU
 * @q: queue
 * @packet: index of the packet
 */
void sim_resize_began(struct sim_queue *q, u64 packet)
{
	const struct sim_kernel_image *k = q->image[packet & (q->nr_packets - 1)];

	if (q->proc->sim->sc->mechanism == SIM_MECH_RESIZE && !k->spec->is_barrier)
		gp_elastic_learn(&q->proc->fill, cus_of(q->proc->sim, k));
}

/* What processes that are more urgent than this one need, and what their classes reserve. */
static void sum_up(const struct sim_proc *proc, const struct gp_elastic_gpu *gpu, u32 *need,
		   u32 *reserved)
{
	const struct sim *sim = proc->sim;

	*need = 0;
	*reserved = 0;
	for (u32 i = 0; i < sim->nr_procs; i++) {
		const struct sim_proc *other = &sim->procs[i];

		if (other->gone || other->spec->attr.prio <= proc->spec->attr.prio)
			continue;
		*need += gp_elastic_need(&other->fill, gpu);
		*reserved += other->number ? 0 : other->spec->reserve;
	}
}

static u32 most_of(const struct sim_proc *proc)
{
	struct gp_elastic_gpu gpu = gpu_of(proc->sim);
	u32 need, reserved;

	if (proc->spec->elastic.mode == GP_ELASTIC_OFF)
		return gpu.nr_cus;
	sum_up(proc, &gpu, &need, &reserved);
	return gp_elastic_most(&proc->spec->elastic, &gpu, reserved);
}

static void write_masks(struct sim_proc *proc)
{
	u32 nr_cus = proc->sim->profile->nr_xcc * proc->sim->profile->cu_per_xcc;
	u32 mask[MASK_WORDS] = { 0 };
	char text[128];

	if (proc->cus == proc->cus_set)
		return;
	for (u32 i = nr_cus - proc->cus; i < nr_cus; i++)
		mask[i / 32] |= 1u << i % 32;
	for (u32 i = 0; i < proc->spec->queues; i++)
		sim_queue_set_cus(&proc->queues[i], mask);
	proc->cus_set = proc->cus;
	snprintf(text, sizeof(text), "%s %u: %u CUs", proc->spec->name, proc->number, proc->cus);
	sim_mark(proc->sim, text);
}

void sim_resize_write(struct sim *sim)
{
	for (u32 i = 0; sim->sc->mechanism == SIM_MECH_RESIZE && i < sim->nr_procs; i++)
		write_masks(&sim->procs[i]);
}

int sim_resize_start(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct sim_proc *proc = &sim->procs[i];

		proc->cus_set = sim->profile->nr_xcc * sim->profile->cu_per_xcc;
		proc->cus = most_of(proc);
	}
	sim_resize_write(sim);
	return sim_mech_none.start(sim);
}

/* Whether a process need not leave, as it makes room on some CUs. Sets how many it keeps. */
static bool shrinks(struct sim_proc *proc)
{
	struct gp_elastic_gpu gpu = gpu_of(proc->sim);
	u32 need, reserved, cus;

	sum_up(proc, &gpu, &need, &reserved);
	cus = gp_elastic_shrink(&proc->spec->elastic, &gpu, need, reserved);
	if (cus)
		proc->cus = cus;
	return cus != 0;
}

/* Note where the members of the switch are to be. Return: there is something to be done. */
bool sim_resize_set_levels(struct sim *sim)
{
	const struct gp_switch *sw = &sim->act.sw;
	u32 nr = sw->nr_preempt + sw->nr_resume;
	/* A cycle that this switch replaces may have taken all off. */
	bool has_work = sim->hws.phase != SIM_HWS_IDLE;

	for (u32 i = 0; i < nr; i++) {
		u32 member = (sw->nr_preempt + i) % nr;
		struct sim_proc *proc = sim_core_proc(sim, sw->id[member]);
		bool off;

		if (!proc)
			continue;
		off = member < sw->nr_preempt && !shrinks(proc);
		if (member >= sw->nr_preempt)
			proc->cus = most_of(proc);
		has_work |= off != proc->off || proc->cus != proc->cus_set;
		sim_mech_set_level(proc, off);
	}
	return has_work;
}
