// SPDX-License-Identifier: MIT
/*
 * Mechanisms: what they have in common, and the one that does nothing.
 */
#include "sim/sim.h"

/**
 * gp_mech_set_levels() - note which processes the switch in flight wants off or on
 * @sim: run
 */
void gp_mech_set_levels(struct gp_sim *sim)
{
	for (u32 i = 0; i < sim->act.sw.nr_preempt + sim->act.sw.nr_resume; i++) {
		struct gp_entity_info info;
		struct gp_proc *proc;
		bool off = i < sim->act.sw.nr_preempt;

		if (gp_sched_entity_info(sim->sched, sim->act.sw.id[i], &info))
			continue;
		proc = &sim->procs[info.cookie];
		if (off && !proc->off) {
			proc->off_since_ns = sim->now_ns;
			gp_watch_preempt(proc);
		}
		proc->off = off;
		for (u32 j = 0; j < proc->spec->queues; j++)
			proc->queues[j].want_on = !off;
	}
}

static int start_hws(struct gp_sim *sim)
{
	int ret = gp_hws_init(sim);

	if (!ret)
		gp_hws_map(sim);
	return ret;
}

const struct gp_mech_ops gp_mech_none = {
	.start = start_hws,
};

/*
 * cwsr: one node-wide cycle of the firmware scheduler for all members together.
 * Locks and flags, unmap with fence, runlist: each is an event, so that the time
 * software takes is part of the latency.
 */

static void next_phase(struct gp_sim *sim, u32 phase, u64 delay_ns)
{
	sim->hws.phase = phase;
	gp_sim_at(sim, sim->now_ns + delay_ns, GP_EV_MECH, 0, sim->act.sw.seq);
}

static void cwsr_begin(struct gp_sim *sim)
{
	const struct gp_sim_costs *c = &sim->sc->costs;

	gp_mech_set_levels(sim);
	next_phase(sim, GP_HWS_UNMAP, c->decide_ns + c->driver_ns);
}

/* A queue that refused is still on the GPU, whatever was asked of it. */
static void mark_refused(struct gp_sim *sim)
{
	u32 doorbell = gp_hws_take_refused(sim);
	struct gp_proc *proc;

	if (!doorbell)
		return;
	proc = sim->queues[GP_SIM_QUEUE_OF(doorbell)].proc;
	for (u32 i = 0; i < sim->act.sw.nr_preempt; i++)
		if (sim->act.sw.id[i] == proc->core_id) {
			sim->act.results[i] = GP_RESULT_ERROR;
			proc->off = false;
		}
}

static void cwsr_step(struct gp_sim *sim)
{
	const struct gp_sim_costs *c = &sim->sc->costs;

	switch (sim->hws.phase) {
	case GP_HWS_UNMAP:
		sim->hws.phase = GP_HWS_FENCE;
		gp_hws_unmap(sim);
		break;
	case GP_HWS_FENCE:
		mark_refused(sim);
		next_phase(sim, GP_HWS_MAP, c->runlist_ns);
		break;
	case GP_HWS_MAP:
		sim->hws.phase = GP_HWS_IDLE;
		gp_hws_map(sim);
		gp_sim_switch_done(sim);
		break;
	default:
		break;
	}
}

static void cwsr_poll(struct gp_sim *sim)
{
	struct gp_hws *h = &sim->hws;

	if (h->phase != GP_HWS_FENCE || !h->waiting || *h->fence < h->fence_seq)
		return;
	h->waiting = false;
	next_phase(sim, GP_HWS_FENCE, sim->sc->costs.fence_ns);
}

const struct gp_mech_ops gp_mech_cwsr = {
	.start = start_hws,
	.begin = cwsr_begin,
	.step = cwsr_step,
	.poll = cwsr_poll,
};

/*
 * launch-block: the client's launch worker stops launching. What is on the GPU
 * stays there until it ends.
 */

static void block_begin(struct gp_sim *sim)
{
	const struct gp_sim_costs *c = &sim->sc->costs;

	gp_mech_set_levels(sim);
	gp_sim_at(sim, sim->now_ns + c->decide_ns + c->block_ns, GP_EV_MECH, 0, sim->act.sw.seq);
}

static void block_step(struct gp_sim *sim)
{
	for (u32 i = 0; i < sim->nr_procs; i++) {
		struct gp_proc *proc = &sim->procs[i];
		bool was_blocked = proc->blocked;

		proc->blocked = proc->off;
		for (u32 j = 0; was_blocked && !proc->blocked && j < proc->spec->queues; j++)
			gp_sim_queue_pump(&proc->queues[j]);
	}
	gp_sim_switch_done(sim);
}

const struct gp_mech_ops gp_mech_launch_block = {
	.start = start_hws,
	.begin = block_begin,
	.step = block_step,
};

/**
 * gp_mech_find() - the ops of a mechanism
 * @m: mechanism
 */
const struct gp_mech_ops *gp_mech_find(enum gp_mechanism m)
{
	static const struct gp_mech_ops *const table[GP_MECH_COUNT] = {
		[GP_MECH_NONE] = &gp_mech_none,
		[GP_MECH_HWPRIO] = &gp_mech_none,
		[GP_MECH_LAUNCH_BLOCK] = &gp_mech_launch_block,
		[GP_MECH_DRAIN] = &gp_mech_hqd_drain,
		[GP_MECH_RESET] = &gp_mech_hqd_reset,
		[GP_MECH_CWSR] = &gp_mech_cwsr,
		[GP_MECH_CWSR_QUEUE] = &gp_mech_hqd_save,
	};

	return table[m];
}
